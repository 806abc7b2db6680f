package vote

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// Ruling is a validator's word on one point.
type Ruling struct {
	ID         string // of the conflict; of a claim in doubt: then A means that it holds; or of a question: then A means that its evidence answers it
	Seat       string
	Family     string
	Verdict    string // resolved_A, resolved_B or still_divergent
	Evidence   string // the source of the words that decide
	Quote      string // these words
	Confidence claim.Confidence
}

// DecodeRulings reads a validator's verdicts, JSON Lines of the form
//
//	{"claim_id": "D1", "verdict": "resolved_A", "evidence": "https://…", "quote": "…", "confidence": "High"}
//
// The id may also be called conflict or id. A confidence that is none is Low.
func DecodeRulings(r io.Reader, seat, family string) ([]Ruling, []claim.Refusal) {
	return lines(r, func(line []byte) (Ruling, string) {
		var w struct {
			Claim      string `json:"claim_id"`
			Conflict   string `json:"conflict"`
			ID         string `json:"id"`
			Verdict    string
			Evidence   string
			Quote      string
			Confidence string
		}
		if json.Unmarshal(line, &w) != nil {
			return Ruling{}, "no JSON object with the strings claim_id, verdict, evidence, quote and confidence"
		}
		id := strings.TrimSpace(firstNonEmpty(w.Claim, w.Conflict, w.ID))
		ruling := Ruling{ID: id, Seat: seat, Family: family, Verdict: parseVerdict(w.Verdict), Confidence: confidence(w.Confidence)}
		ruling.Evidence, ruling.Quote = plain.Trimmed(w.Evidence), plain.Trimmed(w.Quote)
		switch {
		case !isID(id, "CDQ"):
			return Ruling{}, "its claim_id is none of a conflict, a claim or a question"
		case ruling.Verdict == "":
			return Ruling{}, "its verdict is none of " + strings.Join(verdicts(), ", ")
		case len(ruling.Evidence) > claim.FieldLimit || len(ruling.Quote) > claim.FieldLimit:
			return Ruling{}, fmt.Sprintf("a field is longer than %d KiB", claim.FieldLimit>>10)
		}
		return ruling, ""
	})
}

func verdicts() []string { return []string{claim.ResolvedA, claim.ResolvedB, claim.StillDivergent} }

// parseVerdict is the verdict meant; "" when there is none.
func parseVerdict(s string) string {
	for _, v := range verdicts() {
		if strings.EqualFold(strings.TrimSpace(s), v) {
			return v
		}
	}
	return ""
}

func confidence(s string) claim.Confidence {
	for _, c := range []claim.Confidence{claim.High, claim.Medium} {
		if strings.EqualFold(strings.TrimSpace(s), string(c)) {
			return c
		}
	}
	return claim.Low
}

func firstNonEmpty(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// Draft is the ruling's evidence as a claim, for the quotation to be looked
// for like any other; ok is false when it brings none.
func (r Ruling) Draft() (d claim.Draft, ok bool) {
	if r.Quote == "" || r.Evidence == "" {
		return claim.Draft{}, false
	}
	d = claim.Draft{
		Text: fmt.Sprintf("On %s: %s", r.ID, shortLine(r.Quote)), Quote: r.Quote, Source: r.Evidence,
		Confidence: r.Confidence, Seat: r.Seat, Family: r.Family, Round: "validation",
	}
	if isID(r.ID, "Q") && r.Verdict == claim.ResolvedA {
		d.Questions = []string{r.ID}
	}
	return d, true
}

// RulingsOnAll are the rulings, and those on a point for each further conflict of it:
// what is ruled of the side they share is ruled of all.
func RulingsOnAll(rulings []Ruling, points []claim.Point) []Ruling {
	all := slices.Clone(rulings)
	for _, r := range rulings {
		for _, p := range points {
			if p.ID != r.ID {
				continue
			}
			for _, f := range p.With {
				also := r
				also.ID = f.Conflict.ID
				if f.Turned {
					also.Verdict = map[string]string{claim.ResolvedA: claim.ResolvedB, claim.ResolvedB: claim.ResolvedA}[r.Verdict]
				}
				also.Verdict = firstNonEmpty(also.Verdict, r.Verdict)
				all = append(all, also)
			}
		}
	}
	return all
}

// ApplyRulings applies rulings to the open conflicts. A side wins when more families
// rule for it than for the other. What counts as a ruling: its quotation was
// located, and its family has not made a claim of the winning side's group itself,
// unless it stands on both sides. All else leaves a conflict that was ruled on
// still_divergent, with what was said; one nobody ruled on stays as it is.
func ApplyRulings(reg claim.Registry, rulings []Ruling, located func(Ruling) bool) []claim.Conflict {
	conflicts := slices.Clone(reg.Conflicts)
	for i, c := range conflicts {
		if !isOpen(c) {
			continue
		}
		h := conflictRulings{reg: reg, conflict: c}
		for _, r := range rulings {
			if r.ID == c.ID {
				h.addRuling(r, located(r))
			}
		}
		if len(h.heard) > 0 {
			conflicts[i].Status, conflicts[i].Resolution = h.outcome()
		}
	}
	return conflicts
}

// isOpen reports whether nobody has settled a conflict.
func isOpen(c claim.Conflict) bool { return c.IsOpen() }

// conflictRulings is what was said of one conflict.
type conflictRulings struct {
	reg      claim.Registry
	conflict claim.Conflict
	a, b     []string // families that rule for a side
	heard    []string // for people
}

func (h *conflictRulings) addRuling(r Ruling, located bool) {
	side, other := h.conflict.A, h.conflict.B
	into := &h.a
	if r.Verdict == claim.ResolvedB {
		side, other, into = other, side, &h.b
	}
	what := ""
	switch {
	case r.Verdict == claim.StillDivergent:
		what = "cannot decide"
	case !located:
		what = fmt.Sprintf("is for %s, on a quotation that was not found", side)
	case r.Family == "" || h.isOwnClaim(side, r.Family) && !h.isOwnClaim(other, r.Family):
		what = fmt.Sprintf("is for %s, its own claim", side)
	default:
		what = fmt.Sprintf("is for %s (%s): %s, “%s”", side, r.Confidence, r.Evidence, shortLine(r.Quote))
		if !slices.Contains(*into, r.Family) {
			*into = append(*into, r.Family)
		}
	}
	h.heard = append(h.heard, r.Seat+" "+what)
}

// isOwnClaim reports whether a family has made a claim, or another of its group.
func (h *conflictRulings) isOwnClaim(id, family string) bool {
	side := h.reg.SameAs(id)
	return slices.ContainsFunc(h.reg.Entries, func(e claim.Entry) bool {
		return slices.Contains(side, e.ID) && slices.Contains(e.Families, family)
	})
}

func (h *conflictRulings) outcome() (status, resolution string) {
	status = claim.StillDivergent
	switch {
	case len(h.a) > len(h.b):
		status = claim.ResolvedA
	case len(h.b) > len(h.a):
		status = claim.ResolvedB
	}
	return status, "By validation: " + strings.Join(h.heard, "; ") + "."
}
