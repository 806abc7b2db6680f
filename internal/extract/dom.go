package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mostNodes bounds the document a page is made into: with all that is made of
// it, a node takes some hundred bytes.
const mostNodes = 400_000

// parse makes a page into a document. It is none where the page is too deep
// for the parser or would come to more than we hold.
func parse(text string) (doc *html.Node, ok bool) {
	if nodesOf(text) > mostNodes {
		return nil, false
	}
	doc, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false))
	return doc, err == nil
}

// nodesOf is about how many nodes a page comes to at most; counting ends above
// what is taken. A page may be far larger as a document than in bytes: what is
// written in bold letters and never closed is opened again in each paragraph.
func nodesOf(text string) int {
	t := html.NewTokenizer(strings.NewReader(text))
	open := map[string]int{} // elements of form, by what stands in their tags
	count, opened := 0, 0
	for count <= mostNodes {
		switch t.Next() {
		case html.ErrorToken:
			return count
		case html.StartTagToken, html.SelfClosingTagToken:
			raw := string(t.Raw()[:min(len(t.Raw()), 200)])
			name, more := t.TagName()
			a := atom.Lookup(name)
			for more {
				_, _, more = t.TagAttr()
				count++
			}
			count++
			switch {
			case formatting(a) && open[raw] < 3: // the parser keeps three that are the same
				open[raw]++
				opened++
			case !formatting(a):
				count += opened
			}
		case html.EndTagToken:
			name, _ := t.TagName()
			if a := atom.Lookup(name); formatting(a) {
				count++
				opened = closes(open, opened, string(name))
			} else {
				count += opened
			}
		default:
			count++
		}
	}
	return count
}

// closes forgets one open element of form.
func closes(open map[string]int, opened int, name string) int {
	for raw, n := range open {
		if n > 0 && len(raw) > len(name) && strings.EqualFold(raw[1:1+len(name)], name) {
			if open[raw]--; open[raw] == 0 {
				delete(open, raw)
			}
			return opened - 1
		}
	}
	return opened
}

// formatting reports whether the parser opens an element again in each block
// until it is closed (HTML, 13.2.4.3).
func formatting(a atom.Atom) bool {
	switch a {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		return true
	}
	return false
}

// flat reads a page without making a document of it, in bounded memory: what
// its text is by the order of its tags. Its title stands beside.
func flat(text string) (visible, title string) {
	f := flattener{}
	t := html.NewTokenizer(strings.NewReader(text))
	for {
		switch t.Next() {
		case html.ErrorToken:
			f.page.end(state{})
			f.move(0)
			return f.text.String(), field(f.title)
		case html.TextToken:
			f.words(t.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := t.TagName()
			f.start(atom.Lookup(name))
		case html.EndTagToken:
			name, _ := t.TagName()
			f.end(atom.Lookup(name))
		}
		f.move(1000)
	}
}

// flattener writes the text of a page as its tags come.
type flattener struct {
	page    page
	text    strings.Builder
	title   string
	skip    atom.Atom // the element, not yet closed, whose text nobody sees
	inTitle bool
}

func (f *flattener) words(text []byte) {
	switch {
	case f.skip != 0:
	case f.inTitle:
		f.title += string(text[:min(len(text), 1000)])
	default:
		f.page.words(string(text), state{})
	}
}

func (f *flattener) start(a atom.Atom) {
	f.inTitle = a == atom.Title && f.title == ""
	if breaks(a) || a == atom.Br || a == atom.Td || a == atom.Th {
		f.page.end(state{})
	}
	if f.skip == 0 && unseen(a) {
		f.skip = a
	}
}

func (f *flattener) end(a atom.Atom) {
	f.inTitle = false
	if breaks(a) {
		f.page.end(state{})
	}
	if a == f.skip {
		f.skip = 0
	}
}

// move takes the lines over when there are more than so many.
func (f *flattener) move(most int) {
	if len(f.page.lines) <= most {
		return
	}
	for _, l := range f.page.lines {
		f.text.WriteString(l.text)
		f.text.WriteByte('\n')
	}
	f.page.lines = f.page.lines[:0]
}

// unseen reports whether the text of an element is for no reader; what may
// stand open is not among them.
func unseen(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Select, atom.Datalist:
		return true
	}
	return false
}
