package citation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/citation"
)

func TestWhatStandsBelowAnEntryBelongsToIt(t *testing.T) {
	d, err := citation.Parse([]byte(`# Report

The limit is 20 MB [1](#c1), and larger files are refused [2](#c2).

## Comprehensive Source List

1. `+"`docs/limits.md`"+`, live, fetched on Monday

   - <a id="c1"></a>C1, claimed by a seat: “The limit is 20 MB.” — located at line 3
   - <a id="c3"></a>C3, claimed by a seat: “Nothing else is said here at all.” — located at line 4

2. Gateway manual

   - https://gateway.test/manual
`), "text/markdown")
	require.NoError(t, err)
	require.Empty(t, d.Findings)
	require.Len(t, d.References, 2)
	require.Equal(t, "docs/limits.md", d.References[0].URL)
	require.Equal(t, "https://gateway.test/manual", d.References[1].URL)
	require.Len(t, d.Statements, 1)
}

func TestOnlyAFileIsAFile(t *testing.T) {
	for text, want := range map[string]string{
		"mgc.go": "mgc.go", "src/Main.java, live": "src/Main.java", "Node.js, release notes": "", "Node.js documentation": "", "HACKING.md, live": "HACKING.md", "Smith, J. (2020)": "", "v1.2, the release": "",
	} {
		d, err := citation.Parse([]byte("It is so [1].\n\n## Sources\n\n1. "+text+"\n"), "text/markdown")
		require.NoError(t, err)
		require.Len(t, d.References, 1, text)
		require.Equal(t, want, d.References[0].URL, text)
	}
}

// A quotation below the entry of a source is of that source.
func TestAQuotationBelowAnEntryIsOfItsSource(t *testing.T) {
	d, err := citation.Parse([]byte("# T\n\nIt is so [1].\n\n## Sources\n\n1. [The page](https://example.org/a)\n\n   - C1: “Entries of the cache expire after 30 seconds.” — line 3\n   - an aside\n\n2. [Another](https://example.org/b)\n"), "")
	require.NoError(t, err)
	require.Len(t, d.Statements, 1, "it is no statement")
	require.Len(t, d.Quotations, 1)
	require.Equal(t, "Entries of the cache expire after 30 seconds.", d.Quotations[0].Text)
	require.Equal(t, []int{0}, d.Quotations[0].References)
	require.Len(t, d.References, 2)
}
