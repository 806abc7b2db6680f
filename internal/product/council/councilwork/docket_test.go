package councilwork

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/vote"
	"github.com/research-council/research-council/internal/product/council"
)

// What is to be done is argued before what is.
func TestPointsOnWhatToDoComeFirst(t *testing.T) {
	reg := claim.Registry{Entries: []claim.Entry{{ID: "C1"}, {ID: "C2", Kind: claim.Recommendation}, {ID: "C3", Kind: claim.Inference}}}
	points := []claim.Point{{ID: "D1", A: []string{"C1"}}, {ID: "C3", A: []string{"C3"}}, {ID: "C2", A: []string{"C2"}}, {ID: "D2", Conflict: claim.Conflict{Answers: true}, A: []string{"C9"}}}
	var ids []string
	for _, p := range adviceFirst(reg, points) {
		ids = append(ids, p.ID)
	}
	require.Equal(t, []string{"C2", "D2", "D1", "C3"}, ids)
}

func TestNobodyIsSentToLookForASecondSourceAmongFilesAtHand(t *testing.T) {
	alone := score.Gap{Dimension: scope.CrossChecked, What: "fewer than 2 independent located sources for C3"}
	require.True(t, isWorthLooking(alone, false))
	require.False(t, isWorthLooking(alone, true))
	require.True(t, isWorthLooking(score.Gap{Dimension: scope.Pitfalls, What: "none"}, true))
	require.False(t, isWorthLooking(score.Gap{Dimension: scope.Pitfalls, What: "none", NotHere: "not here"}, false))
}

// What a seat calls a claim is known to itself alone.
func TestPositionsNameClaimsAsAllKnowThem(t *testing.T) {
	own := ownNames{{"ada", "own-76"}: "C12", {"ada", "n1"}: "C13", {"bea", "own-7"}: "C14"}
	p := own.inRegistry(vote.Position{Seat: "ada", Arguments: []vote.Argument{{Claim: "own-76", Because: "own-76 measures what own-7 does not"}, {Claim: "n1"}, {Claim: "C4"}}, Insight: "see own-76."})
	require.Equal(t, []vote.Argument{{Claim: "C12", Because: "C12 measures what own-7 does not"}, {Claim: "C13"}, {Claim: "C4"}}, p.Arguments)
	require.Equal(t, "see C12.", p.Insight)
}

// Rounds that nobody was let begin are no debate.
func TestADebateBeginsWhenSomebodySpeaks(t *testing.T) {
	s := &tellers{&registrar{Variant: Variant{Judges: func(flow.Run) []flow.Seat { return nil }}}}
	r := flow.Run{History: []flow.Visit{{Stage: council.Debate, Tasks: []flow.TaskState{{Outcome: loop.Refused}, {Outcome: loop.Failed}}}}}
	require.Zero(t, vote.Spoken(s.rounds(r, claim.Registry{}, docket{}, nil)))
}
