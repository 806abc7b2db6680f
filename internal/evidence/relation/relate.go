package relation

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// Relate says what the rules know of two sentences in other words too: what [Compare]
// knows of them, whether one is the passive of the other, and where that is nothing,
// whether in plain words they differ in one point that cannot be had both ways while
// nothing else tells them apart: what only one says names no other case, place, time or
// thing. It never says more than that, and nothing of more than a sentence: see
// [Meaning].
func Relate(one, other string) Finding {
	if isLong(one) || isLong(other) {
		return Finding{}
	}
	a, b := Read(one), Read(other)
	if f := Compare(a, b); f.Kind != "" && !f.wider {
		return f
	}
	if x, y := wording(one), wording(other); isPassive(x, y) || isPassive(y, x) {
		return Finding{Kind: Same}
	}
	plainOne, plainOther := plainText(one), plainText(other)
	if plainOne != one || plainOther != other {
		a, b = Read(plainOne), Read(plainOther)
		if f := Compare(a, b); f.Kind == Contradicts && !f.wider {
			return f
		}
	}
	d := newLikening(a, b)
	switch f := d.contradiction(); {
	case isVague(d.scopeA) || isVague(d.scopeB):
		return Finding{}
	case f.Kind != "":
		return f
	}
	if f := rivalAnswers(plainOne, plainOther); f.Kind != "" {
		return f
	}
	return d.reversed()
}

// SaySame reports whether [Relate] finds that two sentences say the same. It tells most
// pairs apart by their words alone, in a tenth of the time.
func SaySame(one, other string) bool {
	if isLong(one) || isLong(other) {
		return false
	}
	x, y := wording(one), wording(other)
	return (x == y || isPassive(x, y) || isPassive(y, x)) && Relate(one, other).Kind == Same
}

// item is a word of content by what it stands for.
type item struct {
	term
	key     string // the same for synonyms, and for both ends of an axis
	other   bool   // the second end
	denied  bool
	matched bool
}

// complementary are axes of which what is not the one end is the other.
var complementary = strings.Fields("±enable ±on ±mandatory ±sync ±static ±internal ±public ±true ±safe ±present ±mutable ±visible ±available ±open ±persistent")

// items are the words of content of a sentence.
func (m Meaning) items() []item {
	list := make([]item, 0, len(m.terms))
	alike := lexicon().alike
	for _, t := range m.terms {
		it := item{term: t, key: t.stem, denied: t.negated}
		switch {
		case t.pole.axis != "":
			it.key, it.other = t.pole.axis, t.pole.other
			if it.denied && slices.Contains(complementary, it.key) {
				it.other, it.denied = !it.other, false
			}
			if it.key == "±on" {
				it.key = "±enable"
			}
		case alike[t.stem] != "":
			it.key = alike[t.stem]
		}
		list = append(list, it)
	}
	return list
}

// likening holds two sentences against each other, whatever their order.
type likening struct {
	a, b           Meaning
	one, another   []item
	shared         int
	turned         [][2]item
	unclear        bool
	numbers        [][2]quantity // of one thing, and not both can be
	restA, restB   []quantity    // that agree with none
	extraA, extraB []item        // that only one has and that say something
	scopeA, scopeB []string
}

func newLikening(a, b Meaning) *likening {
	d := &likening{a: a, b: b, one: a.items(), another: b.items(), scopeA: a.plainScope(), scopeB: b.plainScope()}
	d.matchItems()
	d.matchQuantities()
	if len(d.turned) == 1 && d.turned[0][0].key == "±before" && !isRotation(keysOf(d.one), keysOf(d.another)) {
		d.turned = nil // before it gives up, after it has failed
	}
	d.extraA, d.extraB = extras(d.one), extras(d.another)
	return d
}

func (d *likening) matchItems() {
	pairUp := func(fits func(x, y *item) bool, found func(x, y *item)) {
		for i := range d.one {
			x := &d.one[i]
			for j := range d.another {
				y := &d.another[j]
				if !x.matched && !y.matched && fits(x, y) {
					x.matched, y.matched = true, true
					found(x, y)
				}
			}
		}
	}
	pairUp(func(x, y *item) bool { return x.key == y.key && x.other == y.other && x.denied == y.denied }, func(x, y *item) {
		if !isLight(x.stem) {
			d.shared++
		}
	})
	pairUp(func(x, y *item) bool { return x.key == y.key }, func(x, y *item) {
		if (x.other != y.other) == (x.denied != y.denied) {
			d.unclear = true
			return
		}
		d.turned = append(d.turned, [2]item{*x, *y})
	})
	pairUp(func(x, y *item) bool { return x.changesWhat(y) || y.changesWhat(x) }, func(x, y *item) {
		x.key, y.key = "±affect", "±affect"
		d.turned = append(d.turned, [2]item{*x, *y})
	})
}

