package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever comes, a parser never gets a line, a paragraph, a run of marks or a
// nesting whose cost could grow faster than the text.
func TestTame(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"a", "a ", "\n", "\r\n", "\n\n", "不", "\xff", "\x00", "> ", "- ", "1. ", "*", "_", "[", "[a](<b", "[a](b \"\n", "`", "    ", "| ", "\u202e",
	})
	rapid.Check(t, func(t *rapid.T) {
		var in strings.Builder
		for range rapid.IntRange(1, 5).Draw(t, "parts") {
			in.WriteString(strings.Repeat(piece.Draw(t, "piece"), rapid.IntRange(1, 1<<14).Draw(t, "times")))
		}
		out := boundInput([]byte(in.String()))
		require.True(t, utf8.Valid(out))
		require.False(t, bytes.ContainsAny(out, "\x00\r\u202e"))
		for paragraph := range strings.SplitSeq(string(out), "\n\n") {
			require.LessOrEqual(t, len(paragraph), maxParagraph+2*maxLine)
			for line := range strings.SplitSeq(paragraph, "\n") {
				require.LessOrEqual(t, len(line), maxLine+1100)
				marks := line[:len(line)-len(strings.TrimLeft(line, "> -"))]
				require.LessOrEqual(t, len(strings.ReplaceAll(marks, " ", "")), 30)
			}
		}
		for _, run := range []string{"********", "________", "[[[[[[[["} {
			require.NotContains(t, string(out), run)
		}
	})
}

func TestTameLeavesReportsAlone(t *testing.T) {
	const report = "# A\n\n> > - *b* **c** ***d*** [e](f)\n>     g\n\n| h |\n| --- |\n\n```\ni\n```\n\n***\n\n---\n\n-----------\n\n1. 2) j"
	require.Equal(t, report, string(boundInput([]byte(report))))
	require.LessOrEqual(t, len(boundInput(bytes.Repeat([]byte("k"), 2*Limit))), Limit+Limit/1000)
}
