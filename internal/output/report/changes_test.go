package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/report"
)

func TestChangesAreListedAsData(t *testing.T) {
	hostile := claim.Entry{Text: "[x](javascript:1) <b>\n# Heading", Source: "a`b.md:1"}
	d := claim.Difference{
		Gained:  []claim.Entry{hostile},
		Changed: []claim.Change{{Old: claim.Entry{Location: claim.Location{State: claim.Located}}, New: claim.Entry{Text: "T", Source: "s", Location: claim.Location{State: claim.NotFound}}, What: []string{"location"}}},
		Drifted: []claim.Drift{{Source: "https://a.test/"}},
	}
	text := string(report.Changes("20260222-143000-a1b2c3", d))
	require.Contains(t, text, "1 claim gained, 0 lost, 1 changed; 1 source has another text now.")
	require.Contains(t, text, "location: not-found, was located")
	require.NotContains(t, text, "\n# Heading")
	require.Contains(t, text, `\[x\]`)
	require.NotContains(t, text, "<b>")
	require.NotContains(t, text, "## Lost")
	many := claim.Difference{Lost: make([]claim.Entry, 500)}
	require.Less(t, strings.Count(string(report.Changes("x", many)), "\n- "), 210)
}

func TestWhatIsOnlyWordedAnewIsListed(t *testing.T) {
	d := claim.Difference{Reworded: []claim.Change{{Old: claim.Entry{Text: "It *closes* them."}, New: claim.Entry{Text: "They are closed.", Source: "a.md"}}}}
	text := string(report.Changes("20260222-143000-a1b2c3", d))
	require.Contains(t, text, "## Only in other words")
	require.Contains(t, text, `It \*closes\* them.`)
}