// changesWhat reports whether one says that something changes and the other that it is
// not affected.
func (x *item) changesWhat(y *item) bool {
	return x.pole.verb && !x.denied && y.denied && y.stem == words.Stem("affect") && slices.Contains([]string{"±increase", "±improve", "±strengthen", "±accelerate"}, x.key)
}

// matchQuantities puts those together that are equal, then those of one thing that
// exclude each other.
func (d *likening) matchQuantities() {
	rest := slices.Clone(d.b.quantities)
	for _, q := range d.a.quantities {
		if i := slices.IndexFunc(rest, func(o quantity) bool {
			return q.sort == o.sort && q.equal(o) || d.isOneUnit(q, o) && !q.excludes(o) && q.bound == o.bound
		}); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			continue
		}
		d.restA = append(d.restA, q)
	}
	var left []quantity
	for _, q := range d.restA {
		i := slices.IndexFunc(rest, func(o quantity) bool { return d.isOneUnit(q, o) && q.excludes(o) })
		if i < 0 {
			left = append(left, q)
			continue
		}
		d.numbers = append(d.numbers, [2]quantity{q, rest[i]})
		rest = slices.Delete(rest, i, i+1)
	}
	d.restA, d.restB = left, rest
}

// isOneUnit reports whether two quantities count the same: in one unit, or the same
// word stands in the noun phrases behind them, or one counts the times of what the
// other counts: retries 3 times, 5 retries.
func (d *likening) isOneUnit(q, o quantity) bool {
	if q.sort != o.sort || q.exact != "" && q.sort == amount || o.exact != "" && o.sort == amount {
		return false
	}
	if q.unit == o.unit {
		return q.near == o.near || q.unit != "" || q.sort != amount
	}
	nounsA, nounsB := d.a.counted(q), d.b.counted(o)
	switch {
	case q.unit == "times" && len(nounsB) > 0:
		return slices.ContainsFunc(d.a.terms, func(t term) bool { return t.stem == nounsB[0] })
	case o.unit == "times" && len(nounsA) > 0:
		return slices.ContainsFunc(d.b.terms, func(t term) bool { return t.stem == nounsA[0] })
	}
	return slices.ContainsFunc(nounsA, func(s string) bool { return slices.Contains(nounsB, s) })
}

// counted are the stems of the noun phrase behind a quantity that has no unit.
func (m Meaning) counted(q quantity) []string {
	if !strings.HasPrefix(q.unit, "of ") {
		return nil
	}
	var list []string
	for i := q.at; i < len(m.terms) && i < q.at+3 && (i == q.at || m.terms[i].joined); i++ {
		list = append(list, m.terms[i].stem)
	}
	return list
}

// extras are the items that only one side has and that say something. Each notes in
// placed whether it says of what the sentence holds: where or when, whose, which of
// several, or in which case.
func extras(list []item) []item {
	var left []item
	for i, it := range list {
		modifies := i+1 < len(list) && list[i+1].matched && list[i+1].joined && !strings.HasSuffix(it.text, "ly")
		if it.matched || it.tail || isLight(it.stem) || isGeneric(it.stem) && !modifies {
			continue
		}
		belongs := i == 0 || list[i-1].matched // to what both say, and not to another extra
		it.placed = modifies || it.aside || it.denied || isNamed(it) || belongs && (it.behind || it.placed)
		left = append(left, it)
	}
	return left
}

// plainScope is a scope without the words that change nothing of whether two clash, and
// without what is put behind the sentence.
func (m Meaning) plainScope() []string {
	var list []string
	besides := slices.Clone(m.besides)
	for _, s := range m.scope {
		if i := slices.Index(besides, s); i >= 0 {
			besides = slices.Delete(besides, i, i+1)
			continue
		}
		switch s {
		case "usually", "about", "both", "either", "appear", "seem", "suggest", "estimate", "expect", "almost", "entire", "completely", "mostly", "much":
			continue
		case "every", "each", "any":
			s = "all"
		}
		list = append(list, s)
	}
	return slices.Compact(list)
}

