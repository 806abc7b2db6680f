// Package panel makes one verdict of several reviewers' opinions on a
// report, by counting alone.
//
// Every reviewer has written a review alone, has then seen the others' without
// their names, and has written it once more. No model takes part in the sum.
package panel

// Verdicts.
const (
	Approved      = "approved"
	NeedsRevision = "needs_revision"
	Rejected      = "rejected"
	NoQuorum      = "no_quorum"  // fewer than two valid votes: never an approval
	Unverified    = "unverified" // approved by votes, and nothing it rests on is verified: no approval
)

// Issue is something a reviewer wants mended.
type Issue struct {
	Section  string   `json:"section"` // the report's heading it is about
	Claims   []string `json:"claims,omitempty"`
	Issue    string   `json:"issue"`
	Fix      string   `json:"fix,omitempty"`
	Severity string   `json:"severity,omitempty"` // critical, major, minor
}

// Review is a reviewer's answer.
type Review struct {
	Verdict   string             `json:"verdict"` // approved, needs_revision, rejected
	Scores    map[string]float64 `json:"scores"`  // by criterion, 0 to 10
	Strengths []string           `json:"strengths,omitempty"`
	Issues    []Issue            `json:"issues"`
	Summary   string             `json:"summary"`
}
