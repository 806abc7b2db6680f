package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// findTypedCells looks for a row of a table that its quoter has typed out cell by cell: each cell
// whole, as it is written, in their order, with the name of its column before it or behind it, or
// the unit that the name has behind it. What the columns are called is shown, and so are cells that are
// left out before one that is not named.
func findTypedCells(s *search, quoted string) (Match, bool) {
	t, read := s.Text, s.reading()
	text := strings.TrimSpace(normalise(quoted).text)
	if !read.IsSame() {
		t = s.readText()
		text = reading.PlainNotation(text)
	}
	if len(text) > maxTypedRow || !t.hasTabs() {
		return Match{}, false
	}
	lines := linesOfCells(t.text, text)
	for _, skips := range [...]bool{false, true} {
		for _, line := range lines {
			row, ok := newTableRow(t.text, line.Start, line.End, tableLines{s.text, read})
			if !ok || row.columns == row.Span && !(skips && isAmongRows(t.text, row.Span)) {
				continue
			}
			from, to := read.Span(row.Start, row.End)
			if t.isInCodeBlock(row.Start, row.End) && s.isInCodeBlock(from, to) && !isRowOfMarkup(s.text, from, to) {
				continue
			}
			putHeadsOver(s, row, read, t.text)
			typed := newTypedCells(t.text, text, row, strings.ContainsAny(s.text[from:to], "|<\t"), s.language())
			if skips {
				typed = typed.withSkips(text, cellsOf(t.text[row.Start:row.End]), s.language())
			}
			if typed == nil || !typed.read(0, 0, false) || typed.mayBeOfSkipped(t.text, row.Span) {
				continue
			}
			row.skipped = typed.skipped(t.text, row.Span)
			if m := row.match(read); m.Start >= s.from && m.End <= s.to {
				m.Gaps = slices.DeleteFunc(m.Gaps, func(g Span) bool { return g.Start == m.Start && g.End == m.End }) // no names of columns
				return m, true
			}
		}
	}
	return Match{}, false
}

