package quote

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// A tableRow is a line of a table.
type tableRow struct {
	Span
	columns Span   // the line with their names, or the row where there is none
	rest    Span   // the lines below with nothing in their first cell, in which it may go on
	skipped []Span // cells that are left out, and shown
	text    string // of the row, in plain form
	tokens  []token
	named   []token // of what names the columns
	title   []token // of the lines above that
	signs   string  // the lines above the rows
	cells   []int   // where each begins in the plain text; nil where nothing parts them
	heads   [][]token
	marks   []string // what stands over each cell, as it is
}

// newTableRow reads a line as a row of a table. What blank lines were in the text that was read is
// asked: a rule of Markdown or reStructuredText stands below the names of columns.
func newTableRow(text string, start, end int, inText tableLines) (*tableRow, bool) {
	line := text[start:end]
	parted := strings.Contains(line, "\t")
	isRow := isPlainRow
	if parted {
		isRow = func(line string) bool { return strings.Contains(line, "\t") }
	}
	if !isRow(line) {
		return nil, false
	}
	r := &tableRow{Span: Span{start, end}, text: normalise(line).text}
	r.tokens = tokens(r.text)
	r.rest = inText.namelessBelow(text, end)
	first := start // of the table's lines
	from := words.RuneStart(text, start-maxTable)
	var above []Span // the lines above the rows, the nearest first
	var lines []int  // that end between each two of the rows
	if n := rowBelow(text, end); n > 0 && parted {
		lines = append(lines, n)
	}
	apart := func(ends int) bool { // by more than rows are
		return len(lines) == 0 || len(lines) == 1 && first < start || strings.Count(text[ends:first], "\n") > slices.Min(lines)
	}
	ruled := false   // the line above is that with their names
	var nearest Span // the lowest of the rows that may have them
	for up, blank := start-1, false; up > from && len(above) < 3; {
		begins, ends := char.LineAround(text, up)
		switch before := text[begins:ends]; {
		case strings.TrimSpace(before) == "":
			blank = true
			ruled = ruled || parted && len(above) == 0 && inText.isRule(Span{begins, ends})
		case ruled && len(above) == 0 && isRow(before):
			above = append(above, Span{begins, ends})
		case ruled && isRow(before):
			up = from
		case parted && (isRule(before) || inText.isNameless(Span{begins, ends})):
		case len(before) > reading.MaxRow:
			up = from
		case len(above) == 0 && isRow(before) && blank && parted && apart(ends) && namesColumns(char.Line(text, first)) && (!namesColumns(before) || strings.Count(before, "\t") != strings.Count(char.Line(text, first), "\t")):
			up = from // another table
		case len(above) == 0 && isRow(before):
			lines = append(lines, strings.Count(text[ends:first], "\n"))
			first, blank = begins, false
			if parted && nearest.End == 0 && hasNameForEach(before, line) {
				nearest = Span{begins, ends}
			}
		default:
			above = append(above, Span{begins, ends})
		}
		up = min(up, begins) - 1
	}
	if !parted && first == start && !isPlainRow(lineBelow(text, end)) {
		return nil, false // one line is no table
	}
	r.columns = r.Span
	hasNames := (!parted || ruled) && len(above) > 0
	_, ends := char.LineAround(text, first)
	if n := nearest; !hasNames && n.Start > first && strings.Count(text[first:ends], "\t") != strings.Count(line, "\t") && isOfHead(char.Line(text, n.Start-1)) {
		above, hasNames = append([]Span{n}, above...), true
	} else if parted && !hasNames && first < start && (namesColumns(char.Line(text, first)) || isOverRule(text, first, ends) || isOverNames(text, first, ends, line)) {
		above, hasNames = append([]Span{{first, ends}}, above...), true
	} else if parted && !hasNames && first == start {
		above = nil
	}
	if hasNames {
		r.columns = above[0]
		r.named = tokens(normalise(text[above[0].Start:above[0].End]).text)
	}
	for i, n := range above {
		r.signs += text[n.Start:n.End] + "\n"
		if i > 0 || !hasNames {
			r.title = append(r.title, tokens(normalise(text[n.Start:n.End]).text)...)
		}
	}
	if !parted {
		r.partByWords(text[r.columns.Start:r.columns.End])
	} else {
		r.part(strings.TrimLeft(strings.TrimRight(line, " \r"), " \t"), text[r.columns.Start:r.columns.End])
	}
	return r, true
}

// tableLines are the lines of a reading as the text has them.
type tableLines struct {
	text string
	read *reading.Text
}

