package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// matchRow reports whether a span of a row of a table has the quotation's letters
// and marks, but for what parts the cells. A cell may stand in brackets.
func (s *search) matchRow(q *query, start, end int) (Match, bool) {
	if !s.read || !strings.Contains(s.text[start:end], "\t") {
		return Match{}, false
	}
	passage := strings.ToLower(s.text[start:end])
	quoted := strings.ToLower(strings.TrimFunc(q.raw, char.IsNotOfWord))
	if char.OfWords(passage) != char.OfWords(quoted) {
		return Match{}, false
	}
	same, open := true, false
	walkAligned(passage, quoted, func(_, other, mine string, at int) {
		if strings.Contains(mine, "\t") && !strings.ContainsAny(mine, "()[]") {
			if open {
				trimmed := strings.TrimLeft(other, ")]")
				open, other = len(trimmed) == len(other), trimmed
			}
			cell, _, _ := strings.Cut(passage[at+len(mine):], "\t")
			if bare := strings.TrimRight(other, "(["); len(bare) == len(other)-1 && !isAmount(cell) {
				open, other = true, bare
			}
		}
		same = same && isSameBetween(mine, other) && !makesNumber(passage, at, mine, other)
	})
	start, end = s.includeQuotedMarks(q, start, end)
	return Match{Tier: Normalised, Start: start, End: end}, same
}

// makesNumber reports whether a wide mark alone parts two cells of digits, as it parts those of
// a time, a score or thousands.
func makesNumber(passage string, at int, mine, other string) bool {
	return (other == "，" || other == "：") && strings.Contains(mine, "\t") &&
		unicode.IsDigit(char.Last(passage[:at])) && unicode.IsDigit(char.First(passage[at+len(mine):]))
}

// isAmount reports whether a cell has nothing but a number: in brackets it would be less
// than zero.
func isAmount(cell string) bool {
	cell = strings.TrimSpace(cell)
	if at := strings.LastIndexByte(cell, ' '); at > 0 && slices.Contains(strings.Fields("k tsd mn mio mln million millions bn mrd eur usd gbp chf"), strings.TrimRight(strings.ToLower(cell[at+1:]), ".")) {
		cell = cell[:at] // so many of money
	}
	return !strings.ContainsFunc(cell, func(r rune) bool {
		return unicode.IsLetter(r) || char.Plain(r) == '-'
	})
}

// isSameBetween reports whether what stands between two words of a row is the
// same, or parts cells in one way and another.
func isSameBetween(mine, other string) bool {
	if !strings.Contains(mine, "\t") {
		return plainMarks(mine) == plainMarks(other)
	}
	if !strings.ContainsFunc(other, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("|、，；：", r) }) {
		return false
	}
	return withoutSeparators(mine) == withoutSeparators(other)
}

// plainMarks is marks in plain form with single blanks, without those of code and
// emphasis.
func plainMarks(marks string) string {
	marks = strings.NewReplacer("`", "", "*", "").Replace(strings.Map(char.Plain, marks))
	return strings.Join(strings.Fields(marks), " ")
}

// stitchesRows reports whether a part begins within a row of a table, and the part before
// it ends within another: what stands in a cell is then said of another row.
func stitchesRows(text string, chain []Span) bool {
	for i := range len(chain) - 1 {
		gap := text[chain[i].End:chain[i+1].Start]
		if strings.Contains(gap, "<t") {
			gap, _ = reading.Part(gap, len(gap))
		}
		first, last := strings.IndexByte(gap, '\n'), strings.LastIndexByte(gap, '\n')
		if first >= 0 && partsCells(strings.TrimRight(gap[:first], "| \t\r")) && partsCells(strings.TrimLeft(gap[last+1:], "| \t")) {
			return true
		}
	}
	return false
}

// isAboveRow reports whether a place is the end of a row of a table whose next row begins right below,
// no further in, with a name and as many cells. A word there is no unit of the number above.
func isAboveRow(text string, at int) bool {
	const fewest = 2 // cells
	start, end := char.LineAround(text, at)
	if strings.TrimSpace(text[at:max(at, end)]) != "" || end >= len(text) {
		return false
	}
	cells := func(line string) int { return len(cellGap().FindAllString(strings.TrimSpace(line), -1)) + 1 }
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
	row, below := text[start:end], char.Line(text, end+1)
	return len(row) <= reading.MaxRow && len(below) <= reading.MaxRow && cells(row) >= fewest && cells(below) == cells(row) &&
		indent(below) <= indent(row) && unicode.IsUpper(char.First(strings.TrimSpace(below))) && strings.ContainsFunc(below, unicode.IsDigit)
}

// cellGap parts cells of a row without marks, and no words of a line set to both margins.
var cellGap = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` *\t[ \t]*| {3,}`) })

// findWideRow looks for a line whose cells wide blanks part, typed with all of them exactly as they are
// written and one mark between each two: cells may be signs alone.
func findWideRow(s *search, quoted string) (Match, bool) {
	const fewest = 3 // cells
	quoted = strings.TrimSpace(quoted)
	if len(quoted) > maxTypedRow || strings.Contains(quoted, "\n") {
		return Match{}, false
	}
	for _, mark := range [...]string{", ", "; ", " | ", "\t"} {
		cells := strings.Split(quoted, mark)
		if len(cells) < fewest {
			continue
		}
		longest := slices.MaxFunc(cells, func(a, b string) int { return len(a) - len(b) })
		for at, tries := s.from, 0; tries < maxTableRows; tries++ {
			i := strings.Index(s.text[at:s.to], longest)
			if i < 0 || longest == "" {
				break
			}
			start, end := char.LineAround(s.text, at+i)
			row := bareSpan(s.text, start, end)
			parts := widely().Split(s.text[row.Start:max(row.Start, row.End)], -1)
			if len(parts) >= fewest && strings.Join(parts, mark) == quoted && row.Start >= s.from && row.End <= s.to {
				return Match{Tier: Normalised, Start: row.Start, End: row.End}, true
			}
			at += i + len(longest)
		}
	}
	return Match{}, false
}

// partsCells reports whether something parts two cells in a part of a line.
func partsCells(line string) bool {
	for _, mark := range [...]string{"\t", "|", "   ", "..."} {
		if strings.Contains(line, mark) {
			return true
		}
	}
	return false
}

// withoutSeparators is what remains of marks without those that part cells.
func withoutSeparators(marks string) string {
	for _, dash := range [...]string{" - ", " – ", " — ", " → "} {
		marks = strings.ReplaceAll(marks, dash, " ")
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("|,;:、，；：/·`*", r) {
			return -1
		}
		return char.Plain(r)
	}, marks)
}
