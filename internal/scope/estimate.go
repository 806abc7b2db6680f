package scope

import "math"

// Span is a range, both ends included.
type Span struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func (s Span) plus(t Span) Span         { return Span{s.Low + t.Low, s.High + t.High} }
func (s Span) times(low, high int) Span { return Span{s.Low * float64(low), s.High * float64(high)} }
func (s Span) priced(usd float64) Span  { return Span{s.Low * usd / 1e6, s.High * usd / 1e6} }
func (s Span) capped(most float64) Span { return Span{min(s.Low, most), min(s.High, most)} }
func (s Span) rounded(unit float64) Span {
	return Span{math.Floor(s.Low/unit) * unit, math.Ceil(s.High/unit) * unit}
}

// Load is what one iteration of a seat takes, in tokens.
type Load struct {
	Input  Span `json:"input"`  // read for the first time
	Cached Span `json:"cached"` // read again with each further step
	Output Span `json:"output"`
}

// Usual is the load of an iteration when nothing was measured: between three
// pages looked at in four steps, and thirty pages in forty, at 1,500 to 5,000
// tokens a page and 500 to 1,000 tokens written a step. It is an assumption;
// loads measured in earlier runs are better.
func Usual() Load {
	return Load{
		Input:  Span{3 * 1500, 30 * 5000},
		Cached: Span{4 * 3 * 1500 / 2, 40 * 30 * 5000 / 2}, // on the average step half of it has been read
		Output: Span{4 * 500, 40 * 1000},
	}
}

// Rate is a price in USD for a million tokens.
type Rate struct {
	Input  float64 `json:"input"`
	Cached float64 `json:"cached,omitempty"` // 0: as Input
	Output float64 `json:"output"`
}

// Payee is a seat that is paid for.
type Payee struct {
	Seat string
	Free bool  // costs neither money nor tokens
	Rate *Rate // nil when no price is known
}

// Sizing is what a run's size follows from.
type Sizing struct {
	Researchers []Payee
	Iterations  int     // at most, of each researcher in each phase
	Debate      Debate  // off: none
	Rounds      int     // of a debate, at most
	Load        Load    // of one iteration
	USD         float64 // limit, 0 for none
	Tokens      int64   // limit, 0 for none
}

// Forecast is what a run may take.
type Forecast struct {
	Iterations Span     `json:"iterations"`
	Tokens     Span     `json:"tokens"`
	USD        Span     `json:"usd"`
	Unpriced   []string `json:"unpriced,omitempty"` // paid seats whose price is not known: USD is without them
	Capped     bool     `json:"capped,omitempty"`   // a limit of the run ends it below what it could take
}

const (
	phases  = 2 // in which every researcher works: research and refinement
	judging = 3 // iterations of a judge over one ballot, verdict or round, at most
)

// Estimate reckons what a run may take before anything is paid:
//
//	iterations of a researcher = 2·1 … 2·Iterations, for research and refinement
//	of votes                   = 0 … 3 of each researcher who is paid
//	of validation and debate   = 0 … 3·(1+Rounds) of each of them; off: 0
//	of the synthesis           = 1 … 3, by the first of them
//	tokens = iterations · (input + cached + output of the load)
//	USD    = iterations · (input·price + cached·price + output·price) / 10⁶
//
// and neither more than the run's limit. Tokens are rounded outwards to
// thousands, money to cents. Seats that cost nothing count iterations alone.
func Estimate(s Sizing) Forecast {
	var f Forecast
	writes := true // nobody writes the synthesis yet
	for _, p := range s.Researchers {
		low, high := phases, phases*max(s.Iterations, 1)
		if !p.Free {
			high += s.judged()
		}
		if writes && !p.Free {
			low, high, writes = low+1, high+judging, false
		}
		f.add(p, s.Load, low, high)
	}
	return f.limited(s)
}

// judged is how many iterations votes, validation and debate take of a seat at
// most. At least it is none: there may be no rival to judge, and nothing open.
func (s Sizing) judged() int {
	if s.Debate == Off {
		return judging
	}
	return judging * (2 + max(s.Rounds, 1))
}

func (f *Forecast) add(p Payee, load Load, low, high int) {
	f.Iterations = f.Iterations.plus(Span{float64(low), float64(high)})
	if p.Free {
		return
	}
	f.Tokens = f.Tokens.plus(load.Input.plus(load.Cached).plus(load.Output).times(low, high))
	if p.Rate == nil {
		f.Unpriced = append(f.Unpriced, p.Seat)
		return
	}
	cached := p.Rate.Cached
	if cached == 0 {
		cached = p.Rate.Input
	}
	usd := load.Input.priced(p.Rate.Input).plus(load.Cached.priced(cached)).plus(load.Output.priced(p.Rate.Output))
	f.USD = f.USD.plus(usd.times(low, high))
}

func (f Forecast) limited(s Sizing) Forecast {
	f.Tokens, f.USD = f.Tokens.rounded(1000), f.USD.rounded(0.01)
	if s.Tokens > 0 && f.Tokens.High > float64(s.Tokens) {
		f.Tokens, f.Capped = f.Tokens.capped(float64(s.Tokens)), true
	}
	if s.USD == 0 {
		return f
	}
	if len(f.Unpriced) > 0 { // they may take all there is
		f.USD.High = max(f.USD.High, s.USD)
	}
	if f.USD.High >= s.USD {
		f.USD, f.Capped = f.USD.capped(s.USD), true
	}
	return f
}
