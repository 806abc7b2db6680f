package forecast

import (
	"fmt"
	"slices"
	"time"
)

// Span is a length of time that is not known exactly; the zero span is not known
// at all.
type Span struct{ Low, High time.Duration }

// Plus is one span after another.
func (s Span) Plus(t Span) Span { return Span{s.Low + t.Low, s.High + t.High} }

// Beside is one span beside another: the longer counts.
func (s Span) Beside(t Span) Span { return Span{max(s.Low, t.Low), max(s.High, t.High)} }

// Times is a span so many times over.
func (s Span) Times(n float64) Span {
	return Span{time.Duration(n * float64(s.Low)), time.Duration(n * float64(s.High))}
}

// Within holds a span to what is left of a limit.
func (s Span) Within(most time.Duration) Span { return Span{min(s.Low, most), min(s.High, most)} }

// Pace is how long something takes that took so long before: the quicker and the
// slower half, or more than there was where that is too few to tell them apart. The
// zero span where nothing was measured.
func Pace(took []time.Duration) Span {
	list := slices.Sorted(slices.Values(took))
	switch len(list) {
	case 0:
		return Span{}
	case 1, 2:
		return Span{list[0] * 2 / 3, list[len(list)-1] * 3 / 2}
	}
	return Span{list[len(list)/4], list[len(list)*3/4]}
}

// String tells a span in round figures, "" where it is not known.
func (s Span) String() string {
	if s.High <= 0 {
		return ""
	}
	low, high := int(s.Low.Minutes()), int(s.High.Minutes()+1)
	switch {
	case high <= 2:
		return "about 2 min"
	case high < 90:
		low, high = low/roundTo(low)*roundTo(low), (high+roundTo(high)-1)/roundTo(high)*roundTo(high)
		return fmt.Sprintf("%d–%d min", max(1, low), max(high, low+1))
	case low < 60:
		return fmt.Sprintf("%d min–%d h", max(1, low/roundTo(low)*roundTo(low)), (high+59)/60)
	}
	return fmt.Sprintf("%d–%d h", low/60, (high+59)/60)
}

// roundTo is to what a number of minutes is rounded.
func roundTo(minutes int) int {
	if minutes < 10 {
		return 1
	}
	return 5
}

// StepTime is how long a step of a model takes where nothing was measured.
const StepTime = 15 * time.Second

// InRow is how many of so many iterations of a part come one after the other.
func (p Part) InRow(n float64) float64 { return max(min(n, 1), n/float64(max(1, p.AtOnce))) }

// assumedTime is how long one iteration takes where nothing was measured.
func assumedTime(tier string, p Part) Span {
	likely, worst := assumedWorkloads(tier)
	one := Span{time.Duration(likely.steps * float64(StepTime)), time.Duration(worst.steps * float64(StepTime))}
	if p.Given {
		return one.Times(1.0 / givenDivisor)
	}
	return one
}

// Minutes is how long a run is likely to take, in minutes.
type Minutes struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Runs int     `json:"runs,omitempty"` // finished runs whose time it comes from; 0: it is assumed
}

// Span is the same as a length of time.
func (m Minutes) Span() Span {
	return Span{time.Duration(m.Low * float64(time.Minute)), time.Duration(m.High * float64(time.Minute))}
}

// minutes is how long a run is likely to take: as long as finished ones of its kind
// and tier in which models were asked, else by what its seats are asked, each after
// the other, beside one another. nil where no model is asked.
func (f Forecast) minutes(a Demand, past []FinishedRun, assumed map[string]Span) *Minutes {
	var took []time.Duration
	for _, p := range past {
		asks := slices.ContainsFunc(p.Uses, func(u Use) bool { return u.Tokens > 0 })
		if p.Kind == a.Kind && p.Tier == a.Tier && asks && p.Elapsed > 0 {
			took = append(took, p.Elapsed)
		}
	}
	likely := Pace(took)
	if len(took) == 0 {
		for _, s := range assumed {
			likely = likely.Beside(s)
		}
	}
	if a.Time > 0 {
		likely = likely.Within(a.Time)
	}
	if len(f.Basis) == 0 || likely.High <= 0 {
		return nil
	}
	return &Minutes{round(likely.Low), round(likely.High), len(took)}
}

// round is a number of minutes to a tenth, and never none.
func round(d time.Duration) float64 { return max(0.1, d.Round(6*time.Second).Minutes()) }
