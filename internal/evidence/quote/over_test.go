package quote_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/guard"
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

// Who puts another noun in brackets may mean the same, or another thing: nothing shows which,
// so the quotation is never located without that being told.
func TestANounInBracketsForAnotherIsTold(t *testing.T) {
	const text = "Rescue crews worked through the night. The storm caused eleven deaths in the valley, said the ministry. The vaccine was given to nobody there. The drug reduced mortality by a third in the trial of the placebo group."
	for _, quoted := range []string{
		"[The vaccine] caused eleven deaths in the valley, said the ministry.",
		"[The government] caused eleven deaths in the valley, said the ministry.",
		"The [vaccine] caused eleven deaths in the valley, said the ministry.",
		"The storm caused eleven deaths in the [city], said the ministry.",
		"[The placebo] reduced mortality by a third in the trial",
		"[The placebo] reduced mortality … in the trial of the placebo group.",
	} {
		m, ok := quote.Find(text, quoted)
		require.False(t, ok && len(m.Findings) == 0, "%q is located without a word", quoted)
	}
	m, ok := quote.Find("The Tribunal closed the quay on Monday.", "The [court] closed the quay on Monday.")
	require.True(t, ok)
	require.Equal(t, []guard.Finding{{Kind: guard.Renamed, Quote: "court", Text: "Tribunal"}}, m.Findings)
	require.Equal(t, `brackets put "court" in the place of "Tribunal"`, m.Findings[0].String())
	const german = "Der Sturm verursachte elf Tote im Tal, teilte das Ministerium mit."
	m, ok = quote.Find(german, "[The vaccine] verursachte elf Tote im Tal, teilte das Ministerium mit.")
	require.False(t, ok && len(m.Findings) == 0)
}

// What takes a passage back is told however it is put, and what decides is neither left out
// nor written over.
func TestWhatTakesAPassageBackIsTold(t *testing.T) {
	for _, c := range []struct{ text, quoted string }{
		{"The pill is safe for children, which turned out to be completely false in all later studies.", "The pill is safe for children"},
		{"The pill is safe for children, which the agency that approved it in 1990 has since declared to be untrue.", "The pill is safe for children"},
		{"The pill is safe for children, a claim that later studies have shown to be false.", "The pill is safe for children"},
		{"The bridge is safe, say its builders, but the inspectors deny it.", "The bridge is safe"},
		{"The firm paid all its taxes, but before 2010 it paid none.", "The firm paid all its taxes"},
		{"The firm paid all its taxes, but during the war it did not.", "The firm paid all its taxes"},
		{"The drug cured the mice. The mice had not been ill. It was sold in 1990.", "The drug cured the mice. … It was sold in 1990."},
		{"The drug cured the patients. The trial did not confirm this. It was sold in 1990.", "The drug cured the patients. … It was sold in 1990."},
		{"The drug cured the patients. No trial has confirmed it. It was sold in 1990.", "The drug cured the patients. … It was sold in 1990."},
		{"The drug cured the patients. None of this was confirmed by the trial. It was sold in 1990.", "The drug cured the patients. … It was sold in 1990."},
		{"The council approved the plan and later rejected it.", "The council approved the plan …"},
		{"The board approved the unlawful merger in May.", "The board approved the … merger in May."},
		{"The minister will resign in May.", "The minister [resigned] in May."},
		{"The minister might resign in May.", "The minister [may] resign in May."},
		{"It cost 5 m euros.", "It cost 5 [million] euros."},
		{"The well is 40 m deep.", "The well is 40 m[iles] deep."},
	} {
		m, ok := quote.Find(c.text, c.quoted)
		require.False(t, ok && len(m.Findings) == 0, "%q is located without a word in %q", c.quoted, c.text)
	}
}
