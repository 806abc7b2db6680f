package archive

import (
	"context"
	"encoding/json"
	"errors"
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

// versions are OpenAlex's words for versions, the best first, and people's.
var versions = []struct{ word, name string }{
	{"publishedVersion", "the published version"}, {"acceptedVersion", "the accepted version"}, {"submittedVersion", "a preprint"},
}

// fromOpenCopy fetches an open copy of a paper whose own page is closed to us, or shows
// its beginning alone. Where there is none that can be read, the snapshot is as it was.
func (a *Archive) fromOpenCopy(ctx context.Context, src source.Source, snap Snapshot) (Snapshot, error) {
	closed := snap.State == Blocked || snap.State == Unreachable || snap.State.Readable() && extract.HasWarning(snap.Warnings, extract.Paywall)
	if src.Kind != source.DOI || a.o.OpenAlex == "" || !closed {
		return snap, nil
	}
	_, doi, _ := strings.Cut(src.Key, ":")
	copies, err := a.papers.openCopies(ctx, doi)
	if err != nil {
		return snap, ctx.Err() // without the registry the page is all there is
	}
	for _, c := range copies {
		next, err := a.fetchAddress(ctx, src, c.address)
		if err != nil {
			return snap, err
		}
		if next.State.Readable() && !extract.HasWarning(next.Warnings, extract.Paywall) {
			next.Asked = snap.Asked
			next.Warnings = append(next.Warnings, OpenCopy+": "+c.name()+", since "+reasonOf(snap))
			return next, nil
		}
	}
	return snap, nil
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

// openCopies asks OpenAlex where a paper can be read, the best version first.
// https://docs.openalex.org/api-entities/works/work-object
func (p paperRegistries) openCopies(ctx context.Context, doi string) ([]openCopy, error) {
	body, err := p.web.fetchData(ctx, p.o.OpenAlex+"/works/doi:"+doiPath(doi)+"?select=locations", "application/json")
	if errors.Is(err, errUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var work struct {
		Locations []struct {
			Open    bool   `json:"is_oa"`
			PDF     string `json:"pdf_url"`
			Landing string `json:"landing_page_url"`
			Version string `json:"version"`
		} `json:"locations"`
	}
	if err := json.Unmarshal(body, &work); err != nil {
		return nil, fmt.Errorf("read where a paper is open: %w", err)
	}
	var list []openCopy
	for _, l := range work.Locations {
		address := l.PDF
		if address == "" {
			address = l.Landing
		}
		if u, err := url.Parse(address); l.Open && err == nil && u.Host != "" && !resolverOfDOIs(address) {
			list = append(list, openCopy{address, l.Version})
		}
	}
	slices.SortStableFunc(list, func(a, b openCopy) int { return a.rank() - b.rank() })
	return list[:min(len(list), maxCopies)], nil
}
