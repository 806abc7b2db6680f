package relation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Finding is what the rules say of two statements without asking anybody.
type Finding struct {
	Kind    Kind    // Same, Contradicts, or "" where the rules know nothing
	Dispute Dispute // of what sort a contradiction is
	Detail  string  // the words in which they differ
	wider   bool    // one says more than the other besides
}

// Compare says what the rules know of two sentences. They are the same where they stand in
// the same words but for articles and how numbers and their units are spelled: any other
// word, sign or order may decide. They contradict each other, possibly, where in all else
// that carries content they are alike, or one says all that the other says and nothing of
// another case, and they differ in one point that cannot be had both ways: a number of the
// same thing, a negation, a word and its opposite, the date of an event, two sides of a
// comparison. It never says more than that, and nothing of sentences in other words.
func Compare(a, b Meaning) Finding {
	switch {
	case a.long || b.long || len(a.terms)+len(a.quantities) < 2 || len(b.terms)+len(b.quantities) < 2:
		return Finding{}
	case wording(a.text) == wording(b.text):
		return Finding{Kind: Same}
	}
	return Contradiction(a, b)
}

// Contradiction is what [Compare] says of two sentences that stand in other words, as
// their digests tell.
func Contradiction(a, b Meaning) Finding {
	if a.long || b.long || len(a.terms)+len(a.quantities) < 2 || len(b.terms)+len(b.quantities) < 2 || a.isVague() || b.isVague() || !a.countsLike(b) {
		return Finding{}
	}
	d := differenceOf(a, b)
	f := d.contradiction()
	f.wider = f.Kind != "" && len(d.onlyA)+len(d.onlyB) > 0 && f.Dispute != Definition
	return f
}

// difference is in what two meanings differ.
type difference struct {
	a, b         Meaning
	onlyA, onlyB []term
	shared       int
	turned       [][2]term     // negated or the opposite in one of them
	unclear      bool          // negated and the opposite, or a scope that differs
	numbers      [][2]quantity // of one thing, and not both can be
	unlike       bool          // quantities differ in another way
	scoped       bool          // quantifiers or hedges differ
}

func differenceOf(a, b Meaning) *difference {
	d := &difference{a: a, b: b, scoped: !slices.Equal(a.scope, b.scope)}
	d.matchTerms()
	d.matchQuantities()
	return d
}

func (d *difference) matchTerms() {
	taken := make([]bool, len(d.b.terms))
	take := func(fits func(o *term) bool) *term {
		for i := range d.b.terms {
			if o := &d.b.terms[i]; !taken[i] && fits(o) {
				taken[i] = true
				return o
			}
		}
		return nil
	}
	var left []*term
	for i := range d.a.terms {
		t := &d.a.terms[i]
		if take(func(o *term) bool { return o.stem == t.stem && o.pole == t.pole && o.negated == t.negated }) != nil {
			d.shared++
			continue
		}
		left = append(left, t)
	}
	for _, t := range left {
		o := take(func(o *term) bool { return o.stem == t.stem && o.pole == t.pole })
		if o == nil {
			o = take(func(o *term) bool {
				return t.pole.axis != "" && o.pole.axis == t.pole.axis && o.pole.other != t.pole.other
			})
		}
		switch {
		case o == nil:
			d.onlyA = append(d.onlyA, *t)
		case (t.negated != o.negated) != (t.pole.other != o.pole.other):
			d.shared++
			d.turned = append(d.turned, [2]term{*t, *o})
		default:
			d.shared++
			d.unclear = true
		}
	}
	for i, t := range d.b.terms {
		if !taken[i] {
			d.onlyB = append(d.onlyB, t)
		}
	}
}

func (d *difference) matchQuantities() {
	if len(d.a.quantities) != len(d.b.quantities) {
		d.unlike = true
		return
	}
	for i, q := range d.a.quantities {
		o := d.b.quantities[i]
		switch {
		case q.equal(o):
		case q.comparable(o) && q.excludes(o):
			d.numbers = append(d.numbers, [2]quantity{q, o})
		default:
			d.unlike = true
		}
	}
}

// countsLike reports whether two meanings have as many quantities, of which each in its
// place is equal or counts the same.
func (m Meaning) countsLike(o Meaning) bool {
	return slices.EqualFunc(m.quantities, o.quantities, func(x, y quantity) bool { return x.equal(y) || x.comparable(y) && x.excludes(y) })
}

// sameOrder reports whether two meanings have their words in one order, but for
// what is moved from the front to the end.
func (m Meaning) sameOrder(o Meaning) bool {
	x, y := m.sequence(), o.sequence()
	if len(x) != len(y) {
		return false
	}
	if m.swapped || o.swapped {
		return slices.Equal(x, y)
	}
	double := append(slices.Clone(x), x...)
	for shift := range x {
		if slices.Equal(double[shift:shift+len(x)], y) {
			return true
		}
	}
	return len(x) == 0
}

