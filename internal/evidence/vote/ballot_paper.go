package vote

import (
	"fmt"
	"slices"
	"strings"

	"research-council/internal/base/plain"
	"research-council/internal/evidence/claim"
)

// BallotPaper is the ballot a judge reads, in Markdown: each claim with its passage,
// what stands around it, and where it comes from. What is quoted stands behind
// ">" line by line, so that it cannot end the quotation it stands in.
func BallotPaper(entries []claim.Entry) string {
	var b strings.Builder
	b.WriteString("# Ballot\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "\n## %s\n\nClaim:\n\n%s\nPassage:\n\n%s\n", e.ID, blockQuote(e.Text), blockQuote(e.Location.Passage))
		if e.Location.Context != "" && e.Location.Context != e.Location.Passage {
			fmt.Fprintf(&b, "In its context:\n\n%s\n", blockQuote(e.Location.Context))
		}
		fmt.Fprintf(&b, "Source:\n\n%s", blockQuote(e.Source))
	}
	return b.String()
}

// BallotIDs are the ids of the claims on a ballot, as [BallotPaper] writes it.
func BallotIDs(paper []byte) []string {
	var ids []string
	for line := range strings.Lines(string(paper)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// blockQuote is foreign text as a quotation of Markdown.
func blockQuote(s string) string {
	return "> " + strings.ReplaceAll(plain.Trimmed(s), "\n", "\n> ") + "\n"
}

// Disputed are the open conflicts, the gravest first, at most so many.
func Disputed(conflicts []claim.Conflict, most int) []claim.Conflict {
	var list []claim.Conflict
	for _, sev := range []claim.Severity{claim.P0, claim.P1, claim.Minor, ""} {
		for _, c := range conflicts {
			if isOpen(c) && c.Severity == sev {
				list = append(list, c)
			}
		}
	}
	return list[:min(len(list), max(most, 0))]
}

// DisputeList is the list of what is open that validators and debaters read, in
// Markdown: conflicts with both sides, and single claims in doubt.
func DisputeList(reg claim.Registry, conflicts []claim.Conflict, doubted []claim.Entry) string {
	var b strings.Builder
	b.WriteString("# Disputed claims\n")
	for _, c := range conflicts {
		fmt.Fprintf(&b, "\n## %s (%s, %s)\n\n", c.ID, c.Severity, c.Kind)
		if c.Detail != "" {
			fmt.Fprintf(&b, "They differ in:\n\n%s\n", blockQuote(c.Detail))
		}
		for _, side := range []struct{ name, id string }{{"A", c.A}, {"B", c.B}} {
			fmt.Fprintf(&b, "Side %s is %s.\n\n%s\n", side.name, side.id, describeClaim(reg, side.id))
		}
		if c.Settle != "" {
			fmt.Fprintf(&b, "What would settle it:\n\n%s\n", blockQuote(c.Settle))
		}
		if c.Resolution != "" {
			fmt.Fprintf(&b, "Up to now:\n\n%s\n", blockQuote(c.Resolution))
		}
	}
	for _, e := range doubted {
		fmt.Fprintf(&b, "\n## %s (a single claim: A if it holds as worded, B if not)\n\n%s", e.ID, describeClaim(reg, e.ID))
		if e.Support != nil {
			fmt.Fprintf(&b, "The judges: %s\n", blockQuote(firstNonEmpty(e.Support.Reason, e.Support.Verdict)))
		}
	}
	return b.String()
}

// describeClaim shows a claim with its evidence.
func describeClaim(reg claim.Registry, id string) string {
	i := slices.IndexFunc(reg.Entries, func(e claim.Entry) bool { return e.ID == id })
	if i < 0 {
		return "(not in the registry)\n"
	}
	e := reg.Entries[i]
	quote := firstNonEmpty(e.Location.Passage, e.Quote, "none was given")
	return fmt.Sprintf("Claim:\n\n%s\nQuotation (%s):\n\n%s\nSource:\n\n%s", blockQuote(e.Text), e.Location.State, blockQuote(quote), blockQuote(e.Source))
}
