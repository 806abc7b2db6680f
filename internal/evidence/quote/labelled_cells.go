package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// labelledCells is a quotation as cells of a row with the names of their columns before them: "Editor:
// TCPD; Suffix: .cpd", or with the row's name alone in front, "TCPD, Suffix: .cpd".
type labelledCells struct{ labels, values []string }

func newLabelledCells(quoted string) *labelledCells {
	const most = 10
	parts := strings.Split(quoted, ";")
	if len(parts) < 2 {
		at := strings.LastIndex(quoted, ", ")
		if at < 0 {
			return nil
		}
		parts = []string{quoted[:at], quoted[at+2:]}
	}
	if len(parts) > most {
		return nil
	}
	l := &labelledCells{}
	for i, part := range parts {
		label, value, ok := strings.Cut(part, ": ")
		if !ok && i == 0 {
			label, value = "", part
		}
		label, value = strings.TrimSpace(label), strings.TrimSpace(value)
		if value == "" || label == "" && i > 0 {
			return nil
		}
		l.labels, l.values = append(l.labels, label), append(l.values, value)
	}
	return l
}

// findLabelledCells looks for a row of a table without marks, in a line with wide blanks between its
// cells or with a line for each, that has all of its cells that were typed, as they are written, each
// below the name that was put before it. What the columns are called is shown.
func findLabelledCells(s *search, quoted string) (Match, bool) {
	if len(quoted) > maxTypedRow || strings.Contains(strings.TrimSpace(quoted), "\n") {
		return Match{}, false
	}
	l := newLabelledCells(quoted)
	if l == nil {
		return Match{}, false
	}
	last := l.labels[len(l.labels)-1]
	for at, tries := 0, 0; tries < maxTableRows; tries++ {
		i := strings.Index(s.text[at:], last)
		if i < 0 {
			break
		}
		at += i
		head, row, ok := l.inWideRows(s.text, at)
		if !ok {
			head, row, ok = l.inLines(s.text, at)
		}
		if ok && head.Start >= s.from && row.End <= s.to {
			return Match{Tier: Normalised, Start: row.Start, End: row.End, Gaps: []Span{head}}, true
		}
		at += len(last)
	}
	return Match{}, false
}

// widely parts the cells of a line.
var widely = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` {2,}`) })

// inWideRows looks for the row below a head whose line has a place.
func (l *labelledCells) inWideRows(text string, at int) (head, row Span, ok bool) {
	const most = 60 // lines
	start, end := char.LineAround(text, at)
	heads := widely().Split(strings.TrimSpace(text[start:end]), -1)
	if len(heads) < 2 {
		return head, row, false
	}
	var columns []int
	for _, label := range l.labels {
		c := 0
		if label != "" {
			c = slices.Index(heads, label)
		}
		if c < 0 || slices.Contains(columns, c) || label != "" && slices.Contains(heads[c+1:], label) {
			return head, row, false
		}
		columns = append(columns, c)
	}
	head = bareSpan(text, start, end)
	for range most {
		if end >= len(text) {
			break
		}
		start, end = char.LineAround(text, end+1)
		line := strings.TrimSpace(text[start:end])
		if line == "" {
			continue
		}
		cells := widely().Split(line, -1)
		if len(cells) != len(heads) {
			break
		}
		if l.isRow(cells, columns) {
			return head, bareSpan(text, start, end), true
		}
	}
	return head, row, false
}

// isRow reports whether cells are a row with what was typed, its name among it: the first of them, or
// the one behind a number by which rows are counted.
func (l *labelledCells) isRow(cells []string, columns []int) bool {
	isCounted := isInDigits(cells[0]) && slices.Contains(columns, 1)
	if !slices.Contains(columns, 0) && !isCounted {
		return false
	}
	for i, c := range columns {
		if cells[c] != l.values[i] {
			return false
		}
	}
	return true
}