// sequence is what a meaning says in its order.
func (m Meaning) sequence() []string {
	var list []string
	next := 0
	for i := 0; i <= len(m.terms); i++ {
		for ; next < len(m.quantities) && m.quantities[next].at <= i; next++ {
			list = append(list, m.quantities[next].digestText())
		}
		if i < len(m.terms) {
			list = append(list, m.terms[i].sign()+m.terms[i].stem)
		}
	}
	return list
}

func (t term) sign() string {
	if t.negated {
		return "-"
	}
	return "+"
}

// contradiction is the one point in which two alike statements cannot both hold.
func (d *difference) contradiction() Finding {
	if d.shared < 1 || d.unclear || d.unlike || d.a.isVague() || d.b.isVague() {
		return Finding{}
	}
	if f, ok := d.redefinition(); ok {
		return f
	}
	switch alike := len(d.onlyA)+len(d.onlyB) == 0; {
	case alike && d.isDenied():
		return Finding{Kind: Contradicts, Dispute: Fact, Detail: "what one says the other denies"}
	case !alike && !d.isContained(), alike && d.scoped && !d.isUniversal():
		return Finding{}
	case alike && !d.a.sameTermOrder(d.b):
		return d.swap()
	case len(d.turned) == 1 && len(d.numbers) == 0:
		t := d.turned[0]
		if !isAsserted(t[0], t[1]) {
			return Finding{} // the upper limit, the lower limit
		}
		return Finding{Kind: Contradicts, Dispute: Fact, Detail: fmt.Sprintf("%s against %s", quoteTerm(t[0]), quoteTerm(t[1]))}
	case len(d.turned) == 0 && len(d.numbers) > 0:
		return d.numberFinding()
	}
	return Finding{}
}

// isDenied reports whether one denies as a whole what the other says, and nothing else
// differs.
func (d *difference) isDenied() bool {
	a, b := d.a.scope, d.b.scope
	if len(a) < len(b) {
		a, b = b, a
	}
	at := slices.Index(a, denied)
	return at >= 0 && len(d.turned)+len(d.numbers) == 0 && d.a.sameTermOrder(d.b) && slices.Equal(slices.Delete(slices.Clone(a), at, at+1), b)
}

// isUniversal reports whether the scopes differ only in that one says of all what the
// other denies: every, and none.
func (d *difference) isUniversal() bool {
	a, b := d.a.scope, d.b.scope
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a) != 1 || len(b) != 0 || len(d.turned) != 1 {
		return false
	}
	switch a[0] {
	case "all", "every", "each", "always", "any", "everyone", "everything":
		return true
	}
	return false
}

// redefinition is what one statement calls a thing in one way and the other in
// another, all else being alike.
func (d *difference) redefinition() (Finding, bool) {
	x, y := d.a.definition, d.b.definition
	if x.head == "" || y.head == "" || x.subject != y.subject || x.head == y.head || len(d.onlyA) != 1 || len(d.onlyB) != 1 || d.scoped || len(d.turned)+len(d.numbers) > 0 {
		return Finding{}, false
	}
	if !strings.HasPrefix(strings.ToLower(d.onlyA[0].text), x.head) || !strings.HasPrefix(strings.ToLower(d.onlyB[0].text), y.head) {
		return Finding{}, false
	}
	return Finding{Kind: Contradicts, Dispute: Definition, Detail: fmt.Sprintf("%s: %q against %q", x.subject, x.head, y.head)}, true
}

// isContained reports whether one says all that the other says, and besides
// nothing about where, when or in which case: it then speaks of the same.
func (d *difference) isContained() bool {
	more := append(slices.Clone(d.onlyA), d.onlyB...)
	oneSided := len(d.onlyA) == 0 || len(d.onlyB) == 0
	return oneSided && len(d.turned)+len(d.numbers) == 1 && d.shared+len(d.numbers) > 2 && len(more) <= 2*d.shared &&
		!slices.ContainsFunc(more, func(t term) bool { return t.aside || t.placed })
}

// isAsserted reports whether one of two words denies what the other says, and
// does not tell which thing is spoken of: a verb, what follows a form of be, or a
// word that is negated by another.
func isAsserted(t, o term) bool {
	if t.pole == o.pole {
		return !t.prefix && !o.prefix || t.said && o.said || t.said && o.negated && !o.prefix || o.said && t.negated && !t.prefix
	}
	return t.pole.verb || t.said && o.said
}

// swap is a comparison said the other way round.
func (d *difference) swap() Finding {
	if !d.a.swapped || !d.b.swapped || len(d.turned)+len(d.numbers) > 0 {
		return Finding{}
	}
	return Finding{Kind: Contradicts, Dispute: Fact, Detail: "the comparison the other way round"}
}

// sameTermOrder reports whether the words are in one order, whatever negates them.
func (m Meaning) sameTermOrder(o Meaning) bool {
	if slices.EqualFunc(m.terms, o.terms, func(x, y term) bool { return x.key() == y.key() }) {
		return true
	}
	plain := func(m Meaning) Meaning {
		var list []term
		for _, t := range m.terms {
			list = append(list, term{stem: t.key()})
		}
		return Meaning{terms: list, swapped: m.swapped}
	}
	return plain(m).sameOrder(plain(o))
}

