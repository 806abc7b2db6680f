package quote

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// reading is a text as somebody reads it aloud: without tags, page headers and
// marks of notes, formulas in plain letters, cells of tables parted by tabs.
// What people quote is often this and not the text.
type reading struct {
	text   string
	layers []layer
	notes  []note // in the order of the text
	pages  bool   // heads and feet of pages are taken out
	unsure []Span // of the text that is read: what was taken out and may belong to it

	letters bool // an "o" before an item is a bullet
}

// note is a mark of a note or a reference that the reading leaves out.
type note struct {
	at   int    // where it would stand in the reading
	says string // its letters and digits
}

// layer is one rewriting of a text.
type layer struct {
	edits []edit // ascending, apart from each other
}

// edit puts something in place of a span of a text.
type edit struct {
	from, to int
	with     string
	note     bool // what it takes out is a mark of a note
	unsure   bool // what it takes out may be text
	moved    int  // by how much the text before it has become longer, set by rewrite
}

// newReading reads a text. Time is linear.
func newReading(text string, quoted bool) *reading { return readWith(text, quoted, allOfPages) }

// newReadingOfSurePages reads a text without what its pages have at head and foot again and
// again, and with what one of them alone has there.
func newReadingOfSurePages(text string) *reading { return readWith(text, false, sureOfPages) }

// newReadingOfPages reads a text with what its pages have at head and foot.
func newReadingOfPages(text string) *reading {
	return readWith(text, false, nothingOfPages)
}

// What a reading takes out of what belongs to pages alone.
const (
	nothingOfPages = iota
	sureOfPages
	allOfPages
)

// readWith reads a text without some of what belongs to its pages alone.
func readWith(text string, quoted bool, without int) *reading {
	withoutPages := without > nothingOfPages
	r := &reading{text: text}
	r.rewrite(answeredEdits(r.text))
	bullets := bulletEdits(r.text)
	r.letters = len(bullets) > 0
	r.rewrite(bullets)
	r.rewrite(roleEdits(r.text))
	r.rewrite(texEdits(r.text))
	if withoutPages {
		r.rewrite(pageElementEdits(r.text))
	}
	r.rewrite(markupEdits(r.text))
	r.rewrite(wikiEdits(r.text))
	r.rewrite(linkEdits(r.text))
	r.rewrite(referenceEdits(r.text))
	if withoutPages {
		pages := furnitureEdits(r.text, without == allOfPages)
		for _, e := range pages {
			if e.unsure {
				from, to := r.span(e.from, e.to)
				r.unsure = append(r.unsure, Span{from, to})
			}
		}
		r.pages = len(pages) > 0
		r.rewrite(pages)
		pages = pageMarkEdits(r.text)
		r.pages = r.pages || len(pages) > 0
		r.rewrite(pages)
	}
	r.rewrite(interruptionEdits(r.text))
	r.rewrite(cellEdits(r.text))
	r.rewrite(noteEdits(r.text, quoted))
	r.rewrite(notationEdits(r.text))
	return r
}

// isSame reports whether the reading is the text itself.
func (r *reading) isSame() bool { return len(r.layers) == 0 }

// rewrite makes the edits.
func (r *reading) rewrite(edits []edit) {
	if len(edits) == 0 {
		return
	}
	var out strings.Builder
	out.Grow(len(r.text))
	at := 0
	old := r.notes
	r.notes = nil
	for i, e := range edits {
		for len(old) > 0 && old[0].at <= e.from {
			r.notes = append(r.notes, note{old[0].at - at + out.Len(), old[0].says})
			old = old[1:]
		}
		out.WriteString(r.text[at:e.from])
		edits[i].moved = out.Len() - e.from
		if e.note {
			r.notes = append(r.notes, note{out.Len(), noteWords(r.text[e.from:e.to])})
		}
		out.WriteString(e.with)
		at = e.to
		for len(old) > 0 && old[0].at < e.to {
			old = old[1:] // it goes with the other
		}
	}
	for _, n := range old {
		r.notes = append(r.notes, note{n.at - at + out.Len(), n.says})
	}
	out.WriteString(r.text[at:])
	r.text = out.String()
	r.layers = append(r.layers, layer{edits})
}

// noteWords is what a mark says: its letters and digits in plain form.
func noteWords(mark string) string {
	return strings.ToLower(char.OfWords(strings.Map(plainDigit, mark)))
}

// span is the text's span of a span of the reading.
func (r *reading) span(from, to int) (int, int) {
	for _, l := range slices.Backward(r.layers) {
		from, to = l.back(from, false), l.back(to, true)
	}
	return from, max(from, to)
}

// back is where a place stood before the layer's edits: that of the piece that
// begins there, or the end of the one that ends there.
func (l layer) back(at int, end bool) int {
	i := sort.Search(len(l.edits), func(i int) bool {
		begins := l.edits[i].from + l.edits[i].moved
		if end {
			return begins >= at
		}
		return begins > at
	})
	if i == 0 {
		return at
	}
	e := l.edits[i-1]
	begins := e.from + e.moved
	stops := begins + len(e.with)
	switch {
	case at > stops, at == stops && (!end || e.with == ""):
		return at - stops + e.to
	case end:
		return e.to
	}
	return e.from
}