// of is a line of the reading as it stands in the text, "" where that is not told. A line that is blank in
// the reading may have something there.
func (l tableLines) of(line Span) string {
	if l.read.IsSame() || line.Start == 0 {
		return ""
	}
	_, from := l.read.Span(line.Start-1, line.Start-1)
	to, _ := l.read.Span(line.End+1, line.End+1)
	if to <= from || to > len(l.text) || to-from > reading.MaxRow {
		return ""
	}
	return strings.TrimSpace(l.text[from:to])
}

// isRule reports whether a blank line is a rule below the names of columns.
func (l tableLines) isRule(line Span) bool {
	rule := l.of(line)
	return reading.IsRuleOfColumns(rule) || reading.IsRuleOfBars(rule)
}

// isNameless reports whether a line is a row of Markdown with nothing in its first cell.
func (l tableLines) isNameless(line Span) bool {
	row, found := strings.CutPrefix(l.of(line), "|")
	return found && strings.HasPrefix(strings.TrimLeft(row, " "), "|") && strings.HasSuffix(row, "|")
}

// namelessBelow are such lines right below one of a reading.
func (l tableLines) namelessBelow(text string, end int) Span {
	const most = 20
	rest := Span{end, end}
	for range most {
		if rest.End+1 >= len(text) {
			break
		}
		begins, ends := char.LineAround(text, rest.End+1)
		if line := (Span{begins, ends}); !l.isNameless(line) || ends <= rest.End {
			break
		}
		rest.End = ends
	}
	return trimSpan(text, rest.Start, rest.End)
}

// isRule reports whether a line has nothing but strokes, as one below the names of columns.
func isRule(line string) bool {
	const fewest = 3
	line = strings.TrimSpace(line)
	return len(line) >= fewest && (strings.Trim(line, "- \t+") == "" || strings.Trim(line, "= \t+") == "" || strings.Trim(line, "─━═_ \t") == "")
}

// rowBelow is how many lines end between a line of a table and the next, 0 where no row follows.
func rowBelow(text string, end int) int {
	rest := strings.TrimLeft(text[end:], " \r\n")
	if next, _, _ := strings.Cut(rest, "\n"); !strings.Contains(next, "\t") {
		return 0
	}
	return strings.Count(text[end:len(text)-len(rest)], "\n")
}

// isOverRule reports whether of the lines of a table the first alone has a blank line below, which
// a rule leaves.
func isOverRule(text string, start, end int) bool {
	below := text[min(len(text), end+1):]
	rest := strings.TrimLeft(below, "\r\n")
	if len(rest) == len(below) {
		return false
	}
	line, more, _ := strings.Cut(rest, "\n")
	second, _, _ := strings.Cut(more, "\n")
	cells := strings.Count(strings.TrimSpace(text[start:end]), "\t")
	return strings.Count(strings.TrimSpace(line), "\t") == cells && strings.Count(strings.TrimSpace(second), "\t") == cells
}

// isOverNames reports whether the first line of a table, and it alone, has one cell fewer than a
// row: nothing stands over the names of rows.
func isOverNames(text string, start, end int, row string) bool {
	cells := func(line string) int { return strings.Count(strings.TrimSpace(line), "\t") }
	n := cells(text[start:end])
	return n > 0 && n+1 == cells(row) && n+1 == cells(lineBelow(text, end))
}

// namesColumns reports whether the first line of a table holds names and no row: none of its
// cells is an amount, but for years, and one behind the first does not begin with a number.
func namesColumns(line string) bool {
	amounts, plain := 0, 0
	for i, cell := range strings.Split(line, "\t") {
		list := tokens(normalise(cell).text)
		number := slices.IndexFunc(list, token.isNumber)
		switch {
		case number != 0 && i > 0:
			plain++
		case number == 0 && reading.IsYear(list[0].low):
			plain++
		case number == 0 && (len(list) == 1 || len(list) == 2 && guard.IsUnitSymbol(list[1].low)):
			amounts++
		}
	}
	return amounts == 0 && plain > 0
}

// hasNameForEach reports whether a line has a name for each cell of a row of amounts, and none twice.
func hasNameForEach(line, row string) bool {
	heads := cellsOf(line)
	slices.Sort(heads)
	return len(heads) > 1 && len(heads) == len(cellsOf(row)) && namesColumns(line) && !namesColumns(row) && len(slices.Compact(heads)) == strings.Count(strings.TrimSpace(line), "\t")+1
}

