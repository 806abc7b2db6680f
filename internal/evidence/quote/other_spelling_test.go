package quote_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/quote"
)

// What may be another word by a hyphen, a blank, an apostrophe, a comma or a vowel sign is told.
func TestOtherSpellingIsTold(t *testing.T) {
	for _, c := range []struct {
		text, quoted string
		told         []quote.Misspelling
	}{
		{"The clerk said he would re-sign the lease for the shop in May.", "The clerk said he would resign the lease for the shop in May.", []quote.Misspelling{{"resign", "re-sign"}}},
		{"The guests may be late when the ferry does not sail at noon.", "The guests maybe late when the ferry does not sail at noon.", []quote.Misspelling{{"maybe", "may be"}}},
		{"Das Kind soll die Vase wieder holen, bevor der Regen kommt.", "Das Kind soll die Vase wiederholen, bevor der Regen kommt.", []quote.Misspelling{{"wiederholen", "wieder holen"}}},
		{"By noon we'll be at the old mill with both of the carts.", "By noon well be at the old mill with both of the carts.", []quote.Misspelling{{"well", "we'll"}}},
		{"The farmers' barn burnt down in the night before the fair.", "The farmers barn burnt down in the night before the fair.", []quote.Misspelling{{"farmers barn", "farmers' barn"}}},
		{"The tenants, who had complained, were given a new roof that year.", "The tenants who had complained were given a new roof that year.", []quote.Misspelling{{"tenants who", "tenants, who"}, {"complained were", "complained, were"}}},
		{"Mit Mühe … Der Koch, sagt der Kellner, kann an diesem Abend nichts. Es regnete.", "Der Koch sagt, der Kellner kann an diesem Abend nichts … Es regnete.", []quote.Misspelling{{"Koch sagt", "Koch, sagt"}, {"sagt, der", "sagt der"}, {"Kellner kann", "Kellner, kann"}}},
		{"Все гости ушли, и в доме всё стихло.", "Всё гости ушли, и в доме все стихло.", []quote.Misspelling{{"Всё", "Все"}, {"все", "всё"}}},

		// what copying and typesetting do
		{"The harbour was well-\nknown for its fish and for the fog in autumn.", "The harbour was well-known for its fish and for the fog in autumn.", nil},
		{"The harbour was re\u2011built by the town after the flood of that year.", "The harbour was re-built by the town after the flood of that year.", nil},
		{"The words \u2018warm\u2019 and \u2018cold\u2019 were struck out of the bill by the clerk.", "The words \"warm\" and \"cold\" were struck out of the bill by the clerk.", nil},
		{"Все гости ушли, и в доме всё стихло.", "Все гости ушли, и в доме все стихло.", nil},
		{"Theharbourwasfullofboatsonthedayofthefair.", "The harbour was full of boats on the day of the fair.", nil},
		{"Many tools (e.g., saws and files) hang on the wall of the old shop.", "Many tools (e.g. saws and files) hang on the wall of the old shop.", nil},
	} {
		m, ok := quote.Find(c.text, c.quoted)
		require.True(t, ok, c.quoted)
		require.Equal(t, c.told, m.Misspelt, c.quoted)
	}
}

// Kana of half the width are the same letters.
func TestKanaOfHalfTheWidth(t *testing.T) {
	m, ok := quote.Find("部屋のﾃﾚﾋﾞは古い。", "部屋のテレビは古い。")
	require.True(t, ok)
	require.Equal(t, quote.Normalised, m.Tier)
}