func (d *difference) numberFinding() Finding {
	if len(d.numbers) > 1 {
		return Finding{} // of another thing or time: of one thing seldom all numbers differ
	}
	var said []string
	dispute := Fact
	for _, pair := range d.numbers {
		q, o := pair[0], pair[1]
		switch q.sort {
		case label:
			return Finding{} // another table, another step
		case amount:
			if q.placed || o.placed {
				return Finding{} // at another dose it may be otherwise
			}
		case calendar, versionNumber:
			if !q.since || !o.since || len(d.numbers) > 1 {
				return Finding{} // in another year it may be otherwise
			}
			dispute = Date
		}
		said = append(said, strconv.Quote(q.text)+" against "+strconv.Quote(o.text))
	}
	return Finding{Kind: Contradicts, Dispute: dispute, Detail: strings.Join(said, "; ")}
}

// isVague reports whether a sentence speaks of some cases, so that its contrary
// may hold of others.
func (m Meaning) isVague() bool { return isVague(m.scope) }

func isVague(scope []string) bool {
	return slices.ContainsFunc(scope, func(s string) bool {
		switch s {
		case "some", "many", "several", "few", "sometimes", "often", "may", "might", "could", "possible", "rarely":
			return true
		}
		return false
	})
}

func quoteTerm(t term) string {
	if t.negated && !strings.HasPrefix(strings.ToLower(t.text), "un") {
		return fmt.Sprintf("%q", "not "+t.text)
	}
	return fmt.Sprintf("%q", t.text)
}

// Veto gives what forbids to call two statements the same whoever says so: they
// put another number to the same thing, one negates what the other says, one has
// the opposite of the other's word, or all is alike but the verb that says what
// happens. It looks at what both say; what one says besides is no reason. Of more than
// a sentence only the first numbers are looked at. "" for none.
func Veto(a, b Meaning) (Dispute, string) {
	if dispute, words := vetoNumbers(a, b); words != "" {
		return dispute, words
	}
	if a.long || b.long {
		return "", ""
	}
	d := differenceOf(a, b)
	for _, t := range d.turned {
		if !t[0].aside && !t[1].aside && d.alike() && (t[0].pole != t[1].pole || d.otherPolarity()) {
			return Fact, fmt.Sprintf("%s against %s", quoteTerm(t[0]), quoteTerm(t[1]))
		}
	}
	if x, y, other := d.otherEffect(); other {
		return Fact, fmt.Sprintf("%q against %q", x, y)
	}
	if f := d.contradiction(); f.Kind == Contradicts {
		return f.Dispute, f.Detail
	}
	return "", ""
}

// alike reports whether two statements have half of their words in common, so
// that both may speak of the same thing.
func (d *difference) alike() bool { return 2*d.shared >= min(len(d.a.terms), len(d.b.terms)) }

// otherPolarity reports whether one statement negates once more than the other:
// what is denied can be said in several places of a sentence.
func (d *difference) otherPolarity() bool { return (d.a.negations()+d.b.negations())%2 == 1 }

func (m Meaning) negations() int {
	n := 0
	for _, t := range m.terms {
		if t.negated && !t.aside {
			n++
		}
	}
	return n
}

// otherEffect gives the verbs in which two statements differ that are alike in
// most else.
func (d *difference) otherEffect() (x, y string, other bool) {
	if 3*d.shared < 2*min(len(d.a.terms), len(d.b.terms)) || len(d.onlyA) > 3 || len(d.onlyB) > 3 {
		return "", "", false
	}
	effects := lexicon().effects
	for _, t := range d.onlyA {
		for _, o := range d.onlyB {
			if e, f := effects[t.stem], effects[o.stem]; e != "" && f != "" && e != f {
				return t.text, o.text, true
			}
		}
	}
	return "", "", false
}

// vetoNumbers compares what is counted in both: where each has a quantity of one
// dimension that the other excludes, they differ.
func vetoNumbers(a, b Meaning) (Dispute, string) {
	a.quantities, b.quantities = a.quantities[:min(len(a.quantities), mostWords)], b.quantities[:min(len(b.quantities), mostWords)]
	left := unmatchedQuantities(a.quantities, b.quantities)
	right := unmatchedQuantities(b.quantities, a.quantities)
	for _, q := range left {
		for _, o := range right {
			if !q.comparable(o) && !(q.sort == o.sort && q.sort == calendar) || !q.excludes(o) {
				continue
			}
			dispute := Fact
			if q.sort == calendar || q.sort == versionNumber {
				dispute = Date
			}
			return dispute, fmt.Sprintf("%q against %q", q.text, o.text)
		}
	}
	return "", ""
}

// unmatchedQuantities are those that agree with none of the others.
func unmatchedQuantities(list, others []quantity) []quantity {
	var left []quantity
	for _, q := range list {
		agrees := slices.ContainsFunc(others, func(o quantity) bool { return q.comparable(o) && !q.excludes(o) })
		if !agrees {
			left = append(left, q)
		}
	}
	return left
}
