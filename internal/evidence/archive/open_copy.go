package archive

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/extract"
	"github.com/research-council/research-council/internal/evidence/source"
)

// OpenCopy begins the warning of a snapshot whose text is that of an open copy of a
// paper, and not of the publisher's page: it says which version, and where from.
const OpenCopy = "open copy"

// openCopy is where a paper can be read by everybody.
type openCopy struct {
	address string
	version string // as OpenAlex has it
}

// publishedVersion is OpenAlex's word for what the publisher has made public.
const publishedVersion = "publishedVersion"

// submittedVersion is its word for what nobody has reviewed.
const submittedVersion = "submittedVersion"

// versions are OpenAlex's words for versions, the best first, and people's.
var versions = []struct{ word, name string }{
	{publishedVersion, "the published version"}, {"acceptedVersion", "the accepted version"}, {submittedVersion, "a preprint"},
}

// finder gives places of a paper, the best version first.
type finder func(ctx context.Context, doi string) ([]openCopy, error)

// fromOpenCopy fetches an open copy of a paper whose own page is closed to us, or shows
// its beginning alone. Where there is none that can be read, the snapshot is as it was.
func (a *Archive) fromOpenCopy(ctx context.Context, src source.Source, snap Snapshot, record *Record) (Snapshot, error) {
	if !isClosed(snap) {
		return snap, nil
	}
	s := copySearch{archive: a, src: src, closed: snap, tried: map[openCopy]bool{}}
	_, id, _ := strings.Cut(src.Key, ":")
	switch {
	case src.Kind == source.PMC && a.o.EuropePMC != "":
		return s.inPMC(ctx, "PMC"+id)
	case src.Kind == source.DOI:
		if record != nil {
			s.title = record.Title
		}
		return s.byDOI(ctx, id)
	}
	return snap, nil
}

// isClosed reports whether a source is there and was not read whole.
func isClosed(snap Snapshot) bool {
	return snap.State == Blocked || snap.State == Unreachable || snap.State.Readable() && extract.HasWarning(snap.Warnings, extract.Paywall)
}

// copySearch looks for an open copy of a paper.
type copySearch struct {
	archive *Archive
	src     source.Source
	title   string            // of the paper; "" where it is not known
	closed  Snapshot          // what its own page gave
	tried   map[openCopy]bool // since registries know the same copies
}

// inPMC is a copy of a paper that is known by its id in PubMed Central.
func (s copySearch) inPMC(ctx context.Context, id string) (Snapshot, error) {
	papers := s.archive.papers
	copies, err := papers.inEuropePMC(ctx, "PMCID:"+id, func(r europePMCResult) bool { return r.ID == id })
	if ctx.Err() != nil {
		return s.closed, ctx.Err()
	}
	if len(copies) == 0 || err != nil { // it may have the text and not tell which version that is
		copies = []openCopy{{address: papers.fullText(id)}}
	}
	snap, _, err := s.among(ctx, copies)
	return snap, err
}

// byDOI is a copy that one of the registries knows, which are asked in turn.
func (s copySearch) byDOI(ctx context.Context, doi string) (Snapshot, error) {
	papers := s.archive.papers
	for _, find := range []finder{papers.openAlexCopies, papers.unpaywallCopies, papers.europePMCCopies} {
		copies, err := find(ctx, doi)
		if ctx.Err() != nil {
			return s.closed, ctx.Err()
		}
		if err != nil {
			continue // without a registry there are the others, and the page
		}
		if snap, read, err := s.among(ctx, copies); read || err != nil {
			return snap, err
		}
	}
	return s.closed, nil
}

// among fetches the first of some copies that can be read and are of the paper, else gives
// what the paper's own page gave, and false. A short page may only tell of the paper: it is
// taken where no other copy is whole, and said to be one.
func (s copySearch) among(ctx context.Context, copies []openCopy) (Snapshot, bool, error) {
	var page *Snapshot
	for _, c := range copies[:min(len(copies), maxCopies)] {
		for _, address := range s.archive.placesOf(c) {
			next, read, err := s.read(ctx, openCopy{address, c.version})
			if err != nil {
				return s.closed, false, err
			}
			if !read {
				continue
			}
			if next.MIME != "text/html" || next.Chars >= shortPaper {
				return next, true, nil
			}
			if page == nil {
				next.Warnings = append(next.Warnings, extract.Paywall+": a page this short may show no more than the abstract")
				page = &next
			}
		}
	}
	if page != nil {
		return *page, true, nil
	}
	return s.closed, false, nil
}