var light = stemSet("also further furthermore similarly notably currently clearly explicitly generally particularly especially namely overall once known well-known so-called present today now way")

// isLight reports words that change nothing of what a sentence says.
func isLight(stem string) bool { return light[stem] }

var generic = stemSet("make provide offer come include give get become remain feature say state report consider call exist available cost level value amount total perform occur happen find found show demonstrate describe refer located actual real")

// isGeneric reports words that say little beside what else a sentence says.
func isGeneric(stem string) bool { return generic[stem] }

func stemSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		for _, ending := range []string{"", "s", "d", "ed", "ing"} {
			set[words.Stem(w+ending)] = true
		}
	}
	return set
}

func keysOf(list []item) []string {
	var keys []string
	for _, it := range list {
		if it.matched && !isLight(it.stem) {
			keys = append(keys, it.key)
		}
	}
	return keys
}

// isRotation reports whether two lists are one but for what is moved from the front to
// the end.
func isRotation(x, y []string) bool {
	if len(x) != len(y) {
		return false
	}
	double := append(slices.Clone(x), x...)
	for shift := range x {
		if slices.Equal(double[shift:shift+len(x)], y) {
			return true
		}
	}
	return len(x) == 0
}

// isPassiveOf reports whether the one says with "by" who does what, and the other begins
// with that.
func isPassiveOf(passive, active []item) bool {
	var agents []string
	for i, it := range passive {
		if it.agent && (len(agents) == 0 || it.joined && passive[i-1].agent) {
			agents = append(agents, it.key)
		}
	}
	keys := keysOf(active)
	return len(agents) > 0 && len(keys) > len(agents) && slices.Equal(keys[:len(agents)], agents) &&
		!slices.ContainsFunc(active, func(it item) bool { return it.agent })
}

// contradiction is the one point in which two sentences cannot both hold.
func (d *likening) contradiction() Finding {
	if d.unclear || len(d.turned) > 1 || len(d.turned)+len(d.numbers) == 0 || !d.isAlike() || !d.isOneScope() {
		return Finding{}
	}
	if len(d.turned) == 1 {
		x, y := d.turned[0][0], d.turned[0][1]
		if !d.isAsserted(x, y) || len(d.numbers) > 0 && (x.placed || y.placed) || slices.ContainsFunc(d.numbers, func(n [2]quantity) bool { return n[0].sort != amount || n[0].placed || n[1].placed }) {
			return Finding{}
		}
		return Finding{Kind: Contradicts, Dispute: Fact, Detail: fmt.Sprintf("%s against %s", quoteTerm(x.term), quoteTerm(y.term))}
	}
	if d.areApart() {
		d.numbers = d.numbers[1:]
	}
	if len(d.numbers) > 1 || d.a.isNumbered(d.numbers[0][0]) || d.b.isNumbered(d.numbers[0][1]) {
		return Finding{}
	}
	if d.happened() {
		d.numbers[0][0].since, d.numbers[0][1].since = true, true
	}
	return (&difference{numbers: d.numbers}).numberFinding()
}

// areApart reports whether what differs are the ends of two ranges that share nothing.
func (d *likening) areApart() bool {
	if len(d.numbers) != 2 {
		return false
	}
	low, high := d.numbers[0], d.numbers[1]
	isRange := low[0].bound == 'l' && low[1].bound == 'l' && high[0].bound == 'm' && high[1].bound == 'm' && low[0].unit == high[0].unit
	return isRange && (low[0].value > high[1].value || low[1].value > high[0].value)
}

// isNumbered reports whether a number stands right behind a name, and tells which of
// several has it: Spring Boot 2.
func (m Meaning) isNumbered(q quantity) bool {
	return q.near != "" && q.at > 1 && q.at <= len(m.terms) && isNamed(item{term: m.terms[q.at-1]})
}

// happened reports whether both sentences say of one thing that happens once when it
// was, in whatever place of them.
func (d *likening) happened() bool {
	named := slices.ContainsFunc(d.one, func(it item) bool { return it.matched && it.joined && isNamed(it) })
	return len(d.numbers) == 1 && len(d.restA)+len(d.restB) == 0 &&
		slices.ContainsFunc(d.one, func(it item) bool { return it.matched && isEvent(it.stem) && !it.behind && (it.after || named) })
}

