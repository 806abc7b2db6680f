package journal_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/engine/journal"
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
			var other *journal.ForeignFormat
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

// What is no file of its own is refused by everybody who opens a journal, and
// holds nobody.
func TestAJournalIsAFileOfItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		stands func(path string) error
		says   string
	}{
		"a folder": {func(path string) error { return os.Mkdir(path, 0o700) }, "is a folder"},
		"a symbolic link": {func(path string) error {
			elsewhere := filepath.Join(t.TempDir(), "x")
			return errors.Join(os.WriteFile(elsewhere, nil, 0o600), os.Symlink(elsewhere, path))
		}, "is a symbolic link"},
		"a link to nowhere": {func(path string) error { return os.Symlink("/nowhere/x", path) }, "is a symbolic link"},
		"a named pipe":      {func(path string) error { return proctest.NamedPipe(path) }, "is a named pipe"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, c.stands(filepath.Join(dir, journal.Name)))
			_, read := journal.Read(dir)
			_, _, opened := journal.Open(dir)
			_, taken := journal.TakeLease(dir, journal.Holder{PID: 1, Start: "s"}, time.Time{})
			for _, err := range []error{read, opened, taken, journal.CheckFormat(dir)} {
				var none *journal.NotAFile
				require.ErrorAs(t, err, &none)
				require.ErrorContains(t, err, c.says)
			}
			_, err := os.Stat("/nowhere")
			require.ErrorIs(t, err, fs.ErrNotExist)
		})
	}
}

// The first and the last line are enough to see that another release writes the
// journal, however long it is.
func TestTheFormatIsSeenAtBothEnds(t *testing.T) {
	long := `{"seq":2,"reason":"` + strings.Repeat("x", 200<<10) + `"}`
	own := string(write(t, t.TempDir(), `{"seq":1}`, long))
	later := `{"format":3,"release":"0.9.1","sha256":"00","fact":{}}` + "\n"
	for name, c := range map[string]struct {
		text    string
		foreign bool
	}{
		"our own":                       {own, false},
		"our own, torn":                 {own[:len(own)-7], false},
		"our own, torn at the opening":  {own + `{"form`, false},
		"nothing":                       {"", false},
		"a line that is no journal's":   {"x\n", false},
		"our own, damaged in its head":  {own + strings.Replace(own, "sha256", "sha257", 1), false},
		"another one":                   {later, true},
		"another one from some line on": {own + later, true},
		"the same, torn":                {own + later[:40], true},
		"the same, and a long fact":     {own + strings.TrimSuffix(later, "}}\n") + `"a":"` + strings.Repeat("x", 200<<10) + `"}}` + "\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, journal.Name), []byte(c.text), 0o600))
			err := journal.CheckFormat(dir)
			if !c.foreign {
				require.NoError(t, err)
				return
			}
			var other *journal.ForeignFormat
			require.ErrorAs(t, err, &other)
			require.ErrorContains(t, err, "use release 0.9.1 for it")
		})
	}
}

// Lines that something has saved with other ends are damage, with its reason.
func TestOtherLineEndsAreTold(t *testing.T) {
	dir := t.TempDir()
	own := write(t, dir, `{"seq":1}`, `{"seq":2}`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, journal.Name), bytes.ReplaceAll(own, []byte("\n"), []byte("\r\n")), 0o600))
	_, err := journal.Read(dir)
	require.ErrorContains(t, err, "damaged at line 1 (its lines end in CR LF")
}
