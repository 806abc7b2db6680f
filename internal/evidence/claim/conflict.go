package claim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/relation"
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
	return c.Status != ResolvedA && c.Status != ResolvedB && c.Status != Dismissed && c.Agreed == ""
}

// IsNone reports whether what was taken for a conflict was found to be none, also by all who
// compared its claims and call them the same.
func (c Conflict) IsNone() bool { return c.Status == Dismissed || c.SameToAll }

// IsCertain reports whether a conflict is open, and families have found it: rules alone
// say that one is possible.
func (c Conflict) IsCertain() bool { return c.IsOpen() && !c.Possible }

// Contradicting are the claims that contradict one or another of its group, as families
// have found: those that hold and that nobody has settled otherwise. Of two pieces of
// advice neither speaks against the other's truth.
func (r Registry) Contradicting(id string) []Entry {
	same := r.SameAs(id)
	var list []Entry
	for _, c := range r.Conflicts {
		other := ""
		switch {
		case c.Answers || !c.IsCertain():
		case slices.Contains(same, c.A):
			other = c.B
		case slices.Contains(same, c.B):
			other = c.A
		}
		if e, known := r.Entry(other); known && e.Holds() && !e.IsWithdrawn() {
			list = append(list, e)
		}
	}
	return list
}

// InPart are the facts that hold and say a part of what some claims say, or that and more, as
// those found who compared them: what is decided of
// the claims touches them too.
func (r Registry) InPart(ids []string) []Entry {
	var list []Entry
	for _, rel := range r.Relations {
		other := ""
		switch {
		case rel.Kind != relation.Narrower && rel.Kind != relation.Wider:
		case slices.Contains(ids, rel.A) && !slices.Contains(ids, rel.B):
			other = rel.B
		case slices.Contains(ids, rel.B) && !slices.Contains(ids, rel.A):
			other = rel.A
		}
		e, known := r.Entry(other)
		if known && e.Holds() && !e.IsWithdrawn() && !e.Kind.RestsOnClaims() && !slices.ContainsFunc(list, func(o Entry) bool { return o.ID == other }) {
			list = append(list, e)
		}
	}
	return list
}

// SettleWithdrawn gives the conflicts of a registry as they are where open ones have a
// side that nobody claims any more: between others that say the same, else settled for
// the side that stands, else none.
func SettleWithdrawn(reg Registry) []Conflict {
	standing := func(id string) string {
		for _, same := range reg.SameAs(id) {
			if e, known := reg.Entry(same); known && !e.IsWithdrawn() {
				return same
			}
		}
		return ""
	}
	list := slices.Clone(reg.Conflicts)
	for i, c := range list {
		if !c.IsOpen() {
			continue
		}
		a, b := standing(c.A), standing(c.B)
		switch {
		case a != "" && b != "":
			list[i].A, list[i].B = a, b
		case a != "":
			list[i].Status, list[i].Resolution = ResolvedA, c.B+" was withdrawn"
		case b != "":
			list[i].Status, list[i].Resolution = ResolvedB, c.A+" was withdrawn"
		default:
			list[i].Status, list[i].Resolution = Dismissed, c.A+" and "+c.B+" were withdrawn"
		}
	}
	return list
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
	c.Answers = m.Entries[a].Kind == Recommendation && m.Entries[b].Kind == Recommendation
	c.assess(m.sideOf(a), m.sideOf(b))
	return c
}

// side is what is said on one side of a conflict: the best evidence for it, how
// much hangs on it, and whether judges have found all of it refuted.
type side struct {
	confidence Confidence
	severity   Severity
	refuted    bool
	reasoned   bool // it rests on other claims, whose weight decides nothing by itself
	holds      bool // some claim of it does
}

// newSide is one that nobody has spoken for yet.
func newSide() side { return side{confidence: Low, severity: Minor} }

// sideOf is the side of those who say the same.
func sideOf(entries []Entry) side {
	s := newSide()
	s.refuted = len(entries) > 0
	for _, e := range entries {
		s.add(e.Confidence.rank(), e.Critical, len(e.Questions) > 0)
		s.refuted = s.refuted && e.IsRefuted()
		s.reasoned, s.holds = s.reasoned || e.Kind.RestsOnClaims(), s.holds || e.Holds()
	}
	return s
}

// add takes in one who says it.
func (s *side) add(confidence uint8, critical, asked bool) {
	if confidence > s.confidence.rank() {
		s.confidence = confidences()[confidence]
	}
	switch {
	case critical && asked:
		s.severity = P0
	case critical || asked:
		s.severity = moreSevere(s.severity, P1)
	}
}

func (m *merger) sideOf(entry int) side {
	var list []Entry
	for _, id := range m.members[m.team(entry)] {
		list = append(list, m.Entries[m.position[id]])
	}
	return sideOf(list)
}

// IsRefuted reports whether two families or more have found that a claim's passage
// says otherwise, and most of those who voted.
func (e Entry) IsRefuted() bool {
	return e.Verdict() == Contradicts && e.Support.count(Contradicts) > 1
}

// assess says how much hangs on a conflict and, where nobody has judged it yet,
// which side stands: the one that is not refuted, else that of the better evidence. Of
// what rests on other claims no weight decides; two answers to a question are grave
// whatever else they are, and little hangs on what all who compared it call the same.
func (c *Conflict) assess(a, b side) {
	c.Severity = moreSevere(a.severity, b.severity)
	switch {
	case c.Answers:
		c.Severity = P0
	case c.SameToAll:
		c.Severity = Minor
	}
	if !c.isDecidedByMerge() {
		return
	}
	c.Status, c.Resolution = Open, ""
	switch {
	case a.refuted && b.refuted:
		c.Status, c.Resolution = Dismissed, resolutionPrefix+"judges have found the passages of both to say otherwise."
	case (a.reasoned || b.reasoned) && a.holds && !b.holds:
		c.Status, c.Resolution = ResolvedA, resolutionPrefix+c.B+" does not hold."
	case (a.reasoned || b.reasoned) && b.holds && !a.holds:
		c.Status, c.Resolution = ResolvedB, resolutionPrefix+c.A+" does not hold."
	case a.reasoned || b.reasoned:
	case b.refuted, !a.refuted && a.confidence.rank() > b.confidence.rank():
		c.Status, c.Resolution = ResolvedA, resolutionText(c.A, a, c.B, b)
	case a.refuted, a.confidence.rank() < b.confidence.rank():
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
	if l.refuted {
		return resolutionPrefix + fmt.Sprintf("judges have found that the passage of %s says otherwise.", loser)
	}
	return resolutionPrefix + fmt.Sprintf("%s rests on evidence of %s confidence, %s on %s.", winner, w.confidence, loser, l.confidence)
}
