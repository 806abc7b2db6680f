package archive_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/test/web"
)

const (
	commit = "1f2e3d4c5b6a79880123456789abcdef01234567"
	older  = "00112233445566778899aabbccddeeff00112233"
)

// A file on GitHub is read itself, at a commit that is named; where GitHub does not tell
// one, as it stands, which is said.
func TestAPageOfGitHubIsReadAtACommit(t *testing.T) {
	const kettle = "package a\n\n// Boil boils.\nfunc Boil() {}\n"
	raw := func(ref, path, text string) web.Page {
		return web.Page{URL: "http://raw.githubusercontent.com/o/r/" + ref + "/" + path, MIME: "text/plain; charset=utf-8", Body: text}
	}
	w := web.Start(t,
		raw(commit, "pkg/a.go", kettle), raw(older, "pkg/a.go", "package a // at its tag\n"), raw("main", "pkg/a.go", "package a // today\n"),
		raw(commit, "docs/README.md", "# Kettles\n\nThis is how a kettle boils.\n"),
		raw("feature/x", "b.go", "package b // of a branch\n"),
		web.Page{URL: "http://github.com/o/r", Body: paper("A page around the README.")},
		web.Page{URL: "http://github.com/o/other", Body: paper("A page of a repository nobody knows.")},
		web.Page{URL: "http://github.com/o/r/blob/v1/gone.go", Body: paper("A page without a file.")},
		web.Page{URL: "http://github.com/o/r/issues/3", Body: paper("An issue.")},
	)
	require.NoError(t, w.Know(web.Repository{Name: "o/r", Commits: map[string]string{"HEAD": commit, "main": commit, "v1": older}, Readme: "docs/README.md"}))
	for _, c := range []struct {
		page, says, version string
		off                 bool // GitHub's service is not asked
	}{
		{page: "r/blob/main/pkg/a.go", says: "// Boil boils.", version: commit},
		{page: "r/blob/v1/pkg/a.go", says: "at its tag", version: older},
		{page: "r/blob/" + commit + "/pkg/a.go", says: "// Boil boils.", version: commit},
		{page: "r", says: "This is how a kettle boils.", version: commit},
		{page: "r/tree/main", says: "This is how a kettle boils.", version: commit},
		{page: "r/blob/feature/x/b.go", says: "of a branch"},
		{page: "r/blob/v1/gone.go", says: "A page without a file."},
		{page: "r/issues/3", says: "An issue."},

		{page: "other", says: "A page of a repository nobody knows."},
		{page: "r/blob/main/pkg/a.go", says: "// today", off: true},
		{page: "r", says: "A page around the README.", off: true},
		{page: "r/blob/" + commit + "/pkg/a.go", says: "// Boil boils.", off: true},
	} {
		t.Run(c.page, func(t *testing.T) {
			o := w.Options()
			o.AllowPrivate = append(o.AllowPrivate, "github.com", "raw.githubusercontent.com")
			if c.off {
				o.GitHub = ""
			}
			before := len(w.Requests())
			a, err := archive.Open(t.TempDir(), o)
			require.NoError(t, err)
			snap := fetch(t, a, "http://github.com/o/"+c.page)
			require.Equal(t, archive.Live, snap.State, snap.Reason)
			text, err := a.Text(snap)
			require.NoError(t, err)
			require.Contains(t, text, c.says)
			require.Equal(t, "http://github.com/o/"+c.page, snap.Asked)
			if c.version == "" {
				require.Nil(t, snap.Version)
			} else {
				require.Equal(t, "commit "+c.version, snap.Version.Name)
				require.Contains(t, snap.Version.URL, "http://github.com/o/r/blob/"+c.version+"/")
				require.NotEmpty(t, snap.Title)
			}
			require.Equal(t, strings.Contains(c.page, "feature"), strings.Contains(strings.Join(snap.Warnings, ""), archive.Unversioned), snap.Warnings)
			for _, r := range w.Requests()[before:] {
				require.False(t, c.off && strings.HasPrefix(r.URL, o.GitHub+"/repos"), r.URL)
			}
		})
	}
}

// Pages of GitHub's own are no repositories: its service, which answers little without a
// key, is not asked for them.
func TestGitHubIsNotAskedForItsOwnPages(t *testing.T) {
	w := web.Start(t, web.Page{URL: "http://github.com/topics/kettles", Body: paper("Repositories on kettles.")})
	o := w.Options()
	o.AllowPrivate = append(o.AllowPrivate, "github.com")
	a, err := archive.Open(t.TempDir(), o)
	require.NoError(t, err)
	require.Equal(t, archive.Live, fetch(t, a, "http://github.com/topics/kettles").State)
	for _, r := range w.Requests() {
		require.False(t, strings.HasPrefix(r.URL, o.GitHub), r.URL)
	}
}

