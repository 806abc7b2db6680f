package archive_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/test/web"
)

// paper is a page with the whole of a paper.
func paper(words string) string {
	return "<html><head><title>Kettles in winter</title></head><body><article><h1>Kettles in winter</h1><p>" + words + "</p><p>" +
		strings.Repeat("It was measured again and again, in houses and in the open, by people who did not know what was expected. ", 8) + "</p></article></body></html>"
}

func TestAPaperThatIsClosedIsReadInAnOpenCopy(t *testing.T) {
	const stub = `<html><head><title>Kettles in winter</title><script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script></head><body><article><h1>Kettles in winter</h1><p>Kettles take longer in winter.</p></article></body></html>`
	preprint := web.OpenCopy{Landing: "http://preprints.example/1", Version: "submittedVersion"}
	accepted := web.OpenCopy{Landing: "http://library.example/1", Version: "acceptedVersion"}
	locked := web.OpenCopy{Landing: "http://library.example/1", Version: "acceptedVersion", Closed: true}
	for name, c := range map[string]struct {
		landing web.Page
		copies  []web.OpenCopy
		says    string // of the version; "" where the publisher's page it is
		final   string
	}{
		"a block page":                     {web.Page{Status: 403, Body: "<h1>Access denied</h1>"}, []web.OpenCopy{preprint}, "a preprint", "preprints.example"},
		"a paywall":                        {web.Page{Body: stub}, []web.OpenCopy{preprint, accepted}, "the accepted version", "library.example"},
		"an outage":                        {web.Page{Status: 503, Body: "down"}, []web.OpenCopy{accepted}, "the accepted version", "library.example"},
		"a page that is open":              {web.Page{Body: paper("The publisher's own words.")}, []web.OpenCopy{preprint, accepted}, "", "press.example"},
		"a copy that is closed":            {web.Page{Body: stub}, []web.OpenCopy{locked}, "", "press.example"},
		"a copy that is not there":         {web.Page{Body: stub}, []web.OpenCopy{{Landing: "http://library.example/gone", Version: "acceptedVersion"}}, "", "press.example"},
		"a better copy that is not there":  {web.Page{Body: stub}, []web.OpenCopy{{Landing: "http://library.example/gone", Version: "acceptedVersion"}, preprint}, "a preprint", "preprints.example"},
		"a paywall, and nobody has a copy": {web.Page{Body: stub}, nil, "", "press.example"},
	} {
		t.Run(name, func(t *testing.T) {
			c.landing.URL = "http://press.example/kettles"
			w := web.Start(t, c.landing, web.Page{URL: "http://preprints.example/1", Body: paper("As first written.")}, web.Page{URL: "http://library.example/1", Body: paper("As accepted.")})
			require.NoError(t, w.Know(web.Work{DOI: "10.5555/kettles", Title: "Kettles in winter", Year: 2021, Landing: c.landing.URL, Copies: c.copies}))
			a, err := archive.Open(t.TempDir(), w.Options())
			require.NoError(t, err)
			snap, err := a.Fetch(t.Context(), "doi:10.5555/kettles")
			require.NoError(t, err)
			require.Contains(t, snap.Final, c.final)
			said := strings.Join(snap.Warnings, "\n")
			if c.says == "" {
				require.NotContains(t, said, archive.OpenCopy)
				return
			}
			require.True(t, snap.State.Readable())
			require.Contains(t, said, archive.OpenCopy+": "+c.says)
			require.Equal(t, "Kettles in winter", snap.Record.Title)
		})
	}
}

func TestAFileOnGitHubIsReadItself(t *testing.T) {
	w := web.Start(t,
		web.Page{URL: "http://raw.githubusercontent.com/o/r/v1.2/pkg/a.go", MIME: "text/plain; charset=utf-8", Body: "package a\n\n// Boil boils.\nfunc Boil() {}\n"},
		web.Page{URL: "http://github.com/o/r/blob/v1.2/pkg/a.go", Body: paper("A page around the file.")},
		web.Page{URL: "http://github.com/o/r/blob/v1.2/gone.go", Body: paper("A page without a file.")},
		web.Page{URL: "http://github.com/o/r/issues/3", Body: paper("An issue.")},
	)
	o := w.Options()
	o.AllowPrivate = append(o.AllowPrivate, "github.com", "raw.githubusercontent.com")
	a, err := archive.Open(t.TempDir(), o)
	require.NoError(t, err)
	for address, says := range map[string]string{
		"http://github.com/o/r/blob/v1.2/pkg/a.go": "// Boil boils.", "http://github.com/o/r/blob/v1.2/gone.go": "A page without a file.", "http://github.com/o/r/issues/3": "An issue.",
	} {
		snap, err := a.Fetch(t.Context(), address)
		require.NoError(t, err)
		require.Equal(t, archive.Live, snap.State, snap.Reason)
		text, err := a.Text(snap)
		require.NoError(t, err)
		require.Contains(t, text, says)
		require.Equal(t, address, snap.Asked)
	}
}
