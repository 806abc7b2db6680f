package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// findRead looks for a quotation as it is read in the text as it is read. Marks
// of notes that the quotation has must be the text's.
func (s *search) findRead(quoted string) (Match, bool) {
	asked := reading.OfQuotation(quoted)
	read := s.reading()
	if asked.IsSame() && read.IsSame() {
		if m, ok := findItems(s, quoted); ok {
			return m, true
		}
		if plain := retyped(quoted); plain != quoted {
			return s.find(plain)
		}
		return findLostExponents(s, read, asked)
	}
	m, ok := s.findIn(read, quoted, asked, s.readText)
	if !ok && len(asked.Marks()) > 0 { // ext3 and utf8 are names, of a text that has no note there
		m, ok = s.findIn(read, quoted, reading.Of(quoted), s.readText)
		if !ok { // a year behind its author may be no mark for the text
			m, ok = s.findIn(read, quoted, reading.Unread(quoted), s.readText)
		}
	}
	if bare := typedBullet().ReplaceAllString(quoted, "$1"); !ok && read.HasLetterBullets() && bare != quoted {
		m, ok = s.findIn(read, quoted, reading.OfQuotation(bare), s.readText)
	}
	if plain := retyped(quoted); !ok && plain != quoted {
		m, ok = s.findIn(read, plain, reading.OfQuotation(plain), s.readText)
	}
	if !ok {
		m, ok = findLostExponents(s, read, asked)
	}
	if !ok && len(read.Unsure()) > 0 {
		m, ok = s.findIn(s.readingOfSurePages(), quoted, asked, s.readTextOfSurePages)
	}
	if !ok && read.HasUnsureNumbers() {
		m, ok = s.findIn(s.readingOfUnsureLines(), quoted, asked, s.readTextOfUnsureLines)
	}
	if !ok && read.HasPages() {
		m, ok = s.findIn(s.readingOfPages(), quoted, asked, s.readTextOfPages)
	}
	if !ok || hasFinding(m, guard.Omitted) {
		if items, ok := findItems(s, quoted); ok {
			return items, true
		}
	}
	return m, ok
}

// findIn looks for a quotation, read as a reading of it, in a reading of the text, made ready by a function.
func (s *search) findIn(r *reading.Text, quoted string, asked *reading.Text, ready func() *Text) (Match, bool) {
	t := s.Text
	if !r.IsSame() {
		t = ready()
	}
	inner := search{Text: t, to: len(t.text), read: true}
	m, ok := inner.find(asked.String())
	if !ok {
		if !r.IsSame() && inner.refused.End > 0 {
			from, to := r.Span(inner.refused.Start, inner.refused.End)
			s.recordRefused(from, to, inner.cost-1, inner.refused.Findings)
		} else if inner.refused.End > 0 {
			s.recordRefused(inner.refused.Start, inner.refused.End, inner.cost-1, inner.refused.Findings)
		}
		return Match{}, false
	}
	if !r.HasMarks(asked.Marks(), m.Start, m.End) {
		return Match{}, false
	}
	m = matchInText(r, m)
	m.Misspelt = append(m.Misspelt, otherVowels(quoted, s.text[m.Start:m.End])...)
	for _, u := range r.Unsure() {
		if m.Start < u.From && u.To < m.End {
			m.Gaps = append(m.Gaps, withoutPageNumbers(s.text, Span{u.From, u.To}))
		}
	}
	m.Gaps = gapsBetween(s.text, m)
	if m.Tier == Exact && s.text[m.Start:m.End] != quoted {
		m.Tier = Normalised
	}
	if m.Start < s.from || m.End > s.to || isOperand(s.text, m.Start) {
		return Match{}, false
	}
	return m, true
}

// withoutPageNumbers is a gap without the lines around its words that have none, as those with the
// numbers of pages; all of it where it has no words.
func withoutPageNumbers(text string, g Span) Span {
	gap := text[g.Start:g.End]
	first, last := strings.IndexFunc(gap, unicode.IsLetter), strings.LastIndexFunc(gap, unicode.IsLetter)
	if first < 0 {
		return g
	}
	from, to := strings.LastIndexByte(gap[:first], '\n')+1, len(gap)
	if n := strings.IndexByte(gap[last:], '\n'); n >= 0 {
		to = last + n
	}
	return Span{g.Start + from, g.Start + to}
}

// gapsBetween is what an elided passage of a text leaves out, a mark of a note alone too.
func gapsBetween(text string, m Match) []Span {
	list := slices.Clone(m.Gaps)
	for i := range max(0, len(m.Segments)-1) {
		from, to := m.Segments[i].End, m.Segments[i+1].Start
		between := strings.TrimLeftFunc(text[from:max(from, to)], unicode.IsSpace)
		from = to - len(between)
		to = from + len(strings.TrimSpace(between))
		known := slices.ContainsFunc(list, func(g Span) bool { return g.Start < to && from < g.End })
		if from < to && !known && strings.ContainsFunc(text[from:to], char.IsOfWord) {
			list = append(list, Span{from, to})
		}
	}
	slices.SortFunc(list, func(a, b Span) int { return a.Start - b.Start })
	return list
}

// matchInText moves a match in the reading to the text.
func matchInText(r *reading.Text, m Match) Match {
	m.Start, m.End = r.Span(m.Start, m.End)
	for _, list := range [][]Span{m.Segments, m.Gaps} {
		for i, p := range list {
			list[i].Start, list[i].End = r.Span(p.Start, p.End)
		}
	}
	return m
}

// typedBullet is such an "o" in a quotation, at its beginning or behind an item.
var typedBullet = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[.;:,\])]\s+|\n[ \t]*)o\s+`) })
