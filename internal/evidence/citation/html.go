package citation

import (
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/words"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A htmlSplitter cuts HTML into blocks, tag by tag.
type htmlSplitter struct {
	text   string
	blocks []block
	w      writer
	b      block // the one that is being read
	kept   bool  // it has a beginning

	skipped atom.Atom // an element that is passed over
	depth   int       // how often it is open within itself
	quotes  int       // open block quotations
	code    int
	lists   []int // open lists: the number of the next entry, 0 where entries have none
	heading int
	row     bool
	main    int // open elements that hold the main part
	link    *openLink
	super   *openLink
}

// openLink is an element whose words are being read.
type openLink struct {
	href      string
	at, marks int // where text and marks stood when it began
	src       int
}

func htmlBlocks(text string) []block {
	p := htmlSplitter{text: text}
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(Limit)
	for at := 0; ; {
		kind := z.Next()
		size := len(z.Raw())
		if kind == html.ErrorToken {
			break
		}
		p.readToken(z, kind, at, at+size)
		at += size
	}
	p.endBlock(len(text))
	return p.mainBlocks()
}

// mainBlocks leaves out what stands around a page's main part, where one is
// marked and has most of the words: links of a site's frame are no sources.
func (p *htmlSplitter) mainBlocks() []block {
	var within []block
	inMain, all := 0, 0
	for _, b := range p.blocks {
		n := words.Count(b.text)
		all += n
		if b.main {
			inMain += n
			within = append(within, b)
		}
	}
	if inMain*2 < all || len(within) == 0 {
		return p.blocks
	}
	return within
}

func (p *htmlSplitter) readToken(z *html.Tokenizer, kind html.TokenType, from, to int) {
	switch kind {
	case html.TextToken:
		p.readText(from, to)
	case html.StartTagToken, html.SelfClosingTagToken:
		name, more := z.TagName()
		tag := atom.Lookup(name)
		attributes := map[string]string{}
		for more {
			var key, value []byte
			key, value, more = z.TagAttr()
			if k := string(key); len(attributes) < 16 && len(value) <= maxAddress {
				attributes[k] = string(value)
			}
		}
		p.startTag(element{tag, attributes, kind == html.SelfClosingTagToken, from, to})
	case html.EndTagToken:
		name, _ := z.TagName()
		p.endTag(atom.Lookup(name), from, to)
	}
}

// isSkipped are elements that hold no running text of a report.
func isSkipped(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Head, atom.Nav, atom.Footer, atom.Aside, atom.Noscript, atom.Template, atom.Svg, atom.Math,
		atom.Form, atom.Button, atom.Select, atom.Textarea, atom.Iframe, atom.Object:
		return true
	}
	return false
}

// frame reports roles of what stands around a page's main part (WAI-ARIA).
func frame(role string) bool {
	switch strings.ToLower(role) {
	case "navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar", "dialog":
		return true
	}
	return false
}

// isBlockTag are elements that begin and end a block.
func isBlockTag(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Li, atom.Ul, atom.Ol, atom.Dl, atom.Dt, atom.Dd, atom.Table,
		atom.Thead, atom.Tbody, atom.Tr, atom.Caption, atom.Blockquote, atom.Pre, atom.Figure, atom.Figcaption, atom.Hr, atom.Body,
		atom.Html, atom.Header, atom.Details, atom.Summary, atom.Address,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// An element is a tag that opens one.
type element struct {
	tag        atom.Atom
	attributes map[string]string
	alone      bool // it closes itself
	from, to   int  // its bytes in the report
}

func (p *htmlSplitter) startTag(e element) {
	if p.skipped != 0 {
		if e.tag == p.skipped && !e.alone {
			p.depth++
		}
		return
	}
	if isSkipped(e.tag) || frame(e.attributes["role"]) {
		if !e.alone {
			p.skipped, p.depth = e.tag, 1
		}
		return
	}
	if isBlockTag(e.tag) {
		p.endBlock(e.from)
		p.noteBlock(e)
	}
	for _, key := range []string{"id", "name"} {
		if id := e.attributes[key]; id != "" && (key == "id" || e.tag == atom.A) && len(p.b.ids) < 16 {
			p.b.ids = append(p.b.ids, id)
		}
	}
	p.startInline(e)
}

// noteBlock takes note of what a block is part of.
func (p *htmlSplitter) noteBlock(e element) {
	switch e.tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.heading = int(e.tag.String()[1] - '0')
	case atom.Main, atom.Article:
		p.main++
	case atom.Blockquote:
		p.quotes++
	case atom.Pre:
		p.code++
	case atom.Ul:
		p.lists = append(p.lists, 0)
	case atom.Ol:
		first, err := strconv.Atoi(e.attributes["start"])
		if err != nil || first < 1 {
			first = 1
		}
		p.lists = append(p.lists, first)
	case atom.Li:
		p.b.kind = item
		if n := len(p.lists); n > 0 && p.lists[n-1] > 0 {
			if value, err := strconv.Atoi(e.attributes["value"]); err == nil && value > 0 {
				p.lists[n-1] = value
			}
			p.b.label = strconv.Itoa(p.lists[n-1])
			p.lists[n-1]++
		}
	case atom.Tr:
		p.row = true
	}
}

