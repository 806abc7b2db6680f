// Package export writes a finished research in other forms: a page of HTML
// that opens every quotation in its archived passage, LaTeX, lists of
// references for other programs, and JSON from which the score can be reckoned
// again.
//
// All forms come from one [Publication]: the final report as Markdown and what
// it rests on. References are read off the report once, so in every form each
// citation leads to one reference, no source stands twice and none stands
// uncited. Whatever is foreign, and that is nearly everything, is escaped;
// nothing is loaded from elsewhere.
//
// A campaign's report and plan are [Paper]s: their sections come as Markdown,
// their findings from the registry, their methodology from what was counted.
// [Typeset] sets them as LaTeX in a template that people may replace.
//
// Writing the report itself is left to package report, reading files and the
// archive to whoever asks.
package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/provenance"
	"github.com/research-council/research-council/internal/evidence/score"
)

// Publication is a finished research.
type Publication struct {
	Report   []byte // the final report in Markdown, as package report wrote it
	ID       string // of the run
	Topic    string // the person's question
	Written  time.Time
	Maker    string // the program and its version
	Registry claim.Registry
	Score    *score.Result     // nil where none was reckoned
	Sources  map[string]Source // what is known of sources, by their keys

	Texts  func(hash string) string // an archived text by its SHA-256, "" where it is not kept; nil for none
	Course []Stage                  // how the run went; nil where that is not known
	Uses   []status.Use             // what each seat has used in each role
}

// Stage is a stage of a run that was gone through once.
type Stage struct {
	Name         string
	Began, Ended time.Time
	Seats        []string // who worked in it
	Outcome      string   // what its gate said
}

// Source is what an archive knows of a source. Words are the web's.
type Source struct {
	Title     string    `json:"title,omitempty"`
	Authors   []string  `json:"authors,omitempty"`
	Published string    `json:"published,omitempty"` // begins with the year, or is the page's own words
	State     string    `json:"state,omitempty"`     // live, moved, blocked, stale, gone, …
	Reason    string    `json:"reason,omitempty"`
	Final     string    `json:"final,omitempty"` // the address the bytes came from
	MIME      string    `json:"mime,omitempty"`
	Version   string    `json:"version,omitempty"` // which of its versions was read, in words
	Fetched   time.Time `json:"fetched,omitzero"`
	Body      string    `json:"body,omitempty"` // SHA-256 of the archived bytes, hexadecimal
	Text      string    `json:"text,omitempty"` // SHA-256 of their text
	Retracted bool      `json:"retracted,omitempty"`
	Notice    string    `json:"notice,omitempty"` // what a registry of papers says against it
}

// Form is a form a publication can be written in.
type Form string

const (
	Markdown Form = "md"
	HTML     Form = "html"     // one file with nothing outside it
	TeX      Form = "tex"      // an article with its references; cites by the keys of BibTeX
	BibTeX   Form = "bib"      // the references alone, as are the next two
	CSL      Form = "csl-json" // of the Citation Style Language
	RIS      Form = "ris"
	JSON     Form = "json" // everything the score follows from
)

// Forms lists them.
func Forms() []Form { return []Form{Markdown, HTML, TeX, BibTeX, CSL, RIS, JSON} }

// Extension is how names of files of the form end.
func (f Form) Extension() string {
	if f == CSL {
		return ".csl.json"
	}
	return "." + string(f)
}

// ErrForm says that there is no such form.
var ErrForm = errors.New("no such form")

// ParseForm reads the name of a form.
func ParseForm(name string) (Form, error) {
	f := Form(strings.ToLower(strings.TrimSpace(name)))
	if !slices.Contains(Forms(), f) {
		return "", fmt.Errorf("%w: %q", ErrForm, name)
	}
	return f, nil
}

// Write writes a publication in a form. The same publication gives the same
// bytes. The error is ErrForm, or one that no publication causes.
func Write(p Publication, f Form) ([]byte, error) {
	if f == Markdown {
		return provenance.Markdown(p.Report, p.ID), nil
	}
	e := parsePublication(p)
	switch f {
	case HTML:
		return e.html(), nil
	case TeX:
		return provenance.Comment(e.tex(), "%", p.ID), nil
	case BibTeX:
		return provenance.Comment(e.bibtex(), "%", p.ID), nil
	case CSL:
		return e.csl()
	case RIS:
		return e.ris(), nil
	case JSON:
		return e.json()
	}
	return nil, fmt.Errorf("%w: %q", ErrForm, f)
}
