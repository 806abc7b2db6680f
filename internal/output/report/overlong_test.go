package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/output/report"
)

// A writer who was sent back in vain for being too long hides nothing by it: what is
// too much stands in the appendix, and disputes keep their place.
func TestAnOverlongSynthesisHidesNoDispute(t *testing.T) {
	f := judged()
	var b strings.Builder
	b.WriteString("## Executive Summary\n\nCaches age [C1].\n\n## Key Findings\n\n")
	for i := range 100 {
		fmt.Fprintf(&b, "%d. Finding number %d of the cache %s[C1].\n", i+1, i+1, strings.Repeat("ages and ages ", 8))
	}
	b.WriteString("\n## Areas of Disagreement or Nuance\n\nThe paper says otherwise [C5].\n")
	f.Draft = []byte(b.String())
	require.NotEmpty(t, report.Council.Lint(f.Draft, f.Registry.Entries), "its writer was told")
	got := report.Render(f)
	text, count := body(t, got)
	require.LessOrEqual(t, count, report.MaxBodyWords)
	require.Contains(t, text, "**The synthesis is longer than it was to be.**")
	require.Contains(t, text, "### D2: fact, open")
	require.Contains(t, text, "1. Finding number 1 of")
	rest := section(t, got, "The Synthesis, Continued")
	for i := range 100 {
		require.Equal(t, 1, strings.Count(string(got), fmt.Sprintf("Finding number %d of", i+1)), "each is said once")
	}
	require.Regexp(t, `(?m)^\*\*Key Findings\*\*\n\n([0-9]+)\. Finding number `, rest)
	require.Contains(t, rest, "100. Finding number 100 of")
	require.Contains(t, rest, "**Areas of Disagreement or Nuance**\n\nThe paper says otherwise")
	require.NotContains(t, string(report.Render(judged())), "Continued", "one that is short stands whole")
}

// Words in code and in titles are words too.
func TestNoFormOfASynthesisTakesADisputesPlace(t *testing.T) {
	for name, block := range map[string]string{
		"code": "```\n" + strings.Repeat("word word word\n", 1000) + "```\n", "titles": strings.Repeat("### word word word word word word\n\nword\n\n", 500),
		"quoted": "> " + strings.Repeat("word ", 3000) + "\n", "a table": "| a | b |\n| --- | --- |\n" + strings.Repeat("| word word | word word |\n", 800),
	} {
		f := judged()
		f.Draft = []byte("## Executive Summary\n\nCaches age [C1].\n\n## Key Findings\n\n" + block)
		text, count := body(t, report.Render(f))
		require.LessOrEqual(t, count, report.MaxBodyWords, name)
		require.Contains(t, text, "### D2: fact, open", name)
	}
}
