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
	if kind, detail := disagreement(m.Entries[a].Text, m.Entries[b].Text); kind != "" && c.Kind == "" {
		c.Kind, c.Detail = kind, detail
	}
	sideA, sideB := m.side(a), m.side(b)
	c.Severity = graver(sideA.severity, sideB.severity)
	judged := c.Status != "" && c.Status != Open && !strings.HasPrefix(c.Resolution, byWeight)
	if judged {
		return c
	}
	c.Status, c.Resolution = Open, ""
	switch {
	case sideA.weight() > sideB.weight():
		c.Status, c.Resolution = ResolvedA, byWeight+outweighs(c.A, sideA, c.B, sideB)
	case sideA.weight() < sideB.weight():
		c.Status, c.Resolution = ResolvedB, byWeight+outweighs(c.B, sideB, c.A, sideA)
	}
	return c
}

// side is what an entry brings to a conflict, with all who say the same.
type side struct {
	Confidence
	severity Severity
}

func (m *merging) side(entry int) side {
	s := side{Low, Minor}
	for _, id := range m.teams[m.root(m.says[entry])] {
		e := m.Entries[m.place[id]]
		if e.Confidence.weight() > s.weight() {
			s.Confidence = e.Confidence
		}
		switch {
		case e.Critical && len(e.Questions) > 0:
			s.severity = P0
		case (e.Critical || len(e.Questions) > 0) && s.severity != P0:
			s.severity = P1
		}
	}
	return s
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
	return fmt.Sprintf("%s rests on evidence of %s confidence, %s on %s.", winner, w.Confidence, loser, l.Confidence)
}

// disagreement says in what two alike texts disagree, and in which words; ""
// when they do not, or speak of different things: of another name with other
// numbers.
func disagreement(a, b string) (ConflictKind, string) {
	found := compare(a, b)
	has := func(kinds ...guard.Kind) bool {
		return slices.ContainsFunc(found, func(f guard.Finding) bool { return slices.Contains(kinds, f.Kind) })
	}
	both := func(kind guard.Kind) bool {
		return slices.ContainsFunc(found, func(f guard.Finding) bool { return f.Kind == kind && f.Quote != "" && f.Text != "" })
	}
	switch {
	case len(found) == 0:
		return "", ""
	case both(guard.Name) && has(guard.Number, guard.Date):
		return "", ""
	case has(guard.Date):
		return ByDate, words(found)
	case has(guard.Negation) || both(guard.Comparator):
		return Contradiction, words(found)
	case has(guard.Number, guard.Unit, guard.Magnitude):
		return ByMeasurement, words(found)
	}
	return ByScope, words(found)
}

// mostDetail bounds the words in which two texts disagree.
const mostDetail = 8

func words(found []guard.Finding) string {
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
