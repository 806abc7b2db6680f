package export

import (
	"fmt"
	"math"

	"research-council/internal/evidence/score"
)

// scoreChart is a score as bars. Lengths are of a picture 400 wide.
type scoreChart struct {
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

// fullBar is the length of a bar that is full.
const fullBar = 400.0

// newScoreChart draws a score. A value that is none is drawn as 0.
func newScoreChart(r *score.Result) *scoreChart {
	if !r.IsMeaningful() {
		return nil
	}
	final := clamp(r.Final, 100)
	d := &scoreChart{
		Score: score.FormatScore(final), Width: fullBar * final / 100, Fair: fullBar * score.Fair / 100, Good: fullBar * score.Good / 100,
		Words: fmt.Sprintf("Score %s of 100, confidence cap %.2f", score.FormatScore(final), r.Cap),
	}
	for _, s := range r.Signals {
		v := clamp(s.Value, 1)
		d.Bars = append(d.Bars, bar{Name: line(s.Name), Value: percent(v), Detail: line(s.Detail), Width: fullBar * v})
	}
	return d
}

func clamp(x, most float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, 0), most)
}
