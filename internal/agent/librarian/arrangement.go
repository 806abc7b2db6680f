package librarian

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// Statement is a claim of an [Arrangement].
type Statement struct {
	claim.Entry
	said    string
	stems   map[string]bool
	worth   float64
	defines bool // it says what a thing of the question is
}

// Arrangement orders the claims of a registry by how much they bear on a question.
type Arrangement struct {
	All []Statement // the claims that can be used, the best first

	topic    string
	planned  []scope.Question // what somebody has made of it
	concepts []concept
	refuted  []string // ids of those whose quotations were not found
	unused   []string // ids of those that say nothing in words
	states   map[claim.State]int
	seats    []string
}

// Arrange orders claims. Those whose quotations were not found are left out, and
// those that say nothing in words.
func Arrange(topic string, entries []claim.Entry) *Arrangement {
	a := &Arrangement{topic: topic, states: map[claim.State]int{}, concepts: concepts(topic)}
	seats := map[string]bool{}
	for _, e := range entries {
		a.states[e.Location.State]++
		for _, seat := range e.Seats {
			seats[seat] = true
		}
	}
	a.seats = slices.Sorted(maps.Keys(seats))
	for _, e := range entries {
		said := Sentence(e.Text)
		switch {
		case e.Location.State == claim.NotFound:
			a.refuted = append(a.refuted, e.ID)
		case len(words.Split(said)) == 0:
			a.unused = append(a.unused, e.ID)
		default:
			a.All = append(a.All, Statement{Entry: e, said: said, stems: StemSet(e.Text)})
		}
	}
	a.order(topic)
	return a
}

// order sorts the claims: by how much of the question they and their
// quotations meet, by how they read, by who makes them, and by the place their
// seats gave them.
func (a *Arrangement) order(topic string) {
	found := map[string]int{}
	whole := make([]map[string]bool, len(a.All))
	for i, c := range a.All {
		whole[i] = StemSet(c.Text + " " + c.Quote)
		for st := range whole[i] {
			found[st]++
		}
	}
	for i, c := range a.concepts {
		a.concepts[i].weight = c.askedFor() * inverseFrequency(len(a.All), found[c.stems[0]])
	}
	a.concepts = joinAbbreviated(a.concepts, found)
	rank := newRanker(a.concepts, topic)
	met := func(stems map[string]bool) float64 {
		return rank.coverage(func(st string) bool { return stems[st] })
	}
	places := a.positionScores()
	for i, c := range a.All {
		one := sentence{text: c.Text, size: len(strings.Fields(c.Text)), stems: c.stems}
		a.All[i].defines = rank.isDefinition(one) || rank.saysWhatIs(one)
		about := 0.7*met(c.stems) + 0.3*met(whole[i]) + 0.4*rank.readability(one) + 0.4*places[i]
		a.All[i].worth = commandFactor(c.Text)*about + 0.2*float64(len(c.Seats)-1) + baseWorth(a.All[i], one)
	}
	slices.SortStableFunc(a.All, func(x, y Statement) int { return cmp.Compare(y.worth, x.worth) })
}

// baseWorth is what speaks for a claim or against it whatever is asked.
func baseWorth(c Statement, one sentence) float64 {
	v := 0.0
	if c.defines {
		v += 0.25
	}
	if refersBack(one) {
		v -= 0.4 // it is not understood by itself
	}
	if !c.located() {
		return v
	}
	if path, _, ok := strings.Cut(c.Source, ":"); ok && shardOf(path) == Community {
		v -= 0.3 // what surrounds a work tells less of it than the work does
	}
	return v + 0.4
}

// positionScores are how early each claim stands among those of its first seat, from 1
// for the first down to nothing.
func (a *Arrangement) positionScores() []float64 {
	seat := func(c Statement) string { return strings.Join(c.Seats[:min(len(c.Seats), 1)], "") }
	total, n := map[string]int{}, map[string]int{}
	for _, c := range a.All {
		total[seat(c)]++
	}
	out := make([]float64, len(a.All))
	for i, c := range a.All {
		out[i] = 1 - float64(n[seat(c)])/float64(total[seat(c)])
		n[seat(c)]++
	}
	return out
}

