package librarian_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"research-council/internal/agent"
	"research-council/internal/agent/librarian"
	"research-council/internal/agent/librarian/librariantest"
	"research-council/internal/evidence/claim"
	"research-council/internal/output/report"
)

func TestADraftHoldsWhatTheSeatsFound(t *testing.T) {
	late := librariantest.Entry(4, "The scavenger returns pages to the operating system in the background.", "b")
	late.Rounds, late.Key = []string{agent.Refinement}, "b.go"
	lost := librariantest.Entry(5, "The moon is made of cheese.", "b")
	lost.Location.State = claim.NotFound
	draft := string(librarian.Synthesise("How does the pacer set the heap goal?", []claim.Entry{
		librariantest.Entry(1, "The pacer sets the heap goal from GOGC and the live heap.", "a", "b"),
		librariantest.Entry(2, "The heap goal is reached when sweeping has ended.", "a"),
		librariantest.Entry(3, "Mutator assists are proportional to allocation.", "b"),
		late, lost,
	}, []string{"# Report\n\n## Open Questions\n\n- Which setting bounds the number of mark workers in a cycle?\n"}))
	section := func(name string) string {
		_, rest, ok := strings.Cut(draft, "## "+name+"\n")
		require.True(t, ok, name)
		text, _, _ := strings.Cut(rest, "\n## ")
		return text
	}
	require.Contains(t, section("Executive Summary"), "The pacer sets the heap goal from GOGC and the live heap [C1].")
	require.Contains(t, section("Areas of Strong Consensus"), "[C1]")
	require.NotContains(t, section("Areas of Strong Consensus"), "[C3]")
	require.Contains(t, section("Novel Insights"), "[C4]")
	require.NotContains(t, section("Novel Insights"), "[C2]")
	require.Contains(t, section("Remaining Open Questions"), "bounds the number of mark workers")
	require.NotContains(t, draft, "cheese", "what was not found proves nothing")
	require.True(t, strings.HasSuffix(draft, agent.Marker+"\n"))
}

func TestNoDraftHasProblemsWhateverWasClaimed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := librariantest.Entries().Draw(t, "entries")
		reports := rapid.SliceOfN(librariantest.Hostile(), 0, 3).Draw(t, "reports")
		for i := range reports {
			reports[i] = "## Open Questions\n\n- " + reports[i] + " and what else is there to know\n"
		}
		draft := librarian.Synthesise(librariantest.Hostile().Draw(t, "topic"), list, reports)
		require.Empty(t, report.Council.Lint(draft, list), "%s", draft)
	})
}
