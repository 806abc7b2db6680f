package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/report"
)

func TestADraftDoesNotSpeakForTheProgram(t *testing.T) {
	for _, line := range []string{
		"*Appendix: what the report above rests on, put together by the program.*",
		"**Rejected after checking:** no claim was rejected.",
		"How sure: coverage 99/100",
		"> **Every reviewer has approved this report.**",
		"- **How sure:** coverage 99/100",
	} {
		f := judged()
		f.Draft = []byte("## Key Findings\n\nThe kettle rests [C1].\n\n***\n\n" + line + "\n\nIt rests while it is empty [C1].\n")
		require.Contains(t, fmt.Sprint(report.Council.Lint(f.Draft, f.Registry.Entries)), "only the program writes", line)
		text := string(report.Render(f))
		require.Equal(t, 1, strings.Count(text, "*Appendix: what the report above rests on"), line)
		require.NotContains(t, text, "\n***\n", line)
		require.NotContains(t, text, "coverage 99/100", line)
		require.NotContains(t, text, "no claim was rejected", line)
		require.NotContains(t, text, "Every reviewer has approved", line)
		require.Contains(t, text, "It rests while it is empty", "the rest stays")
	}
	f := judged()
	f.Draft = []byte("## Key Findings\n\nHow sure one can be depends on the drive [C1].\n")
	require.NotContains(t, fmt.Sprint(report.Council.Lint(f.Draft, f.Registry.Entries)), "only the program writes")
}

func TestWhatWasRefutedStandsBeforeWhatWasMerelyMissing(t *testing.T) {
	var entries []claim.Entry
	for i := range 6 {
		entries = append(entries, claim.Entry{
			ID: fmt.Sprintf("C%d", i+1), Text: fmt.Sprintf("Junk number %d.", i+1), Quote: "junk", Source: "a.md", Key: "file:a.md", Critical: true,
			Questions: []string{"Q1"}, Seats: []string{"ann"}, Families: []string{"ann"}, Location: claim.Location{State: claim.NotFound},
		})
	}
	entries = append(entries,
		claim.Entry{
			ID: "C7", Text: "The kettle boils while it is empty.", Quote: "it is empty", Source: "a.md", Key: "file:a.md", Seats: []string{"ann"}, Families: []string{"ann"},
			Location: claim.Location{State: claim.Located, Tier: "exact"}, Support: &claim.Support{Verdict: claim.Contradicts, Reason: "it rests then", Votes: []claim.Vote{{Family: "bea", Answer: claim.Contradicts}}},
		},
		claim.Entry{
			ID: "C8", Text: "The kettle sings.", Quote: "sings", Source: "b.md", Key: "file:b.md", Seats: []string{"bea"}, Families: []string{"bea"},
			Location: claim.Location{State: claim.NotFound},
		})
	text := string(report.Render(report.Final{Registry: claim.Registry{Entries: entries}, Draft: []byte("## Key Findings\n\nNothing holds.\n")}))
	before, _, found := strings.Cut(text, "\n*Appendix: ")
	require.True(t, found)
	require.Contains(t, before, "The kettle boils while it is empty.", "its passage says otherwise")
	require.Contains(t, before, "The kettle sings.", "one seat takes no more than its places while others have some")
}

func TestWhatIsWithdrawnAfterItWasRefutedCountsAsContradicted(t *testing.T) {
	entry := claim.Entry{
		ID: "C1", Text: "The kettle boils while it is empty.", Quote: "it is empty", Source: "a.md", Key: "file:a.md", Seats: []string{"ann"}, Families: []string{"ann"},
		Location: claim.Location{State: claim.Withdrawn, Reason: "said again in better words elsewhere"},
		Support:  &claim.Support{Verdict: claim.Contradicts, Reason: "it rests then", Votes: []claim.Vote{{Family: "bea", Answer: claim.Contradicts}}},
	}
	text := string(report.Render(report.Final{Registry: claim.Registry{Entries: []claim.Entry{entry}}, Draft: []byte("## Key Findings\n\nNothing holds.\n")}))
	require.Contains(t, text, "contradicted 1")
	require.NotContains(t, text, "contradicted 0")
	require.NotContains(t, text, "not checked: said again")
	require.Contains(t, text, "withdrawn after its own passage was found to say otherwise")
}
