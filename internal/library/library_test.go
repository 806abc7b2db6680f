package library_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"research-council/internal/claim"
	"research-council/internal/library"
)

// kept is a fake archive: texts by reference.
type kept map[string]string

func (k kept) Text(ref string) (claim.Text, error) {
	if text, ok := k[ref]; ok {
		return claim.Text{Body: text, Snapshot: "s"}, nil
	}
	return claim.Text{}, errors.New("the page cannot be reached")
}

func scope(t testing.TB) string {
	root := t.TempDir()
	dir := filepath.Join(root, "scope")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o700))
	for name, text := range map[string]string{"secret.md": "secret", "scope/a.md": "one\ntwo\n", "scope/sub/b c.md": "three"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink("../secret.md", filepath.Join(dir, "out.md")))
	require.NoError(t, os.Symlink("a.md", filepath.Join(dir, "in.md")))
	big, err := os.Create(filepath.Join(dir, "big.md"))
	require.NoError(t, err)
	require.NoError(t, errors.Join(big.Truncate(library.MostFile+1), big.Close()))
	return dir
}

func TestText(t *testing.T) {
	dir := scope(t)
	both, err := library.Open(dir, kept{"https://a.test/": "page"})
	require.NoError(t, err)
	defer both.Close()
	none, err := library.Open("", nil)
	require.NoError(t, err)
	for _, c := range []struct {
		name, ref string
		of        *library.Library
		text      string // of a good answer
		why       string // a part of the reason for another
		absent    bool   // the reason is that there is no such source
	}{
		{"a file", "a.md", both, "one\ntwo\n", "", false},
		{"with blanks", "sub/b c.md", both, "three", "", false},
		{"by dots that stay inside", "sub/../a.md", both, "one\ntwo\n", "", false},
		{"a link inside", "in.md", both, "one\ntwo\n", "", false},
		{"a page", "https://a.test/", both, "page", "", false},
		{"a page that cannot be had", "https://b.test/", both, "", "cannot be reached", false},
		{"no such file", "c.md", both, "", "no such file", true},
		{"a folder", "./sub", both, "", "no file", true},
		{"by dots", "../secret.md", both, "", "leads out", true},
		{"by dots deeper", "sub/../../secret.md", both, "", "leads out", true},
		{"absolute", dir + "/a.md", both, "", "leads out", true},
		{"as an address", "file://" + dir + "/a.md", both, "", "leads out", true},
		{"by a link", "out.md", both, "", "escapes", false},
		{"too large", "big.md", both, "", "larger than 16 MiB", false},
		{"no scope", "a.md", none, "", "no local sources", false},
		{"no archive", "https://a.test/", none, "", "not a local source", false},
	} {
		text, err := c.of.Text(c.ref)
		require.Equal(t, c.text, text.Body, c.name)
		if c.why == "" {
			require.NoError(t, err, c.name)
			continue
		}
		require.ErrorContains(t, err, c.why, c.name)
		require.NotContains(t, err.Error(), dir, "%s: no path of this machine is told", c.name)
		var absent claim.Absent
		require.Equal(t, c.absent, errors.As(err, &absent), c.name)
	}
}

func TestAScopeThatIsNone(t *testing.T) {
	_, err := library.Open(filepath.Join(t.TempDir(), "none"), nil)
	require.ErrorContains(t, err, "open the scope")
}

func TestNoReferenceLeadsOutOfTheScope(t *testing.T) {
	l, err := library.Open(scope(t), nil)
	require.NoError(t, err)
	defer l.Close()
	part := rapid.SampledFrom([]string{"..", ".", "sub", "out.md", "secret.md", "/", "//", "%2e%2e", "a.md", "\\", "file:", "\x00"})
	rapid.Check(t, func(t *rapid.T) {
		text, _ := l.Text(strings.Join(rapid.SliceOfN(part, 1, 6).Draw(t, "ref"), "/"))
		require.NotContains(t, text.Body, "secret")
	})
}
