// Package forecast says what a run may take before anything of it is paid: what
// is likely, and the worst; and how long it is likely to take, as a range.
//
// Both come from finished runs of the same kind and tier, where there are any:
// likely is the middle of what an iteration took, times the middle of how many
// there were, with a range around it; the worst is every iteration that may come, each at the dearest
// that was measured. Where nothing was measured, figures of the tier stand in,
// and the forecast says so. What is not known in money is left in tokens, never
// taken for nothing.
//
// Who takes part and in which roles is left to the products, what finished
// runs have used to package status.
package forecast

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Estimate is a figure before it is known.
type Estimate struct {
	Likely float64 `json:"likely"`
	Worst  float64 `json:"worst"`
}

func (g Estimate) plus(h Estimate) Estimate { return Estimate{g.Likely + h.Likely, g.Worst + h.Worst} }

// Range is between what a figure is likely to be.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func (r Range) plus(s Range) Range        { return Range{r.Low + s.Low, r.High + s.High} }
func (r Range) times(n float64) Range     { return Range{r.Low * n, r.High * n} }
func (r Range) within(most float64) Range { return Range{min(r.Low, most), min(r.High, most)} }

// Price in USD for a million tokens. Where Cached is 0, what is read again
// costs as much as the rest of the input.
type Price struct{ Input, Cached, Output float64 }

func (p Price) cost(u Use) float64 {
	fresh := max(0, u.Input-u.Cached)
	return (p.Input*fresh + cmp.Or(p.Cached, p.Input)*u.Cached + p.Output*u.Output) / 1e6
}

// Seat is one that takes part.
type Seat struct {
	Name, Model string
	Kind        string // of seat: those of one kind take alike
	Thinks      bool   // with a model
	Free        bool   // costs no money
	Price       *Price // nil when none is known
}

// isCostless reports whether a seat is known to cost nothing.
func (s Seat) isCostless() bool { return s.Free || s.Price != nil && *s.Price == Price{} }

// Part is what a run asks of one seat: one or several roles.
type Part struct {
	Seat    Seat
	Roles   []string
	Likely  int  // iterations, where nothing was measured
	Max     int  // iterations; more can never come
	Certain bool // the plan has Likely of them come, whatever finished runs did
	AtOnce  int  // iterations that go on side by side; 0 is 1
	Given   bool // it answers from what it is given, and looks for no sources
}

// Demand is a run that has not begun.
type Demand struct {
	Kind, Tier string
	Parts      []Part
	Endless    bool          // nothing bounds the iterations
	USD        float64       // limit; 0 is none
	Tokens     int64         // limit; 0 is none
	Time       time.Duration // limit; 0 is none
}

// Use is what a seat has used in one role of a run.
type Use struct {
	Seat, Model, Role     string
	Kind                  string // of the seat; "": not told
	Iterations            int
	Tokens                float64 // 0: not told
	Input, Cached, Output float64 // of Tokens, where they are told apart; Cached is a part of Input
	USD                   float64
	Priced                bool // USD is all that was spent; else it is not known
}

// FinishedRun is a finished run.
type FinishedRun struct {
	Kind, Tier string
	Elapsed    time.Duration // without the time it waited for a person; 0: not told
	Uses       []Use
}

// Where the figures of a seat come from.
const (
	Own    = "own"    // finished runs in which the same model sat on the same seat
	Alike  = "alike"  // finished runs in which other seats of its kind did the same
	Others = "others" // finished runs in which other seats did the same
	Table  = "table"  // figures of the tier: nothing was measured
)

// Basis is what the figures of a seat rest on.
type Basis struct {
	Seat string `json:"seat"`
	From string `json:"from"`
	Runs int    `json:"runs,omitempty"` // how many were measured
}

// Forecast is what a run may take.
type Forecast struct {
	Tier       string     `json:"tier"`
	Iterations Estimate   `json:"iterations"`
	Tokens     Estimate   `json:"tokens"`
	USD        Estimate   `json:"usd"`                // of the seats in Priced
	Between    Ranges     `json:"between"`            // what is likely, as ranges
	Minutes    *Minutes   `json:"minutes,omitempty"`  // nil where no model is asked
	Priced     []string   `json:"priced,omitempty"`   // seats that have a model and whose money USD holds
	Unpriced   []string   `json:"unpriced,omitempty"` // seats of which only the tokens can be told
	Costless   []string   `json:"costless,omitempty"` // seats with a model that costs nothing
	Basis      []Basis    `json:"basis,omitempty"`    // of each seat with a model
	Endless    bool       `json:"endless,omitempty"`  // nothing bounds the run: a worst of 0 is none
	Capped     bool       `json:"capped,omitempty"`   // a limit ends the run before its worst; one call of each seat may pass it
	Short      *Shortfall `json:"short,omitempty"`    // nil unless a limit is likely to end it
}

