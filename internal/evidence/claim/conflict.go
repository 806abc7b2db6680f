package claim

import (
	"fmt"
	"strings"

	"research-council/internal/evidence/relation"
)

// What a conflict's Status may be.
const (
	Open           = "open"
	ResolvedA      = "resolved_A" // A holds
	ResolvedB      = "resolved_B"
	StillDivergent = "still_divergent" // it was judged, and nothing decided it
	Dismissed      = "dismissed"       // families have read both and agreed that it is none
)

// IsOpen reports whether nobody has settled a conflict, nor found it to be none.
func (c Conflict) IsOpen() bool {
	return c.Status != ResolvedA && c.Status != ResolvedB && c.Status != Dismissed
}

// resolutionPrefix begins the resolution of what Merge itself has decided, and decides
// anew whenever the evidence has changed.
const resolutionPrefix = "By weight of evidence: "

// comparisonPrefix begins the resolution of a conflict that families say is none.
const comparisonPrefix = "By comparison: "

// isDecidedByMerge reports whether a conflict's status is Merge's own.
func (c *Conflict) isDecidedByMerge() bool {
	return c.Status == "" || c.Status == Open || strings.HasPrefix(c.Resolution, resolutionPrefix) || strings.HasPrefix(c.Resolution, comparisonPrefix)
}

// assessed fills in what follows from a conflict's two sides.
func (m *merger) assessed(c Conflict) Conflict {
	a, b := m.position[c.A], m.position[c.B]
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
	for _, id := range m.members[m.team(entry)] {
		e := m.Entries[m.position[id]]
		s.add(e.Confidence.rank(), e.Critical, len(e.Questions) > 0)
	}
	return s
}

// assess says how much hangs on a conflict and, where nobody has judged it yet,
// which side's evidence is better.
func (c *Conflict) assess(a, b side) {
	c.Severity = moreSevere(a.Severity, b.Severity)
	if !c.isDecidedByMerge() {
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

// disagreement says in what two texts possibly disagree, and in which words; ""
// when the rules see no contradiction.
func disagreement(a, b string) (ConflictKind, string) {
	f := relation.Compare(relation.Read(a), relation.Read(b))
	if f.Kind != relation.Contradicts {
		return "", ""
	}
	return f.Dispute, f.Detail
}