// startInline reads tags within a block.
func (p *htmlSplitter) startInline(e element) {
	from := e.from
	switch e.tag {
	case atom.Br:
		rest := strings.TrimLeft(p.text[e.to:min(len(p.text), e.to+40)], " \r\n\t")
		if len(rest) > 2 && (rest[0] == '[' && (rest[1] >= '0' && rest[1] <= '9' || rest[1] == '^') || strings.HasPrefix(rest, "【")) {
			p.endBlock(from)
		}
		p.w.write(" ", from)
	case atom.Td, atom.Th:
		if len(p.w.text) > 0 {
			p.w.write(" | ", from)
		}
	case atom.Q:
		p.w.writeAt("“", from)
	case atom.A:
		p.link = &openLink{href: strings.TrimSpace(e.attributes["href"]), at: len(p.w.text), marks: len(p.w.marks), src: from}
	case atom.Sup:
		p.super = &openLink{at: len(p.w.text), marks: len(p.w.marks), src: from}
	}
}

func (p *htmlSplitter) endTag(tag atom.Atom, from, to int) {
	if p.skipped != 0 {
		if tag == p.skipped {
			if p.depth--; p.depth == 0 {
				p.skipped = 0
			}
		}
		return
	}
	switch tag {
	case atom.A:
		p.endLink(to)
	case atom.Sup:
		p.endSuperscript(to)
	case atom.Q:
		p.w.writeAt("”", from)
	}
	if !isBlockTag(tag) {
		return
	}
	p.endBlock(from)
	switch tag {
	case atom.Main, atom.Article:
		p.main = max(0, p.main-1)
	case atom.Blockquote:
		p.quotes = max(0, p.quotes-1)
	case atom.Pre:
		p.code = max(0, p.code-1)
	case atom.Ul, atom.Ol:
		p.lists = p.lists[:max(0, len(p.lists)-1)]
	case atom.Tr:
		p.row = false
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.heading = 0
	}
	p.b = block{}
}

// readText reads text. Within a link it is only the link's words.
func (p *htmlSplitter) readText(from, to int) {
	if p.skipped != 0 {
		return
	}
	if !p.kept && strings.TrimSpace(p.text[from:to]) != "" {
		p.b.src, p.kept = from, true
	}
	if p.link != nil && p.link.href != "" {
		for i := from; i < to; {
			if text, size := entity(p.text[i:to]); size > 0 && p.text[i] == '&' {
				p.w.writeAt(text, i)
				i += size
				continue
			}
			next := to
			if at := strings.IndexByte(p.text[i+1:to], '&'); at >= 0 {
				next = i + 1 + at
			}
			p.w.write(p.text[i:next], i)
			i = next
		}
		return
	}
	for from < to {
		end := to
		if to-from > maxBlock {
			end = from + cutPosition(p.text[from:to], maxBlock)
		}
		in := inlineReader{raw: p.text[from:end], stretches: []segment{{0, from}}, w: &p.w}
		in.readAll()
		if len(p.w.text) > maxBlock {
			p.endBlock(end)
		}
		from = end
	}
}

// endLink ends a link. One whose words are a number is a marker.
func (p *htmlSplitter) endLink(to int) {
	l := p.link
	p.link = nil
	if l == nil || l.href == "" || l.at > len(p.w.text) {
		return
	}
	m := mark{at: l.at, end: len(p.w.text), src: l.src, to: to}
	if place, ok := strings.CutPrefix(l.href, "#"); ok {
		m.fragment = place
	} else if isWebAddress(l.href) || strings.HasPrefix(l.href, "doi:") {
		m.target = l.href
	}
	words := strings.Trim(string(p.w.text[l.at:]), "[]【】() ")
	if labels, soft := labelsOf(words); labels != nil && (m.fragment != "" || m.target != "") && len(words) < 12 {
		m.labels, m.soft, m.end = labels, soft, m.at
		p.w.truncate(m.at)
	}
	if m.target != "" || m.fragment != "" {
		p.w.addMark(m)
	}
}

// endSuperscript ends a raised text: numbers in it are a marker.
func (p *htmlSplitter) endSuperscript(to int) {
	s := p.super
	p.super = nil
	if s == nil || s.at > len(p.w.text) || len(p.w.marks) > s.marks {
		return
	}
	if labels, _ := labelsOf(string(p.w.text[s.at:])); labels != nil && allowsMarker(string(p.w.text[max(0, s.at-24):s.at])) {
		p.w.addMark(mark{at: s.at, end: len(p.w.text), src: s.src, to: to, labels: labels, soft: true, loose: true})
	}
}

// endBlock ends the block that is being read.
func (p *htmlSplitter) endBlock(to int) {
	p.link, p.super = nil, nil
	p.w.finish(&p.b)
	p.w = writer{}
	if p.b.text == "" && len(p.b.marks) == 0 {
		p.kept = false
		return // what is known of it is the next one's
	}
	b := p.b
	b.cutLeading()
	b.end, b.quoted, b.main = to, p.quotes > 0, p.main > 0
	switch {
	case p.code > 0:
		b.kind = code
	case p.heading > 0:
		b.kind, b.level = heading, p.heading
	case p.row:
		b.kind = row
	}
	if !p.kept && len(b.marks) > 0 {
		b.src = b.marks[0].src
	}
	if len(b.marks) > 0 && b.kind != heading && b.kind != row {
		if m := b.marks[0]; m.at == 0 && m.end == 0 && len(m.labels) == 1 && m.fragment == "" && !m.soft {
			b.label, b.marked = m.labels[0], true
		}
	}
	p.blocks = append(p.blocks, b)
	p.b, p.kept = block{quoted: b.quoted}, false
}
