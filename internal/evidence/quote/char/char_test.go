package char_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

func TestWhatIsOfWords(t *testing.T) {
	require.Equal(t, "Über2²", char.OfWords("»Über – 2²!«"))
	require.Equal(t, `"a"-'b'`, strings.Map(char.Plain, "„a“–\u200b‘b’"))
	require.Equal(t, "ende", char.LastWord("am ende"))
	require.Empty(t, char.LastWord("am Ende."))
}

func TestLines(t *testing.T) {
	const text = "one\ntwo\nthree"
	for at, line := range map[int]string{0: "one", 3: "one", 4: "two", 8: "three", len(text): "three"} {
		require.Equal(t, line, char.Line(text, at), at)
	}
}

func TestSentencesEndBehindMarksBlankLinesAndStatements(t *testing.T) {
	for before, ends := range map[string]bool{
		"It runs. ": true, "It ran (it did.) ": true, "A heading\n\n": true, "close(ch)\n": true, "他说。": true,
		"It runs, ": false, "It runs\n": false,
	} {
		require.Equal(t, ends, char.EndsSentence(before+"Then it stops", len(before)), before)
	}
}

func TestEntitiesAndTargets(t *testing.T) {
	said, end := char.Entity("a&amp;b", 1)
	require.Equal(t, "&", said)
	require.Equal(t, 6, end)
	_, end = char.Entity("a & b;", 2)
	require.Zero(t, end)
	require.Equal(t, len("[x](a/b_(c).md)"), char.LinkTarget("[x](a/b_(c).md) y", 3))
	require.Zero(t, char.LinkTarget("f[x](y)", 4), "a call")
}

// Every place is found where a piece stands, also those that overlap.
func TestOccurrences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, piece := rapid.StringMatching(`[ab]{0,40}`).Draw(t, "text"), rapid.StringMatching(`[ab]{1,4}`).Draw(t, "piece")
		var want []int
		for i := range text {
			if strings.HasPrefix(text[i:], piece) {
				want = append(want, i)
			}
		}
		require.Equal(t, want, slices.Collect(char.Occurrences(text, piece)))
	})
}
