package report

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// rejectionSection writes of a page what was claimed and did not hold.
type rejectionSection struct{ *page }

// weightOfRejected is how much it matters to a reader that a claim does not hold: most
// where the text speaks of it, then where judges found that its passage says otherwise,
// which weighs more than a quotation that is not there, then where the answer hangs on it.
func (p rejectionSection) weightOfRejected(e claim.Entry, critical map[string]bool) int {
	w := 0
	if p.refs.named[e.ID] {
		w += 4
	}
	if e.WasRefuted() || e.Verdict() == claim.Contradicts {
		w += 2
	}
	if critical[e.ID] {
		w++
	}
	return w
}

// maxOfSeat is how many of the first places one seat's claims may take.
const maxOfSeat = 2

// spread puts what goes beyond a seat's places behind the others.
func spread(entries []claim.Entry) []claim.Entry {
	var first, rest []claim.Entry
	taken := map[string]int{}
	for _, e := range entries {
		seat := strings.Join(e.Seats, " ")
		if taken[seat]++; taken[seat] > maxOfSeat {
			rest = append(rest, e)
			continue
		}
		first = append(first, e)
	}
	return append(first, rest...)
}

// rejected lists the weightiest of the claims that were made and did not hold: their
// quotation was not found, judges found that the passage says otherwise, or their seat
// withdrew them.
func (p rejectionSection) rejected() []string {
	var out []string
	for _, e := range p.rejections[:p.shown[rejected]] {
		out = append(out, p.rejection(e))
	}
	if more := len(p.rejections) - len(out); more > 0 {
		out = spaced(out, []string{plural.Of(more, "claim") + " more did not hold: see " + moreRejected + " in the appendix."})
	}
	return out
}

// furtherRejected are the claims that did not hold and that the body does not show.
func (p rejectionSection) furtherRejected() []string {
	var out []string
	rest := p.rejections[p.shown[rejected]:]
	for _, e := range rest[:min(len(rest), maxRows)] {
		out = append(out, p.rejection(e))
	}
	return append(out, p.restNote(len(rest)-maxRows, "claim")...)
}

// rejection is a claim that did not hold, with the reason, in a line.
func (p rejectionSection) rejection(e claim.Entry) string {
	return fmt.Sprintf("- %s%s: “%s”%s: %s.", e.ID, withPrefix(", said by ", escapeForeign(enumerate(e.Seats), 60)), whole(e.Text, wholeClaim),
		withPrefix(" ", p.refs.referenceLinks([]claim.Entry{e})), rejection(e))
}

// lookedUp has words in the place of a researcher's own number of a claim, by which
// nobody else can look it up.
func lookedUp(reason string) string {
	return ownNumber().ReplaceAllString(reason, "another of its claims")
}

var ownNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bown-[0-9]+\b`) })

// rejection is why a claim did not hold; "" for one that was not refuted.
func rejection(e claim.Entry) string {
	switch {
	case e.WasRefuted():
		found := "after its own passage was found to say otherwise"
		if e.Kind.RestsOnClaims() {
			found = "after judges had voted that it does not follow"
		}
		return "withdrawn " + found + " (its author’s reason: “" + shortened(e.Location.Reason, reasonInLine) + "”)"
	case e.IsWithdrawn():
		return "withdrawn" + withPrefix(" (", closeParenthesis(strings.TrimRight(whole(lookedUp(e.Location.Reason), reasonInLine), ".")))
	case e.Location.State == claim.Unfounded:
		return "what it rests on does not hold" + withPrefix(" (", closeParenthesis(strings.TrimRight(whole(lookedUp(e.Location.Reason), reasonInLine), ".")))
	case e.Verdict() == claim.Contradicts && e.Kind.RestsOnClaims():
		return "judges have voted that it does not follow" + withPrefix(" (", closeParenthesis(strings.TrimRight(whole(e.Support.Reason, reasonInLine), ".")))
	case e.Location.State == claim.NotFound:
		return "its quotation was not found" + withPrefix(" (", closeParenthesis(strings.TrimRight(whole(lookedUp(e.Location.Reason), reasonInLine), ".")))
	case e.Verdict() == claim.Contradicts:
		return "its own passage says otherwise" + withPrefix(" (", closeParenthesis(strings.TrimRight(whole(e.Support.Reason, reasonInLine), ".")))
	}
	return ""
}