// What a page of Wikipedia says of its revision is named, and nothing is asked for it.
func TestAPageOfAWikiIsReadInARevision(t *testing.T) {
	wiki := func(settings string) string {
		return strings.Replace(paper("A kettle is a vessel."), "<head>", `<head><script>RLCONF={"wgBreakFrames":false,`+settings+`"wgIsArticle":true};</script>`, 1)
	}
	w := web.Start(t,
		web.Page{URL: "http://en.wikipedia.org/wiki/Kettle", Body: wiki(`"wgPageName":"Kettle_(\u0022vessel\u0022)","wgCurRevisionId":77,"wgRevisionId":1234567,`)},
		web.Page{URL: "http://wiki.example/kettle", Body: wiki(`"wgPageName":"Kettle","wgRevisionId":12,`)},
		web.Page{URL: "http://wiki.example/none", Body: wiki(`"wgPageName":"Special:Search","wgRevisionId":0,`)},
		web.Page{URL: "http://wiki.example/page", Body: paper("A page of another kind, of wgRevisionId.")},
	)
	for address, want := range map[string]*archive.Version{
		"http://en.wikipedia.org/wiki/Kettle": {Name: "revision 1234567", URL: "http://en.wikipedia.org/w/index.php?title=Kettle_%28%22vessel%22%29&oldid=1234567"},
		"http://wiki.example/kettle":          {Name: "revision 12"},
		"http://wiki.example/none":            nil,
		"http://wiki.example/page":            nil,
	} {
		o := w.Options()
		o.AllowPrivate = append(o.AllowPrivate, "en.wikipedia.org")
		a, err := archive.Open(t.TempDir(), o)
		require.NoError(t, err)
		snap := fetch(t, a, address)
		require.Equal(t, archive.Live, snap.State, snap.Reason)
		require.Equal(t, want, snap.Version, address)
	}
}

// Addresses that lead out of a repository are asked as they are, and what an archive of the
// web has of a page is not called a commit.
func TestWhatIsNoFileOfARepositoryHasNoCommit(t *testing.T) {
	w := web.Start(t,
		web.Page{URL: "http://github.com/o/r/blob/main/gone.go", Status: 404, Body: "gone"},
		web.Page{URL: "http://raw.githubusercontent.com/o/r/" + commit + "/gone.go", Status: 404, Body: "404: Not Found"},
		web.Page{URL: "http://raw.githubusercontent.com/o/r/main/gone.go", Status: 404, Body: "404: Not Found"},
		web.Page{URL: "http://raw.githubusercontent.com/other/secret/main/a.go", Body: "package secret"},
		web.Page{URL: "http://raw.githubusercontent.com/o/r/v1/x/b.go", MIME: "text/plain", Body: "package b // of a branch"},
	)
	require.NoError(t, w.Know(web.Repository{Name: "o/r", Commits: map[string]string{"HEAD": commit, "main": commit, "v1": older}},
		web.Capture{URL: "http://github.com/o/r/blob/main/gone.go", Time: "20200102030405", Body: paper("The page as it was.")}))
	o := w.Options()
	o.AllowPrivate = append(o.AllowPrivate, "github.com", "raw.githubusercontent.com")
	a, err := archive.Open(t.TempDir(), o)
	require.NoError(t, err)

	snap := fetch(t, a, "http://github.com/o/r/blob/main/gone.go")
	require.Equal(t, archive.Stale, snap.State, snap.Reason)
	require.Nil(t, snap.Version)

	snap = fetch(t, a, "http://github.com/o/r/blob/v1/x/b.go") // v1 is a tag, v1/x a branch
	require.Nil(t, snap.Version)
	require.Contains(t, strings.Join(snap.Warnings, ""), archive.Unversioned)

	before := len(w.Requests())
	for _, page := range []string{"o/r/blob/main/%2e%2e/%2e%2e/%2e%2e/other/secret/main/a.go", "o/r/blob/main/..%2f..%2f..%2fother/secret/main/a.go", "o/..%2f..%2fsearch", "o/r/tree/..%2f..%2f..%2fuser"} {
		require.Nil(t, fetch(t, a, "http://github.com/"+page).Version, page)
	}
	for _, r := range w.Requests()[before:] {
		require.False(t, strings.HasPrefix(r.URL, "http://raw.") || strings.HasPrefix(r.URL, o.GitHub+"/"), r.URL)
	}
}

// A host that only sounds like Wikipedia has no address for its revisions, and a page that
// writes of a wiki's settings none at all.
func TestARevisionIsThePagesOwn(t *testing.T) {
	wiki := strings.Replace(paper("A kettle."), "<head>", `<head><script>RLCONF={"wgPageName":"Kettle","wgRevisionId":12,};</script>`, 1)
	w := web.Start(t,
		web.Page{URL: "http://en.wikipedia.org.evil.example/wiki/Kettle", Body: wiki},
		web.Page{URL: "http://notwikipedia.example/wiki/Kettle", Body: wiki},
		web.Page{URL: "http://manual.example/wiki", Body: paper(`A page has "wgPageName":"Kettle","wgRevisionId":77 among its settings.`)})
	a, err := archive.Open(t.TempDir(), w.Options())
	require.NoError(t, err)
	for page, want := range map[string]*archive.Version{
		"http://en.wikipedia.org.evil.example/wiki/Kettle": {Name: "revision 12"},
		"http://notwikipedia.example/wiki/Kettle":          {Name: "revision 12"},
		"http://manual.example/wiki":                       nil,
	} {
		require.Equal(t, want, fetch(t, a, page).Version, page)
	}
}
