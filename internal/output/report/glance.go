package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"research-council/internal/base/plural"
	"research-council/internal/evidence/claim"
	"research-council/internal/evidence/score"
)

// Bounds of what stands at a glance: lines of each kind, and runes of a claim or
// a question in one.
const (
	maxGlance    = 3
	claimInLine  = 100
	maxRejected  = 5
	reasonInLine = 200
)

// glance tells what a reader has to know beside the answer: how sure it is, what
// is disputed, what nobody knows, what it cost.
func (p *page) glance() []string {
	var out []string
	add := func(name, said string) {
		if said != "" {
			out = append(out, "- **"+name+":** "+said)
		}
	}
	add("How sure", p.sureText())
	add("Disputed", p.disputedText())
	add("Not known", p.unknownText())
	add("Cost", p.costText())
	return out
}

// sureText is the measured coverage beside what became of the quotations, and
// what other families say of them.
func (p *page) sureText() string {
	if len(p.Registry.Entries) == 0 {
		return "no claim was recorded, so nothing here has evidence that was checked."
	}
	said := quotationCounts(p.Registry.Entries)
	if p.Score.IsMeaningful() {
		said = fmt.Sprintf("coverage %s/100; ", score.FormatScore(p.Score.Final)) + said
	}
	if supported := p.supportedByRivals(); supported > 0 {
		said += fmt.Sprintf("; another model family bears out %s", plural.Of(supported, "claim"))
	}
	return said + "."
}

// quotationCounts says what became of the quotations of claims.
func quotationCounts(entries []claim.Entry) string {
	n := map[claim.State]int{}
	for _, e := range entries {
		n[e.Location.State]++
	}
	return fmt.Sprintf("%s; quotations located %d, not found %d, not checked %d", plural.Of(len(entries), "claim"),
		n[claim.Located], n[claim.NotFound], len(entries)-n[claim.Located]-n[claim.NotFound])
}

func (p *page) supportedByRivals() int {
	n := 0
	for _, e := range p.Registry.Entries {
		if e.Verified() && !e.Support.Own {
			n++
		}
	}
	return n
}

// disputedText names the gravest of the open conflicts.
func (p *page) disputedText() string {
	var open []claim.Conflict
	for _, c := range p.Registry.Conflicts {
		if score.IsOpen(c) {
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		return ""
	}
	slices.SortStableFunc(open, func(a, b claim.Conflict) int { return cmp.Compare(conflictRank(a), conflictRank(b)) })
	var sides []string
	for _, c := range open[:min(len(open), maxGlance)] {
		sides = append(sides, p.claimText(c.A)+" against "+p.claimText(c.B))
	}
	return strings.Join(sides, "; ") + andMore(len(open)-len(sides)) + ". Both sides stand under " + divergence + "."
}

// claimText is a claim in a line, between quotation marks.
func (p *page) claimText(id string) string {
	e, known := p.refs.known[id]
	if !known {
		return escapeForeign(id, 20)
	}
	return "“" + strings.TrimRight(escapeForeign(e.Text, claimInLine), ".") + "”"
}

func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("; and %d more", n)
}

// unknownText names the planned questions that no located claim answers. The first
// is the topic itself. Without a model nothing says which claim answers what.
func (p *page) unknownText() string {
	if p.withoutModel() {
		return ""
	}
	answered := map[string]bool{}
	for _, e := range p.Registry.Entries {
		for _, q := range e.Questions {
			answered[q] = answered[q] || score.IsEvidence(e)
		}
	}
	var open []string
	for i, q := range p.Plan.Questions {
		if i > 0 && !answered[q.ID] {
			open = append(open, "“"+escapeForeign(q.Text, claimInLine)+"”")
		}
	}
	if len(open) == 0 {
		return ""
	}
	shown := open[:min(len(open), maxGlance)]
	return "no located claim answers " + strings.Join(shown, ", ") + andMore(len(open)-len(shown)) + "."
}

func (p *page) costText() string {
	said := p.Spent.Cost()
	if !p.Began.IsZero() && p.Ended.After(p.Began) {
		said += fmt.Sprintf("; %s from question to report", p.Ended.Sub(p.Began).Round(time.Second))
	}
	return said + "."
}

// rejected lists claims that were made and did not hold: their quotation was not
// found, or judges found that the passage says otherwise.
func (p *page) rejected() []string {
	var out []string
	more := 0
	for _, e := range p.Registry.Entries {
		why := rejection(e)
		switch {
		case why == "":
		case len(out) == maxRejected:
			more++
		default:
			out = append(out, fmt.Sprintf("- %s, said by %s: “%s” %s: %s.", e.ID, escapeForeign(enumerate(e.Seats), 60),
				escapeForeign(e.Text, claimInCell), p.refs.referenceLinks([]claim.Entry{e}), why))
		}
	}
	return append(out, p.restNote(more, "claim")...)
}

// rejection is why a claim did not hold; "" for one that was not refuted.
func rejection(e claim.Entry) string {
	switch {
	case e.Location.State == claim.NotFound:
		return "its quotation was not found" + withPrefix(" (", closeParenthesis(strings.TrimRight(escapeForeign(e.Location.Reason, reasonInLine), ".")))
	case e.Verdict() == claim.Contradicts:
		return "its own passage says otherwise" + withPrefix(" (", closeParenthesis(strings.TrimRight(escapeForeign(e.Support.Reason, reasonInLine), ".")))
	}
	return ""
}