// inLines looks for the row below a head of which a line has a place and is the name of the last column
// that was typed.
func (l *labelledCells) inLines(text string, at int) (head, row Span, ok bool) {
	start, end := char.LineAround(text, at)
	last := len(l.labels) - 1
	if strings.TrimSpace(text[start:end]) != l.labels[last] || last > 1 && l.labels[0] == "" {
		return head, row, false
	}
	lines, own := spansOfCells(text, start, end)
	cells := make([]string, len(lines))
	for i, line := range lines {
		cells[i] = text[line.Start:line.End]
	}
	for name := own + 1; name+1 < len(cells); name++ {
		if cells[name] != l.values[0] {
			continue
		}
		first, n, found := l.headOfLines(cells, own, name)
		if found && hasRowsOf(cells, first, name, n) {
			return Span{lines[first].Start, lines[first+n-1].End}, Span{lines[name].Start, lines[name+n-1].End}, true
		}
	}
	return head, row, false
}

// headOfLines tells where the names of columns begin and how many there are, if a row that begins at a
// line has what was typed.
func (l *labelledCells) headOfLines(cells []string, own, name int) (first, n int, ok bool) {
	const most = 10 // columns
	last := len(l.labels) - 1
	if l.labels[0] != "" {
		n = len(l.labels)
		first = own - last
		ok = first >= 0 && name+n <= len(cells) && (name-first)%n == 0 && slices.Equal(cells[first:own+1], l.labels) && slices.Equal(cells[name:name+n], l.values)
		return first, n, ok
	}
	for column := 1; column < most && name+column < len(cells); column++ {
		first = own - column
		if first < 0 || cells[name+column] != l.values[last] {
			continue
		}
		for n = column + 1; n <= most; n++ {
			if (name-first)%n == 0 && hasRowsOf(cells, first, name, n) && !isUniform(cells[name:name+n]) {
				return first, n, true
			}
		}
	}
	return 0, 0, false
}

// hasRowsOf reports whether all rows of n lines between a head and a row look like the row, and where
// there are none the one below it does.
func hasRowsOf(cells []string, first, name, n int) bool {
	if name+n > len(cells) {
		return false
	}
	for i := first + n; i < name; i++ {
		if !isSameLook(cells[i], cells[name+(i-first)%n]) {
			return false
		}
	}
	if first+n < name {
		return true
	}
	if name+2*n > len(cells) {
		return false
	}
	for i := range n {
		if !isSameLook(cells[name+i], cells[name+n+i]) {
			return false
		}
	}
	return true
}

func isUniform(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return looksOfLine(cell) != looksOfLine(cells[0]) })
}

// spansOfCells are the lines around one that are short enough for cells, and which of them it is.
func spansOfCells(text string, start, end int) (lines []Span, own int) {
	const above, below = 30, 4000 // lines, bytes
	for at := start; at > 0 && len(lines) < above; {
		from, to := char.LineAround(text, at-1)
		if strings.Contains(text[from:to], "\f") || !isLineOfCell(strings.TrimSpace(text[from:to])) {
			break
		}
		if strings.TrimSpace(text[from:to]) != "" {
			lines = append(lines, bareSpan(text, from, to))
		}
		at = from
	}
	slices.Reverse(lines)
	own = len(lines)
	lines = append(lines, bareSpan(text, start, end))
	for at := end + 1; at < len(text) && at < end+below; {
		from, to := char.LineAround(text, at)
		if strings.Contains(text[from:to], "\f") || !isLineOfCell(strings.TrimSpace(text[from:to])) {
			break
		}
		if strings.TrimSpace(text[from:to]) != "" {
			lines = append(lines, bareSpan(text, from, to))
		}
		at = to + 1
	}
	return lines, own
}

// bareSpan is a span without the blanks around it.
func bareSpan(text string, from, to int) Span {
	to = from + len(strings.TrimRightFunc(text[from:to], unicode.IsSpace))
	return Span{to - len(strings.TrimLeftFunc(text[from:to], unicode.IsSpace)), to}
}
