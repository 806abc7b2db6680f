package finding_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/product/codereview/finding"
)

func TestAFindingGoesFromAFileToAReport(t *testing.T) {
	by := finding.Author{Reviewer: "bug-hunter", Seat: "a", Family: "x", Batch: 1}
	list, refused := finding.Decode(strings.NewReader(`{"severity":"HIGH","confidence":"high","file":"a/b.go","line":2,"title":"Index out of range","description":"n may be len(list).","code":"\tx := list[n]"}
<!-- RESEARCH_COMPLETE -->
`), by)
	require.Empty(t, refused)
	require.Len(t, list, 1)
	list[0] = finding.Index("func f() {\n    x := list[n]\n}\n").Locate(list[0])
	require.Equal(t, finding.Located, list[0].State)
	merged := finding.Merge(list)
	require.Equal(t, 1, finding.CountAtLeast(merged, finding.Moderate))
	require.Contains(t, string(finding.Report(finding.Final{Findings: merged})), "Index out of range")
}
