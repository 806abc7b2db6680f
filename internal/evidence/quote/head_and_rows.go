package quote

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// findHeadAndRows looks for the head of a table and rows of it that are quoted together, a line
// each, with all their cells. What stands between them in the table is shown.
func findHeadAndRows(s *search, quoted string) (Match, bool) {
	if !strings.Contains(quoted, "\n") {
		return Match{}, false
	}
	t, read := s.Text, s.reading()
	if !read.IsSame() {
		t = s.readText()
	}
	var lines []string
	for line := range strings.Lines(reading.OfQuotation(quoted).String()) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) < 2 || len(lines) > maxTableRows || slices.ContainsFunc(lines, func(line string) bool { return len(line) > reading.MaxRow }) {
		return Match{}, false
	}
	inner := &search{Text: t, to: len(t.text), read: true}
	for from, tries := 0, 0; from < len(t.text) && tries < maxTableRows; tries++ {
		head, ok := findLine(inner, lines[0], from, len(t.text))
		if !ok {
			break
		}
		if m, ok := findRowsBelow(inner, head, lines[1:], tableLines{s.text, read}); ok {
			if !read.IsSame() {
				m = matchInText(read, m)
			}
			return m, m.Start >= s.from && m.End <= s.to
		}
		from = head.End
	}
	return Match{}, false
}

// findRowsBelow looks for rows, each a line, of the table under a head, in their order.
func findRowsBelow(s *search, head Span, rows []string, inText tableLines) (Match, bool) {
	m := Match{Tier: Elided, Start: head.Start, End: head.End, Segments: []Span{head}}
	for _, row := range rows {
		line, ok := findLine(s, row, m.End, min(len(s.text), head.End+maxTable))
		if !ok {
			return Match{}, false
		}
		if r, ok := newTableRow(s.text, line.Start, line.End, inText); !ok || r.columns != head || emptyCell().MatchString(s.text[line.Start:line.End]) {
			return Match{}, false
		}
		if strings.ContainsFunc(s.text[m.End:line.Start], char.IsOfWord) {
			m.Gaps = append(m.Gaps, trimSpan(s.text, m.End, line.Start))
		}
		m.Segments, m.End = append(m.Segments, line), line.End
	}
	if len(m.Gaps) == 0 {
		m.Tier, m.Segments = Normalised, nil
	}
	return m, true
}

// findLine looks for a line that has the cells of another, among the first lines that have its
// longest word.
func findLine(s *search, quoted string, from, to int) (Span, bool) {
	q := newQuery(quoted)
	if q == nil || len(q.tokens) < 2 {
		return Span{}, false
	}
	const most = 200 // lines
	longest := slices.MaxFunc(strings.FieldsFunc(quoted, char.IsNotOfWord), func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	first := char.First(q.tokens[0].low)
	letters := char.OfWords(strings.ToLower(q.raw))
	for range most {
		i := strings.Index(s.text[min(from, to):to], longest)
		if i < 0 {
			break
		}
		start, end := char.LineAround(s.text, from+i)
		core := trimSpan(s.text, start, end)
		isWhole := start >= from || !strings.ContainsFunc(s.text[start:from], char.IsOfWord)
		from = end + 1
		if !isWhole || end-start > reading.MaxRow || core.Start == core.End || unicode.ToLower(char.First(s.text[core.Start:])) != first || char.OfWords(strings.ToLower(s.text[start:end])) != letters {
			continue
		}
		line := normalise(s.text[start:end]).text
		if _, ok := s.matchRow(q, core.Start, core.End); ok && hasSameEnds(s.text[start:end], quoted) || line == q.normalised {
			return Span{start, end}, true
		}
	}
	return Span{}, false
}

// hasSameEnds reports whether two rows have the same marks before the first and behind the last
// of their words, but for what parts cells.
func hasSameEnds(row, other string) bool {
	a, b := trimSpan(row, 0, len(row)), trimSpan(other, 0, len(other))
	return withoutSeparators(row[:a.Start]) == withoutSeparators(other[:b.Start]) && withoutSeparators(row[a.End:]) == withoutSeparators(other[b.End:])
}
