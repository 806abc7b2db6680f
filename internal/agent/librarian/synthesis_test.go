package librarian_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/agent/librarian/librariantest"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/report"
)

func TestADraftHoldsWhatTheSeatsFound(t *testing.T) {
	late := librariantest.Entry(4, "The scavenger returns pages to the operating system in the background.", "b")
	late.Rounds, late.Key = []string{agent.Refinement}, "b.go"
	lost := librariantest.Entry(5, "The moon is made of cheese.", "b")
	lost.Location.State = claim.NotFound
	draft := string(librarian.Synthesise(librarian.Question{Topic: "How does the pacer set the heap goal?"}, []claim.Entry{
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
	require.Contains(t, section("Areas of Strong Consensus"), "Claimed by a, b: [C1].")
	require.Contains(t, section("Remaining Open Questions"), "bounds the number of mark workers")
	require.NotContains(t, draft, "Novel Insights", "a program has none")
	require.NotContains(t, draft, "Areas of Disagreement", "the report shows conflicts itself")
	require.NotContains(t, draft, "cheese", "what was not found proves nothing")
	require.True(t, strings.HasSuffix(draft, agent.Marker+"\n"))
}

// What seats advise and what does not hold are no passages that were found.
func TestADraftAdvisesNothing(t *testing.T) {
	advice := librariantest.Entry(2, "Take the pacer that sets the heap goal from GOGC.", "a")
	advice.Kind, advice.RestsOn, advice.Location.State = claim.Recommendation, []string{"C1"}, claim.Reasoned
	drawn := librariantest.Entry(3, "The pacer therefore sets a heap goal that grows with GOGC and live data.", "b")
	drawn.Kind, drawn.RestsOn, drawn.Location.State = claim.Inference, []string{"C1"}, claim.Reasoned
	withdrawn := librariantest.Entry(4, "The pacer sets the heap goal once, at the start of the program.", "a")
	withdrawn.Location.State = claim.Withdrawn
	draft := string(librarian.Synthesise(librarian.Question{Topic: "How does the pacer set the heap goal?"}, []claim.Entry{
		librariantest.Entry(1, "The pacer reads GOGC to set the heap goal of a cycle.", "a"), advice, drawn, withdrawn,
	}, nil))
	require.NotContains(t, draft, "[C2]", "the report says who advises it")
	require.NotContains(t, draft, "[C4]")
	require.Contains(t, draft, "(a conclusion from other claims) [C3]")
}

func TestADraftFollowsThePartsOfTheQuestion(t *testing.T) {
	entry := librariantest.Entry
	draft := string(librarian.Synthesise(librarian.Question{Topic: "When does the heater start, and how does it measure the temperature?"}, []claim.Entry{
		entry(1, "The heater starts when three readings in a row were below the set temperature.", "a"),
		entry(2, "A heater is a coil that the relay switches.", "a"),
		entry(3, "To measure the temperature two sensors are read and their mean is taken.", "b"),
		entry(4, "Each sensor measures the temperature of one wall, and drops readings that jump.", "b"),
		entry(5, "The heater starts no sooner than a minute after it has stopped, which spares the relay.", "a"),
		entry(6, "A thermocouple is what measures the temperature inside.", "b"),
		entry(7, "The bakery opens at five in the morning on all days but Mondays.", "b"),
	}, nil))
	first, second := strings.Index(draft, "**When does the heater start?**"), strings.Index(draft, "**how does it measure the temperature?**")
	require.Positive(t, first, draft)
	require.Greater(t, second, first)
	for id, inFirst := range map[string]bool{"[C5]": true, "[C4]": false} {
		require.Equal(t, 1, strings.Count(draft, id), "%s is said once in\n%s", id, draft)
		at := strings.Index(draft, id)
		require.True(t, at < first || (at < second) == inFirst, "%s belongs elsewhere in\n%s", id, draft)
	}
	require.NotContains(t, draft, "Mondays", "it meets no word of the question")
}

func TestWhatAThingIsStandsBeforeWhatIsSaidOfIt(t *testing.T) {
	var list []claim.Entry
	for i, said := range []string{
		"The watchdog cuts the power of the heater when no reading has come for two seconds.",
		"The watchdog resets its timer with every reading that arrives from the door's sensor.",
		"When the watchdog has cut the power, the lamp at the front blinks until somebody presses the button.",
		"A fault that the watchdog finds is written to the log with the time and the last reading.",
		"A watchdog is a timer that something has to reset before it runs out.",
		"Tests of the watchdog pull the plug of one sensor and wait for the relay to open.",
	} {
		list = append(list, librariantest.Entry(i+1, said, "a"))
	}
	draft := string(librarian.Synthesise(librarian.Question{Topic: "What does the watchdog do?"}, list, nil))
	_, listed, _ := strings.Cut(draft, "## Key Findings")
	definition := strings.Index(draft, "[C5]")
	require.Positive(t, definition)
	for _, id := range []string{"[C1]", "[C2]", "[C3]", "[C4]", "[C6]"} {
		if strings.Contains(listed, id) {
			require.Less(t, definition, strings.Index(draft, id), draft)
		}
	}
}

func TestAPartOfTheQuestionWithoutPassageIsSaid(t *testing.T) {
	draft := string(librarian.Synthesise(librarian.Question{Topic: "Compare how the ovens handle steam, power cuts and doors."}, []claim.Entry{
		librariantest.Entry(1, "Steam leaves through a flap that opens at the end of each programme.", "a"),
		librariantest.Entry(2, "The doors are locked while the temperature is above sixty degrees.", "a"),
	}, nil))
	require.Contains(t, draft, "No passage holds enough words of this part of the question: “Compare how the ovens handle power cuts”.")
	require.Equal(t, 1, strings.Count(draft, "No passage holds"))
}

func TestADraftOfThousandsOfClaimsIsReadInFiveMinutes(t *testing.T) {
	var list []claim.Entry
	for i := range 3000 {
		list = append(list, librariantest.Entry(i+1, fmt.Sprintf("The pacer of module%d sets heap goal number %d from part%d of the live heap, which makes it wait %s.", i%97, i, i%13, strings.Repeat("longer ", i%40)), "a"))
	}
	draft := librarian.Synthesise(librarian.Question{Topic: "How does the pacer set the heap goal, what is a module, and when does it wait?"}, list, nil)
	body, _, _ := strings.Cut(string(draft), "## Methodology Note")
	require.Less(t, len(strings.Fields(body)), 550)
	require.Empty(t, report.Council.Lint(draft, list))
}

func TestNoDraftHasProblemsWhateverWasClaimed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := librariantest.Entries().Draw(t, "entries")
		reports := rapid.SliceOfN(librariantest.Hostile(), 0, 3).Draw(t, "reports")
		for i := range reports {
			reports[i] = "## Open Questions\n\n- " + reports[i] + " and what else is there to know\n"
		}
		draft := librarian.Synthesise(librarian.Question{Topic: librariantest.Hostile().Draw(t, "topic")}, list, reports)
		require.Empty(t, report.Council.Lint(draft, list), "%s", draft)
	})
}