// read fetches a copy that was not tried before; it is false where that is not the paper.
func (s copySearch) read(ctx context.Context, c openCopy) (Snapshot, bool, error) {
	if s.tried[c] {
		return Snapshot{}, false, nil
	}
	s.tried[c] = true
	next, err := s.archive.fetchAddress(ctx, s.src, c.address)
	if err != nil {
		return next, false, err
	}
	text := ""
	if next.Text != "" {
		if text, err = s.archive.Text(next); err != nil {
			return next, false, err
		}
	}
	if !s.isShown(next, c, text) {
		return next, false, nil
	}
	next.Asked, next.Version = s.closed.Asked, &Version{Name: c.name(), URL: next.Final}
	next.Warnings = append(next.Warnings, OpenCopy+": "+c.name()+", since "+reasonOf(s.closed))
	return next, true, nil
}

// isShown reports whether what came of a copy is one, and of the paper: it stands at the
// copy's own address, names no other paper's DOI, which only a preprint has, and its title
// or its beginning has the words of the paper's title, where that is known.
func (s copySearch) isShown(next Snapshot, c openCopy, text string) bool {
	if !next.State.Readable() || next.State == Stale || next.Text == "" || extract.HasWarning(next.Warnings, extract.Paywall) {
		return false // what an archive of the web has is the publisher's page
	}
	own := source.Identify("doi:" + next.DOI)
	switch {
	case s.src.Kind == source.DOI && own.Kind == source.DOI && own.Key != s.src.Key && c.version != submittedVersion:
		return false
	case s.title == "":
		return true
	case noticePrefix().MatchString(next.Title) && !noticePrefix().MatchString(s.title):
		return false
	case next.Title != "" && similarTitles(s.title, next.Title):
		return true
	}
	return hasMostWords(text[:min(len(text), titleSearch)], s.title)
}

// shortPaper is how long at least the page of a whole paper is, in bytes.
const shortPaper = 6 << 10

// titleSearch is in how much of a text the title of its paper is looked for, in bytes.
const titleSearch = 20 << 10

// noticePrefix is how titles begin of what is said of a paper or goes with it, and is not
// the paper.
var noticePrefix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:(?:publisher|author)(?:['’]?s)? )?(?:correction|corrigendum|corrigenda|erratum|errata|addendum|retraction|expression of concern|reply|response|comment|commentary|review|peer review|supplement|supplementary (?:material|information|data)s?|supporting information)(?: (?:note|notice|file|report))?(?:\s*:| (?:to|on|of|for)\b)`)
})

// hasMostWords reports whether a text has half of the words of a title that are no short
// ones, which every text has.
func hasMostWords(text, title string) bool {
	there := map[string]bool{}
	for _, w := range normalisedWords(text) {
		there[w] = true
	}
	wanted := slices.DeleteFunc(normalisedWords(title), func(w string) bool { return len(w) < 4 })
	found := 0
	for _, w := range wanted {
		if there[w] {
			found++
		}
	}
	return 2*found >= len(wanted) || len(wanted) < 2 // a word may be a whole title in Chinese
}

// placesOf are addresses of a copy: those of arXiv and of PubMed Central are asked where
// programs are served.
func (a *Archive) placesOf(c openCopy) []string {
	known := source.Identify(c.address)
	_, id, _ := strings.Cut(known.Key, ":")
	switch {
	case known.Kind == source.ArXiv && a.o.ArXiv != "":
		return a.addresses(c.address, known)
	case known.Kind == source.PMC && a.o.EuropePMC != "":
		return []string{a.papers.fullText("PMC" + id), c.address}
	}
	return []string{c.address}
}

func reasonOf(snap Snapshot) string {
	if snap.State.Readable() {
		return "the publisher's page shows only the beginning"
	}
	return "the publisher's page cannot be read (" + snap.Reason + ")"
}

func (c openCopy) name() string {
	for _, v := range versions {
		if v.word == c.version {
			return v.name
		}
	}
	return "a version nobody has named"
}

func (c openCopy) rank() int {
	for i, v := range versions {
		if v.word == c.version {
			return i
		}
	}
	return len(versions)
}

// maxCopies bounds the copies that are tried.
const maxCopies = 3

