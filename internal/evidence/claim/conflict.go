package claim

import (
	"fmt"
	"slices"
	"strings"

	"research-council/internal/evidence/guard"
)

// What a conflict's Status may be.
const (
	Open           = "open"
	ResolvedA      = "resolved_A" // A holds
	ResolvedB      = "resolved_B"
	StillDivergent = "still_divergent" // it was judged, and nothing decided it
)

// resolutionPrefix begins the resolution of what Merge itself has decided, and decides
// anew whenever the evidence has changed.
const resolutionPrefix = "By weight of evidence: "

// assessed fills in what follows from a conflict's two sides.
func (m *merger) assessed(c Conflict) Conflict {
	a, b := m.position[c.A], m.position[c.B]
	if c.Kind == "" {
		c.Kind, c.Detail = disagreement(m.Entries[a].Text, m.Entries[b].Text)
	}
	c.assess(m.sideOf(a), m.sideOf(b))
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
	if confidence > s.rank() {
		s.Confidence = confidences()[confidence]
	}
	switch {
	case critical && asked:
		s.Severity = P0
	case critical || asked:
		s.Severity = moreSevere(s.Severity, P1)
	}
}

func (m *merger) sideOf(entry int) side {
	s := side{Low, Minor}
	for _, id := range m.members[m.root(m.statementOf[entry])] {
		e := m.Entries[m.position[id]]
		s.add(e.Confidence.rank(), e.Critical, len(e.Questions) > 0)
	}
	return s
}

// assess says how much hangs on a conflict and, where nobody has judged it yet,
// which side's evidence is better.
func (c *Conflict) assess(a, b side) {
	c.Severity = moreSevere(a.Severity, b.Severity)
	if c.Status != "" && c.Status != Open && !strings.HasPrefix(c.Resolution, resolutionPrefix) {
		return
	}
	c.Status, c.Resolution = Open, ""
	switch {
	case a.rank() > b.rank():
		c.Status, c.Resolution = ResolvedA, resolutionText(c.A, a, c.B, b)
	case a.rank() < b.rank():
		c.Status, c.Resolution = ResolvedB, resolutionText(c.B, b, c.A, a)
	}
}

func moreSevere(a, b Severity) Severity {
	for _, s := range []Severity{P0, P1} {
		if a == s || b == s {
			return s
		}
	}
	return Minor
}

func resolutionText(winner string, w side, loser string, l side) string {
	return resolutionPrefix + fmt.Sprintf("%s rests on evidence of %s confidence, %s on %s.", winner, w.Confidence, loser, l.Confidence)
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
		return ByDefinition, fmt.Sprintf("%s: %s against %s", x.subject, quoteOrNone(x.head), quoteOrNone(y.head))
	case len(found) == 0:
		return "", ""
	case both(guard.Name) && has(guard.Number, guard.Date):
		return "", ""
	case has(guard.Date):
		return ByDate, describeFindings(found)
	case has(guard.Negation) || both(guard.Comparator):
		return Contradiction, describeFindings(found)
	case has(guard.Number, guard.Unit, guard.Magnitude):
		return ByMeasurement, describeFindings(found)
	}
	return ByScope, describeFindings(found)
}

// maxDetail bounds the words in which two texts disagree.
const maxDetail = 8

func describeFindings(found []guard.Finding) string {
	var list []string
	for _, f := range found[:min(len(found), maxDetail)] {
		list = append(list, fmt.Sprintf("%s: %s against %s", f.Kind, quoteOrNone(f.Quote), quoteOrNone(f.Text)))
	}
	return strings.Join(list, "; ")
}

func quoteOrNone(word string) string {
	if word == "" {
		return "none"
	}
	return fmt.Sprintf("%q", word)
}