// Ranges are those that a run's figures are likely to be in.
type Ranges struct {
	Tokens Range `json:"tokens"`
	USD    Range `json:"usd"`
}

// Shortfall is what a run is likely to want beyond its limits.
type Shortfall struct {
	USD    float64 `json:"usd,omitempty"`
	Tokens float64 `json:"tokens,omitempty"`
}

// Of says what a run may take, by what finished runs have used.
func Of(a Demand, past []FinishedRun) Forecast {
	f := Forecast{Tier: a.Tier, Endless: a.Endless}
	known := measure(a, past)
	assumed := map[string]Span{} // by seat
	for _, p := range withUnplannedRoles(a.Parts, known) {
		n := f.add(p, known, a.Tier)
		if p.Seat.Thinks {
			assumed[p.Seat.Name] = assumed[p.Seat.Name].Plus(assumedTime(a.Tier, p).Times(p.InRow(n.Likely)))
		}
	}
	f.Minutes = f.minutes(a, past, assumed)
	return f.withinLimits(a)
}

// seat tells seats of finished runs apart.
type seat struct{ name, model string }

// measurements is what finished runs have used, run by run.
type measurements struct {
	own  map[seat][]seatUses
	all  []seatUses
	runs int // in which anything was measured
}

// seatUses is what one seat has used in one finished run, each role once.
type seatUses []Use

// measure takes what can be believed out of finished runs of a kind and tier.
func measure(a Demand, past []FinishedRun) measurements {
	r := measurements{own: map[seat][]seatUses{}}
	for _, p := range past {
		if p.Kind != a.Kind || p.Tier != a.Tier {
			continue
		}
		sat := map[seat]seatUses{}
		var order []seat
		for _, u := range p.Uses {
			if u.Iterations <= 0 || min(u.Tokens, u.Input, u.Cached, u.Output, u.USD) < 0 {
				continue
			}
			s := seat{u.Seat, u.Model}
			if sat[s] == nil {
				order = append(order, s)
			}
			sat[s] = sat[s].withUse(u)
		}
		for _, s := range order {
			r.own[s] = append(r.own[s], sat[s])
			r.all = append(r.all, sat[s])
		}
		if len(order) > 0 {
			r.runs++
		}
	}
	return r
}

// thinks reports whether a model was measured: a seat without one takes as many iterations
// as it likes, and teaches nothing of those that pay for each.
func (r seatUses) thinks() bool {
	return slices.ContainsFunc(r, func(u Use) bool { return u.Tokens > 0 || u.Input+u.Output > 0 || u.USD > 0 })
}

func (r seatUses) isOf(kind string) bool {
	return kind != "" && slices.ContainsFunc(r, func(u Use) bool { return u.Kind == kind })
}

func (r seatUses) withUse(u Use) seatUses {
	if at := slices.IndexFunc(r, func(v Use) bool { return v.Role == u.Role }); at >= 0 {
		r[at] = r[at].plus(u)
		return r
	}
	return append(r, u)
}

// plus joins what was used twice. Money is known when it is of both.
func (u Use) plus(v Use) Use {
	u.Iterations += v.Iterations
	u.Tokens, u.Input, u.Cached, u.Output = u.Tokens+v.Tokens, u.Input+v.Input, u.Cached+v.Cached, u.Output+v.Output
	u.USD, u.Priced = u.USD+v.USD, u.Priced && v.Priced
	return u
}

// perIteration is what one iteration took, on the average.
func (u Use) perIteration() Use {
	n := float64(max(1, u.Iterations))
	u.Tokens, u.Input, u.Cached, u.Output, u.USD = u.Tokens/n, u.Input/n, u.Cached/n, u.Output/n, u.USD/n
	return u
}

// in is what a run has used in some roles; no roles are all.
func (r seatUses) in(roles []string) seatUses {
	if len(roles) == 0 {
		return r
	}
	var list seatUses
	for _, u := range r {
		if slices.Contains(roles, u.Role) {
			list = append(list, u)
		}
	}
	return list
}

// sum is what was used together; without iterations where nothing was.
func (r seatUses) sum() Use {
	if len(r) == 0 {
		return Use{}
	}
	sum := r[0]
	for _, u := range r[1:] {
		sum = sum.plus(u)
	}
	return sum
}

