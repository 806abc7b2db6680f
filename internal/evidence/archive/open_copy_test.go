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
		"a copy at the same address":       {web.Page{Status: 403, Body: "<h1>Access denied</h1>", Then: []web.Page{{Body: paper("As accepted.")}}}, []web.OpenCopy{{Landing: "http://press.example/kettles", Version: "acceptedVersion"}}, "the accepted version", "press.example"},
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
			require.LessOrEqual(t, w.Count("http://library.example/gone"), 1, "OpenAlex and Unpaywall know it")
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

// Each registry of open copies is asked in turn, where it has an address; arXiv and PubMed
// Central are read where programs are served.
func TestOpenCopiesAreFoundInMoreThanOnePlace(t *testing.T) {
	const jats = `<?xml version="1.0"?><article article-type="research-article"><front><article-meta><title-group><article-title>Kettles in winter</article-title></title-group></article-meta></front><body><p>As it stands in the archive of papers.</p></body></article>`
	shut := web.Page{URL: "http://press.example/kettles", Status: 403, Body: "<h1>Access denied</h1>"}
	arXiv := web.OpenCopy{Landing: "https://arxiv.org/abs/2101.00001v2", PDF: "https://arxiv.org/pdf/2101.00001v2", Version: "submittedVersion"}
	accepted := web.OpenCopy{Landing: "http://library.example/1", Version: "acceptedVersion"}
	inPMC := web.OpenCopy{Landing: "https://www.ncbi.nlm.nih.gov/pmc/articles/1234567", Version: "publishedVersion"}
	all := func(*archive.Options) {}
	for name, c := range map[string]struct {
		copies  []web.OpenCopy
		pmc     web.PMC
		change  func(*archive.Options)
		version string // "" where there is no copy
		from    string
	}{
		"arXiv":                                {[]web.OpenCopy{arXiv}, web.PMC{}, all, "a preprint", "http://arxiv-api.example/pdf/2101.00001"},
		"PubMed Central, by OpenAlex":          {[]web.OpenCopy{inPMC}, web.PMC{ID: "PMC1234567", Text: jats}, all, "the published version", "http://europepmc.example/PMC1234567/fullTextXML"},
		"Europe PMC, which others do not know": {nil, web.PMC{ID: "PMC1234567", DOI: "10.5555/kettles", Text: jats}, all, "the published version", "http://europepmc.example/PMC1234567/fullTextXML"},
		"an author's manuscript in Europe PMC": {nil, web.PMC{ID: "PMC1234567", DOI: "10.5555/kettles", Text: jats, Manuscript: true}, all, "the accepted version", "http://europepmc.example/PMC1234567/fullTextXML"},
		"a preprint in Europe PMC":             {nil, web.PMC{ID: "PMC1234567", DOI: "10.5555/kettles", Text: jats, Preprint: true}, all, "a preprint", "http://europepmc.example/PMC1234567/fullTextXML"},
		"Europe PMC has no text":               {nil, web.PMC{ID: "PMC1234567", DOI: "10.5555/kettles"}, all, "", ""},
		"Unpaywall":                            {[]web.OpenCopy{accepted}, web.PMC{}, func(o *archive.Options) { o.OpenAlex = "" }, "the accepted version", "http://library.example/1"},
		"Unpaywall, and nobody says who asks":  {[]web.OpenCopy{accepted}, web.PMC{}, func(o *archive.Options) { o.OpenAlex, o.Contact = "", "" }, "", ""},
		"Unpaywall is off too":                 {[]web.OpenCopy{accepted}, web.PMC{}, func(o *archive.Options) { o.OpenAlex, o.Unpaywall = "", "" }, "", ""},
		"Europe PMC is off":                    {nil, web.PMC{ID: "PMC1234567", DOI: "10.5555/kettles", Text: jats}, func(o *archive.Options) { o.EuropePMC = "" }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := web.Start(t, shut,
				web.Page{URL: "http://library.example/1", Body: paper("As accepted.")},
				web.Page{URL: "http://arxiv-api.example/pdf/2101.00001", MIME: "application/pdf", Body: web.PDF("Kettles in winter", "Ada Example", strings.Repeat("As first written, in a PDF. ", 20))})
			require.NoError(t, w.Know(web.Work{DOI: "10.5555/kettles", Title: "Kettles in winter", Year: 2021, Landing: shut.URL, Copies: c.copies}, c.pmc))
			o := w.Options()
			c.change(&o)
			a, err := archive.Open(t.TempDir(), o)
			require.NoError(t, err)
			snap, err := a.Fetch(t.Context(), "doi:10.5555/kettles")
			require.NoError(t, err)
			if c.version == "" {
				require.Equal(t, archive.Blocked, snap.State, snap.Warnings)
				require.Nil(t, snap.Version)
			} else {
				require.Equal(t, archive.Live, snap.State, snap.Reason)
				require.Equal(t, &archive.Version{Name: c.version, URL: c.from}, snap.Version)
				require.Contains(t, strings.Join(snap.Warnings, "\n"), archive.OpenCopy+": "+c.version)
			}
			for _, r := range w.Requests() {
				require.False(t, o.OpenAlex == "" && strings.HasPrefix(r.URL, "http://openalex.example"), r.URL)
				require.False(t, (o.Unpaywall == "" || o.Contact == "") && strings.HasPrefix(r.URL, "http://unpaywall.example"), r.URL)
				require.False(t, o.EuropePMC == "" && strings.HasPrefix(r.URL, "http://europepmc.example"), r.URL)
			}
		})
	}
}

