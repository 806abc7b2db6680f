package quote_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/evidence/guard"
	"research-council/internal/evidence/quote"
)

// Ordinary short sentences, and quotations that leave a part of them out: one
// that leaves out a "not" is refused, any other is found with what it leaves out.
func TestEllipses(t *testing.T) {
	data, err := os.ReadFile("testdata/ellipses.jsonl")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		var c struct {
			Text, Quotation, Expect, Why string
			Gaps                         []string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &c))
		r := quote.Index(c.Text).FindOrExplain(c.Quotation)
		if c.Expect != "open" {
			require.Equal(t, c.Expect == "accept", r.Found, "%q of %q: %s", c.Quotation, c.Text, c.Why)
		}
		if !r.Found || len(c.Gaps) == 1 && c.Gaps[0] == "" {
			continue
		}
		require.Len(t, r.Match.Gaps, len(c.Gaps), "%q of %q", c.Quotation, c.Text)
		for i, g := range r.Match.Gaps {
			require.Equal(t, strings.Trim(c.Gaps[i], " ,."), strings.Trim(c.Text[g.Start:g.End], " ,."))
		}
	}
}

func TestARefusedEllipsisSaysWhatItLeavesOut(t *testing.T) {
	for quoted, word := range map[string]string{
		"The cache is … safe for concurrent use.": "not",
		"The cache … safe for … use":              "not",
		"The lock is held … five minutes.":        "at most",
		"… the paths are short.":                  "Except",
		"It is fast … on small inputs":            "only",
	} {
		const text = "The cache is not safe for concurrent use. The lock is held at most five minutes. Except on Windows, the paths are short. It is fast only on small inputs."
		r := quote.Index(text).FindOrExplain(quoted)
		require.False(t, r.Found, quoted)
		require.Contains(t, r.Match.Findings, guard.Finding{Kind: guard.Gap, Text: word}, quoted)
		require.NotEmpty(t, r.Nearest, quoted)
	}
}

// A passage of which nothing is turned is found, though a like one stands nearer
// together.
func TestAnEllipsisIsHeldAgainstThePassageItFits(t *testing.T) {
	const text = "The cache is not safe for reads. Since the second release the cache is by now quite safe for reads."
	m, ok := quote.Find(text, "the cache is … safe for reads")
	require.True(t, ok)
	require.Equal(t, "the cache is by now quite safe for reads", text[m.Start:m.End])
	require.Equal(t, "by now quite", text[m.Gaps[0].Start:m.Gaps[0].End])
}

// Words picked from sentences far apart are no quotation.
func TestFewWordsAreNotPutTogetherFromAnywhere(t *testing.T) {
	text := "Rust has macros. " + strings.Repeat("The weather was fine that day. ", 50) + "Macros are slow."
	for _, quoted := range []string{"Rust … slow.", "Rust has … are slow.", "Rust has macros. … slow.", "Rust has macros … are slow"} {
		_, ok := quote.Find(text, quoted)
		require.False(t, ok, quoted)
	}
	_, ok := quote.Find(text, "Rust has macros. … Macros are slow.")
	require.True(t, ok, "whole sentences")
}
