package claim

import (
	"fmt"
	"slices"
	"strings"

	"research-council/internal/guard"
)

// What a conflict's Status may be.
const (
	Open           = "open"
	ResolvedA      = "resolved_A" // A holds
	ResolvedB      = "resolved_B"
	StillDivergent = "still_divergent" // it was judged, and nothing decided it
)

// byWeight begins the resolution of what Merge itself has decided, and decides
// anew whenever the evidence has changed.
const byWeight = "By weight of evidence: "

// settled fills in what follows from a conflict's two sides.
func (m *merging) settled(c Conflict) Conflict {
	a, b := m.place[c.A], m.place[c.B]
	if c.Kind == "" {
		c.Kind, c.Detail = disagreement(m.Entries[a].Text, m.Entries[b].Text)
	}
	c.weigh(m.side(a), m.side(b))
	return c
}

// side is what is said on one side of a conflict: the best evidence for it,
// and how much hangs on it.
type side struct {
	Confidence
	Severity
}

// add takes in one who says it.
func (s *side) add(confidence uint8, critical, asked bool) {
	if confidence > s.weight() {
		s.Confidence = confidences()[confidence]
	}
	switch {
	case critical && asked:
		s.Severity = P0
	case critical || asked:
		s.Severity = graver(s.Severity, P1)
	}
}

func (m *merging) side(entry int) side {
	s := side{Low, Minor}
	for _, id := range m.teams[m.root(m.says[entry])] {
		e := m.Entries[m.place[id]]
		s.add(e.Confidence.weight(), e.Critical, len(e.Questions) > 0)
	}
	return s
}

// weigh says how much hangs on a conflict and, where nobody has judged it yet,
// which side's evidence is better.
func (c *Conflict) weigh(a, b side) {
	c.Severity = graver(a.Severity, b.Severity)
	if c.Status != "" && c.Status != Open && !strings.HasPrefix(c.Resolution, byWeight) {
		return
	}
	c.Status, c.Resolution = Open, ""
	switch {
	case a.weight() > b.weight():
		c.Status, c.Resolution = ResolvedA, outweighs(c.A, a, c.B, b)
	case a.weight() < b.weight():
		c.Status, c.Resolution = ResolvedB, outweighs(c.B, b, c.A, a)
	}
}

func graver(a, b Severity) Severity {
	for _, s := range []Severity{P0, P1} {
		if a == s || b == s {
			return s
		}
	}
	return Minor
}

func outweighs(winner string, w side, loser string, l side) string {
	return byWeight + fmt.Sprintf("%s rests on evidence of %s confidence, %s on %s.", winner, w.Confidence, loser, l.Confidence)
}

// disagreement says in what two alike texts disagree, and in which words; ""
// when they do not, or speak of different things: of another name with other
// numbers.
func disagreement(a, b string) (ConflictKind, string) {
	x, y := decidingIn(a), decidingIn(b)
	found, defined := differ(x, y)
	has := func(kinds ...guard.Kind) bool {
		return slices.ContainsFunc(found, func(f guard.Finding) bool { return slices.Contains(kinds, f.Kind) })
	}
	both := func(kind guard.Kind) bool {
		return slices.ContainsFunc(found, func(f guard.Finding) bool { return f.Kind == kind && f.Quote != "" && f.Text != "" })
	}
	switch {
	case len(found) == 0 && defined:
		return ByDefinition, fmt.Sprintf("%s: %s against %s", x.subject, said(x.head), said(y.head))
	case len(found) == 0:
		return "", ""
	case both(guard.Name) && has(guard.Number, guard.Date):
		return "", ""
	case has(guard.Date):
		return ByDate, inWords(found)
	case has(guard.Negation) || both(guard.Comparator):
		return Contradiction, inWords(found)
	case has(guard.Number, guard.Unit, guard.Magnitude):
		return ByMeasurement, inWords(found)
	}
	return ByScope, inWords(found)
}

// mostDetail bounds the words in which two texts disagree.
const mostDetail = 8

func inWords(found []guard.Finding) string {
	var list []string
	for _, f := range found[:min(len(found), mostDetail)] {
		list = append(list, fmt.Sprintf("%s: %s against %s", f.Kind, said(f.Quote), said(f.Text)))
	}
	return strings.Join(list, "; ")
}

func said(word string) string {
	if word == "" {
		return "none"
	}
	return fmt.Sprintf("%q", word)
}
