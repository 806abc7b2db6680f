// Package reading reads a text as somebody reads it aloud: without tags, marks of notes, and what
// stands at head and foot of pages, formulas in plain letters, cells of tables parted by tabs, the
// source of TeX and MediaWiki as it is printed. What people quote is often this and not the text.
//
// A reading is made by one rewriting after the other, a file each, that gives edits of the text as
// the ones before left it; it knows the way back from each of its bytes, and what it left out that
// a quotation may not change: marks of notes, and lines that may be text after all. Whether a
// quotation stands in a reading is left to package quote.
package reading

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// Text is a text as it is read, and the way back to the text. It does not change and may be used
// by many at once.
type Text struct {
	text   string
	layers []layer
	notes  []note // in the order of the text
	pages  bool   // heads and feet of pages are taken out
	unsure []Span // of the text that is read: what was taken out and may belong to it

	numbers bool // among that are numbers alone

	letters bool // an "o" before an item is a bullet
}

// Span is a span of a text in bytes, to exclusive.
type Span struct{ From, To int }

// note is a mark of a note or a reference that the reading leaves out.
type note struct {
	at   int    // where it would stand in the reading
	says string // its letters and digits
}

// layer is one rewriting of a text.
type layer struct {
	edits []Edit // ascending, apart from each other
}

// apart are parts of a text in their order, without those that begin within one before.
func apart[P any](list []P, span func(P) (from, to int)) []P {
	slices.SortStableFunc(list, func(a, b P) int {
		x, _ := span(a)
		y, _ := span(b)
		return x - y
	})
	kept, at := list[:0], 0
	for _, p := range list {
		if from, to := span(p); from >= at {
			kept, at = append(kept, p), to
		}
	}
	return kept
}

func (e Edit) span() (from, to int) { return e.From, e.To }

// Edit puts something in place of a span of a text, in bytes, to exclusive.
type Edit struct {
	From, To int
	With     string

	note   bool // what it takes out is a mark of a note
	unsure bool // what it takes out may be text
	moved  int  // by how much the text before it has become longer, set by rewrite
}

// Of reads a text. Time is linear.
func Of(text string) *Text { return readWith(text, false, allOfPages) }

// OfQuotation reads a quotation. In it a number that is glued to a word is the mark of a note; in a
// text other marks must show that. Time is linear.
func OfQuotation(quoted string) *Text { return readWith(quoted, true, allOfPages) }

// WithUnsure reads a text without what its pages have at head and foot again and
// again, and with what one of them alone has there. Time is linear.
func WithUnsure(text string) *Text { return readWith(text, false, sureOfPages) }

// WithUnsureLines reads a text without what its pages have at head and foot again and again, and without
// the numbers of which nobody knows whether they are of pages. Time is linear.
func WithUnsureLines(text string) *Text { return readWith(text, false, numbersOfPages) }

// WithPages reads a text with what its pages have at head and foot. Time is linear.
func WithPages(text string) *Text { return readWith(text, false, nothingOfPages) }

// Rewritten is a text with edits, which ascend and stand apart from each other, and no more is read. It
// keeps the edits. Time is linear.
func Rewritten(text string, edits []Edit) *Text {
	r := &Text{text: text}
	r.rewrite(edits)
	return r
}

// What a reading takes out of what belongs to pages alone.
const (
	nothingOfPages = iota
	sureOfPages
	numbersOfPages // sure ones, and numbers alone
	allOfPages
)

// WithReplaced reads a text with what its source has where an editor puts something in its place.
// Time is linear.
func WithReplaced(text string) *Text { return readStruck(text, false, allOfPages, withoutReplacements) }

// WithStruck reads a text with what it has struck out or hides. Time is linear.
func WithStruck(text string) *Text { return readStruck(text, false, allOfPages, withStruck) }

// readWith reads a text without some of what belongs to its pages alone.
func readWith(text string, quoted bool, without int) *Text {
	return readStruck(text, quoted, without, withoutStruck)
}

func readStruck(text string, quoted bool, without, struck int) *Text {
	withoutPages := without > nothingOfPages
	r := &Text{text: text}
	r.rewrite(answeredEdits(r.text))
	bullets := bulletEdits(r.text)
	r.letters = len(bullets) > 0
	r.rewrite(bullets)
	r.rewrite(roleEdits(r.text))
	r.rewrite(sourceStruckEdits(r.text, struck))
	r.rewrite(texEdits(r.text))
	if withoutPages {
		r.rewrite(pageElementEdits(r.text))
	}
	r.rewrite(struckEdits(r.text, struck))
	tags := markupEdits(r.text)
	r.recordUnsure(tags)
	r.rewrite(tags)
	templates := wikiEdits(r.text)
	r.recordUnsure(templates)
	r.rewrite(templates)
	r.rewrite(linkEdits(r.text))
	r.rewrite(referenceEdits(r.text))
	if withoutPages {
		hasCells := slices.ContainsFunc(tags, func(e Edit) bool { return e.With == "\t" })
		pages, numbers := furnitureEdits(r.text, without, hasCells)
		r.numbers = numbers
		r.pages = len(pages) > 0
		if !quoted {
			pages = withMarksOfNotes(r.text, pages)
		}
		r.recordUnsure(pages)
		r.rewrite(pages)
		pages = pageMarkEdits(r.text)
		r.pages = r.pages || len(pages) > 0
		r.rewrite(pages)
	}
	r.rewrite(interruptionEdits(r.text))
	r.rewrite(simpleTableEdits(r.text))
	r.rewrite(cellEdits(r.text))
	notes := noteEdits(r.text, quoted)
	r.recordUnsure(notes)
	r.rewrite(notes)
	r.rewrite(notationEdits(r.text))
	return r
}

