package quote_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote"
)

// A passage cut out of a sentence that says something else is found, and what
// governs it is told.
func TestWhatGovernsAPassageIsTold(t *testing.T) {
	for _, c := range []struct {
		text, quoted string
		kind         guard.Kind
		words        string
	}{
		{"Otters live here. There is no evidence that otters damage the herring stocks of the fjord.", "otters damage the herring stocks of the fjord", guard.Begins, "There is no evidence that"},
		{"It is unlikely that the bypass will be ready before the rain begins.", "the bypass will be ready before the rain begins", guard.Begins, "It is unlikely that"},
		{"He has always denied that the marriage was ever registered in the town.", "the marriage was ever registered in the town", guard.Begins, "He has always denied that"},
		{"If the disk is full, the server drops the oldest of all jobs.", "the server drops the oldest of all jobs", guard.Begins, "If the disk is full,"},
		{"Boats with engines are welcome on the lake if they belong to the water board.", "Boats with engines are welcome on the lake", guard.GoesOn, "if they belong to the water board."},
		{"Rumours that the line will be closed in October are baseless.", "the line will be closed in October", guard.GoesOn, "are baseless."},
		{"Es gibt keine Belege dafür, dass das Wasser der Gesundheit schadet.", "das Wasser der Gesundheit schadet", guard.Begins, "Es gibt keine Belege dafür, dass"},
		{"Rien ne prouve que le trafic soit la cause principale de la pollution.", "le trafic soit la cause principale de la pollution", guard.Begins, "Rien ne prouve que"},
		{"Маловероятно, что рыба вернётся в верховья реки.", "рыба вернётся в верховья реки", guard.Begins, "Маловероятно, что"},
		{"没有证据表明新药剂能够降低藻类的数量。", "新药剂能够降低藻类的数量", guard.Begins, "没有证据表明"},
		{`<del class="x">The vaccine causes autism in small children.</del>`, "The vaccine causes autism in small children.", guard.Begins, "~~"},
		{"来年から全館が有料になるという噂は事実ではない。", "来年から全館が有料になる", guard.GoesOn, "という噂は事実ではない。"},
	} {
		m, ok := quote.Find(c.text, c.quoted)
		require.True(t, ok, c.quoted)
		require.Contains(t, m.Findings, guard.Finding{Kind: c.kind, Text: c.words}, c.quoted)
	}
}

// Words that add and do not limit are no finding.
func TestWhatOnlyAddsIsNotTold(t *testing.T) {
	for text, quoted := range map[string]string{
		"It may be recalled that the scheme was launched at Devgaon in 2006.":                                                                              "the scheme was launched at Devgaon in 2006",
		"In the end, the first wave came over the wall at noon, with a noise like a train.":                                                                "the first wave came over the wall at noon",
		"The engineer rejected a concrete deck because she did not trust the local gravel.":                                                                "The engineer rejected a concrete deck",
		"The tests ended in May. No fault was found, and the line was opened to traffic.":                                                                  "the line was opened to traffic",
		"// Batch is only useful when there are multiple goroutines calling it.\nfunc (db *DB) Batch(fn func(*Tx) error) error {\n\tif db.rwtx == nil {\n": "Batch is only useful when there are multiple goroutines calling it.",
		"## Health\n\nIt is false to say that masks protect.\n\n## Roads\n\nAll roads are open.":                                                           "All roads are open.",
	} {
		m, ok := quote.Find(text, quoted)
		require.True(t, ok, quoted)
		require.Empty(t, m.Findings, quoted)
	}
}

// Brackets of the quoter stand for nothing or for a pronoun, and decide nothing.
func TestBracketsOfTheQuoter(t *testing.T) {
	text := "The firm grew. It employed 41,300 people in 22 countries at the end of that year. Some patients felt tired in the first week."
	for quoted, found := range map[string]bool{
		"[The firm] employed 41,300 people in 22 countries at the end of that year.":       true,
		"[i]t employed 41,300 people in 22 countries at the end of that year.":             true,
		"It employed 41,300 people [sic] in 22 countries at the end of that year.":         true,
		"It employed 41,300 people in 22 countries [of the world] at the end of that year": true,
		"It employed [at least] 41,300 people in 22 countries at the end of that year.":    false,
		"[All] patients felt tired in the first week.":                                     false,
		"[The] patients felt tired in the first week.":                                     false,
	} {
		m, ok := quote.Find(text, quoted)
		require.Equal(t, found, ok && len(m.Findings) == 0, "%s: %v", quoted, m)
	}
}

// An ellipsis that makes one sentence of parts of two is told.
func TestPartsOfTwoSentencesAreToldApart(t *testing.T) {
	text := "Adult males weigh up to fourteen kilograms in a good year. Fish from the harbour make up roughly 70 per cent of the diet."
	m, ok := quote.Find(text, "Adult males weigh up to […] roughly 70 per cent of the diet.")
	require.False(t, ok && len(m.Findings) == 0, "%v", m)
	m, ok = quote.Find(text, "Adult males weigh up to fourteen kilograms in a good year. […] Fish from the harbour make up roughly 70 per cent of the diet.")
	require.True(t, ok)
	require.Empty(t, m.Findings)
}
