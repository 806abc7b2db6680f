package panel

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTheGateOfAReview(t *testing.T) {
	for _, c := range []struct {
		name            string
		count           Count
		revisions, most int
		want, why       string
	}{
		{"approved", Count{Verdict: Approved, Valid: 3, Score: 1}, 0, 2, "passes", "approved by the consilium (3 valid votes)"},
		{"approved once revisions are spent", Count{Verdict: Approved, Valid: 2, Score: 1}, 2, 2, "passes", ""},
		{"approved by one", Count{Verdict: Approved, Valid: 1, Score: 1}, 0, 0, "fails", "it cannot be judged: approved by 1 valid vote, and 2 are needed"},
		{"approved by nobody", Count{Verdict: Approved}, 0, 0, "fails", "it cannot be judged: approved by no valid vote, and 2 are needed"},
		{"a revision", Count{Verdict: NeedsRevision, Valid: 3, Reason: "2 of 3 valid votes"}, 0, 2, "revises", "the consilium wants revision 1 of 2: 2 of 3 valid votes"},
		{"another revision", Count{Verdict: NeedsRevision, Valid: 3}, 1, 2, "revises", "the consilium wants revision 2 of 2"},
		{"one too many", Count{Verdict: NeedsRevision, Valid: 3}, 2, 2, "fails", "needs_revision, and 2 of 2 revisions are spent"},
		{"no revision is allowed", Count{Verdict: NeedsRevision, Valid: 3}, 0, 0, "fails", "needs_revision, and 0 of 0 revisions are spent"},
		{"rejected", Count{Verdict: Rejected, Valid: 3}, 0, 2, "fails", "the consilium has rejected the report"},
		{"approved, and nothing is verified", Count{Verdict: Unverified, Valid: 3, Reason: "none of 9 claims is verified"}, 0, 2, "fails", "the consilium cannot approve what nothing verifies: none of 9 claims is verified"},
		{"no quorum", Count{Verdict: NoQuorum, Valid: 1}, 0, 2, "fails", "no quorum: 1 valid vote, and 2 are needed"},
		{"no verdict", Count{Valid: 3}, 0, 2, "fails", "it cannot be judged: there is no verdict"},
		{"another verdict", Count{Verdict: "Approved", Valid: 3}, 0, 2, "fails", `it cannot be judged: the verdict is "Approved"`},
		{"a score that is no number", Count{Verdict: Approved, Valid: 3, Score: math.NaN()}, 0, 0, "fails", "it cannot be judged: the consensus score is NaN"},
		{"a score beyond 1", Count{Verdict: Approved, Valid: 3, Score: 1.01}, 0, 0, "fails", "it cannot be judged: the consensus score is 1.01"},
		{"revisions below nought", Count{Verdict: NeedsRevision, Valid: 3}, -1, 2, "fails", "it cannot be judged: a count is -1"},
	} {
		r := Judge(c.count, c.revisions, c.most)
		require.Equal(t, c.want, ruled(r), c.name)
		require.Contains(t, r.Reason, c.why, c.name)
	}
}

// ruled is what a ruling does, in a word.
func ruled(r Ruling) string {
	switch {
	case r.Pass && r.Revise:
		return "does two things at once"
	case r.Pass:
		return "passes"
	case r.Revise:
		return "revises"
	}
	return "fails"
}

func TestAReviewIsJudgedOnceAndSaysWhyInOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Count{
			Verdict: rapid.SampledFrom([]string{"", Approved, NeedsRevision, Rejected, NoQuorum, Unverified, "x"}).Draw(t, "verdict"),
			Valid:   rapid.IntRange(-1, 5).Draw(t, "valid"), Score: rapid.Float64Range(-0.5, 1.5).Draw(t, "score"), Reason: rapid.String().Draw(t, "reason"),
		}
		revisions, most := rapid.IntRange(-1, 3).Draw(t, "revisions"), rapid.IntRange(-1, 3).Draw(t, "most")
		r := Judge(c, revisions, most)
		require.Contains(t, []string{"passes", "revises", "fails"}, ruled(r))
		require.NotEmpty(t, r.Reason)
		require.NotContains(t, r.Reason, "\n")
		if c.Valid < 0 || revisions < 0 || most < 0 || c.Score < 0 || c.Score > 1 {
			require.Equal(t, "fails", ruled(r), "a count that cannot be passes nothing")
		}
	})
}
