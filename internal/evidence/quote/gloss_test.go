package quote_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/quote"
)

// What brackets stand for is shown, and may say a thing otherwise, but nothing else.
func TestBracketsStandForTheSame(t *testing.T) {
	const text = "The Tribunal closed the quay on Monday. It owns four cranes, which rise 35 m above the water. They will be sold, the harbour master said in May. Die Pumpe ist unzulässig laut."
	for _, c := range []struct {
		quoted string
		found  bool
		shown  string // of the text, "" for nothing
	}{
		{"The Tribunal closed the quay on Monday [3 June].", true, ""},
		{"It owns [4] cranes, which rise 35 m above the water.", true, "four"},
		{"It owns [5] cranes, which rise 35 m above the water.", false, ""},
		{"It owns four cranes, which rise 35 [metres] above the water.", true, "m"},
		{"It owns four cranes, which rise 35 [miles] above the water.", false, ""},
		{"It owns four cranes, which rise 35 m [115 feet] above the water.", true, ""},
		{"It owns four cranes, which [rose] 35 m above the water.", true, "rise"},
		{"It owns four cranes, which [fall] 35 m above the water.", false, ""},
		{"They [would] be sold, the harbour master said in May.", true, "will"},
		{"They [may] be sold, the harbour master said in May.", false, ""},
		{"[The cranes] [were] be sold, the harbour master said in May.", false, ""},
		{"Die Pumpe ist un[un]zulässig laut.", false, ""},
	} {
		m, ok := quote.Find(text, c.quoted)
		require.Equal(t, c.found, ok, c.quoted)
		if shown := ""; ok {
			for _, g := range m.Gaps {
				shown += text[g.Start:g.End]
			}
			require.Equal(t, c.shown, shown, c.quoted)
			require.Empty(t, m.Findings, c.quoted)
		}
	}
}
