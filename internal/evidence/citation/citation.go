// Package citation reads anybody's report: what it states, what it cites for
// it, and what is wrong with how it cites.
//
// [Parse] takes Markdown or HTML of any make and gives its statements, each
// with the references it leans on, the quotations and the numbers in it; the
// references, each with its identity; and the faults of structure that can be
// seen without opening a source. Every place is a span of bytes of the report
// and a line. Any bytes may come; time is about linear in their number.
//
// Nothing is fetched, and nothing is said about whether a source exists, holds
// a quotation or supports a statement.
//
// Markdown is read line by line here, not by package commonmark, which was tried.
// A report is anybody's: of a text made to cost time, 128 KiB of nested quotation
// marks kept that reader busy for 19 s, of unclosed emphasis for more than 20,
// 64 KiB of nested links for 13 and 256 KiB of a table for 6, growing with the
// square of the length and more, where this one takes under a second for each and
// is given 16 MiB. Links have no place of their own in its tree, only their words
// have, a definition has none at all, and what people write for footnotes and
// entries ([1] at the start of a line, a marker behind a fence) is none to it. On a
// hundred reports of the usual kind it is five times as fast, at 0.18 s a MiB.
package citation

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/citation/stated"
	"github.com/research-council/research-council/internal/evidence/source"
)

// Limit bounds a report, in bytes. A long report is a hundredth of it.
const Limit = 16 << 20

var (
	// ErrTooLarge says that a report is longer than [Limit].
	ErrTooLarge = fmt.Errorf("longer than %d MiB, which no report is", Limit>>20)
	// ErrBinary says that something is no text.
	ErrBinary = errors.New("no text in UTF-8 or UTF-16")
)

// Document is a report as far as it cites.
type Document struct {
	Title      string      `json:"title,omitempty"` // its first heading
	Words      int         `json:"words"`           // of running text; two ideographs count as one
	Sentences  int         `json:"sentences"`       // of running text, with or without references
	Statements []Statement `json:"statements"`
	References []Reference `json:"references"`
	Quotations []Quotation `json:"quotations,omitempty"` // that stand below an entry of a list of sources, and are of it
	Findings   []Finding   `json:"findings"`
	Understood bool        `json:"understood"`     // its way to cite is one of those that can be read
	Seen       []Seen      `json:"seen,omitempty"` // what stands where markers do, where it is not
}

// Statement is a sentence that refers to sources. Where its markers lead
// nowhere it has no references.
type Statement struct {
	Text       string          `json:"text"`    // the sentence without its markers, white space single
	Passage    string          `json:"passage"` // the sentence and those before it, back to the last reference of the paragraph
	Start      int             `json:"start"`   // the sentence's bytes in the report,
	End        int             `json:"end"`     // End exclusive
	Line       int             `json:"line"`    // on which it begins, from 1
	Markers    []string        `json:"markers"` // as they are written, those that lead nowhere with them: numbers, a link's words
	References []int           `json:"references"`
	Quotations []Quotation     `json:"quotations,omitempty"` // of the passage
	Numbers    []stated.Number `json:"numbers,omitempty"`    // of the sentence, outside its quotations
}

// Quotation is what a report puts in quotation marks, three words at least, or
// sets apart as a quotation.
type Quotation struct {
	Text       string `json:"text"` // without the marks
	Start      int    `json:"start"`
	End        int    `json:"end"`
	Line       int    `json:"line"`
	Block      bool   `json:"block,omitempty"` // set apart, without marks
	References []int  `json:"references"`      // where its words should stand, by the marker nearest to it
}

// Reference is a source as a report cites it.
type Reference struct {
	Label  string      `json:"label,omitempty"` // its number or name in the report's list; "" for a link in the text
	Listed bool        `json:"listed"`          // it stands in a list of sources or among the footnotes
	Text   string      `json:"text,omitempty"`  // the entry without label and address, or the link's words
	Title  string      `json:"title,omitempty"` // as far as it can be told from the rest of the entry
	By     string      `json:"by,omitempty"`    // the authors, likewise
	Year   int         `json:"year,omitempty"`  // likewise; 0 when none is given
	URL    string      `json:"url,omitempty"`   // or path with lines, or identifier, as it was written
	Key    string      `json:"key,omitempty"`   // identity, by [source.Identify]; "" where nothing leads to the source
	Kind   source.Kind `json:"kind,omitempty"`
	Start  int         `json:"start"`
	End    int         `json:"end"`
	Line   int         `json:"line"`
	Cited  int         `json:"cited"` // statements that refer to it
}

