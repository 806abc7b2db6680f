package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/output/report"
)

const stagedDraft = `# A title of its own

## Executive Summary

It holds [C1].

## Key Findings

- Entries expire [C1].

## Recommendations

1. Keep it [C1].

## Risks and Counterarguments

### Counterarguments

It may not hold [C1].

## Blind Spots

Nobody looked at cost.

## Method and Limits

Three seats.
`

func TestAReportOfStagedResearch(t *testing.T) {
	f := judged()
	f.Form, f.Draft, f.Debate = report.Staged, []byte(stagedDraft), nil
	f.Review, f.Notes = "Approved by 2 of 3 reviewers.", []string{"Counted by the program: *9* facts"}
	require.Empty(t, report.Staged.Lint([]byte(stagedDraft), f.Registry.Entries))
	got := string(report.Render(f))
	at := -1
	for _, name := range []string{"Executive Summary", "Key Findings", "Recommendations", "Risks and Counterarguments", "Blind Spots", "Review", "Claim Registry", "Comprehensive Source List", "Method and Limits"} {
		next := strings.Index(got, "\n## "+name+"\n")
		require.Greater(t, next, at, name)
		at = next
	}
	require.Contains(t, got, "### Counterarguments", "a part's own heading stays")
	require.Contains(t, got, "Its reviewers have not approved this report.")
	require.Contains(t, got, "Approved by 2 of 3 reviewers.")
	require.Contains(t, got, `\*9\* facts`, "notes are text")
	require.NotContains(t, got, "Areas of Strong Consensus")
	require.NotContains(t, got, "- Debate:")
	f.Approved = true
	require.NotContains(t, string(report.Render(f)), "have not approved")
	f.Approved, f.Unread = false, "None of 3 reviewers gave a valid vote."
	unread := string(report.Render(f))
	require.Contains(t, unread, "> **No reviewer has read this report.** None of 3 reviewers gave a valid vote.")
	require.NotContains(t, unread, "What they want mended")
	f.Draft = nil
	last := string(report.Render(f))
	require.Contains(t, last, "## Key Findings")
	require.NotContains(t, last, "## Blind Spots", "nobody has looked for any")
}

func TestWhatAStagedReportLacksIsTold(t *testing.T) {
	problems := strings.Join(report.Staged.Lint([]byte("## Executive Summary\n\nIt holds [C1].\n"), entries()), "\n")
	for _, name := range []string{"Key Findings", "Recommendations", "Risks and Counterarguments", "Blind Spots", "Method and Limits"} {
		require.Contains(t, problems, name)
	}
	require.NotContains(t, problems, "Consensus")
}
