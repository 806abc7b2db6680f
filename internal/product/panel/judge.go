package panel

import (
	"fmt"
	"math"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
)

// Count is what a review came to, for its gate.
type Count struct {
	Verdict  string   `json:"verdict,omitempty"`
	Score    float64  `json:"score,omitempty"`    // the consensus score
	Valid    int      `json:"valid,omitempty"`    // valid votes
	Families []string `json:"families,omitempty"` // that have truly voted
	Reason   string   `json:"reason,omitempty"`
}

// OwnCount is what a review came to, as an assessment carries it.
func OwnCount(c *Count) flow.Own { return flow.Hold(own, c) }

// CountOf is what a review came to; nil where none was counted.
func CountOf(o flow.Own) *Count { return flow.Held[Count](o, own) }

// Ruling is what the gate of a review says. At most one of the two is true; with
// neither the report is not approved.
type Ruling struct {
	Pass   bool
	Revise bool   // the work goes back
	Reason string // one line
}

// Judge is the gate of a review that has sent the work back so often, of the times
// that are allowed. It passes nothing that it cannot judge.
func Judge(c Count, revisions, most int) Ruling {
	if problem := c.invalid(revisions, most); problem != "" {
		return Ruling{Reason: "it cannot be judged: " + problem}
	}
	theirs := plain.Line(c.Reason, maxQuotedRunes)
	switch c.Verdict {
	case Approved:
		if c.Valid < Quorum {
			return Ruling{Reason: fmt.Sprintf("it cannot be judged: approved by %s, and %d are needed", validVotes(c.Valid), Quorum)}
		}
		return Ruling{Pass: true, Reason: fmt.Sprintf("approved by the consilium (%s)", validVotes(c.Valid))}
	case NeedsRevision:
		if revisions < most {
			return Ruling{Revise: true, Reason: withReason(fmt.Sprintf("the consilium wants revision %d of %d", revisions+1, most), theirs)}
		}
		return Ruling{Reason: withReason(fmt.Sprintf("needs_revision, and %d of %d revisions are spent", revisions, most), theirs)}
	case Rejected:
		return Ruling{Reason: withReason("the consilium has rejected the report", theirs)}
	case Unverified:
		return Ruling{Reason: withReason("the consilium cannot approve what nothing verifies", theirs)}
	case NoQuorum:
		return Ruling{Reason: withReason(fmt.Sprintf("no quorum: %s, and %d are needed", validVotes(c.Valid), Quorum), theirs)}
	case "":
		return Ruling{Reason: "it cannot be judged: there is no verdict"}
	}
	return Ruling{Reason: fmt.Sprintf("it cannot be judged: the verdict is %q", plain.Line(c.Verdict, 40))}
}

// invalid says which figure cannot be; "" when all can.
func (c Count) invalid(revisions, most int) string {
	for _, n := range []int{c.Valid, revisions, most} {
		if n < 0 {
			return fmt.Sprintf("a count is %d", n)
		}
	}
	if math.IsNaN(c.Score) || c.Score < 0 || c.Score > 1 {
		return fmt.Sprintf("the consensus score is %v", c.Score)
	}
	return ""
}

// validVotes is a number of valid votes in words.
func validVotes(n int) string {
	switch n {
	case 0:
		return "no valid vote"
	case 1:
		return "1 valid vote"
	}
	return fmt.Sprintf("%d valid votes", n)
}

// maxQuotedRunes bounds foreign words within a line of ours, in runes.
const maxQuotedRunes = 300