// linesOfCells are the rows of a text where one of the first words that were typed stands, or one
// of the longest.
func linesOfCells(text, typed string) []Span {
	const first, most = 2, 6 // words
	var list []string
	for _, w := range tokens(typed) {
		if word := typed[w.start:w.end]; !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	if len(list) > first {
		slices.SortStableFunc(list[first:], func(a, b string) int { return len(b) - len(a) })
	}
	var lines []Span
	for _, word := range list[:min(most, len(list))] {
		for at, n := 0, 0; n < maxTableRows; n++ {
			i := strings.Index(text[at:], word)
			if i < 0 {
				break
			}
			start, end := char.LineAround(text, at+i)
			if line := (Span{start, end}); end-start <= reading.MaxRow && strings.Contains(text[start:end], "\t") && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
			at = max(at+i+len(word), end)
		}
	}
	return lines
}

// typedCells is a quotation as the cells of a row may be typed.
type typedCells struct {
	text     string
	cells    []string
	labels   [][]string // how each column may be called
	units    [][]string // in what its numbers may be given
	language string
	ranked   bool // a number by which rows are counted stands before the row's name
	left     int  // ways that may still be tried
	skips    bool // cells may be left out before one that is not named
	taken    []int
	behind   []Span // the cells left out before such a one, and it
}

func newTypedCells(text, typed string, r *tableRow, parted bool, language string) *typedCells {
	const ways, fewest = 200, 2 // cells
	cells, heads := cellsOf(text[r.Start:r.End]), slices.Clone(r.marks)
	for i, head := range heads {
		heads[i] = strings.TrimSpace(normalisePart(head, false).text)
	}
	if r.heads == nil && !parted {
		if heads = cellsOf(text[r.columns.Start:r.columns.End]); len(cells)+1 == len(heads) {
			cells = withFirstParted(cells)
		}
	}
	if len(cells) != len(heads) || len(cells) < fewest || slices.Contains(cells, "") {
		return nil
	}
	t := &typedCells{text: typed, cells: cells, language: language, left: ways}
	t.ranked = len(cells) > fewest && isInDigits(cells[0]) && !strings.ContainsFunc(cells[1], unicode.IsDigit)
	below := unitsBelow(text, r.columns, len(heads))
	for c, head := range heads {
		labels, units := labelsOf(head, isInTwoLanguages(heads), language)
		if below != nil && below[c] != "" {
			units = append(units, below[c])
		}
		t.labels, t.units = append(t.labels, labels), append(t.units, units)
	}
	for c, head := range heads {
		if short := nounOf(head, language); short != "" && !slices.ContainsFunc(heads, func(o string) bool { return o != head && strings.HasPrefix(strings.ToLower(o), short) }) {
			t.labels[c] = append(t.labels[c], short)
		}
	}
	for c, labels := range t.labels {
		t.labels[c] = slices.DeleteFunc(labels, func(label string) bool {
			return slices.ContainsFunc(t.labels[:c], func(o []string) bool { return slices.Contains(o, label) }) ||
				slices.ContainsFunc(t.labels[c+1:], func(o []string) bool { return slices.Contains(o, label) })
		})
	}
	return t
}

// cellsOf are the cells of a line in plain form.
func cellsOf(line string) []string {
	list := strings.Split(strings.Trim(line, " \t\r"), "\t")
	for i, cell := range list {
		list[i] = strings.TrimSpace(normalisePart(linkInCell().ReplaceAllString(cell, "$1"), false).text)
	}
	return list
}

// linkInCell is a link of Markdown to a page beside the text.
var linkInCell = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\[\]]+)\]\([^()\s]+\)`) })

// withFirstParted parts the first of some cells, which fills its column so that but one blank
// stands before the number of the next.
func withFirstParted(cells []string) []string {
	at := strings.LastIndexByte(cells[0], ' ')
	if at < 0 || !unicode.IsDigit(char.First(cells[0][at+1:])) || strings.ContainsFunc(cells[0][:at], unicode.IsDigit) {
		return cells
	}
	return append([]string{cells[0][:at], cells[0][at+1:]}, cells[1:]...)
}

// isInTwoLanguages reports whether a stroke parts each of the names of columns.
func isInTwoLanguages(heads []string) bool {
	return !slices.ContainsFunc(heads, func(head string) bool { return strings.Count(head, " / ") != 1 })
}

// labelsOf are the ways to call a column: by its whole name, and without what it has in brackets
// or behind a comma where that is a unit or decides nothing. The units are given too.
func labelsOf(head string, twice bool, language string) (labels, units []string) {
	if head == "" {
		return nil, nil
	}
	labels = []string{strings.ToLower(head)}
	if twice {
		a, b, _ := strings.Cut(head, " / ")
		for _, name := range []string{a, b} {
			more, of := labelsOf(strings.TrimSpace(name), false, language)
			labels, units = append(labels, more...), append(units, of...)
		}
		return labels, units
	}
	name, unit, found := strings.Cut(strings.TrimSuffix(head, ")"), "(")
	if !found {
		name, unit, found = strings.Cut(head, ", ")
	}
	name, unit = strings.TrimSpace(name), strings.TrimSpace(unit)
	if !found {
		return labels, []string{head}
	}
	if name == "" || strings.ContainsAny(unit, "()") || strings.ContainsFunc(unit, unicode.IsDigit) || slices.ContainsFunc(deciding(unit, language), func(w guard.Word) bool { return w.Kind != guard.Unit }) {
		return labels, nil
	}
	return append(labels, strings.ToLower(name)), []string{unit, name}
}

// nounOf is the noun with which the name of a column begins that goes on with when or where that was
// so, and with nothing that decides: "Crown at 20 years (m)".
func nounOf(head, language string) string {
	name, _, _ := strings.Cut(head, "(")
	noun, rest, ok := strings.Cut(strings.TrimSpace(name), " ")
	const letters = 4
	next, _, _ := strings.Cut(rest, " ")
	if !ok || len(noun) < letters || !unicode.IsUpper(char.First(noun)) || !strings.ContainsFunc(rest, unicode.IsDigit) || !slices.Contains(strings.Fields(whens), strings.ToLower(next)) {
		return ""
	}
	if slices.ContainsFunc(deciding(rest[len(next):], language), func(w guard.Word) bool { return w.Kind != guard.Unit && w.Kind != guard.Number && w.Kind != guard.Date }) {
		return ""
	}
	return strings.ToLower(noun)
}

// whens are prepositions before a time.
const whens = "at after in nach im bei à après en a tras dopo em após op bij na efter vid po w через в"

// unitsBelow are the units of columns that stand in a line of their own below their names.
func unitsBelow(text string, columns Span, n int) []string {
	const longest = 12 // bytes
	line := lineBelow(text, columns.End)
	if !strings.Contains(line, "\t") {
		return nil
	}
	list := cellsOf(line)
	if len(list) == n-1 {
		list = append([]string{""}, list...)
	}
	if len(list) != n {
		return nil
	}
	for i, unit := range list {
		if list[i] = strings.Trim(unit, "()[]"); len(unit) > longest || strings.ContainsFunc(unit, unicode.IsDigit) || i > 0 && !strings.ContainsFunc(unit, func(r rune) bool { return unicode.IsLetter(r) || r == '%' }) {
			return nil
		}
	}
	return list
}

// read reads what was typed from a place on as cells of the row from one on.
func (t *typedCells) read(at, cell int, open bool) bool {
	if t.left--; t.left < 0 {
		return false
	}
	last := cell
	if cell > 0 {
		last = len(t.cells) - 1
	} else if t.ranked {
		last = 1
	}
	for c := cell; c <= last; c++ {
		skips := c > cell && cell > 0
		for _, label := range append([]string{""}, t.labels[c]...) {
			from, ok := t.afterLabel(at, label, c)
			if !ok {
				continue
			}
			from = t.afterUnitBefore(from, label, c)
			end := from + len(t.cells[c])
			if !t.hasCellAt(from, c) {
				continue
			}
			for _, rest := range t.afterUnits(end, c, label != "") {
				if (label != "" || rest.named || !skips || t.skips && t.maySkip(cell, c)) && t.goesOn(end, rest.at, c, open) {
					t.taken = append(t.taken, c)
					if skips && label == "" && !rest.named {
						t.behind = append(t.behind, Span{cell, c})
					}
					return true
				}
			}
		}
	}
	return false
}

// hasCellAt reports whether a cell stands at a place of what was typed, as it is written but for
// its first letter.
func (t *typedCells) hasCellAt(at, c int) bool {
	cell := t.cells[c]
	if at+len(cell) > len(t.text) {
		return false
	}
	typed := t.text[at : at+len(cell)]
	if typed == cell {
		return true
	}
	a, n := utf8.DecodeRuneInString(typed)
	b, _ := utf8.DecodeRuneInString(cell)
	second, _ := utf8.DecodeRuneInString(typed[n:])
	return unicode.ToLower(a) == unicode.ToLower(b) && typed[n:] == cell[n:] && unicode.IsLower(second)
}

// afterLabel is where the cell begins behind a name of its column, if that stands at a place of
// what was typed.
func (t *typedCells) afterLabel(at int, label string, c int) (int, bool) {
	if label == "" {
		return at, true
	}
	n, ok := foldedPrefix(t.text[at:], label)
	if !ok {
		return 0, false
	}
	rest := strings.TrimLeft(t.text[at+n:], " ")
	if len(rest) < len(t.text)-at-n && strings.HasPrefix(t.cells[c], ":") && t.hasCellAt(len(t.text)-len(rest), c) {
		return len(t.text) - len(rest), true // the colon is the cell's
	}
	if bare := strings.TrimLeft(rest, ":=："); len(bare) < len(rest) {
		rest = strings.TrimLeft(bare, " ")
	} else if dash, ok := strings.CutPrefix(rest, "- "); ok && unicode.IsLetter(char.First(t.cells[c])) {
		rest = dash
	} else if strings.HasPrefix(t.text[at+n:], rest) && !isUnspacedBetween(label, rest) {
		return 0, false
	}
	return len(t.text) - len(rest), true
}

// afterUnitBefore is where a cell of numbers begins behind the unit of its column, where that stands
// between the name of the column and the cell: "planting EUR 610".
func (t *typedCells) afterUnitBefore(at int, label string, c int) int {
	unit, _, ok := strings.Cut(t.text[at:], " ")
	if !ok || label == "" || label == strings.ToLower(unit) || !slices.Contains(t.units[c], unit) || !unicode.IsDigit(char.First(t.cells[c])) {
		return at
	}
	return at + len(unit) + 1
}

// isUnspacedBetween reports whether two texts may stand side by side without a blank.
func isUnspacedBetween(a, b string) bool {
	r, _ := utf8.DecodeLastRuneInString(a)
	return r >= 0x1100 || char.First(b) >= 0x1100
}

// foldedPrefix is how many bytes of a text are another in small letters, with which it begins.
func foldedPrefix(text, low string) (int, bool) {
	n := 0
	for _, want := range low {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || unicode.ToLower(r) != want {
			return 0, false
		}
		n += size
	}
	return n, true
}

// afterCell is a place behind a cell, and whether its column was named behind it.
type afterCell struct {
	at    int
	named bool
}

// afterUnits are the places behind a cell, the unit of its column and its name.
func (t *typedCells) afterUnits(at, c int, named bool) []afterCell {
	list := []afterCell{{at, false}}
	rest := strings.TrimLeft(t.text[at:], " ")
	from := len(t.text) - len(rest)
	if unicode.IsDigit(char.Last(t.cells[c])) && (from == at || from == at+1) {
		word := rest
		if i := strings.IndexAny(rest, " ,;|、，；)"); i >= 0 {
			word = rest[:i]
		}
		word = strings.TrimSuffix(word, ".")
		if word != "" && slices.ContainsFunc(t.units[c], func(unit string) bool { return word == unit || isSameUnit(word, unit, t.language) }) {
			list = append(list, afterCell{from + len(word), false})
		}
	}
	if named {
		return list
	}
	for _, l := range list {
		for _, label := range t.labels[c] {
			blank := strings.HasPrefix(t.text[l.at:], " ")
			behind := strings.TrimPrefix(t.text[l.at:], " ")
			if n, ok := foldedPrefix(behind, label); ok && (blank || isUnspacedBetween(t.cells[c], behind)) {
				list = append(list, afterCell{len(t.text) - len(behind) + n, true})
			}
			if n, ok := foldedPrefix(behind, "("+label+")"); ok {
				list = append(list, afterCell{len(t.text) - len(behind) + n, true})
			}
		}
	}
	return list
}

// isYearCell reports whether there is such a cell and it ends with a year: 1750, c. 1750.
func (t *typedCells) isYearCell(c int) bool {
	return c < len(t.cells) && reading.IsYear(char.LastWord(t.cells[c]))
}

// isSameUnit reports whether one word is the symbol or the name of a unit, and another too.
func isSameUnit(ours, theirs, language string) bool {
	low := strings.ToLower(theirs)
	return ours != "" && theirs != "" && (isSameQuantity("1", low, ours, language) || abbreviates(ours, low, "1", language))
}

// goesOn reports whether what was typed ends at a place, behind a cell that ended at another, or
// goes on there with the next cells.
func (t *typedCells) goesOn(cellEnd, at, c int, open bool) bool {
	rest := t.text[at:]
	if end := strings.TrimRight(strings.TrimPrefix(rest, ")"), ".,; "); end == "" && open == strings.HasPrefix(rest, ")") {
		return c > 0 && !(t.ranked && c == 1)
	}
	isDigitBefore := unicode.IsDigit(char.Last(t.text[:at]))
	inName := false // in brackets behind the row's name
	if behind, ok := strings.CutPrefix(rest, ")"); ok && open {
		rest, open, inName = behind, false, c == 1
	}
	bare := strings.TrimLeft(rest, " ")
	blank := len(bare) < len(rest)
	mark, size := utf8.DecodeRuneInString(bare)
	isName := c == 0 || t.ranked && c == 1
	switch {
	case strings.ContainsRune(",;|、，；", mark), (isName || inName) && (mark == ':' || mark == '：'):
		bare = bare[size:]
		behind := strings.TrimLeft(bare, " ")
		if len(behind) == len(bare) && isDigitBefore && unicode.IsDigit(char.First(behind)) && !strings.ContainsRune(";|、；", mark) {
			return false // 1,200
		}
		bare = behind
	case blank && strings.HasPrefix(bare, "- ") && (isName || !isDigitBefore):
		if t.read(len(t.text)-len(bare), c+1, open) {
			return true // the dash is the cell
		}
		bare = strings.TrimLeft(bare[1:], " ")
		if next := char.First(bare); !unicode.IsLetter(next) && !(isName && unicode.IsDigit(next)) {
			return false
		}
	case blank && strings.HasPrefix(bare, "/ "):
		bare = strings.TrimLeft(bare[1:], " ")
	case !blank && mark == '-' && t.isYearCell(c) && t.isYearCell(c+1):
		bare = bare[1:] // from, to
	case blank && !open && mark == '(' && (isName || c+1 < len(t.cells) && strings.HasSuffix(t.cells[c+1], "%")):
		if bare = bare[1:]; isName && !unicode.IsLetter(char.First(bare)) && !(c+1 < len(t.cells) && strings.HasPrefix(bare, t.cells[c+1]+"):")) {
			return false // a loss
		}
		open = true
	case blank && (unicode.IsLetter(mark) || !isDigitBefore && mark != '(' || isName && unicode.IsDigit(mark) && !isDigitBefore):
	case isUnspacedBetween(t.text[:at], bare) && !isDigitBefore:
	default:
		return false
	}
	return c+1 < len(t.cells) && t.read(len(t.text)-len(bare), c+1, open)
}