// isOfHead reports whether a line above one with names of columns may be more of them, or of what
// stands above a table.
func isOfHead(line string) bool { return !strings.Contains(line, "\t") || namesColumns(line) }

// part tells the cells of a row, and the words by which each column is called.
func (r *tableRow) part(line, columns string) {
	heads := strings.Split(strings.TrimSpace(columns), "\t")
	cells := strings.Split(line, "\t")
	at := 0
	for _, cell := range cells {
		plain := strings.TrimSpace(normalise(cell).text)
		i := strings.Index(r.text[at:], plain)
		r.cells = append(r.cells, at+max(i, 0))
		if i >= 0 {
			at += i + len(plain)
		}
	}
	if len(heads) == len(cells)-1 {
		heads = append([]string{""}, heads...) // nothing stands over the names of rows
	}
	if len(heads) != len(cells) || r.columns == r.Span {
		return
	}
	for _, head := range heads {
		r.heads = append(r.heads, tokens(normalise(head).text))
	}
	r.marks = heads
}

// partByWords tells the cells of a row with nothing between them where each column is called by
// one word, or by one and a unit: they are as many numbers at its end.
func (r *tableRow) partByWords(columns string) {
	heads, united := wordHeads(columns)
	var numbers []int
	units := 0 // words behind a number
	for _, w := range r.tokens {
		if w.isNumber() {
			numbers = append(numbers, w.start)
		}
	}
	n := len(heads) - 1
	if n < 1 || len(numbers) < n || r.named == nil {
		return
	}
	numbers = numbers[len(numbers)-n:]
	for _, w := range r.tokens {
		if w.start > numbers[0] && !w.isNumber() {
			units++
		}
	}
	if united && units > 0 {
		return
	}
	r.cells = append([]int{0}, numbers...)
	for _, head := range heads {
		mark := r.signs
		if united {
			mark = head
		}
		r.heads, r.marks = append(r.heads, tokens(normalise(head).text)), append(r.marks, mark)
	}
}

// wordHeads are the names of columns that are one word each, some with a unit in brackets or behind
// a stroke; none where another number stands among them.
func wordHeads(columns string) (heads []string, united bool) {
	open := false
	for _, word := range strings.Fields(columns) {
		n := len(heads)
		switch {
		case n > 0 && (open || strings.HasPrefix(word, "(") || strings.HasPrefix(word, "/")):
			heads[n-1] += " " + word
			open = strings.Count(heads[n-1], "(") > strings.Count(heads[n-1], ")")
			united = true
		case !char.HasWord(word) || slices.ContainsFunc(tokens(word), token.isNumber):
			return nil, false
		case len(tokens(word)) > 1:
			return nil, false
		default:
			heads = append(heads, word)
		}
	}
	return heads, united
}

// lineBelow is the next line of a text that has something in it.
func lineBelow(text string, end int) string {
	below := strings.TrimLeft(text[end:], " \t\r\n")
	if i := strings.IndexByte(below, '\n'); i >= 0 {
		below = below[:i]
	}
	return below[:words.RuneStart(below, reading.MaxRow)]
}

// isPlainRow reports whether a line with nothing between its cells may be a row: a name, and
// then numbers with hardly a word between them.
func isPlainRow(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" || len(line) > reading.MaxRow || strings.ContainsAny(line[len(line)-1:], ".;:!?") || strings.ContainsAny(line, ";!?") {
		return false
	}
	list := tokens(normalise(line).text)
	first := slices.IndexFunc(list, token.isNumber)
	if first < 0 || first > 8 {
		return false
	}
	numbers := 0
	for _, w := range list {
		if w.isNumber() {
			numbers++
		}
	}
	behind := len(list[first:]) - numbers
	return numbers >= 2 && behind <= numbers+2
}

// isHead reports whether a word is of the name of a column, and not more of another's.
func (r *tableRow) isHead(column int, w token) bool {
	return indexOf(r.heads[column], w) >= 0 || indexOf(r.named, w) < 0 && (indexOfForm(r.heads[column], w) >= 0 || r.hasInShort(column, w))
}

// isScale reports whether a number of the name of a column is what its values are counted by,
// "Note /20", and no other column has the same name but for that.
func (r *tableRow) isScale(column int, number token) bool {
	head := normalise(r.marks[column]).text
	if !strings.HasSuffix(strings.TrimRight(head[:number.start], " "), "/") {
		return false
	}
	for c, other := range r.heads {
		if c != column && len(other) > 0 && other[0].low == r.heads[column][0].low {
			return false
		}
	}
	return true
}