// withUnplannedRoles adds the roles that a seat had in finished runs and that the
// plan does not name.
func withUnplannedRoles(parts []Part, known measurements) []Part {
	list := slices.Clone(parts)
	named := map[string]map[string]bool{}
	var order []Seat
	for _, p := range parts {
		if named[p.Seat.Name] == nil {
			named[p.Seat.Name], order = map[string]bool{}, append(order, p.Seat)
		}
		for _, role := range p.Roles {
			named[p.Seat.Name][role] = true
		}
	}
	for _, s := range order {
		var beyond seatUses // the most iterations of each further role
		for _, r := range known.own[seat{s.Name, s.Model}] {
			for _, u := range r {
				at := slices.IndexFunc(beyond, func(v Use) bool { return v.Role == u.Role })
				switch {
				case named[s.Name][u.Role]:
				case at < 0:
					beyond = append(beyond, u)
				default:
					beyond[at].Iterations = max(beyond[at].Iterations, u.Iterations)
				}
			}
		}
		for _, u := range beyond {
			list = append(list, Part{Seat: s, Roles: []string{u.Role}, Max: u.Iterations})
		}
	}
	return list
}

// evidence is what finished runs tell of a part.
type evidence struct {
	from  string
	runs  []seatUses // of which the part is one
	roles []string   // whose use is measured; none are all
}

// evidenceFor finds the finished runs that speak of a part: those of the same seat, else
// of seats of its kind, else of others with a model where it has one, else none. A seat that never had the role has been measured
// in its other roles.
func (k measurements) evidenceFor(p Part) evidence {
	did := func(r seatUses) bool { return len(r.in(p.Roles)) > 0 }
	own := k.own[seat{p.Seat.Name, p.Seat.Model}]
	switch {
	case slices.ContainsFunc(own, did):
		return evidence{Own, own, p.Roles}
	case len(own) > 0:
		return evidence{Own, own, nil}
	}
	others := slices.DeleteFunc(slices.Clone(k.all), func(r seatUses) bool { return !did(r) || r.thinks() != p.Seat.Thinks })
	alike := slices.DeleteFunc(slices.Clone(others), func(r seatUses) bool { return !r.isOf(p.Seat.Kind) })
	switch {
	case len(alike) > 0:
		return evidence{Alike, alike, p.Roles}
	case len(others) > 0:
		return evidence{Others, others, p.Roles}
	}
	return evidence{from: Table}
}

// assumedSpread is how far what was never measured may lie from what is assumed.
func assumedSpread() Range { return Range{0.5, 2} }

// spread is how far from its middle what a part took has been, as factors: the quicker and
// the dearer half of the runs, or more than there was where they are too few.
func (t evidence) spread(figure func(Use) float64) Range {
	var took []float64
	for _, r := range t.runs {
		if n := figure(r.in(t.roles).sum()); n > 0 {
			took = append(took, n)
		}
	}
	slices.Sort(took)
	switch n := len(took); n {
	case 0:
		return assumedSpread()
	case 1, 2:
		return Range{2.0 / 3, 1.5 * took[n-1] / took[0]}
	default:
		return Range{took[n/4] / took[n/2], took[n*3/4] / took[n/2]}
	}
}

// iterations are how many are likely to come, and at most.
func (p Part) iterations(t evidence) Estimate {
	n := Estimate{float64(min(p.Likely, p.Max)), float64(p.Max)}
	if t.from == Table || t.from != Own && p.Likely == 0 {
		return n
	}
	shown := middle(t.runs, func(r seatUses) (float64, bool) { return float64(r.in(p.Roles).sum().Iterations), true })
	if p.Certain {
		shown = max(shown, n.Likely)
	}
	return Estimate{min(shown, n.Worst), n.Worst}
}

// add adds what a part takes, and gives its iterations.
func (f *Forecast) add(p Part, known measurements, tier string) Estimate {
	t := known.evidenceFor(p)
	n := p.iterations(t)
	f.Iterations = f.Iterations.plus(n)
	if !p.Seat.Thinks {
		return n
	}
	one := measuredCost(assumedCost(tier, p), p.Seat, t)
	f.Tokens = f.Tokens.plus(one.tokens.times(n))
	f.Between.Tokens = f.Between.Tokens.plus(t.spread(func(u Use) float64 { return u.Tokens }).times(one.tokens.Likely * n.Likely))
	if f.addMoney(p.Seat, one, n) {
		f.Between.USD = f.Between.USD.plus(t.spread(func(u Use) float64 { return cmp.Or(u.USD, u.Tokens) }).times(one.usd.Likely * n.Likely))
	}
	if !slices.ContainsFunc(f.Basis, func(b Basis) bool { return b.Seat == p.Seat.Name }) {
		f.Basis = append(f.Basis, Basis{p.Seat.Name, t.from, min(len(t.runs), known.runs)})
	}
	return n
}

func (g Estimate) times(n Estimate) Estimate { return Estimate{g.Likely * n.Likely, g.Worst * n.Worst} }