// isRemark reports a note that says something and names no source: it has no
// address, no year and no title.
func (r Reference) isRemark() bool {
	return r.URL == "" && r.Year == 0 && r.Title == "" && words.Count(r.Text) > 3
}

// Name is what to call a reference in a sentence.
func (r Reference) Name() string {
	switch {
	case r.Label != "":
		return "[" + r.Label + "]"
	case r.URL != "":
		return r.URL
	}
	return fmt.Sprintf("the entry in line %d", r.Line)
}

// Fault is what can be wrong with how a report cites.
type Fault string

const (
	Dangling   Fault = "dangling"    // a marker without a reference
	Duplicate  Fault = "duplicate"   // one source listed under several labels
	Unused     Fault = "unused"      // a listed reference that nothing in the text refers to
	NoAddress  Fault = "no-address"  // a listed reference that leads nowhere
	SameLabel  Fault = "same-label"  // two references under one label
	Gap        Fault = "gap"         // numbers left out of the list
	NoList     Fault = "no-list"     // markers, and no list of sources
	NoMarkers  Fault = "no-markers"  // a list of sources, and no marker
	NoSources  Fault = "no-sources"  // neither
	SecondList Fault = "second-list" // another list of sources, without addresses, that no marker can mean
	Leftover   Fault = "leftover"    // a writing tool's own reference token, which leads nowhere
	Style      Fault = "style"       // sources are referred to in a way that is not understood
	EmptyLink  Fault = "empty-link"  // a link without an address
	Ambiguous  Fault = "ambiguous"   // a marker that can mean several references
	OtherHost  Fault = "other-host"  // a link whose words name another host than it leads to
	Elsewhere  Fault = "elsewhere"   // a marker that links to another address than its reference
	Unreadable Fault = "bad-address" // an address that is none
)

// Finding is one fault of structure.
type Finding struct {
	Fault      Fault    `json:"fault"`
	Line       int      `json:"line"` // where it is first seen; 0 for the whole report
	Times      int      `json:"times,omitempty"`
	Labels     []string `json:"labels,omitempty"`
	References []int    `json:"references,omitempty"`
	Detail     string   `json:"detail"` // a sentence that explains it
}

// Parse reads a report. The MIME type may be empty: HTML is then told from
// Markdown by how the text begins. The error is [ErrTooLarge] or [ErrBinary].
func Parse(report []byte, mime string) (Document, error) {
	if len(report) > Limit {
		return Document{}, ErrTooLarge
	}
	text, err := decode(report)
	if err != nil {
		return Document{}, err
	}
	var blocks []block
	if isHTML(text, mime) {
		blocks = htmlBlocks(text)
	} else {
		blocks = markdownBlocks(text)
	}
	return newDocumentBuilder(text, blocks).build(), nil
}

// decode gives text in UTF-8. Few broken bytes are forgiven: a report may quote
// them.
func decode(report []byte) (string, error) {
	switch {
	case bytes.HasPrefix(report, []byte("\xff\xfe")):
		return fromUTF16(report[2:], 0, 1), nil
	case bytes.HasPrefix(report, []byte("\xfe\xff")):
		return fromUTF16(report[2:], 1, 0), nil
	case bytes.IndexByte(report, 0) >= 0:
		return "", ErrBinary
	}
	broken := 0
	for b := report; len(b) > 0; {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			broken++
		}
		b = b[size:]
	}
	if broken*100 > len(report) {
		return "", ErrBinary
	}
	return string(report), nil
}

func fromUTF16(b []byte, low, high int) string {
	units := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		units = append(units, uint16(b[i+low])|uint16(b[i+high])<<8)
	}
	return string(utf16.Decode(units))
}

func isHTML(text, mime string) bool {
	kind, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(mime)), ";")
	switch strings.TrimSpace(kind) {
	case "text/html", "application/xhtml+xml":
		return true
	case "":
		head := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(text[:min(len(text), 1000)], "\ufeff")))
		for _, begins := range []string{"<!doctype html", "<html", "<?xml", "<head", "<body", "<article", "<main"} {
			if strings.HasPrefix(head, begins) {
				return true
			}
		}
	}
	return false
}

// lineStarts tells lines from bytes.
type lineStarts []int // where each line begins

func newLineStarts(text string) lineStarts {
	starts := lineStarts{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}
