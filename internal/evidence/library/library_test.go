package library_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/library"
	"github.com/research-council/research-council/internal/evidence/provenance"
)

// web is a fake archive over a fake web: snapshots by reference, whose texts are
// their titles. The keys in kept have been fetched.
type web struct {
	pages map[string]archive.Snapshot
	kept  map[string]archive.Snapshot
}

func (w web) Fetch(ctx context.Context, ref string) (archive.Snapshot, error) {
	return w.pages[ref], ctx.Err()
}

func (w web) Lookup(key string) (archive.Snapshot, bool) {
	s, ok := w.kept[key]
	return s, ok
}

func (web) Text(s archive.Snapshot) (string, error) { return s.Title, nil }

func (web) Bytes(s archive.Snapshot) ([]byte, error) { return []byte(s.Title), nil }

var pages = web{
	pages: map[string]archive.Snapshot{
		"https://a.test/": {State: archive.Live, Title: "page", Body: "b", Text: "t"},
		"https://b.test/": {State: archive.Unreachable, Reason: "the network is down"},
		"https://c.test/": {State: archive.Gone, Reason: "HTTP 404"},
		"https://d.test/": {State: archive.LikelyInvented},
		"https://e.test/": {State: archive.Blocked, Reason: "HTTP 403"},
		"doi:10.1000/1":   {State: archive.Stale, Title: "paper"},
	},
	kept: map[string]archive.Snapshot{"url:k.test/": {State: archive.Moved, Title: "kept", Body: "b", Text: "t"}},
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
	require.NoError(t, errors.Join(big.Truncate(library.MaxFile+1), big.Close()))
	return dir
}

func TestText(t *testing.T) {
	dir := scope(t)
	both, err := library.Open(dir, pages)
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
		{"a paper by its number", "doi:10.1000/1", both, "paper", "", false},
		{"a page that cannot be reached", "https://b.test/", both, "", "the page is unreachable: the network is down", false},
		{"a page that is gone", "https://c.test/", both, "", "the page is gone: HTTP 404", true},
		{"a page that never was", "https://d.test/", both, "", "the page is likely-invented", true},
		{"a page that is not shown", "https://e.test/", both, "", "blocked", false},
		{"no such file", "c.md", both, "", "no such file", true},
		{"a folder", "./sub", both, "", "no file", true},
		{"by dots", "../secret.md", both, "", "leads out", true},
		{"by dots deeper", "sub/../../secret.md", both, "", "leads out", true},
		{"absolute", dir + "/a.md", both, "one\ntwo\n", "", false},
		{"as an address", "file://" + dir + "/a.md", both, "one\ntwo\n", "", false},
		{"absolute and elsewhere", filepath.Dir(dir) + "/secret.md", both, "", "leads out", true},
		{"by a link", "out.md", both, "", "escapes", false},
		{"too large", "big.md", both, "", "larger than 16 MiB", false},
		{"no scope", "a.md", none, "", "no local sources", false},
		{"no archive", "https://a.test/", none, "", "not a local source", false},
	} {
		text, err := c.of.Fetcher(t.Context()).Text(c.ref)
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

func TestAPageOfOursIsNoSource(t *testing.T) {
	l, err := library.Open("", web{pages: map[string]archive.Snapshot{"https://c.test/": {State: archive.Live, Title: "Caches age.\n\n" + provenance.Line(""), Body: "b", Text: "t"}}})
	require.NoError(t, err)
	_, err = l.Fetcher(t.Context()).Text("https://c.test/")
	require.Equal(t, claim.Absent{Reason: provenance.OwnFileReason}, err)
}

func TestASnapshotIsNamedByItsHashes(t *testing.T) {
	l, err := library.Open("", pages)
	require.NoError(t, err)
	text, err := l.Fetcher(t.Context()).Text("https://a.test/")
	require.NoError(t, err)
	text.Aside = nil // the snapshot's own
	require.Equal(t, claim.Text{Body: "page", FirstLine: 1, Snapshot: "b", Hash: "t"}, text)
}

func TestWhatIsKeptIsHadWithoutFetching(t *testing.T) {
	l, err := library.Open(scope(t), pages)
	require.NoError(t, err)
	defer l.Close()
	text, err := l.ArchivedOnly().Text("http://www.k.test/#part")
	require.NoError(t, err)
	require.Equal(t, "kept", text.Body)
	_, err = l.ArchivedOnly().Text("https://a.test/")
	require.ErrorIs(t, err, library.ErrNotArchived)
	text, err = l.ArchivedOnly().Text("a.md")
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", text.Body)
}

func TestACallThatIsGivenUpIsAnError(t *testing.T) {
	l, err := library.Open("", pages)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = l.Fetcher(ctx).Text("https://a.test/")
	require.ErrorIs(t, err, context.Canceled)
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
		text, _ := l.ArchivedOnly().Text(strings.Join(rapid.SliceOfN(part, 1, 6).Draw(t, "ref"), "/"))
		require.NotContains(t, text.Body, "secret")
	})
}