// addMoney adds what a part costs; false where no price of it is known, or it has none.
func (f *Forecast) addMoney(s Seat, one iterationCost, n Estimate) bool {
	switch {
	case s.isCostless():
		f.Costless = appendUnique(f.Costless, s.Name)
	case slices.Contains(f.Unpriced, s.Name):
	case one.priced:
		f.USD, f.Priced = f.USD.plus(one.usd.times(n)), appendUnique(f.Priced, s.Name)
		return true
	case n.Worst > 0:
		f.Unpriced = appendUnique(f.Unpriced, s.Name)
	}
	return false
}

func appendUnique(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// iterationCost is what one iteration takes.
type iterationCost struct {
	tokens, usd Estimate
	priced      bool // usd is known
}

// measuredCost is what one iteration of a seat takes: as was measured, and where that
// says nothing as the table has it, which is given.
func measuredCost(one iterationCost, s Seat, t evidence) iterationCost {
	if g, ok := t.perIteration(func(u Use) (float64, bool) { return u.Tokens, u.Tokens > 0 }); ok {
		one.usd = Estimate{one.usd.Likely * g.Likely / one.tokens.Likely, one.usd.Worst * g.Worst / one.tokens.Worst}
		one.tokens = g
	}
	if g, ok := t.perIteration(s.cost); ok {
		one.usd, one.priced = g, true
	}
	return one
}

// cost is what a measured use comes to at a seat: what it did cost that very
// model, else what its tokens cost here.
func (s Seat) cost(u Use) (usd float64, known bool) {
	same := u.Seat == s.Name && u.Model == s.Model
	switch {
	case u.Priced && same:
		return u.USD, true
	case s.Price != nil && u.Input+u.Output > 0:
		return s.Price.cost(u), true
	case s.Price != nil && u.Priced:
		return u.USD, true
	}
	return 0, false
}

// perIteration is a figure of one iteration: its middle over runs, and its highest
// over single roles; false where no run tells it.
func (t evidence) perIteration(figure func(Use) (float64, bool)) (g Estimate, known bool) {
	for _, r := range t.runs {
		for _, u := range r.in(t.roles) {
			if x, ok := figure(u.perIteration()); ok {
				g.Worst, known = max(g.Worst, x), true
			}
		}
	}
	g.Likely = middle(t.runs, func(r seatUses) (float64, bool) { return figure(r.in(t.roles).sum().perIteration()) })
	return Estimate{g.Likely, max(g.Likely, g.Worst)}, known
}

// middle is the median of what runs tell; 0 where none does.
func middle(runs []seatUses, figure func(seatUses) (float64, bool)) float64 {
	var list []float64
	for _, r := range runs {
		if x, ok := figure(r); ok {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	at := len(list) / 2
	if len(list)%2 == 1 {
		return list[at]
	}
	return (list[at-1] + list[at]) / 2
}

// withinLimits holds a forecast to the limits of its run.
func (f Forecast) withinLimits(a Demand) Forecast {
	f.Tokens = Estimate{ceilThousand(f.Tokens.Likely), ceilThousand(f.Tokens.Worst)}
	f.USD = Estimate{cents(f.USD.Likely), cents(f.USD.Worst)}
	f.Between.Tokens = Range{ceilThousand(f.Between.Tokens.Low), ceilThousand(f.Between.Tokens.High)}
	f.Between.USD = Range{cents(f.Between.USD.Low), cents(f.Between.USD.High)}
	var short Shortfall
	if most := float64(a.Tokens); most > 0 && (f.Tokens.Worst > most || f.Endless) {
		short.Tokens = excess(f.Tokens.Likely, most)
		f.Tokens, f.Capped = Estimate{min(f.Tokens.Likely, most), most}, true
		f.Between.Tokens = f.Between.Tokens.within(most)
	}
	if most := a.USD; most > 0 && (f.USD.Worst > most || f.Endless || len(f.Unpriced) > 0) {
		short.USD = excess(f.USD.Likely, most)
		f.USD, f.Capped = Estimate{min(f.USD.Likely, most), most}, true
		f.Between.USD = f.Between.USD.within(most)
	}
	if short != (Shortfall{}) {
		f.Short = &short
	}
	if f.Endless && !f.Capped {
		f.Iterations.Worst, f.Tokens.Worst, f.USD.Worst = 0, 0, 0
	}
	return f
}

func excess(wanted, most float64) float64 {
	if wanted <= most {
		return 0
	}
	return wanted
}

func ceilThousand(n float64) float64 { return math.Ceil(n/1000) * 1000 }

// cents rounds money, but takes none of it for nothing.
func cents(usd float64) float64 {
	if usd > 0 && usd < 0.01 {
		return 0.01
	}
	return math.Round(usd*100) / 100
}