// forward is where a place of the text stands in the reading.
func (r *reading) forward(at int) int {
	for _, l := range r.layers {
		i := sort.Search(len(l.edits), func(i int) bool { return l.edits[i].from >= at })
		if i == 0 {
			continue
		}
		e := l.edits[i-1]
		stops := e.from + e.moved + len(e.with)
		if at < e.to {
			at = stops
		} else {
			at += stops - e.to
		}
	}
	return at
}

// readPart reads a part of a text and tells where a place of it is then.
func readPart(part string, at int) (string, int) {
	r := newReading(part, false)
	return r.text, r.forward(at)
}

// notesWithin gives what the notes of a span say, and of those right behind it.
func (r *reading) notesWithin(from, to int) []string {
	for to < len(r.text) {
		c, size := utf8.DecodeRuneInString(r.text[to:])
		if !unicode.IsPunct(c) {
			break
		}
		to += size
	}
	var list []string
	for _, n := range r.notes[sort.Search(len(r.notes), func(i int) bool { return r.notes[i].at >= from }):] {
		if n.at > to {
			break
		}
		list = append(list, n.says)
	}
	return list
}

// areAmong reports whether notes stand among others in the same order.
func areAmong(notes, others []string) bool {
	for _, o := range others {
		if len(notes) > 0 && notes[0] == o {
			notes = notes[1:]
		}
	}
	return len(notes) == 0
}

// findRead looks for a quotation as it is read in the text as it is read. Marks
// of notes that the quotation has must be the text's.
func (s *search) findRead(quoted string) (Match, bool) {
	asked := newReading(quoted, true)
	read := s.reading()
	if asked.isSame() && read.isSame() {
		if m, ok := findItems(s, quoted); ok {
			return m, true
		}
		if plain := retyped(quoted); plain != quoted {
			return s.find(plain)
		}
		return findLostExponents(s, read, asked)
	}
	m, ok := read.find(s, quoted, asked, s.readText)
	if !ok && len(asked.notes) > 0 { // ext3 and utf8 are names, of a text that has no note there
		m, ok = read.find(s, quoted, newReading(quoted, false), s.readText)
	}
	if bare := typedBullet().ReplaceAllString(quoted, "$1"); !ok && read.letters && bare != quoted {
		m, ok = read.find(s, quoted, newReading(bare, true), s.readText)
	}
	if plain := retyped(quoted); !ok && plain != quoted {
		m, ok = read.find(s, plain, newReading(plain, true), s.readText)
	}
	if !ok {
		m, ok = findLostExponents(s, read, asked)
	}
	if !ok && len(read.unsure) > 0 {
		m, ok = s.readingOfSurePages().find(s, quoted, asked, s.readTextOfSurePages)
	}
	if !ok && read.pages {
		m, ok = s.readingOfPages().find(s, quoted, asked, s.readTextOfPages)
	}
	if !ok || hasFinding(m, guard.Omitted) {
		if items, ok := findItems(s, quoted); ok {
			return items, true
		}
	}
	return m, ok
}

// find looks for a quotation in a reading of the text, made ready by a function.
func (r *reading) find(s *search, quoted string, asked *reading, ready func() *Text) (Match, bool) {
	t := s.Text
	if !r.isSame() {
		t = ready()
	}
	inner := search{Text: t, to: len(t.text), read: true}
	m, ok := inner.find(asked.text)
	if !ok {
		if !r.isSame() && inner.refused.End > 0 {
			from, to := r.span(inner.refused.Start, inner.refused.End)
			s.recordRefused(from, to, inner.cost-1, inner.refused.Findings)
		} else if inner.refused.End > 0 {
			s.recordRefused(inner.refused.Start, inner.refused.End, inner.cost-1, inner.refused.Findings)
		}
		return Match{}, false
	}
	var notes []string
	for _, n := range asked.notes {
		notes = append(notes, n.says)
	}
	if !areAmong(notes, r.notesWithin(m.Start, m.End)) {
		return Match{}, false
	}
	m = r.matchInText(m)
	for _, u := range r.unsure {
		if m.Start < u.Start && u.End < m.End {
			m.Gaps = append(m.Gaps, u)
		}
	}
	m.Gaps = s.gapsBetween(m)
	if m.Tier == Exact && s.text[m.Start:m.End] != quoted {
		m.Tier = Normalised
	}
	if m.Start < s.from || m.End > s.to || isOperand(s.text, m.Start) {
		return Match{}, false
	}
	return m, true
}

// gapsBetween is what an elided passage leaves out, a mark of a note alone too.
func (s *search) gapsBetween(m Match) []Span {
	list := slices.Clone(m.Gaps)
	for i := range max(0, len(m.Segments)-1) {
		from, to := m.Segments[i].End, m.Segments[i+1].Start
		between := strings.TrimLeftFunc(s.text[from:max(from, to)], unicode.IsSpace)
		from = to - len(between)
		to = from + len(strings.TrimSpace(between))
		known := slices.ContainsFunc(list, func(g Span) bool { return g.Start < to && from < g.End })
		if from < to && !known && strings.ContainsFunc(s.text[from:to], char.IsOfWord) {
			list = append(list, Span{from, to})
		}
	}
	slices.SortFunc(list, func(a, b Span) int { return a.Start - b.Start })
	return list
}

// matchInText moves a match in the reading to the text.
func (r *reading) matchInText(m Match) Match {
	m.Start, m.End = r.span(m.Start, m.End)
	for _, list := range [][]Span{m.Segments, m.Gaps} {
		for i, p := range list {
			list[i].Start, list[i].End = r.span(p.Start, p.End)
		}
	}
	return m
}
