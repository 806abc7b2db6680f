package extract_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/extract"
	"github.com/research-council/research-council/internal/evidence/quote"
)

func TestFilesAreReadInTheEncodingTheyAreIn(t *testing.T) {
	rows, err := os.ReadFile("testdata/encodings.jsonl")
	require.NoError(t, err)
	for line := range strings.Lines(string(rows)) {
		var row struct{ File, Quotation, Expect, Why string }
		require.NoError(t, json.Unmarshal([]byte(line), &row))
		data, err := os.ReadFile(filepath.Join("testdata", "encodings", row.File))
		require.NoError(t, err)
		text, doubt, err := extract.Local(data)
		_, found := quote.Find(text, row.Quotation)
		t.Logf("%s: found %v, doubt %q, %v", row.File, found, doubt, err)
		require.True(t, utf8.ValidString(text), row.File)
		said := err != nil || doubt != ""
		switch row.Expect {
		case "located":
			require.NoError(t, err, "%s: %s", row.File, row.Why)
			require.Empty(t, doubt, "%s: %s", row.File, row.Why)
			require.True(t, found, "%s: %s", row.File, row.Why)
		case "refused", "refused: file is empty", "not located as true text":
			require.False(t, found, "%s: %s", row.File, row.Why)
		case "skipped-and-said":
			require.False(t, found, "%s: %s", row.File, row.Why)
			require.Error(t, err, "%s: %s", row.File, row.Why)
		case "located or skipped-and-said":
			require.True(t, found || said, "%s: %s", row.File, row.Why)
		default:
			t.Fatalf("no such expectation: %q", row.Expect)
		}
	}
}

func TestLinesOfOldMacsAreLines(t *testing.T) {
	text, _, err := extract.Local([]byte("First line.\rSecond line here.\r"))
	require.NoError(t, err)
	require.Equal(t, "First line.\nSecond line here.\n", text)
}

// Words of other languages in eight bits are read right or in doubt, never as
// something else for certain.
func TestWhatOnlyLooksWesternIsInDoubt(t *testing.T) {
	for name, data := range map[string]string{
		"Polish in ISO-8859-2": "Zapisz plik, a nast\xeapnie zamknij okno. Plik zosta\xb3 zapisany w tym samym folderze.",
		"Czech in ISO-8859-2":  "Ve ve\xe8ern\xedch hodin\xe1ch se m\xec\xb9\xedc dostal nad obzor a osv\xedtil cel\xe9 m\xec\xb9to.",
	} {
		_, doubt, err := extract.Local([]byte(data))
		require.True(t, doubt != "" || err != nil, name)
	}
}

func FuzzLocal(f *testing.F) {
	f.Add([]byte("plain"))
	f.Add([]byte("\xff\xfea\x00b"))
	f.Add([]byte("\x00\x00\xfe\xff\x00\x00\x00a"))
	f.Add([]byte("# -*- coding: latin-1 -*-\n\xe4"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, _, err := extract.Local(data)
		if err == nil && !utf8.ValidString(text) {
			t.Fatalf("%q is no UTF-8", text)
		}
	})
}
