// Package forecast says what a run may take before anything of it is paid: what
// is likely, and the worst.
//
// Both come from finished runs of the same kind and tier, where there are any:
// likely is the middle of what an iteration took, times the middle of how many
// there were; the worst is every iteration that may come, each at the dearest
// that was measured. Where nothing was measured, figures of the tier stand in,
// and the forecast says so. What is not known in money is left in tokens, never
// taken for nothing.
//
// Who takes part and in which roles is left to package recipe, what finished
// runs have used to package status.
package forecast

import (
	"cmp"
	"math"
	"slices"
)

// Guess is a figure before it is known.
type Guess struct {
	Likely float64 `json:"likely"`
	Worst  float64 `json:"worst"`
}

func (g Guess) plus(h Guess) Guess { return Guess{g.Likely + h.Likely, g.Worst + h.Worst} }

// Price in USD for a million tokens. Where Cached is 0, what is read again
// costs as much as the rest of the input.
type Price struct{ Input, Cached, Output float64 }

func (p Price) of(u Use) float64 {
	fresh := max(0, u.Input-u.Cached)
	return (p.Input*fresh + cmp.Or(p.Cached, p.Input)*u.Cached + p.Output*u.Output) / 1e6
}

// Seat is one that takes part.
type Seat struct {
	Name, Model string
	Thinks      bool   // with a model
	Free        bool   // costs no money
	Price       *Price // nil when none is known
}

// costless reports whether a seat is known to cost nothing.
func (s Seat) costless() bool { return s.Free || s.Price != nil && *s.Price == Price{} }

// Part is what a run asks of one seat: one or several roles.
type Part struct {
	Seat   Seat
	Roles  []string
	Likely int  // iterations, where nothing was measured
	Most   int  // iterations; more can never come
	Sure   bool // the plan has Likely of them come, whatever finished runs did
	Given  bool // it answers from what it is given, and looks for no sources
}

// Ahead is a run that has not begun.
type Ahead struct {
	Kind, Tier string
	Parts      []Part
	Endless    bool    // nothing bounds the iterations
	USD        float64 // limit; 0 is none
	Tokens     int64   // limit; 0 is none
}

// Use is what a seat has used in one role of a run.
type Use struct {
	Seat, Model, Role     string
	Iterations            int
	Tokens                float64 // 0: not told
	Input, Cached, Output float64 // of Tokens, where they are told apart; Cached is a part of Input
	USD                   float64
	Priced                bool // USD is all that was spent; else it is not known
}

// Past is a finished run.
type Past struct {
	Kind, Tier string
	Uses       []Use
}

// Where the figures of a seat come from.
const (
	Own    = "own"    // finished runs in which the same model sat on the same seat
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
	Tier       string   `json:"tier"`
	Iterations Guess    `json:"iterations"`
	Tokens     Guess    `json:"tokens"`
	USD        Guess    `json:"usd"`                // of the seats in Priced
	Priced     []string `json:"priced,omitempty"`   // seats that have a model and whose money USD holds
	Unpriced   []string `json:"unpriced,omitempty"` // seats of which only the tokens can be told
	Costless   []string `json:"costless,omitempty"` // seats with a model that costs nothing
	Basis      []Basis  `json:"basis,omitempty"`    // of each seat with a model
	Endless    bool     `json:"endless,omitempty"`  // nothing bounds the run: a worst of 0 is none
	Capped     bool     `json:"capped,omitempty"`   // a limit ends the run before its worst; one call of each seat may pass it
	Short      *Short   `json:"short,omitempty"`    // nil unless a limit is likely to end it
}

// Short is what a run is likely to want beyond its limits.
type Short struct {
	USD    float64 `json:"usd,omitempty"`
	Tokens float64 `json:"tokens,omitempty"`
}

// Of says what a run may take, by what finished runs have used.
func Of(a Ahead, past []Past) Forecast {
	f := Forecast{Tier: a.Tier, Endless: a.Endless}
	known := measured(a, past)
	for _, p := range withUnforeseen(a.Parts, known) {
		f.add(p, known, a.Tier)
	}
	return f.limited(a)
}

