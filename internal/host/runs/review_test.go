package runs

import (
	"testing"

	"github.com/research-council/research-council/internal/product/codereview/reviewwork"

	"github.com/stretchr/testify/require"
)

func TestWhatLiesOutsideIsSaid(t *testing.T) {
	done := reviewwork.Reviewed{Files: 1, Outside: map[string]int{"bug-hunter": 1, "stack-reviewer": 2}}
	require.Contains(t, FindingsLine(done), "0 findings: ")
	require.Contains(t, FindingsLine(done), "; 3 more outside of what was reviewed")
	require.NotContains(t, FindingsLine(reviewwork.Reviewed{Files: 1}), "outside")
	require.NotContains(t, FindingsLine(reviewwork.Reviewed{}), "findings", "where nothing was read, nothing was found out")
}
