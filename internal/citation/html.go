package citation

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A page cuts HTML into blocks, tag by tag.
type page struct {
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
	link    *open
	super   *open
}

// open is an element whose words are being read.
type open struct {
	href      string
	at, marks int // where text and marks stood when it began
	src       int
}

func htmlBlocks(text string) []block {
	p := page{text: text}
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(Limit)
	for at := 0; ; {
		kind := z.Next()
		size := len(z.Raw())
		if kind == html.ErrorToken {
			break
		}
		p.token(z, kind, at, at+size)
		at += size
	}
	p.flush(len(text))
	return p.article()
}

// article leaves out what stands around a page's main part, where one is
// marked and has most of the words: links of a site's frame are no sources.
func (p *page) article() []block {
	var within []block
	words, all := 0, 0
	for _, b := range p.blocks {
		n := count(b.text)
		all += n
		if b.main {
			words += n
			within = append(within, b)
		}
	}
	if words*2 < all || len(within) == 0 {
		return p.blocks
	}
	return within
}

func (p *page) token(z *html.Tokenizer, kind html.TokenType, from, to int) {
	switch kind {
	case html.TextToken:
		p.words(from, to)
	case html.StartTagToken, html.SelfClosingTagToken:
		name, more := z.TagName()
		tag := atom.Lookup(name)
		attributes := map[string]string{}
		for more {
			var key, value []byte
			key, value, more = z.TagAttr()
			if k := string(key); len(attributes) < 16 && len(value) <= longest {
				attributes[k] = string(value)
			}
		}
		p.start(element{tag, attributes, kind == html.SelfClosingTagToken, from, to})
	case html.EndTagToken:
		name, _ := z.TagName()
		p.end(atom.Lookup(name), from, to)
	}
}

// passed are elements that hold no running text of a report.
func passed(tag atom.Atom) bool {
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

// breaks are elements that begin and end a block.
func breaks(tag atom.Atom) bool {
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

func (p *page) start(e element) {
	if p.skipped != 0 {
		if e.tag == p.skipped && !e.alone {
			p.depth++
		}
		return
	}
	if passed(e.tag) || frame(e.attributes["role"]) {
		if !e.alone {
			p.skipped, p.depth = e.tag, 1
		}
		return
	}
	if breaks(e.tag) {
		p.flush(e.from)
		p.begin(e)
	}
	for _, key := range []string{"id", "name"} {
		if id := e.attributes[key]; id != "" && (key == "id" || e.tag == atom.A) && len(p.b.ids) < 16 {
			p.b.ids = append(p.b.ids, id)
		}
	}
	p.inline(e)
}

// begin takes note of what a block is part of.
func (p *page) begin(e element) {
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

// inline reads tags within a block.
func (p *page) inline(e element) {
	from := e.from
	switch e.tag {
	case atom.Br:
		rest := strings.TrimLeft(p.text[e.to:min(len(p.text), e.to+40)], " \r\n\t")
		if len(rest) > 2 && (rest[0] == '[' && (rest[1] >= '0' && rest[1] <= '9' || rest[1] == '^') || strings.HasPrefix(rest, "【")) {
			p.flush(from)
		}
		p.w.put(" ", from)
	case atom.Td, atom.Th:
		if len(p.w.text) > 0 {
			p.w.put(" | ", from)
		}
	case atom.Q:
		p.w.putAll("“", from)
	case atom.A:
		p.link = &open{href: strings.TrimSpace(e.attributes["href"]), at: len(p.w.text), marks: len(p.w.marks), src: from}
	case atom.Sup:
		p.super = &open{at: len(p.w.text), marks: len(p.w.marks), src: from}
	}
}

func (p *page) end(tag atom.Atom, from, to int) {
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
		p.linked(to)
	case atom.Sup:
		p.superscript(to)
	case atom.Q:
		p.w.putAll("”", from)
	}
	if !breaks(tag) {
		return
	}
	p.flush(from)
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

// words reads text. Within a link it is only the link's words.
func (p *page) words(from, to int) {
	if p.skipped != 0 {
		return
	}
	if !p.kept && strings.TrimSpace(p.text[from:to]) != "" {
		p.b.src, p.kept = from, true
	}
	if p.link != nil && p.link.href != "" {
		for i := from; i < to; {
			if text, size := entity(p.text[i:to]); size > 0 && p.text[i] == '&' {
				p.w.putAll(text, i)
				i += size
				continue
			}
			next := to
			if at := strings.IndexByte(p.text[i+1:to], '&'); at >= 0 {
				next = i + 1 + at
			}
			p.w.put(p.text[i:next], i)
			i = next
		}
		return
	}
	for from < to {
		end := to
		if to-from > longestBlock {
			end = from + cut(p.text[from:to], longestBlock)
		}
		in := inline{raw: p.text[from:end], stretches: []stretch{{0, from}}, w: &p.w}
		in.run()
		if len(p.w.text) > longestBlock {
			p.flush(end)
		}
		from = end
	}
}

// linked ends a link. One whose words are a number is a marker.
func (p *page) linked(to int) {
	l := p.link
	p.link = nil
	if l == nil || l.href == "" || l.at > len(p.w.text) {
		return
	}
	m := mark{at: l.at, end: len(p.w.text), src: l.src, to: to}
	if place, ok := strings.CutPrefix(l.href, "#"); ok {
		m.fragment = place
	} else if leadsOut(l.href) || strings.HasPrefix(l.href, "doi:") {
		m.target = l.href
	}
	words := strings.Trim(string(p.w.text[l.at:]), "[]【】() ")
	if labels, soft := labelsOf(words); labels != nil && (m.fragment != "" || m.target != "") && len(words) < 12 {
		m.labels, m.soft, m.end = labels, soft, m.at
		p.w.truncate(m.at)
	}
	if m.target != "" || m.fragment != "" {
		p.w.mark(m)
	}
}

// superscript ends a raised text: numbers in it are a marker.
func (p *page) superscript(to int) {
	s := p.super
	p.super = nil
	if s == nil || s.at > len(p.w.text) || len(p.w.marks) > s.marks {
		return
	}
	if labels, _ := labelsOf(string(p.w.text[s.at:])); labels != nil && raisable(string(p.w.text[max(0, s.at-24):s.at])) {
		p.w.truncate(s.at)
		p.w.mark(mark{at: s.at, end: s.at, src: s.src, to: to, labels: labels, soft: true})
	}
}

// flush ends the block that is being read.
func (p *page) flush(to int) {
	p.link, p.super = nil, nil
	p.w.finish(&p.b)
	p.w = writer{}
	if p.b.text == "" && len(p.b.marks) == 0 {
		p.kept = false
		return // what is known of it is the next one's
	}
	b := p.b
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
