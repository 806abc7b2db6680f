package quote

import (
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// isLineOfCell reports whether a line is short enough for a cell.
func isLineOfCell(line string) bool {
	const longest, most = 60, 8 // bytes, words
	return len(line) <= longest && len(strings.Fields(line)) <= most && !strings.HasSuffix(line, ":")
}

// isPeriodicRow reports whether some lines of a text are a row of a table whose cells stand one below
// the other: three or more, of which one at most has many words, and the rows above or below have
// cells that look like these. Where such rows begin or end this row does too, so that its cells are
// not those of two rows. Of cells that all look the same both must be so.
func isPeriodicRow(text string, from, to int) bool {
	const fewest, few = 3, 4 // cells, words of most cells
	row := cellLines(text[from:to])
	n, long := len(row), 0
	if n == 2 {
		above := cellsAbove(text, from)
		return isNumberBelowName(slices.Concat(above, row, cellsBelowLine(text, to)), len(above))
	}
	if n < fewest {
		return false
	}
	uniform := true
	for i, cell := range row {
		if !isLineOfCell(cell) {
			return false
		}
		if len(strings.Fields(cell)) > few {
			long++
		}
		uniform = uniform && (i == 0 || looksOfLine(cell) == looksOfLine(row[0]))
	}
	if long > 1 {
		return false
	}
	above, below := cellsAbove(text, from), cellsBelowLine(text, to)
	if !uniform && isBelowNames(above, row, below) {
		return true
	}
	lines := append(append(above[:len(above):len(above)], row...), below...)
	start := len(above)
	top, bottom := start, start+n
	for top > 0 && isSameLook(lines[top-1], lines[top-1+n]) {
		top--
	}
	for bottom < len(lines) && isSameLook(lines[bottom], lines[bottom-n]) {
		bottom++
	}
	atTop, atBottom := (start-top)%n == 0, (bottom-start)%n == 0
	if uniform {
		const rows = 3
		return atTop && atBottom && bottom-top >= rows*n
	}
	return (atTop || atBottom) && bottom-top >= 2*n
}

// endOfPeriodicRow is where a row of cells that stand one below the other ends of which some lines are the
// first ones: a name, behind the numbers of the row above, and numbers. Where there is none it is no further
// than these.
func endOfPeriodicRow(text string, from, to int) int {
	const fewest, most = 2, 12 // cells
	end, row, above := to, cellLines(text[from:to]), cellsAbove(text, from)
	if len(row) < fewest || isCellOfNumber(row[0]) || slices.ContainsFunc(row[1:], isNoNumber) || len(above) > 0 && isNoNumber(above[len(above)-1]) {
		return to
	}
	for n := len(row); n < most; n++ {
		rest := strings.TrimLeft(text[end:], " \t\r\n")
		if rest == "" || strings.HasPrefix(rest, "\f") {
			break
		}
		_, end = char.LineAround(text, len(text)-len(rest))
		if isPeriodicRow(text, from, end) {
			return end
		}
	}
	return to
}

func isNoNumber(cell string) bool { return !isCellOfNumber(cell) }

// isNumberBelowName reports whether the line at an index and the one below are a name and its number, among
// three such pairs or more of which the first begins with a name and the last ends with a number. Of a title
// and what stands below the list nobody can say whether they are such names: the number may be that of the
// name below it, and [numberAbove] is shown.
func isNumberBelowName(lines []string, at int) bool {
	const fewest = 3 // pairs
	isNumber := func(i int) bool { return isCellOfNumber(lines[i]) }
	if isNumber(at) || !isNumber(at+1) || !isLineOfCell(lines[at]) {
		return false
	}
	top, bottom := at, at+1
	for top > 0 && isNumber(top-1) != isNumber(top) {
		top--
	}
	for bottom+1 < len(lines) && isNumber(bottom+1) != isNumber(bottom) {
		bottom++
	}
	if bottom+1 < len(lines) && !isNumber(bottom) && !isNumber(bottom+1) {
		bottom-- // what stands below the list
	}
	return !isNumber(top) && isNumber(bottom) && bottom-top+1 >= 2*fewest
}

// numberAbove is the line above a name and its number that are a row of two lines, where it is a number.
func numberAbove(text string, from, to int) (Span, bool) {
	if len(cellLines(text[from:to])) != 2 {
		return Span{}, false
	}
	end := len(strings.TrimRight(text[:from], " \t\r\n"))
	start, _ := char.LineAround(text, end)
	above := bareSpan(text, start, end)
	return above, above.Start < above.End && isCellOfNumber(text[above.Start:above.End])
}

// isBelowNames reports whether a row is the first below the names of its columns: of the lines above that are
// cells there are as many as it has, each a name, and what stands below looks like its last cells, of
// a row that has nothing in the first ones.
func isBelowNames(above, row, below []string) bool {
	const fewest, few = 2, 4 // cells of the row below, words of a name
	if len(above) != len(row) || slices.ContainsFunc(above, func(name string) bool {
		return !unicode.IsUpper(char.First(name)) || strings.ContainsFunc(name, unicode.IsDigit) || len(strings.Fields(name)) > few
	}) {
		return false
	}
	lines := append(row[:len(row):len(row)], below...)
	for n := 1; n < len(row); n++ {
		if len(lines) >= 2*n && slices.EqualFunc(lines[:n], lines[n:2*n], isSameLook) {
			return false // rows of fewer cells, one of which has nothing
		}
	}
	for n := len(row) - 1; n >= fewest; n-- {
		rest := row[len(row)-n:]
		if len(below) >= n && !isUniform(rest) && slices.EqualFunc(below[:n], rest, isSameLook) {
			return true
		}
	}
	return false
}

// lineLook is what the cells of one column have in common.
type lineLook struct {
	first    rune // a letter for what it begins with
	sentence bool
}

func looksOfLine(line string) lineLook {
	line = strings.TrimLeft(line, "`'\"‘“")
	l := lineLook{first: 's', sentence: strings.Contains(line, " ") && strings.HasSuffix(line, ".")}
	switch r := char.First(line); {
	case unicode.IsDigit(r), isCellOfNumber(line):
		l.first = 'd'
	case unicode.IsUpper(r):
		l.first = 'U'
	case unicode.IsLetter(r):
		l.first = 'l'
	}
	return l
}

// isSameLook reports whether two lines may be cells of one column. A dash is a cell of each.
func isSameLook(a, b string) bool {
	return looksOfLine(a) == looksOfLine(b) || strings.Trim(a, "-–—") == "" || strings.Trim(b, "-–—") == ""
}

// cellLines are the lines of a text that have something in them, without the blanks around it and
// without a line that is drawn above it.
func cellLines(text string) []string {
	const drawn = 6 // hyphens
	var list []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if bare := strings.TrimLeft(line, "-"); len(line)-len(bare) >= drawn {
			line = bare
		}
		if line != "" {
			list = append(list, line)
		}
	}
	return list
}