// nameEnd is how many of a row's words and numbers name it: its first cell, or all before a
// number where nothing parts the cells.
func (r *tableRow) nameEnd() int {
	end := 1
	if len(r.cells) > 1 {
		for end < len(r.tokens) && r.tokens[end].start < r.cells[1] {
			end++
		}
		return min(end, len(r.tokens))
	}
	for end < len(r.tokens) && !r.tokens[0].isNumber() && !r.tokens[end].isNumber() {
		end++
	}
	return min(end, len(r.tokens))
}

// isNamedBy reports whether of the words and numbers that name a row one half is among
// those taken, and something behind them.
func (r *tableRow) isNamedBy(taken []bool, name int) bool {
	n := 0
	for _, is := range taken[:name] {
		if is {
			n++
		}
	}
	if end := r.rankedNameEnd(name); end > name && !slices.Contains(taken[name:end], false) {
		return slices.Contains(taken[end:], true)
	}
	return 2*n >= name && slices.Contains(taken[name:], true)
}

// rankedNameEnd is where the second cell ends, which names the row where the first has nothing but
// a number by which rows are counted, name otherwise.
func (r *tableRow) rankedNameEnd(name int) int {
	const most = 3 // digits
	if name != 1 || len(r.cells) < 3 || !r.tokens[0].isNumber() || len(r.tokens[0].low) > most || len(r.tokens) < 2 || r.tokens[1].isNumber() {
		return name
	}
	end := name
	for end < len(r.tokens) && r.cellOf(end) == 1 {
		end++
	}
	return end
}

// over is what stands above a word of the row: the name of its column and the title, or all
// lines above where nothing parts the cells.
func (r *tableRow) over(i int) string {
	if r.marks == nil {
		return r.signs
	}
	_, title, _ := strings.Cut(r.signs, "\n")
	return r.marks[r.cellOf(i)] + title
}

// isCellLess reports whether the cell of a word begins with a minus, or is all in brackets.
func (r *tableRow) isCellLess(i int) bool {
	cell := r.cellOf(i)
	if cell == 0 {
		return false
	}
	text := r.text[r.cells[cell]:]
	if cell+1 < len(r.cells) {
		text = r.text[r.cells[cell]:r.cells[cell+1]]
	}
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") && strings.Count(text, "(") == 1
}

// cellOf is the cell in which a token of the row stands.
func (r *tableRow) cellOf(i int) int {
	cell := 0
	for cell+1 < len(r.cells) && r.cells[cell+1] <= r.tokens[i].start {
		cell++
	}
	return cell
}

// isDescription reports whether a cell has so many words that they say by themselves what they are.
func (r *tableRow) isDescription(cell int) bool {
	const few, word = 3, 3 // words, letters of a script without blanks to a word
	n := 0
	for i, w := range r.tokens {
		switch {
		case r.cellOf(i) != cell:
		case words.Unspaced(char.First(w.low)):
			n++
		default:
			n += word
		}
	}
	return n > few*word
}

// isInTakenCell reports whether something of a token's cell is taken.
func (r *tableRow) isInTakenCell(i int, taken []bool) bool { return r.isCellTaken(r.cellOf(i), taken) }

func (r *tableRow) isCellTaken(cell int, taken []bool) bool {
	for i := range r.tokens {
		if taken[i] && r.cellOf(i) == cell {
			return true
		}
	}
	return false
}

// hasWholeCells reports whether a cell of which a number is taken has all of its numbers
// taken, and no word is cut where a script has no blanks. The number of the row itself may be
// left out.
func (r *tableRow) hasWholeCells(taken []bool) bool {
	if len(r.cells) < 2 {
		return true
	}
	for i, w := range r.tokens {
		if !taken[i] && words.Unspaced(char.First(w.low)) && (r.touchesTaken(i, i-1, taken) || r.touchesTaken(i, i+1, taken)) {
			return false
		}
		if i > 0 && w.isNumber() && !taken[i] && r.isInTakenCell(i, taken) {
			return false
		}
	}
	return true
}

// touchesTaken reports whether a letter stands right beside a taken one of its cell.
func (r *tableRow) touchesTaken(i, other int, taken []bool) bool {
	if other < 0 || other >= len(r.tokens) || !taken[other] || r.tokens[other].isNumber() || r.cellOf(i) != r.cellOf(other) {
		return false
	}
	return r.tokens[min(i, other)].end == r.tokens[max(i, other)].start
}
