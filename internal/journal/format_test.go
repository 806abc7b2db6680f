package journal_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/journal"
)

// A journal of another format is refused with the release that reads it, and
// not a byte of it is changed.
func TestAJournalOfAnotherFormatIsRefused(t *testing.T) {
	own := string(write(t, t.TempDir(), `{"seq":1}`))
	for name, c := range map[string]struct{ text, says string }{
		"before there were formats":  {`{"sha256":"0000","fact":{"seq":1}}` + "\n", "format 1, and this release reads format 2; use release 0.4.0"},
		"bare facts":                 {`{"seq":1,"type":"run.created","prev":""}`, "use release 0.4.0"},
		"a later one":                {`{"format":999,"seq":1}`, `format "999"`},
		"a later one, with its name": {`{"format":3,"release":"0.9.1","seq":1}` + "\n", "use release 0.9.1"},
		"nothing":                    {`{"format":0}`, `format "0"`},
		"below nothing":              {`{"format":-1}` + "\n", `format "-1"`},
		"a text":                     {`{"format":"2"}` + "\n", "of format"},
		"a part":                     {`{"format":1.5}`, `format "1.5"`},
		"null":                       {`{"format":null}`, `format "null"`},
		"from the second line on":    {own + `{"format":3,"sha256":"00","fact":{}}` + "\n", `format "3"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, journal.Name)
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			_, err := journal.Read(dir)
			var other *journal.Foreign
			require.ErrorAs(t, err, &other)
			require.ErrorContains(t, err, c.says)
			_, _, err = journal.Open(dir)
			require.ErrorAs(t, err, &other, "it is not written on either")
			left, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, c.text, string(left))
		})
	}
}
