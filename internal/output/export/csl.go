package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/research-council/research-council/internal/evidence/provenance"
	"github.com/research-council/research-council/internal/evidence/source"
)

// item is a reference of CSL-JSON, as the schema csl-data names its fields.
type item struct {
	ID       string    `json:"id"`
	Type     string    `json:"type"`
	Title    string    `json:"title"`
	Author   []cslName `json:"author,omitempty"`
	Issued   *cslDate  `json:"issued,omitempty"`
	Accessed *cslDate  `json:"accessed,omitempty"`
	URL      string    `json:"URL,omitempty"`
	DOI      string    `json:"DOI,omitempty"`
	ISBN     string    `json:"ISBN,omitempty"`
	PMID     string    `json:"PMID,omitempty"`
	PMCID    string    `json:"PMCID,omitempty"`
	Number   string    `json:"number,omitempty"`
	Note     string    `json:"note,omitempty"`
	Custom   *own      `json:"custom,omitempty"`
}

// own stands in the place the schema has for what is nobody else's.
type own struct {
	Imprint string `json:"imprint"`
}

type cslName struct {
	Family  string `json:"family,omitempty"`
	Given   string `json:"given,omitempty"`
	Literal string `json:"literal,omitempty"`
}

type cslDate struct {
	Parts [][]int `json:"date-parts"`
}

// csl writes the references as CSL-JSON.
func (e *parsedPublication) csl() ([]byte, error) {
	items := []item{}
	for _, r := range e.references {
		i := r.cslItem()
		i.Custom = &own{provenance.Line(e.ID)}
		items = append(items, i)
	}
	return encode(items)
}

func (r *reference) cslItem() item {
	i := item{ID: r.Key, Type: "document", Title: r.Name, URL: r.address(), Note: r.notes(), Accessed: day(r.Source.Fetched)}
	for _, p := range r.authors() {
		i.Author = append(i.Author, cslName(p))
	}
	if parts := r.Source.date(); len(parts) > 0 {
		i.Issued = &cslDate{[][]int{parts}}
	}
	switch r.ID.Kind {
	case source.DOI:
		i.Type, i.DOI = "article-journal", r.identifier()
	case source.ArXiv:
		i.Type, i.Number = "article", r.identifier()
	case source.PMC:
		i.Type, i.PMCID = "article-journal", r.identifier()
	case source.PMID:
		i.Type, i.PMID = "article-journal", r.identifier()
	case source.ISBN:
		i.Type, i.ISBN = "book", r.identifier()
	case source.RFC:
		i.Type, i.Number = "report", "RFC "+r.identifier()
	case source.URL:
		i.Type = "webpage"
	}
	return i
}

func day(t time.Time) *cslDate {
	if t.IsZero() {
		return nil
	}
	y, m, d := t.UTC().Date()
	return &cslDate{[][]int{{y, int(m), d}}}
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return b.Bytes(), nil
}
