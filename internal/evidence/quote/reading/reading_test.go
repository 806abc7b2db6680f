package reading_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

func TestATextAsItIsReadAloud(t *testing.T) {
	for text, read := range map[string]string{
		"It keeps for two weeks.":                   "It keeps for two weeks.",
		"<p>It <em>keeps</em> for two weeks.</p>":   "\n\nIt keeps for two weeks.\n\n",
		"It keeps for two weeks.[1][2] It is rye.":  "It keeps for two weeks. It is rye.",
		"About 9 × 10¹⁶ J, or E = mc².":             "About 9 x 10^16 J, or E = mc2.",
		"| name | kind |\n|---|---|\n| delay | 1 |": "name\tkind\n\ndelay\t1",
		":meth:`~pool.Pool.get` waits.":             "`get` waits.",
	} {
		r := reading.Of(text)
		require.Equal(t, read, r.String())
		require.Equal(t, text == read, r.IsSame(), text)
	}
}

// What is read has its place in the text, and a place of the text in what is read.
func TestTheWayBackAndForth(t *testing.T) {
	const text = "<p>This loaf <em>keeps</em>[1] for up&nbsp;to two weeks.</p>"
	r := reading.Of(text)
	from := strings.Index(r.String(), "keeps")
	start, end := r.Span(from, from+len("keeps for"))
	require.Equal(t, "keeps</em>[1] for", text[start:end])
	require.Equal(t, from, r.Forward(start))
}

// Marks of notes that are left out are remembered where they stood.
func TestMarksThatAreLeftOut(t *testing.T) {
	r := reading.Of("It rose.[1] It fell.[2] It rose again.[3]")
	require.Equal(t, []string{"1", "2", "3"}, r.Marks())
	fell := strings.Index(r.String(), "It fell")
	require.True(t, r.HasMarks([]string{"2"}, fell, fell+len("It fell")))
	require.False(t, r.HasMarks([]string{"3"}, fell, fell+len("It fell")))
	require.True(t, r.HasMarks([]string{"2", "3"}, fell, len(r.String())))
	require.False(t, r.HasMarks([]string{"3", "2"}, 0, len(r.String())))
}

// Whatever a text is, the spans of its reading lie in it, in their order.
func TestSpansLieInTheText(t *testing.T) {
	pieces := rapid.SliceOf(rapid.SampledFrom([]string{"word", "<b>", "</b>", "[1]", "¹", " ", "\n", "&amp;", "|", "\t", "10", "×", "\f", "$x^2$", "\\emph{", "}", "'''", ".", "é", "字"}))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(pieces.Draw(t, "pieces"), "")
		r := reading.Of(text)
		last := 0
		for at := range r.String() {
			from, to := r.Span(at, len(r.String()))
			require.LessOrEqual(t, last, from)
			require.LessOrEqual(t, from, to)
			require.LessOrEqual(t, to, len(text))
			last = from
		}
	})
}

func TestEditsByHand(t *testing.T) {
	r := reading.Rewritten("one two three", []reading.Edit{{From: 4, To: 7, With: "2"}})
	require.Equal(t, "one 2 three", r.String())
	require.True(t, r.RewritesWithin(4, 7))
	require.False(t, r.RewritesWithin(5, 13))
	require.True(t, reading.Rewritten("one", nil).IsSame())
}

// A number that is glued to a word and does not fit the order of the notes may be part of a name.
func TestNumbersThatDoNotFitTheOrderOfNotes(t *testing.T) {
	const counted = "The sluice was cedar.1 The keeper,2 deaf from birth3 and alone, kept the gate.4 Nobody paid him,5 and in spring6 he left for the port7 and the coast.8 His house9 was sold, and the garden10 too."
	require.Empty(t, reading.Of(counted).Unsure())
	require.Len(t, reading.Of(strings.Replace(counted, "spring6", "Spectrum48", 1)).Unsure(), 1)
	require.Len(t, reading.Of(strings.Replace(counted, "garden10", "garden12", 1)).Unsure(), 1)
	require.Empty(t, reading.Of(strings.Replace(strings.Replace(counted, "him,5", "him,2", 1), "spring6", "spring3", 1)).Unsure())
}

// Words that a tag shows within a sentence may be words of it, unlike the name of a drawing.
func TestWordsThatTagsShow(t *testing.T) {
	for text, unsure := range map[string]int{
		`<p>It is <svg><text>not</text></svg> for rent.</p>`:              1,
		`<p>It is <input value="not"> for rent.</p>`:                      1,
		`<p>It is <img src="a" alt="never"> for rent.</p>`:                1,
		`<p>It is <svg><title>a link</title></svg> for rent.</p>`:         0,
		`<p>It is <input type="hidden" value="a"> for rent.</p>`:          0,
		`<p>It is for rent. <img src="a" alt="The house."> It rains.</p>`: 0,
		`<p>It is <img src="a" alt=""> for rent.</p>`:                     0,
	} {
		require.Len(t, reading.Of(text).Unsure(), unsure, text)
	}
}

// A mark in brackets that stands apart from the word before it may be a word of the text.
func TestMarksInBracketsThatMayBeWords(t *testing.T) {
	for text, unsure := range map[string]int{
		"The verdict was [vague] and short.":                       1,
		"The verdict[vague] was short.[12] It fell [13] in May.":   0,
		"Rooms [n 5] look on the yard.":                            1,
		"Rooms [n 5] look on the yard, halls [n 6] on the garden.": 0,
		"The wall was pulled down [citation needed] in May.":       0,
		"The roof [Holt98] was of lead, and [a] the door of oak.":  0,
	} {
		require.Len(t, reading.Of(text).Unsure(), unsure, text)
	}
}
