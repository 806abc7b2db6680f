package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// findWrappedRow looks for a quotation in a text whose rows are made whole: cells that blanks part
// and that go on in the lines below, where they begin in the same column.
func findWrappedRow(s *search, quoted string) (Match, bool) {
	rows := s.wrappedRows()
	if s.wrapped || rows.IsSame() {
		return Match{}, false
	}
	t := s.textOfWrappedRows()
	inner := search{Text: t, to: len(t.text), wrapped: true}
	m, ok := inner.findAnyhow(quoted)
	if !ok {
		return Match{}, false
	}
	leavesOutField := slices.ContainsFunc(m.Gaps, func(g Span) bool { return g.Start <= m.Start && m.End <= g.End }) &&
		!slices.ContainsFunc(m.Gaps, func(g Span) bool { return g.End <= m.Start })
	if m = matchInText(rows, m); leavesOutField && emptyField().MatchString(s.text[m.Start:m.End]) {
		return Match{}, false
	}
	return m, rows.RewritesWithin(m.Start, m.End) && m.Start >= s.from && m.End <= s.to
}

// emptyField is a field with nothing in it, of a line whose fields one mark parts.
var emptyField = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`,,|;;|\S::\S`) })

// newWrappedRows is a text with such rows in one line each, and those of tables of all forms.
func newWrappedRows(text string) *reading.Text {
	var list []reading.Edit
	var row []wideCell // of the line that may go on
	var joined []string
	rowAt, rowEnd := 0, 0 // where its second cell begins, and where the last line ends that goes on with it
	wraps := false
	finish := func() {
		if wraps {
			list = append(list, reading.Edit{From: rowAt, To: rowEnd, With: strings.Join(joined[1:], "\t")})
		}
		row, wraps = nil, false
	}
	at := 0
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, " \r\n")
		isWide := len(bare) <= reading.MaxRow && strings.Contains(bare, "  ") && !strings.ContainsAny(bare, "\t|")
		if !isWide {
			finish()
			at += len(line)
			continue
		}
		cells := wideCells(bare)
		if columns := columnsOfRest(row, cells); columns != nil {
			for i, c := range cells {
				k := columns[i]
				joined[k] += " " + c.text
				wraps = wraps || k < len(row)-1
			}
			rowEnd = at + len(bare)
			at += len(line)
			continue
		}
		finish()
		if len(cells) > 2 {
			row, joined = cells, nil
			for _, c := range cells {
				joined = append(joined, c.text)
			}
			rowAt, rowEnd = at+byteOfColumn(bare, cells[1].from), at+len(bare)
		}
		at += len(line)
	}
	finish()
	return reading.Rewritten(text, withEdits(reading.WholeRows(text), list))
}

// withEdits are edits, and others that stand apart from them, in their order.
func withEdits(list, others []reading.Edit) []reading.Edit {
	all := make([]reading.Edit, 0, len(list)+len(others))
	for _, e := range others {
		for len(list) > 0 && list[0].From < e.To {
			all, list = append(all, list[0]), list[1:]
		}
		if len(all) == 0 || all[len(all)-1].To <= e.From {
			all = append(all, e)
		}
	}
	return append(all, list...)
}

// columnsOfRest tells with which cells of a row the cells of a line go on: each begins below one
// behind the first and with a small letter, and fewer do than the row has, as a row with nothing
// in its first cell would. It is nil for a line that does not go on.
func columnsOfRest(row, rest []wideCell) []int {
	const slack = 2 // columns
	if len(row) < 3 || len(rest) == 0 || len(rest) >= len(row)-1 {
		return nil
	}
	var columns []int
	for _, c := range rest {
		k := slices.IndexFunc(row, func(o wideCell) bool { return o.from-1 <= c.from && c.from <= o.from+slack })
		if k < 1 || slices.Contains(columns, k) || !unicode.IsLower(char.First(c.text)) || !unicode.IsLetter(char.First(row[k].text)) {
			return nil
		}
		columns = append(columns, k)
	}
	return columns
}

// byteOfColumn is where a column of a line begins.
func byteOfColumn(line string, column int) int {
	at := 0
	for ; column > 0 && at < len(line); column-- {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}
