package quote_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/quote"
)

// What stands in a text and is not read aloud may be left out of a quotation or
// kept, and may be kept only as it is.
func TestWhatIsNotReadAloud(t *testing.T) {
	for name, c := range map[string]struct{ text, quoted, altered string }{
		"numbers in brackets": {
			"Adult males weigh up to 14 kilograms.[2][3] They hunt at night.", "Adult males weigh up to 14 kilograms. They hunt at night.",
			"Adult males weigh up to 14 kilograms.[2][4] They hunt at night.",
		},
		"numbers glued to marks": {
			"A walker of 70 kg,14 and a lorry of 40 t,15 were the standard loads of that time.", "A walker of 70 kg, and a lorry of 40 t, were the standard loads of that time.",
			"A walker of 70 kg, and a lorry of 41 t, were the standard loads of that time.",
		},
		"raised numbers": {
			"Inspectors found cracks in 11 of the cables²¹ and closed the bridge.²²", "Inspectors found cracks in 11 of the cables and closed the bridge.",
			"Inspectors found cracks in 12 of the cables and closed the bridge.",
		},
		"names and years": {
			"The bridge appears on the banknote (Lund et al., 2004) and in three novels (see Fig. 2).", "The bridge appears on the banknote and in three novels.",
			"The bridge appears on the banknote (Lund et al., 2005) and in three novels.",
		},
		"headers between the lines": {
			"Some say it all began in the year of the flood.\n\nBrandt et al. Trials (2018)     Page 2 of 8\n\nSerum magnesium rose from 0.81 to 0.86\n\nBrandt et al. Trials (2018)     Page 3 of 8\n\nin the treated group and in no other.",
			"Serum magnesium rose from 0.81 to 0.86 in the treated group and in no other.",
			"Serum magnesium rose from 0.81 to 0.85 in the treated group and in no other.",
		},
		"raised digits on the line": {
			"The energy is E = mc², and one kilogram has about 9 × 10¹⁶ J.", "The energy is E = mc2, and one kilogram has about 9 x 10^16 J.",
			"The energy is E = mc2, and one kilogram has about 9 x 10^-16 J.",
		},
		"tags": {
			"<p>This loaf <em>keeps</em> for up to <b>two</b> weeks.</p>", "This loaf keeps for up to two weeks.",
			"This loaf keeps for up to ten weeks.",
		},
		"cells": {
			"| name | kind | seconds |\n|---|---|---|\n| delay | integer | 30 |\n", "delay, integer, 30",
			"delay, integer, 3, 0",
		},
	} {
		m, ok := quote.Find(c.text, c.quoted)
		require.True(t, ok, name)
		require.Empty(t, m.Findings, name)
		m, ok = quote.Find(c.text, c.altered)
		require.False(t, ok && len(m.Findings) == 0, "%s: %v", name, m)
	}
}

// A passage is told by its bytes in the text, whatever was not read in it.
func TestAPassageThatIsReadHasItsPlace(t *testing.T) {
	text := "Before it.\n\n<p>This loaf <em>keeps</em>[1] for up&nbsp;to two weeks.²</p> Behind it."
	m, ok := quote.Find(text, "This loaf keeps for up to two weeks")
	require.True(t, ok)
	require.Equal(t, "This loaf <em>keeps</em>[1] for up&nbsp;to two weeks", strings.TrimSpace(text[m.Start:m.End]))
}

// What only looks like a mark of a note belongs to the text.
func TestWhatIsNoNote(t *testing.T) {
	for text, quoted := range map[string]string{
		"The room has an area of 25 m² and two large windows.":            "The room has an area of 25 m and two large windows.",
		"The tool needs python3 to run on any of these old machines.":     "The tool needs python to run on any of these old machines.",
		"The pressure is 10⁶ times as high as it was before the test.":    "The pressure is 10 times as high as it was before the test.",
		"It opened in spring (May 2019) and has been full ever since.":    "It opened in spring and has been full ever since.",
		"The rule stands in No.14 of the list that was agreed on by all.": "The rule stands in No. of the list that was agreed on by all.",
	} {
		m, ok := quote.Find(text, quoted)
		require.False(t, ok && len(m.Findings) == 0, "%s: %v", text, m)
	}
}
