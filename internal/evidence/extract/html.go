package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// line is one line of a page.
type line struct {
	text   string
	side   bool       // it stands in what surrounds articles: navigation, a footer, comments
	linked int        // bytes of it that are links
	around *aside     // the innermost of the elements that say so of it
	within *html.Node // the innermost block that it stands in
}

// aside is an element around lines that says, by what it is or is named, that no
// article stands in it.
type aside struct {
	says  string // the word, or the kind of element
	outer *aside
	depth int
}

// maxAsides bounds such elements within one another; others say nothing new.
const maxAsides = 8

// and is what stands around the lines of an element within a.
func (a *aside) and(n *html.Node) *aside {
	depth := 1
	if a != nil {
		depth = a.depth + 1
	}
	says := ""
	if depth <= maxAsides {
		says = asideWord(n)
	}
	if says == "" {
		return a
	}
	return &aside{says, a, depth}
}

// lines are what a reader sees of a node, in order.
func lines(n *html.Node) []line {
	var p lineWriter
	p.writeNode(n, state{})
	p.endLine(state{})
	return p.lines
}

// lineWriter writes a page's lines.
type lineWriter struct {
	lines []line
	open  strings.Builder
	blank bool // a blank is due before the next word
	mark  bool // a mark stands before the next word, without a blank
	cells int  // begun in the open line

	linked int // bytes of the open line that are links
}

// state is what the elements around a node mean for it.
type state struct {
	pre    bool
	cell   bool // in a cell of few words, which stays on the line of its row
	link   bool // in a link to elsewhere
	struck bool // struck out
	around *aside
	within *html.Node
	depth  int
}

// maxDepth bounds the recursion. The parser refuses deeper pages itself.
const maxDepth = 2000

func (p *lineWriter) writeNode(n *html.Node, s state) {
	if s.depth++; s.depth > maxDepth {
		return
	}
	switch n.Type {
	case html.TextNode:
		p.writeWords(n.Data, s)
		return
	case html.ElementNode:
		if invisible(n) {
			return
		}
	}
	if n.DataAtom == atom.Sup && p.writeRaised(n) {
		return
	}
	block := isBlockElement(n.DataAtom) && !s.cell
	if block {
		p.endLine(s)
		s.within = n
	}
	s.around = s.around.and(n)
	s.link = s.link || n.DataAtom == atom.A && attr(n, "href") != ""
	p.blank = p.blank || s.cell && isBlockElement(n.DataAtom)
	p.writeStart(n, &s)
	struck := strikesOut(n.DataAtom) && !s.pre && !s.struck && strings.TrimSpace(textOf(n)) != ""
	if s.struck = s.struck || struck; struck && hasLines(n) && !s.cell {
		p.endLine(s)
		struck, block = false, true
	}
	if struck {
		p.writeBefore(strikeMark, textOf(n))
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.writeNode(c, s)
	}
	if struck {
		p.open.WriteString(strikeMark)
	}
	if block {
		p.endLine(s)
	}
}

// strikeMark stands before and behind words that a page shows struck out, as in Markdown.
const strikeMark = "~~"

// strikesOut reports whether an element shows what is in it struck out.
func strikesOut(a atom.Atom) bool { return a == atom.Del || a == atom.S || a == atom.Strike }

// hasLines reports whether an element has more than some words of a line.
func hasLines(n *html.Node) bool {
	for c := range n.Descendants() {
		if isBlockElement(c.DataAtom) || c.DataAtom == atom.Br {
			return true
		}
	}
	return false
}

// writeBefore writes a mark right before the first word of a text, behind the blank that is due
// or that the text begins with.
func (p *lineWriter) writeBefore(mark, text string) {
	first, _ := utf8.DecodeRuneInString(text)
	if p.blank || unicode.IsSpace(first) {
		p.writeBlank()
	}
	p.open.WriteString(mark)
	p.blank, p.mark = false, true
}

// writeBlank writes a blank, but not two.
func (p *lineWriter) writeBlank() {
	if p.open.Len() > 0 && !strings.HasSuffix(p.open.String(), " ") {
		p.open.WriteByte(' ')
	}
}

// writeStart writes what an element itself shows.
func (p *lineWriter) writeStart(n *html.Node, s *state) {
	switch n.DataAtom {
	case atom.Br:
		if p.blank = true; !s.cell {
			p.endLine(*s)
		}
	case atom.Li:
		p.open.WriteString("- ")
	case atom.Td, atom.Th:
		if p.cells++; p.cells > 1 {
			p.open.WriteString(" | ")
		}
		p.blank = false
		s.cell = s.cell || isShortCell(n)
	case atom.Pre, atom.Textarea:
		s.pre = !s.cell
	case atom.Img:
		if alt := attr(n, "alt"); alt != "" {
			p.writeWords(" "+alt+" ", *s)
		}
	}
}