func (c Statement) located() bool { return c.Location.State == claim.Located }

// Cited is the statement as a sentence of Markdown with its citation.
func (c Statement) Cited() string {
	switch {
	case c.located():
		return fmt.Sprintf("%s [%s].", c.said, c.ID)
	case c.Kind.RestsOnClaims():
		return fmt.Sprintf("%s (a conclusion from other claims) [%s].", c.said, c.ID)
	}
	return fmt.Sprintf("%s (reported; not looked up) [%s].", c.said, c.ID)
}

// Dissimilar are the first n claims no two of which say nearly the same.
func Dissimilar(all []Statement, n int) []Statement {
	var out []Statement
	for _, c := range all {
		same := func(o Statement) bool { return Similarity(c.stems, o.stems) > 0.5 }
		if len(out) < n && !slices.ContainsFunc(out, same) {
			out = append(out, c)
		}
	}
	return out
}

func (a *Arrangement) claimCount() int {
	n := 0
	for _, k := range a.states {
		n += k
	}
	return n
}

// maxThemes bounds the themes claims are divided into.
const maxThemes = 7

// Theme is a term that several claims share.
type Theme struct {
	Name   string
	Claims []Statement
}

// Themes divides the claims: each belongs to the first theme it fits, what fits
// none is left.
func (a *Arrangement) Themes() (themes []Theme, rest []Statement) {
	g := newTermWeights()
	for _, c := range a.All {
		counts := map[string]int{}
		g.addText(c.Text, counts)
		g.addPassage(counts, c.worth)
	}
	asked := map[string]bool{}
	for _, c := range a.concepts {
		for _, st := range c.stems {
			asked[st] = true
		}
	}
	rest = a.All
	for _, k := range g.themeTerms(len(a.All)) {
		stems := strings.Fields(k)
		if hasAll(asked, stems) || len(themes) == maxThemes {
			continue
		}
		t := Theme{Name: g.usualSpelling(k)}
		var others []Statement
		for _, c := range rest {
			if hasAll(c.stems, stems) {
				t.Claims = append(t.Claims, c)
			} else {
				others = append(others, c)
			}
		}
		if len(t.Claims) > 1 {
			themes, rest = append(themes, t), others
		}
	}
	return themes, rest
}

// themeTerms are the terms that tell most of the claims apart: in several, and not
// in nearly all.
func (g termWeights) themeTerms(total int) []string {
	keys := slices.DeleteFunc(g.topTerms(2), func(k string) bool { return g.in[k] > max(2, total/3) })
	value := func(k string) float64 {
		v := g.weight[k]
		if strings.Contains(k, " ") {
			v *= 1.8
		}
		return v
	}
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(value(b), value(a)) })
	return keys
}

// Repeats reports whether two claims say nearly the same in their words.
func (c Statement) Repeats(o Statement) bool { return Similarity(c.stems, o.stems) > maxSimilarity }

// Contradicts reports whether two claims speak of one subject and are unlike in
// their numbers or in saying not.
func (c Statement) Contradicts(o Statement) bool {
	if Similarity(c.stems, o.stems) < 0.45 || c.Quote == o.Quote {
		return false
	}
	one, other := sortedNumbers(c.Text), sortedNumbers(o.Text)
	return one != other && one != "" && other != "" || hasNegation(c.Text) != hasNegation(o.Text)
}

func sortedNumbers(s string) string {
	var out []string
	for _, w := range words.Split(s) {
		if w.Text[0] >= '0' && w.Text[0] <= '9' {
			out = append(out, w.Text)
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

var negations = wordSet("not no never cannot without none neither nor isn't doesn't don't won't can't aren't nicht kein keine pas non")

func hasNegation(s string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(s)), func(w string) bool { return negations[strings.Trim(w, ".,;:()")] })
}
