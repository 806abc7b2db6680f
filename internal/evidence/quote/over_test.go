package quote_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/quote"
)

// What a heading or the head of a column calls untrue is told of what stands below
// it, and of nothing else.
func TestWhatStandsUnderAHeadingThatCallsItUntrue(t *testing.T) {
	const claim = "The vaccine causes autism in small children."
	for text, told := range map[string]bool{
		"Of vaccines.\n\n## Myths\n\n" + claim + " Many people believe it.\n":                                     true,
		"Of vaccines.\n\nMyths\n=====\n\n" + claim + "\n":                                                         true,
		"Common misconceptions\n---------------------\n\n* Garlic heals all.\n* " + claim + "\n":                  true,
		"| Myth | Fact |\n|---|---|\n| " + claim + " | No study found it. |\n":                                    true,
		"| Fact | Myth |\n|---|---|\n| " + claim + " | Garlic heals all. |\n":                                     false,
		"| Claim | Verdict |\n|---|---|\n| " + claim + " | False |\n":                                             true,
		"| Claim | Verdict |\n|---|---|\n| " + claim + " | True |\n":                                              false,
		"The following is false:\n\n" + claim + "\n":                                                              true,
		"## Mythril\n\n* " + claim + "\n":                                                                         false,
		"## Falstaff\n\n" + claim + "\n":                                                                          false,
		"## Results\n\n" + claim + "\n\n## Myths\n\nGarlic heals all.\n":                                          false,
		"## Myths\n\nGarlic heals all. None of it is so.\n\n## Results\n\n" + claim + "\n":                        false,
		"## What doctors say to the myths that people tell of vaccines\n\nWe asked ten of them.\n\n" + claim + "": false,
	} {
		m, ok := quote.Find(text, claim)
		require.True(t, ok, text)
		require.Equal(t, told, len(m.Findings) > 0, "%q: %v", text, m.Findings)
	}
}

// A program that is no part of a page is code too.
func TestAProgramIsCode(t *testing.T) {
	const text = `"""Limits how often something is done."""
import time

MAX_CAPACITY = 10

class Bucket:
    """A bucket of tokens."""

    def __init__(self, capacity: int) -> None:
        if not 0 < capacity <= MAX_CAPACITY:
            raise ValueError(f"capacity out of range: {capacity!r}")
        self._tokens = float(capacity)

    def take(self, n: int) -> bool:
        """Take n tokens.

        It never waits when the bucket is empty.
        """
        if self._tokens >= n:
            self._tokens -= n
            return True
        return False
`
	for _, quoted := range []string{`raise ValueError(f"capacity out of range: {capacity!r}")`, "self._tokens -= n", "It never waits when the bucket is empty."} {
		m, ok := quote.Find(text, quoted)
		require.True(t, ok, quoted)
		require.Empty(t, m.Findings, quoted)
	}
	m, ok := quote.Find(text, "waits when the bucket is empty.")
	require.False(t, ok && len(m.Findings) == 0)
}
