package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxNodes bounds the document a page is made into: with all that is made of
// it, a node takes some hundred bytes.
const maxNodes = 400_000

// parse makes a page into a document. It is none where the page is too deep
// for the parser or would come to more than we hold.
func parse(text string) (doc *html.Node, ok bool) {
	if estimateNodes(text) > maxNodes {
		return nil, false
	}
	doc, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false))
	return doc, err == nil
}

// estimateNodes is about how many nodes a page comes to at most; counting ends above
// what is taken. A page may be far larger as a document than in bytes: what is
// written in bold letters and never closed is opened again in each paragraph.
func estimateNodes(text string) int {
	t := html.NewTokenizer(strings.NewReader(text))
	open := map[string]int{} // elements of form, by what stands in their tags
	count, opened := 0, 0
	for count <= maxNodes {
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
				opened = closeElement(open, opened, string(name))
			} else {
				count += opened
			}
		default:
			count++
		}
	}
	return count
}

// closeElement forgets one open element of form.
func closeElement(open map[string]int, opened int, name string) int {
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

// streamText reads a page without making a document of it, in bounded memory: what
// its text is by the order of its tags. Its title stands beside.
func streamText(text string) (visible, title string) {
	f := textStreamer{}
	t := html.NewTokenizer(strings.NewReader(text))
	for {
		switch t.Next() {
		case html.ErrorToken:
			f.page.endLine(state{})
			f.flushLines(0)
			return f.text.String(), shortField(f.title)
		case html.TextToken:
			f.addText(t.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := t.TagName()
			f.startTag(atom.Lookup(name))
		case html.EndTagToken:
			name, _ := t.TagName()
			f.endTag(atom.Lookup(name))
		}
		f.flushLines(1000)
	}
}

// textStreamer writes the text of a page as its tags come.
type textStreamer struct {
	page    lineWriter
	text    strings.Builder
	title   string
	skip    atom.Atom // the element, not yet closed, whose text nobody sees
	inTitle bool
}

func (f *textStreamer) addText(text []byte) {
	switch {
	case f.skip != 0:
	case f.inTitle:
		f.title += string(text[:min(len(text), 1000)])
	default:
		f.page.writeWords(string(text), state{})
	}
}

func (f *textStreamer) startTag(a atom.Atom) {
	f.inTitle = a == atom.Title && f.title == ""
	if isBlockElement(a) || a == atom.Br || a == atom.Td || a == atom.Th {
		f.page.endLine(state{})
	}
	if f.skip == 0 && isUnseen(a) {
		f.skip = a
	}
}

func (f *textStreamer) endTag(a atom.Atom) {
	f.inTitle = false
	if isBlockElement(a) {
		f.page.endLine(state{})
	}
	if a == f.skip {
		f.skip = 0
	}
}

// flushLines takes the lines over when there are more than so many.
func (f *textStreamer) flushLines(most int) {
	if len(f.page.lines) <= most {
		return
	}
	for _, l := range f.page.lines {
		f.text.WriteString(l.text)
		f.text.WriteByte('\n')
	}
	f.page.lines = f.page.lines[:0]
}

// isUnseen reports whether the text of an element is for no reader; what may
// stand open is not among them.
func isUnseen(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Select, atom.Datalist:
		return true
	}
	return false
}
