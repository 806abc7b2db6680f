package words_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/words"
)

func TestSentences(t *testing.T) {
	for name, want := range map[string][]string{
		"marks":                    {"It runs. ", "Does it? ", "It does! ", "Good."},
		"a number":                 {"Go 1.27 is 2.5 times as fast. ", "So is 1.28."},
		"an abbreviation":          {"Smith et al. ran it, e.g. in Fig. 3 vs. Fig. 4. ", "It held."},
		"an initial":               {"Robert A. Heinlein wrote it. ", "J. Doe did not."},
		"a letter at the end":      {"They chose plan B. ", "It failed."},
		"the number of an item":    {"1. It is fast. ", "2. It is small."},
		"a year is none":           {"2024. ", "A year like others."},
		"what German counts":       {"Am 6. Dezember begann der 2. Weltkrieg nicht. ", "Das ist bekannt."},
		"a quotation":              {"He said: “It is done.” ", "It was."},
		"an address":               {"See https://one.test/a.html?id=1&b=2 for it. ", "It is old."},
		"a name of code":           {"It closes the file. ", "os.File is no longer valid. ", "readAll returns it."},
		"a small letter goes on":   {"It is no. of items that counts."},
		"no blank behind the mark": {"It ended!", "Then it began."},
		"line breaks":              {"One line\n", "another line\n", "a third."},
		"no blanks at all":         {"它很快。", "真的吗？", "是的！"},
		"Hindi":                    {"यह तेज़ है। ", "यह छोटा है।"},
		"Arabic":                   {"هل هذا صحيح؟ ", "نعم."},
		"an ellipsis":              {"It waited … and went on. ", "Then... it stopped."},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Join(want, "")
			var got []string
			for _, s := range words.Sentences(text) {
				got = append(got, text[s.Start:s.End])
			}
			require.Equal(t, want, got)
		})
	}
	require.Empty(t, words.Sentences(""))
}

// Whatever a text holds, its sentences are all of it, in order.
func TestSentencesLeaveNothingOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"a", "B", " ", ".", "!", "?", "\n", "1", "e.g.", "os.File", "。", "“", "”", ")", "\r\n", "\xff", "é", "\u00a0", ";", "Dezember", "…", "x_y",
		})).Draw(t, "parts")
		text := strings.Join(parts, "")
		at := 0
		for _, s := range words.Sentences(text) {
			require.Equal(t, at, s.Start)
			require.Greater(t, s.End, s.Start)
			at = s.End
		}
		require.Equal(t, len(text), at)
	})
}

func BenchmarkSentences(b *testing.B) {
	for name, unit := range map[string]string{"prose": "It is a plain sentence about nothing, of some length. ", "initials": "A b. ", "one sentence": "word ", "code": "x. os.a. ", "all joined": "Foo B. ", "an address": "?a"} {
		b.Run(name, func(b *testing.B) {
			text := strings.Repeat(unit, (1<<20)/len(unit))
			b.SetBytes(int64(len(text)))
			for range b.N {
				words.Sentences(text)
			}
		})
	}
}
