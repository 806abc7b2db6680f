package archive

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

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

// versions are OpenAlex's words for versions, the best first, and people's.
var versions = []struct{ word, name string }{
	{publishedVersion, "the published version"}, {"acceptedVersion", "the accepted version"}, {"submittedVersion", "a preprint"},
}

// finder gives places of a paper, the best version first.
type finder func(ctx context.Context, doi string) ([]openCopy, error)

// fromOpenCopy fetches an open copy of a paper whose own page is closed to us, or shows
// its beginning alone. Where there is none that can be read, the snapshot is as it was.
func (a *Archive) fromOpenCopy(ctx context.Context, src source.Source, snap Snapshot) (Snapshot, error) {
	if !isClosed(snap) {
		return snap, nil
	}
	_, id, _ := strings.Cut(src.Key, ":")
	switch src.Kind {
	case source.PMC:
		if a.o.EuropePMC == "" {
			return snap, nil
		}
		snap, _, err := a.fromCopies(ctx, src, snap, []openCopy{{address: a.papers.fullText("PMC" + id), version: publishedVersion}})
		return snap, err
	case source.DOI:
	default:
		return snap, nil
	}
	for _, find := range []finder{a.papers.openAlexCopies, a.papers.unpaywallCopies, a.papers.europePMCCopies} {
		copies, err := find(ctx, id)
		if ctx.Err() != nil {
			return snap, ctx.Err()
		}
		if err != nil {
			continue // without a registry there are the others, and the page
		}
		if next, read, err := a.fromCopies(ctx, src, snap, copies); read || err != nil {
			return next, err
		}
	}
	return snap, nil
}

// isClosed reports whether a source is there and was not read whole.
func isClosed(snap Snapshot) bool {
	return snap.State == Blocked || snap.State == Unreachable || snap.State.Readable() && extract.HasWarning(snap.Warnings, extract.Paywall)
}

// fromCopies fetches the first of some copies that can be read, else gives the snapshot
// as it was, and false.
func (a *Archive) fromCopies(ctx context.Context, src source.Source, snap Snapshot, copies []openCopy) (Snapshot, bool, error) {
	for _, c := range copies[:min(len(copies), maxCopies)] {
		for _, address := range a.placesOf(c) {
			next, err := a.fetchAddress(ctx, src, address)
			if err != nil {
				return snap, false, err
			}
			if next.State.Readable() && !extract.HasWarning(next.Warnings, extract.Paywall) {
				next.Asked, next.Version = snap.Asked, &Version{Name: c.name(), URL: next.Final}
				next.Warnings = append(next.Warnings, OpenCopy+": "+c.name()+", since "+reasonOf(snap))
				return next, true, nil
			}
		}
	}
	return snap, false, nil
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

// europePMCCopies asks Europe PMC whether it has the text of a paper.
// https://europepmc.org/RestfulWebService
func (p paperRegistries) europePMCCopies(ctx context.Context, doi string) (list []openCopy, err error) {
	var found struct {
		List struct {
			Results []struct {
				ID         string `json:"pmcid"`
				Source     string `json:"source"`      // PPR is a server of preprints
				Whole      string `json:"inEPMC"`      // Y, N
				Manuscript string `json:"authMan"`     // of the author, as it was accepted
				Funded     string `json:"epmcAuthMan"` // as that
			} `json:"result"`
		} `json:"resultList"`
	}
	query := url.Values{"query": {`DOI:"` + doi + `"`}, "resultType": {"core"}, "format": {"json"}}
	err = p.ask(ctx, p.o.EuropePMC, "/search?"+query.Encode(), &found)
	for _, r := range found.List.Results {
		c := openCopy{p.fullText(r.ID), publishedVersion}
		switch {
		case r.ID == "" || r.Whole != "Y":
			continue
		case r.Source == "PPR":
			c.version = "submittedVersion"
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