func TestAPaperOfPubMedCentralIsReadThoughItsPageIsShut(t *testing.T) {
	w := web.Start(t, web.Page{URL: "http://pmc.ncbi.nlm.nih.gov/", Body: "-"})
	require.NoError(t, w.Know(web.PMC{ID: "PMC1234567", Text: `<article article-type="research-article"><body><p>Kettles boil.</p></body></article>`}))
	for _, service := range []string{w.Options().EuropePMC, ""} {
		o := w.Options()
		o.EuropePMC = service
		a, err := archive.Open(t.TempDir(), o)
		require.NoError(t, err)
		snap := fetch(t, a, "PMC1234567")
		require.Equal(t, service != "", snap.State.Readable(), snap.Reason)
	}
}

// What is offered as a copy and is another paper, a notice of it, what an archive of the
// web has of the publisher's page, or a private address, is none.
func TestACopyThatIsNotThePaperIsNone(t *testing.T) {
	titled := func(title, meta string) string {
		return strings.ReplaceAll(strings.Replace(paper("Read here."), "<head>", "<head>"+meta, 1), "Kettles in winter", title)
	}
	doi := func(s string) string { return `<meta name="citation_doi" content="` + s + `">` }
	const at = "http://library.example/1"
	for name, c := range map[string]struct {
		body, address, version string
		status                 int
		says                   string // "" where it is none
	}{
		"the paper, by its DOI":              {body: titled("Kettles in winter", doi("10.5555/kettles")), version: "publishedVersion", says: "the published version"},
		"a preprint with a DOI of its own":   {body: titled("Kettles in the cold", doi("10.5555/preprint.9")) + "Kettles winter", version: "submittedVersion", says: "a preprint"},
		"another paper of the same title":    {body: titled("Kettles in winter", doi("10.5555/others")), version: "publishedVersion"},
		"another paper, of which none tells": {body: titled("The economics of dairy farming", ""), version: "submittedVersion"},
		"another paper with its short words": {body: titled("Milk in towns", ""), version: "acceptedVersion"},
		"a correction of it":                 {body: titled("Correction to: Kettles in winter", ""), version: "publishedVersion"},
		"a reply to it":                      {body: titled("Reply to Kettles in winter", ""), version: "acceptedVersion"},
		"its supplement":                     {body: titled("Supplementary material for Kettles in winter", ""), version: "publishedVersion"},
		"a copy that is gone":                {status: 404, body: "gone", version: "publishedVersion"},
		"the service of a cloud":             {address: "http://169.254.169.254/latest/meta-data", version: "publishedVersion"},
		"this machine":                       {address: "http://127.0.0.1:80/", version: "publishedVersion"},
		"a file":                             {address: "file:///etc/passwd", version: "publishedVersion"},
	} {
		t.Run(name, func(t *testing.T) {
			landing := web.Page{URL: "http://press.example/kettles", Status: 403, Body: "<h1>Access denied</h1>"}
			w := web.Start(t, landing, web.Page{URL: at, Status: c.status, Body: c.body})
			address := c.address
			if address == "" {
				address = at
			}
			require.NoError(t, w.Know(
				web.Work{DOI: "10.5555/kettles", Title: "Kettles in winter", Year: 2021, Landing: landing.URL, Copies: []web.OpenCopy{{Landing: address, Version: c.version}}},
				web.Capture{URL: "https://doi.org/10.5555/kettles", Time: "20200102030405", Body: paper("The publisher's page as it was.")}))
			o := w.Options()
			if c.address != "" {
				o.AllowPrivate = []string{"press.example", "doi.example", "crossref.example", "openalex.example", "unpaywall.example", "europepmc.example"}
			}
			a, err := archive.Open(t.TempDir(), o)
			require.NoError(t, err)
			snap, err := a.Fetch(t.Context(), "doi:10.5555/kettles")
			require.NoError(t, err)
			if c.says == "" {
				require.Equal(t, archive.Blocked, snap.State, snap.Final)
				require.Nil(t, snap.Version)
				return
			}
			require.Equal(t, &archive.Version{Name: c.says, URL: at}, snap.Version)
		})
	}
}

