package claim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/score"
)

// A refutation stays where the claim it is of is withdrawn, and where somebody else takes
// it up again.
func TestARefutationStaysWithWhatIsWithdrawn(t *testing.T) {
	main := claim.Draft{Text: "It never steals.", Quote: "it steals from the queue", Source: "a.md", Seat: "ann", Critical: true}
	entries := claim.Register(nil, []claim.Draft{main})
	entries[0].Location = claim.Location{State: claim.Located, Passage: "it steals from the queue", First: 3, Last: 3}
	entries[0].Support = &claim.Support{Verdict: claim.Contradicts, Votes: []claim.Vote{{Seat: "bob", Answer: claim.Contradicts}}}
	after := claim.Register(entries, []claim.Draft{{Seat: "ann", Withdraws: "C1", Reason: "said better elsewhere"}})
	require.True(t, after[0].IsWithdrawn())
	require.True(t, after[0].WasRefuted())
	require.Equal(t, 3, after[0].Location.First)
	require.Equal(t, claim.Counted(entries)[0].Location.Passage, claim.Counted(after)[0].Location.Passage)
	require.Equal(t, claim.Contradicts, claim.Counted(after)[0].Verdict())
	require.Equal(t, score.Measure(claim.Registry{Entries: entries}, score.Input{}).Final, score.Measure(claim.Registry{Entries: after}, score.Input{}).Final)
	sound := claim.Entry{ID: "C2", Text: "Sound.", Key: "b.md", Seats: []string{"bob"}, Type: claim.Official, Location: claim.Location{State: claim.Located}, Support: &claim.Support{Verdict: claim.Supports, Votes: []claim.Vote{{Family: "x", Answer: claim.Supports}}}}
	measured := func(list []claim.Entry) float64 {
		return score.Measure(claim.Registry{Entries: append(list[:1:1], sound)}, score.Input{}).Final
	}
	require.Positive(t, measured(entries))
	require.Equal(t, measured(entries), measured(after), "a withdrawal raises no score")
	main.Seat = "bob"
	again := claim.Register(after, []claim.Draft{main})
	require.False(t, again[0].IsWithdrawn())
	require.Equal(t, claim.Contradicts, again[0].Support.Verdict)
}
