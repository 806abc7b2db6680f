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

// What its own seat no longer claims needs no further round.
func TestAWithdrawnClaimIsNoLongerArguedOver(t *testing.T) {
	standing, gone := claim.Location{State: claim.Located}, claim.Location{State: claim.Withdrawn}
	reg := claim.Registry{
		Entries: []claim.Entry{{ID: "C1", Location: standing}, {ID: "C2", Location: gone}, {ID: "C3", Location: gone}, {ID: "C4", Location: standing}, {ID: "C5", Location: standing}},
		Conflicts: []claim.Conflict{
			{ID: "D1", A: "C1", B: "C3", Status: claim.ResolvedA, Resolution: "C3 was withdrawn"}, {ID: "D2", A: "C1", B: "C4", Status: claim.Open},
		},
	}
	d := docket{
		points: []claim.Point{
			{ID: "D1", A: []string{"C1"}, B: []string{"C3"}},
			{ID: "D2", A: []string{"C1"}, B: []string{"C4"}},
			{ID: "C2", A: []string{"C2"}},
			{ID: "C3", A: []string{"C3", "C5"}},
			{ID: "C4", A: []string{"C4"}},
		},
		questions: []scope.Question{{ID: "Q2"}},
	}
	require.Equal(t, []string{"D2", "C3", "C4", "Q2"}, d.stillOpen(reg, d.ids()))
	require.Equal(t, []string{"Q2"}, d.stillOpen(reg, []string{"C2", "Q2"}))
}

// A seat that withdraws a claim in a debate and says what holds instead mends what rests on it.
func TestWhatRestsOnAClaimReplacedInADebate(t *testing.T) {
	by := func(kind claim.Kind, handle, text, quote string, grounds ...string) claim.Draft {
		return claim.Draft{Seat: "ada", Family: "a", Handle: handle, Kind: kind, Text: text, Quote: quote, Source: "a.md:1", RestsOn: grounds}
	}
	old := claim.Register(nil, []claim.Draft{
		by("", "a1", "The scanner copies the prefix into each node.", "copies the prefix"),
		by(claim.Inference, "a2", "Memory is not bounded by the size of the file.", "", "a1"),
	})
	now := claim.Register(old, []claim.Draft{
		by("", "a3", "The parser copies the prefix into each scalar.", "copies the prefix into each scalar"),
		{Seat: "ada", Family: "a", Withdraws: "C1", Reason: "it is the parser", ReplacedBy: "a3"},
	})
	taken, changed := takenLate(old[1], now[1], "ada")
	require.True(t, changed)
	require.Equal(t, []string{"C3"}, taken.RestsOn)
	taken, changed = takenLate(old[0], now[0], "ada")
	require.True(t, changed)
	require.True(t, taken.IsWithdrawn())
	_, changed = takenLate(old[1], old[1], "ada")
	require.False(t, changed)
}

func TestNoSeatFillsTheDocketAlone(t *testing.T) {
	doubted := func(id, seat, verdict string) claim.Entry {
		return claim.Entry{ID: id, Seats: []string{seat}, Location: claim.Location{State: claim.Located}, Support: &claim.Support{Verdict: verdict, Votes: []claim.Vote{{Answer: verdict}}}}
	}
	require.Equal(t, []string{"C9", "C1", "C4", "C6", "C2", "C5", "C3"}, idsInTurns([]claim.Entry{
		doubted("C1", "ann", claim.Qualifies), doubted("C2", "ann", claim.Qualifies), doubted("C3", "ann", claim.Qualifies),
		doubted("C4", "ben", claim.Qualifies), doubted("C5", "ben", claim.Qualifies), doubted("C6", "cy", claim.Qualifies),
		doubted("C9", "ann", claim.Contradicts),
	}))
	require.Empty(t, idsInTurns(nil))
}