// A registry may call a preprint published: on arXiv there are preprints. What stands in
// PubMed Central may be the author's manuscript.
func TestAVersionIsNotTakenOnAWordAlone(t *testing.T) {
	const jats = `<article article-type="research-article"><body><p>Kettles boil.</p></body></article>`
	w := web.Start(t, web.Page{URL: "http://press.example/kettles", Status: 403, Body: "<h1>Access denied</h1>"}, web.Page{URL: "http://pmc.ncbi.nlm.nih.gov/", Body: "-"},
		web.Page{URL: "http://arxiv-api.example/pdf/2101.00001", MIME: "application/pdf", Body: web.PDF("Kettles in winter", "Ada Example", strings.Repeat("As first written, in a PDF. ", 20))})
	require.NoError(t, w.Know(
		web.Work{DOI: "10.5555/kettles", Title: "Kettles in winter", Year: 2021, Landing: "http://press.example/kettles", Copies: []web.OpenCopy{{PDF: "https://arxiv.org/pdf/2101.00001", Version: "publishedVersion"}}},
		web.PMC{ID: "PMC1234567", DOI: "10.5555/other", Text: jats, Manuscript: true}))
	a, err := archive.Open(t.TempDir(), w.Options())
	require.NoError(t, err)
	require.Equal(t, "a preprint", fetch(t, a, "doi:10.5555/kettles").Version.Name)
	require.Equal(t, "the accepted version", fetch(t, a, "PMC1234567").Version.Name)
}

// A page that is as short as an abstract stands back behind a whole paper, and where there
// is no other it is said to be a part: what is not on it may stand in the paper.
func TestAPageThatTellsOfAPaperIsNotTheWhole(t *testing.T) {
	whole := paper("As accepted." + strings.Repeat(" It was measured in yet another house, by other people.", 150))
	abstract, repository := web.OpenCopy{Landing: "http://library.example/abstract", Version: "acceptedVersion"}, web.OpenCopy{Landing: "http://preprints.example/1", Version: "submittedVersion"}
	for name, c := range map[string]struct {
		copies []web.OpenCopy
		from   string
		part   bool
	}{
		"the abstract alone":           {[]web.OpenCopy{abstract}, abstract.Landing, true},
		"the abstract and a whole one": {[]web.OpenCopy{abstract, repository}, repository.Landing, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := web.Start(t, web.Page{URL: "http://press.example/kettles", Status: 403, Body: "<h1>Access denied</h1>"},
				web.Page{URL: abstract.Landing, Body: paper("As accepted.")}, web.Page{URL: repository.Landing, Body: whole})
			require.NoError(t, w.Know(web.Work{DOI: "10.5555/kettles", Title: "Kettles in winter", Landing: "http://press.example/kettles", Copies: c.copies}))
			a, err := archive.Open(t.TempDir(), w.Options())
			require.NoError(t, err)
			snap := fetch(t, a, "doi:10.5555/kettles")
			require.Equal(t, c.from, snap.Final)
			_, part := snap.Partial()
			require.Equal(t, c.part, part, snap.Warnings)
		})
	}
}
