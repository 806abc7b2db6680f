package extract

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// isJATS reports whether XML is a paper in the tags of JATS, in which archives of papers
// give them (https://jats.nlm.nih.gov/archiving/tag-library/).
func isJATS(body []byte, kind string) bool {
	if kind != "application/xml" && kind != "text/xml" {
		return false
	}
	head := body[:min(len(body), 4096)]
	return bytes.Contains(head, []byte("<article")) && (bytes.Contains(head, []byte("JATS")) || bytes.Contains(head, []byte("<journal-meta")) || bytes.Contains(head, []byte("article-type=")))
}

// fromJATS reads a paper. Its article is title, abstract and body; its references and
// notes stand around it, and so do the letters of its reviewers and their answers, which
// are articles of their own.
func fromJATS(body []byte, kind string) (Document, error) {
	d := Document{MIME: kind, Charset: "utf-8", Extractor: "jats/" + Version}
	r := jatsReader{doc: &d}
	err := r.read(decoder(body))
	d.setText(r.main, r.aside)
	if err != nil {
		d.addWarning(Damaged, Line(err.Error()))
	}
	if !r.body {
		d.addWarning(Paywall, "only what stands before the text is given")
	}
	return d, nil
}

// jatsReader writes the lines of a paper.
type jatsReader struct {
	doc         *Document
	main, aside []string
	within      []string // the elements that are open
	other       int      // how many are open when the first of another article is, as a reviewer's letter; 0 outside
	line        strings.Builder
	family      string // of a contributor
	given       string
	editor      bool // who is named is one, or the like, and no author
	body        bool // there is one
	doi         bool // what comes is one
}

// maxElements bounds how many elements of a paper are open at once.
const maxElements = 200

func (r *jatsReader) read(in *xml.Decoder) error {
	for {
		if len(r.within) > maxElements {
			r.endLine()
			return errors.New("its elements are nested too deep")
		}
		t, err := in.Token()
		switch t := t.(type) {
		case xml.StartElement:
			r.begin(t)
		case xml.EndElement:
			r.end(t.Name.Local)
		case xml.CharData:
			r.write(string(t))
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if err != nil || t == nil {
			r.endLine()
			return err
		}
	}
}

func (r *jatsReader) begin(t xml.StartElement) {
	name := t.Name.Local
	if isJATSBlock(name) && !r.in("article-title", "contrib") {
		r.endLine()
	}
	r.within = append(r.within, name)
	if r.other == 0 && (name == "response" || name == "sub-article" && !has(t, "article-type", "translation")) {
		r.other = len(r.within)
	}
	if name == "contrib" {
		r.editor = slices.ContainsFunc(t.Attr, func(a xml.Attr) bool { return a.Name.Local == "contrib-type" && a.Value != "author" })
	}
	r.body = r.body || name == "body" && r.other == 0
	if r.doi = name == "article-id" && has(t, "pub-id-type", "doi") && r.in("front"); r.doi {
		r.doc.DOI = ""
	}
}

// has reports whether an element has an attribute of a value.
func has(t xml.StartElement, name, value string) bool {
	return slices.ContainsFunc(t.Attr, func(a xml.Attr) bool { return a.Name.Local == name && a.Value == value })
}

func (r *jatsReader) end(name string) {
	switch {
	case name == "contrib":
		r.endContributor()
	case name == "td" || name == "th":
		r.line.WriteString("\t")
	case isJATSBlock(name):
		r.endLine()
	}
	if len(r.within) == r.other {
		r.other = 0
	}
	if len(r.within) > 0 {
		r.within = r.within[:len(r.within)-1]
	}
}

// endContributor takes the author who was named.
func (r *jatsReader) endContributor() {
	author := strings.TrimSpace(r.given + " " + r.family)
	if author != "" && !r.editor && r.in("front") && len(r.doc.Authors) < maxAuthors {
		r.doc.Authors = append(r.doc.Authors, shortField(Line(author)))
	}
	r.given, r.family = "", ""
}

// isJATSBlock reports whether an element stands on lines of its own.
func isJATSBlock(name string) bool {
	switch name {
	case "article-title", "abstract", "title", "sec", "p", "tr", "list-item", "caption", "label", "disp-quote", "disp-formula", "ref", "body", "back", "fn", "front":
		return true
	}
	return false
}

func (r *jatsReader) in(names ...string) bool {
	return slices.ContainsFunc(r.within, func(open string) bool { return slices.Contains(names, open) })
}

// write takes words where they belong.
func (r *jatsReader) write(words string) {
	last := ""
	if len(r.within) > 0 {
		last = r.within[len(r.within)-1]
	}
	switch {
	case last == "tex-math" || last == "alt-text" || r.in("journal-meta"):
	case r.doi && last == "article-id":
		r.doc.DOI = strings.ToLower(shortField(Line(grown(r.doc.DOI, words))))
	case r.in("contrib") && last == "surname":
		r.family = grown(r.family, words)
	case r.in("contrib") && last == "given-names":
		r.given = grown(r.given, words)
	case r.in("front", "front-stub") && !r.in("article-title", "abstract", "subtitle"):
	default:
		r.line.WriteString(words)
	}
}

// grown is a field with words more, as long as it is none that is cut anyway.
func grown(field, words string) string {
	if len(field) > maxField {
		return field
	}
	return field + words
}

// endLine ends a line of the text.
func (r *jatsReader) endLine() {
	words := strings.Join(strings.Fields(strings.ReplaceAll(r.line.String(), "\t", " \x00 ")), " ")
	words = strings.Trim(strings.ReplaceAll(words, "\x00", "\t"), " \t")
	r.line.Reset()
	switch {
	case words == "":
	case r.in("article-title") && r.in("front") && r.doc.Title == "":
		r.doc.Title = shortField(Line(words))
		r.main = append(r.main, words)
	case r.other > 0 || r.in("ref-list") || r.in("back", "floats-group") && !r.in("table-wrap"):
		r.aside = append(r.aside, NormaliseText(words))
	default:
		r.main = append(r.main, NormaliseText(words))
	}
}