// recordUnsure keeps where edits that are about to be made take out what may be text.
func (r *Text) recordUnsure(edits []Edit) {
	for _, e := range edits {
		if e.unsure {
			from, to := r.Span(e.From, e.To)
			r.unsure = append(r.unsure, Span{from, to})
		}
	}
}

// Unread is a text as it stands.
func Unread(text string) *Text { return &Text{text: text} }

// WithText is another text, read already, with the marks of notes of a reading.
func (r *Text) WithText(text string) *Text { return &Text{text: text, notes: r.notes} }

// String is the text as it is read.
func (r *Text) String() string { return r.text }

// IsSame reports whether the reading is the text itself.
func (r *Text) IsSame() bool { return len(r.layers) == 0 }

// HasPages reports whether heads or feet of pages are left out.
func (r *Text) HasPages() bool { return r.pages }

// HasLetterBullets reports whether an "o" before items of the text is a bullet.
func (r *Text) HasLetterBullets() bool { return r.letters }

// Unsure are the spans of the text that are left out as heads and feet of one page alone, as
// citations or as what a tag shows, and may belong to it.
func (r *Text) Unsure() []Span { return r.unsure }

// HasUnsureNumbers reports whether numbers alone are among those, which may be of pages.
func (r *Text) HasUnsureNumbers() bool { return r.numbers }

// RewritesWithin reports whether a span of the text holds one whole that the first rewriting has put
// something in place of.
func (r *Text) RewritesWithin(from, to int) bool {
	return !r.IsSame() && slices.ContainsFunc(r.layers[0].edits, func(e Edit) bool { return from <= e.From && e.To <= to })
}

// rewrite makes the edits.
func (r *Text) rewrite(edits []Edit) {
	if len(edits) == 0 {
		return
	}
	var out strings.Builder
	out.Grow(len(r.text))
	at := 0
	old := r.notes
	r.notes = nil
	for i, e := range edits {
		for len(old) > 0 && old[0].at <= e.From {
			r.notes = append(r.notes, note{old[0].at - at + out.Len(), old[0].says})
			old = old[1:]
		}
		out.WriteString(r.text[at:e.From])
		edits[i].moved = out.Len() - e.From
		if e.note {
			r.notes = append(r.notes, note{out.Len(), noteWords(r.text[e.From:e.To])})
		}
		out.WriteString(e.With)
		at = e.To
		for len(old) > 0 && old[0].at < e.To {
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
	return strings.ToLower(char.OfWords(strings.Map(PlainDigit, mark)))
}

// Span is the text's span of a span of the reading, in bytes. Time is that of a binary search for
// each rewriting.
func (r *Text) Span(from, to int) (int, int) {
	for _, l := range slices.Backward(r.layers) {
		from, to = l.back(from, false), l.back(to, true)
	}
	return from, max(from, to)
}

// back is where a place stood before the layer's edits: that of the piece that
// begins there, or the end of the one that ends there.
func (l layer) back(at int, end bool) int {
	i := sort.Search(len(l.edits), func(i int) bool {
		begins := l.edits[i].From + l.edits[i].moved
		if end {
			return begins >= at
		}
		return begins > at
	})
	if i == 0 {
		return at
	}
	e := l.edits[i-1]
	begins := e.From + e.moved
	stops := begins + len(e.With)
	switch {
	case at > stops, at == stops && (!end || e.With == ""):
		return at - stops + e.To
	case end:
		return e.To
	}
	return e.From
}

// Forward is where a place of the text stands in the reading, in bytes; for one that is not read,
// where the reading goes on. Time is that of a binary search for each rewriting.
func (r *Text) Forward(at int) int {
	for _, l := range r.layers {
		i := sort.Search(len(l.edits), func(i int) bool { return l.edits[i].From >= at })
		if i == 0 {
			continue
		}
		e := l.edits[i-1]
		stops := e.From + e.moved + len(e.With)
		if at < e.To {
			at = stops
		} else {
			at += stops - e.To
		}
	}
	return at
}

// Part reads a part of a text and tells where a place of it is then. Time is linear.
func Part(part string, at int) (string, int) {
	r := Of(part)
	return r.text, r.Forward(at)
}

// Marks are what the marks of notes say that are left out, in their order: their letters and digits
// in plain form.
func (r *Text) Marks() []string {
	var list []string
	for _, n := range r.notes {
		list = append(list, n.says)
	}
	return list
}

// HasMarks reports whether marks of notes stand, in their order, among those that are left out of a
// span of the reading and right behind it.
func (r *Text) HasMarks(marks []string, from, to int) bool {
	return areAmong(marks, r.notesWithin(from, to))
}

// notesWithin gives what the notes of a span say, and of those right behind it.
func (r *Text) notesWithin(from, to int) []string {
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
