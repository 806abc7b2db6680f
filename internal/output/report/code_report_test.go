package report

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/budget"
)

func TestTheResultOfACampaignNamesWhatWasBuiltAndWhatWasNot(t *testing.T) {
	features := []Feature{
		{ID: "F001", Name: "Add", State: FeaturePassed, Commit: "0123456789abcdef0123"},
		{ID: "F002", Name: "Subtract", State: FeaturePassed, Commit: "fedcba9876543210ffff"},
		{ID: "F003", Name: "Divide | <b>", State: FeatureFailed, Attempts: 3, Reason: "`go test ./...` ended with 1\n# Not a heading\n--- FAIL: TestDivide: division by zero"},
		{ID: "F004", Name: "Ratio", State: FeatureBlocked, Reason: "F003 failed"},
	}
	began := time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC)
	text := string(RenderCodeCampaign(CodeCampaign{
		Final: Final{ID: "20260222-143000-a1b2c3", Status: "completed", Began: began, Ended: began.Add(time.Hour), Spent: budget.Spent{USD: 1.5, Reported: true, Tokens: 12345}},
		Name:  "Kettles", Slug: "kettles", Features: features, Papers: []string{"docs/research-kettles/feature-list.json"},
	}))
	require.Contains(t, text, "2 of 4 features pass, 1 failed, 1 blocked.")
	require.Contains(t, text, "| F001 | Add | passed | 1 | `0123456789ab` |")
	require.Contains(t, text, "| F003 | Divide \\| \\<b\\> | failed | 3 |  |")
	require.Contains(t, text, "--- FAIL: TestDivide: division by zero")
	require.Contains(t, text, "`council campaign retry kettles F003`")
	require.Contains(t, text, "### F004: Ratio\n\nBlocked: ")
	require.Contains(t, text, "$1.50 (as the providers report)")
	require.Contains(t, text, "docs/research-kettles/feature-list.json")
	require.NotContains(t, text, "\n# Not")
	require.Contains(t, text, "\n    `go test ./...` ended with 1")
	require.NotContains(t, text, "/100")
	require.NotContains(t, strings.ToLower(text), "nothing is known")
}

func TestAResultSaysWhenALimitHasEndedIt(t *testing.T) {
	text := string(RenderCodeCampaign(CodeCampaign{Final: Final{Status: "out_of_budget", Reason: "2 of 2 iterations are done; 0 of 1 features pass"}, Name: "Kettles", Features: []Feature{{ID: "F001", Name: "Add", State: FeatureOpen}}}))
	require.Contains(t, text, "> **This run did not complete: out of budget.** 2 of 2 iterations are done")
	require.Contains(t, text, "0 of 1 feature pass, 1 open.")
	require.Contains(t, text, "| F001 | Add | open | 0 |  |")
	require.NotContains(t, text, "What does not pass")
}