// isShortCell reports whether a cell holds a value, a few words or sentences:
// tables also serve to lay out whole pages.
func isShortCell(n *html.Node) bool {
	length := 0
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			length += len(c.Data)
		}
		if length > 400 || c.DataAtom == atom.Table || c.DataAtom == atom.Pre {
			return false
		}
	}
	return true
}

// writeRaised writes a raised number: "10⁶" must not become "106", nor a footnote's
// number a part of the word before it. What has a number among letters, such as "−2t",
// stands behind "^".
func (p *lineWriter) writeRaised(n *html.Node) bool {
	const longest = 6 // bytes, without a sign
	text := strings.TrimSpace(textOf(n))
	bare := strings.TrimLeft(text, "-−–+")
	switch {
	case bare == "" || len(bare) > longest || len(text)-len(bare) > len("−"):
		return false
	case strings.Trim(bare, "0123456789") != "":
		if bare == text || !strings.ContainsFunc(bare, unicode.IsDigit) || strings.ContainsFunc(bare, unicode.IsSpace) {
			return false
		}
		p.open.WriteString("^" + text)
	case hasDescendant(n, atom.A):
		p.open.WriteString("[" + text + "]")
	default:
		p.open.WriteString(superscript(text))
	}
	return true
}

func superscript(number string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '-', '−', '–':
			return '⁻'
		case '+':
			return '⁺'
		}
		return []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'0']
	}, number)
}

func hasDescendant(n *html.Node, a atom.Atom) bool {
	for c := range n.Descendants() {
		if c.DataAtom == a {
			return true
		}
	}
	return false
}

// writeWords writes text with its white space folded, or as it is in a listing.
func (p *lineWriter) writeWords(text string, s state) {
	if s.pre {
		for i, l := range strings.Split(text, "\n") {
			if i > 0 {
				p.endLine(s)
			}
			p.open.WriteString(l)
		}
		return
	}
	first, _ := utf8.DecodeRuneInString(text)
	p.blank = p.blank || unicode.IsSpace(first)
	for w := range strings.FieldsSeq(text) {
		if p.blank && !p.mark {
			p.writeBlank()
		}
		p.mark = false
		p.open.WriteString(w)
		if p.blank = true; s.link {
			p.linked += len(w) + 1
		}
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	p.blank = unicode.IsSpace(last) || p.blank && strings.TrimSpace(text) == ""
}

// endLine closes the open line. The line of a table's row ends with the row, not
// with the paragraphs in its cells.
func (p *lineWriter) endLine(s state) {
	text := p.open.String()
	linked := p.linked
	p.open.Reset()
	p.blank, p.mark, p.cells, p.linked = false, false, 0, 0
	if !s.pre {
		text = strings.TrimSpace(text)
	}
	if strings.Trim(text, "|- \t") == "" {
		return
	}
	if s.struck {
		text = strikeMark + text + strikeMark
	}
	for l := range strings.SplitSeq(NormaliseText(text), "\n") {
		p.lines = append(p.lines, line{text: l, side: s.around != nil, linked: min(linked, len(l)), around: s.around, within: s.within})
	}
}

// invisible reports whether a reader sees nothing of an element.
func invisible(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Iframe, atom.Svg, atom.Object, atom.Canvas,
		atom.Audio, atom.Video, atom.Select, atom.Datalist, atom.Input, atom.Dialog:
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return !strings.EqualFold(a.Val, "until-found")
		case "style":
			if hidesElement(a.Val) {
				return true
			}
		}
	}
	return n.Data == "annotation" || n.Data == "annotation-xml"
}

// hidesElement reports whether a style hides its element. Colours are not
// compared.
func hidesElement(style string) bool {
	style = strings.ToLower(strings.Join(strings.Fields(style), ""))
	for rule := range strings.SplitSeq(style, ";") {
		rule = strings.TrimSuffix(rule, "!important")
		switch rule {
		case "display:none", "visibility:hidden", "visibility:collapse", "opacity:0", "opacity:0.0", "font-size:0", "font-size:0px":
			return true
		}
	}
	return false
}

// isBlockElement reports whether an element stands on lines of its own.
func isBlockElement(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Dd, atom.Details, atom.Div,
		atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3,
		atom.H4, atom.H5, atom.H6, atom.Header, atom.Hr, atom.Legend, atom.Li, atom.Main, atom.Nav, atom.Ol, atom.Option, atom.P,
		atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tr, atom.Ul, atom.Tbody, atom.Thead, atom.Tfoot, atom.Center:
		return true
	}
	return false
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}