// farFromRow is how many bytes of a text above or below a row are looked at.
const farFromRow = 4000

// cellsAbove are the lines right above a place that are short enough for cells, within the page.
func cellsAbove(text string, at int) []string {
	near := text[words.RuneStart(text, max(0, at-farFromRow)):at]
	if i := strings.LastIndexByte(near, '\f'); i >= 0 {
		near = near[i:]
	}
	list := cellLines(near)
	for i := len(list); i > 0; i-- {
		if !isLineOfCell(list[i-1]) {
			return list[i:]
		}
	}
	return list
}

// cellsBelowLine are the lines right below a place that are short enough for cells, within the page.
func cellsBelowLine(text string, at int) []string {
	near := text[at:words.RuneStart(text, min(len(text), at+farFromRow))]
	near, _, _ = strings.Cut(near, "\f")
	list := cellLines(near)
	for i, line := range list {
		if !isLineOfCell(line) {
			return list[:i]
		}
	}
	return list
}

// partsAtLines reports whether a quotation has what parts cells between two words where lines end, as
// often as they do, and no other marks than stand there.
func partsAtLines(mine, other string) bool {
	const parting = ";|\t,、；，"
	count := func(text string) int {
		n := 0
		for _, r := range text {
			if strings.ContainsRune(parting, r) {
				n++
			}
		}
		return n
	}
	lines := -1
	for line := range strings.SplitSeq(mine, "\n") {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	if strings.TrimSpace(mine[strings.LastIndexByte(mine, '\n')+1:]) == "" {
		lines++
	}
	if strings.TrimSpace(firstLine(mine)) == "" {
		lines++
	}
	return partsLines(mine, other) && count(other)-count(mine) == max(1, lines)
}

// isFirstColon reports whether a colon stands in a quotation where the first line of a row ends.
func isFirstColon(before, mine, other string) bool {
	return !strings.Contains(before, "\n") && strings.Count(strings.TrimSpace(mine), "\n") == 0 && strings.Count(other, ":")-strings.Count(mine, ":") == 1 && partsLines(mine, other)
}