// seat tells seats of finished runs apart.
type seat struct{ name, model string }

// record is what finished runs have used, run by run.
type record struct {
	own  map[seat][]run
	all  []run
	runs int // in which anything was measured
}

// run is what one seat has used in one finished run, each role once.
type run []Use

// measured takes what can be believed out of finished runs of a kind and tier.
func measured(a Ahead, past []Past) record {
	r := record{own: map[seat][]run{}}
	for _, p := range past {
		if p.Kind != a.Kind || p.Tier != a.Tier {
			continue
		}
		sat := map[seat]run{}
		var order []seat
		for _, u := range p.Uses {
			if u.Iterations <= 0 || min(u.Tokens, u.Input, u.Cached, u.Output, u.USD) < 0 {
				continue
			}
			s := seat{u.Seat, u.Model}
			if sat[s] == nil {
				order = append(order, s)
			}
			sat[s] = sat[s].with(u)
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

func (r run) with(u Use) run {
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

// each is what one iteration took, on the average.
func (u Use) each() Use {
	n := float64(max(1, u.Iterations))
	u.Tokens, u.Input, u.Cached, u.Output, u.USD = u.Tokens/n, u.Input/n, u.Cached/n, u.Output/n, u.USD/n
	return u
}

// in is what a run has used in some roles; no roles are all.
func (r run) in(roles []string) run {
	if len(roles) == 0 {
		return r
	}
	var list run
	for _, u := range r {
		if slices.Contains(roles, u.Role) {
			list = append(list, u)
		}
	}
	return list
}

// whole is what was used together; without iterations where nothing was.
func (r run) whole() Use {
	if len(r) == 0 {
		return Use{}
	}
	sum := r[0]
	for _, u := range r[1:] {
		sum = sum.plus(u)
	}
	return sum
}

// withUnforeseen adds the roles that a seat had in finished runs and that the
// plan does not name.
func withUnforeseen(parts []Part, known record) []Part {
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
		var beyond run // the most iterations of each further role
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
			list = append(list, Part{Seat: s, Roles: []string{u.Role}, Most: u.Iterations})
		}
	}
	return list
}

// told is what finished runs tell of a part.
type told struct {
	from  string
	runs  []run    // of which the part is one
	roles []string // whose use is measured; none are all
}

// of finds the finished runs that speak of a part: those of the same seat, else
// those of others, else none. A seat that never had the role has been measured
// in its other roles.
func (k record) of(p Part) told {
	did := func(r run) bool { return len(r.in(p.Roles)) > 0 }
	own := k.own[seat{p.Seat.Name, p.Seat.Model}]
	switch {
	case slices.ContainsFunc(own, did):
		return told{Own, own, p.Roles}
	case len(own) > 0:
		return told{Own, own, nil}
	case slices.ContainsFunc(k.all, did):
		return told{Others, slices.DeleteFunc(slices.Clone(k.all), func(r run) bool { return !did(r) }), p.Roles}
	}
	return told{from: Table}
}

// iterations are how many are likely to come, and at most.
func (p Part) iterations(t told) Guess {
	n := Guess{float64(min(p.Likely, p.Most)), float64(p.Most)}
	if t.from == Table || t.from == Others && p.Likely == 0 {
		return n
	}
	shown := middle(t.runs, func(r run) (float64, bool) { return float64(r.in(p.Roles).whole().Iterations), true })
	if p.Sure {
		shown = max(shown, n.Likely)
	}
	return Guess{min(shown, n.Worst), n.Worst}
}

func (f *Forecast) add(p Part, known record, tier string) {
	t := known.of(p)
	n := p.iterations(t)
	f.Iterations = f.Iterations.plus(n)
	if !p.Seat.Thinks {
		return
	}
	one := loadOf(tableOf(tier, p), p.Seat, t)
	f.Tokens = f.Tokens.plus(one.tokens.times(n))
	f.money(p.Seat, one, n)
	if !slices.ContainsFunc(f.Basis, func(b Basis) bool { return b.Seat == p.Seat.Name }) {
		f.Basis = append(f.Basis, Basis{p.Seat.Name, t.from, min(len(t.runs), known.runs)})
	}
}

func (g Guess) times(n Guess) Guess { return Guess{g.Likely * n.Likely, g.Worst * n.Worst} }

func (f *Forecast) money(s Seat, one load, n Guess) {
	switch {
	case s.costless():
		f.Costless = once(f.Costless, s.Name)
	case slices.Contains(f.Unpriced, s.Name):
	case one.priced:
		f.USD, f.Priced = f.USD.plus(one.usd.times(n)), once(f.Priced, s.Name)
	case n.Worst > 0:
		f.Unpriced = once(f.Unpriced, s.Name)
	}
}

func once(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// load is what one iteration takes.
type load struct {
	tokens, usd Guess
	priced      bool // usd is known
}

// loadOf is what one iteration of a seat takes: as was measured, and where that
// says nothing as the table has it, which is given.
func loadOf(one load, s Seat, t told) load {
	if g, ok := t.spread(func(u Use) (float64, bool) { return u.Tokens, u.Tokens > 0 }); ok {
		one.usd = Guess{one.usd.Likely * g.Likely / one.tokens.Likely, one.usd.Worst * g.Worst / one.tokens.Worst}
		one.tokens = g
	}
	if g, ok := t.spread(s.cost); ok {
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
		return s.Price.of(u), true
	case s.Price != nil && u.Priced:
		return u.USD, true
	}
	return 0, false
}

// spread is a figure of one iteration: its middle over runs, and its highest
// over single roles; false where no run tells it.
func (t told) spread(figure func(Use) (float64, bool)) (g Guess, known bool) {
	for _, r := range t.runs {
		for _, u := range r.in(t.roles) {
			if x, ok := figure(u.each()); ok {
				g.Worst, known = max(g.Worst, x), true
			}
		}
	}
	g.Likely = middle(t.runs, func(r run) (float64, bool) { return figure(r.in(t.roles).whole().each()) })
	return Guess{g.Likely, max(g.Likely, g.Worst)}, known
}

// middle is the median of what runs tell; 0 where none does.
func middle(runs []run, figure func(run) (float64, bool)) float64 {
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

// limited holds a forecast to the limits of its run.
func (f Forecast) limited(a Ahead) Forecast {
	f.Tokens = Guess{thousands(f.Tokens.Likely), thousands(f.Tokens.Worst)}
	f.USD = Guess{cents(f.USD.Likely), cents(f.USD.Worst)}
	var short Short
	if most := float64(a.Tokens); most > 0 && (f.Tokens.Worst > most || f.Endless) {
		short.Tokens = beyond(f.Tokens.Likely, most)
		f.Tokens, f.Capped = Guess{min(f.Tokens.Likely, most), most}, true
	}
	if most := a.USD; most > 0 && (f.USD.Worst > most || f.Endless || len(f.Unpriced) > 0) {
		short.USD = beyond(f.USD.Likely, most)
		f.USD, f.Capped = Guess{min(f.USD.Likely, most), most}, true
	}
	if short != (Short{}) {
		f.Short = &short
	}
	if f.Endless && !f.Capped {
		f.Iterations.Worst, f.Tokens.Worst, f.USD.Worst = 0, 0, 0
	}
	return f
}

func beyond(wanted, most float64) float64 {
	if wanted <= most {
		return 0
	}
	return wanted
}

func thousands(n float64) float64 { return math.Ceil(n/1000) * 1000 }

// cents rounds money, but takes none of it for nothing.
func cents(usd float64) float64 {
	if usd > 0 && usd < 0.01 {
		return 0.01
	}
	return math.Round(usd*100) / 100
}