// isAlike reports whether nothing but the point tells the two sentences apart: one of
// them at most says more, and of no other case, place, time or thing.
func (d *likening) isAlike() bool {
	more := append(slices.Clone(d.extraA), d.extraB...)
	left := append(slices.Clone(d.restA), d.restB...)
	settles := func(q quantity) bool {
		return q.sort != amount || q.placed || !q.ends && slices.ContainsFunc(d.numbers, func(n [2]quantity) bool { return n[0].unit == q.unit })
	}
	return (len(d.extraA) == 0 || len(d.extraB) == 0) && len(more) <= max(2, 2*d.shared) && !slices.ContainsFunc(more, func(it item) bool { return it.placed }) &&
		(len(d.restA) == 0 || len(d.restB) == 0) && !slices.ContainsFunc(left, settles) &&
		(d.shared > 1 || d.shared == 1 && len(more)+len(left) == 0)
}

// isNamed reports whether a word is a name, which may be another thing's.
func isNamed(it item) bool {
	r, _ := utf8.DecodeRuneInString(it.text)
	return unicode.IsUpper(r) || isIdentifier(it.text)
}

// isOneScope reports whether both hold of as much and as surely, but for what can be and
// what is not.
func (d *likening) isOneScope() bool {
	a, b := d.scopeA, d.scopeB
	if slices.Equal(a, b) {
		return true
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(d.turned) != 1 || len(b) > 0 || len(a) != 1 || a[0] != "can" {
		return false
	}
	x, y := d.turned[0][0], d.turned[0][1]
	return x.key == y.key && x.other == y.other && x.denied != y.denied && (x.denied && slices.Contains(d.scopeB, "can") || y.denied && slices.Contains(d.scopeA, "can"))
}

// isAsserted reports whether the words that are turned are what the sentences say, and
// not what tells which thing is spoken of.
func (d *likening) isAsserted(x, y item) bool {
	if !isRotation(keysOf(d.one), keysOf(d.another)) && !isPassiveOf(d.one, d.another) && !isPassiveOf(d.another, d.one) && len(d.extraA)+len(d.extraB) == 0 {
		return false
	}
	alone := len(d.extraA)+len(d.extraB) == 0
	switch {
	case x.aside || y.aside || x.placed && y.placed && x.denied != y.denied:
		return false
	case x.key == "±before":
		return alone
	case isAsserted(x.term, y.term), isAsserted(y.term, x.term), x.pole.verb && y.pole.verb:
		return true
	}
	return alone && x.after && y.after && !x.behind && !y.behind || alone && (x.key == "±ascending" || x.key == "±littleendian")
}

// reversed is a relation that holds one way said the other way round: A overrides B, B
// overrides A.
func (d *likening) reversed() Finding {
	if len(d.turned)+len(d.numbers)+len(d.restA)+len(d.restB)+len(d.extraA)+len(d.extraB) > 0 || d.unclear || !slices.Equal(d.scopeA, d.scopeB) {
		return Finding{}
	}
	x, y := keysOf(d.one), keysOf(d.another)
	for _, verb := range oneWay() {
		i, j := slices.Index(x, verb), slices.Index(y, verb)
		if i < 1 || j < 1 || i == len(x)-1 || j == len(y)-1 || slices.ContainsFunc(append(slices.Clone(d.one), d.another...), func(it item) bool { return it.agent || it.denied }) {
			continue
		}
		if slices.Equal(x[:i], y[j+1:]) && slices.Equal(y[:j], x[i+1:]) && !slices.Equal(x[:i], x[i+1:]) {
			return Finding{Kind: Contradicts, Dispute: Fact, Detail: "the other way round"}
		}
	}
	return Finding{}
}

// oneWay are the keys of verbs that hold one way alone.
func oneWay() []string {
	var list []string
	for _, verb := range strings.Fields("override exceed outperform precede supersede replace surpass outnumber outrank succeed beat contain dominate") {
		stem := words.Stem(verb)
		if e := lexicon().effects[stem]; e != "" {
			stem = words.Stem(e)
		}
		if p := poleOf(verb, stem); p.axis != "" {
			stem = p.axis
		} else if s := lexicon().alike[stem]; s != "" {
			stem = s
		}
		list = append(list, stem)
	}
	return list
}