// best are copies, those of the best version first.
func best(list []openCopy) []openCopy {
	list = slices.DeleteFunc(list, func(c openCopy) bool {
		u, err := url.Parse(c.address)
		return err != nil || u.Host == "" || resolverOfDOIs(c.address)
	})
	for i, c := range list {
		if source.Identify(c.address).Kind == source.ArXiv {
			list[i].version = submittedVersion // whatever a registry says of it
		}
	}
	slices.SortStableFunc(list, func(a, b openCopy) int { return a.rank() - b.rank() })
	return list
}

// ask reads an answer of a registry, in JSON. A registry without an address knows nothing.
func (p paperRegistries) ask(ctx context.Context, base, path string, answer any) error {
	if base == "" {
		return errUnknown
	}
	body, err := p.web.fetchData(ctx, base+path, "application/json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return fmt.Errorf("read where a paper is open: %w", err)
	}
	return nil
}

// openAlexCopies asks OpenAlex where a paper can be read.
// https://docs.openalex.org/api-entities/works/work-object
func (p paperRegistries) openAlexCopies(ctx context.Context, doi string) (list []openCopy, err error) {
	var work struct {
		Locations []struct {
			Open    bool   `json:"is_oa"`
			PDF     string `json:"pdf_url"`
			Landing string `json:"landing_page_url"`
			Version string `json:"version"`
		} `json:"locations"`
	}
	err = p.ask(ctx, p.o.OpenAlex, "/works/doi:"+doiPath(doi)+"?select=locations", &work)
	for _, l := range work.Locations {
		if l.Open {
			list = append(list, openCopy{cmp.Or(l.PDF, l.Landing), l.Version})
		}
	}
	return best(list), err
}

// unpaywallCopies asks Unpaywall, which wants to know who asks.
// https://unpaywall.org/data-format
func (p paperRegistries) unpaywallCopies(ctx context.Context, doi string) (list []openCopy, err error) {
	if p.o.Contact == "" {
		return nil, errUnknown
	}
	var work struct {
		Locations []struct {
			PDF     string `json:"url_for_pdf"`
			Landing string `json:"url_for_landing_page"`
			URL     string `json:"url"`
			Version string `json:"version"`
		} `json:"oa_locations"`
	}
	err = p.ask(ctx, p.o.Unpaywall, "/v2/"+doiPath(doi)+"?email="+url.QueryEscape(p.o.Contact), &work)
	for _, l := range work.Locations {
		list = append(list, openCopy{cmp.Or(l.PDF, l.Landing, l.URL), l.Version})
	}
	return best(list), err
}

// europePMCResult is a paper as Europe PMC lists it.
type europePMCResult struct {
	ID         string `json:"pmcid"`
	DOI        string `json:"doi"`
	Source     string `json:"source"`      // PPR is a server of preprints
	Whole      string `json:"inEPMC"`      // Y, N
	Manuscript string `json:"authMan"`     // of the author, as it was accepted
	Funded     string `json:"epmcAuthMan"` // as that
}

// europePMCCopies asks Europe PMC whether it has the text of a paper.
func (p paperRegistries) europePMCCopies(ctx context.Context, doi string) ([]openCopy, error) {
	return p.inEuropePMC(ctx, `DOI:"`+doi+`"`, func(r europePMCResult) bool { return strings.EqualFold(r.DOI, doi) })
}

// inEuropePMC asks Europe PMC for the texts of those papers it finds that are wanted.
// https://europepmc.org/RestfulWebService
func (p paperRegistries) inEuropePMC(ctx context.Context, query string, wanted func(europePMCResult) bool) (list []openCopy, err error) {
	var found struct {
		List struct {
			Results []europePMCResult `json:"result"`
		} `json:"resultList"`
	}
	asked := url.Values{"query": {query}, "resultType": {"core"}, "format": {"json"}}
	err = p.ask(ctx, p.o.EuropePMC, "/search?"+asked.Encode(), &found)
	for _, r := range found.List.Results {
		c := openCopy{p.fullText(r.ID), publishedVersion}
		switch {
		case source.Identify(r.ID).Kind != source.PMC || r.Whole != "Y" || !wanted(r):
			continue
		case r.Source == "PPR":
			c.version = submittedVersion
		case r.Manuscript == "Y" || r.Funded == "Y":
			c.version = "acceptedVersion"
		}
		list = append(list, c)
	}
	return best(list), err
}

// fullText is the address of a paper in PubMed Central, whole, as Europe PMC gives it.
// https://europepmc.org/RestfulWebService#!/Europe32PMC32Articles32RESTful32API/fullTextXML
func (p paperRegistries) fullText(id string) string {
	return p.o.EuropePMC + "/" + id + "/fullTextXML"
}
