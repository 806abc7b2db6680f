package export

import (
	"fmt"
	"math"

	"research-council/internal/score"
)

// drawing is a score as bars. Lengths are of a picture 400 wide.
type drawing struct {
	Words string // the score, for those who do not see the picture
	Score string
	Width float64
	Fair  float64
	Good  float64
	Bars  []bar
}

type bar struct {
	Name, Value, Detail string
	Width               float64
}

// full is the length of a bar that is full.
const full = 400.0

// draw draws a score. A value that is none is drawn as 0.
func draw(r *score.Result) *drawing {
	if r == nil {
		return nil
	}
	final := bounded(r.Final, 100)
	d := &drawing{
		Score: score.Figure(final), Width: full * final / 100, Fair: full * score.Fair / 100, Good: full * score.Good / 100,
		Words: fmt.Sprintf("Score %s of 100, confidence cap %.2f", score.Figure(final), r.Cap),
	}
	for _, s := range r.Signals {
		v := bounded(s.Value, 1)
		d.Bars = append(d.Bars, bar{Name: line(s.Name), Value: percent(v), Detail: line(s.Detail), Width: full * v})
	}
	return d
}

func bounded(x, most float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, 0), most)
}
