package quote

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
)

// findTypedRow looks for a row of a table that its quoter has typed out: cells in their order,
// some left out, with the names of the columns or their units put beside the numbers. Every
// number stands in the row, in order, and the row is told by its first cell. What the columns are
// called is shown.
func (s *search) findTypedRow(quoted string) (Match, bool) {
	t, read := s.Text, s.reading()
	if !read.isSame() {
		t = s.readText()
	}
	typed := newTypedRow(quoted)
	if typed == nil {
		return Match{}, false
	}
	for _, at := range typed.candidates(t.text) {
		start, end := lineAround(t.text, at)
		if end-start > maxTableRow || !typed.sharesNumbers(t.text[start:end]) {
			continue
		}
		row, ok := newTableRow(t.text, start, end)
		if !ok || t.isCode(row.Start, row.End) || t.isInCodeBlock(row.Start, row.End) || !typed.isOf(row, s.language) {
			continue
		}
		m := Match{Tier: Normalised, Start: row.Start, End: row.End, Gaps: []Span{row.columns}}
		if !read.isSame() {
			m = read.matchInText(m)
		}
		if m.Start >= s.from && m.End <= s.to {
			return m, true
		}
	}
	return Match{}, false
}

// A typedRow is a quotation as a row of a table may be typed.
type typedRow struct {
	text   string
	tokens []token
}

const (
	maxTypedRow  = 300 // bytes
	maxTableRow  = 400 // bytes
	maxTable     = 16 << 10
	maxTableRows = 100 // that have the number by which a row is looked for
)

func newTypedRow(quoted string) *typedRow {
	if len(quoted) > maxTypedRow {
		return nil
	}
	text := normalise(quoted).text
	list := tokens(text)
	numbers := 0
	for _, w := range list {
		if w.isNumber() {
			numbers++
		}
	}
	const most = 8 // words to a number
	if len(list) < 3 || numbers*most < len(list) || strings.ContainsAny(text, "{}[]^*+&\\`") {
		return nil
	}
	return &typedRow{text, list}
}

func (t token) isNumber() bool { return unicode.IsDigit(firstRune(t.low)) }

// candidates are the places of a text where the longest number stands.
func (t *typedRow) candidates(text string) []int {
	longest := ""
	for _, w := range t.tokens {
		if w.isNumber() && len(w.low) > len(longest) {
			longest = w.low
		}
	}
	var list []int
	for at := 0; len(list) < maxTableRows; {
		i := strings.Index(text[at:], longest)
		if i < 0 {
			break
		}
		at += i
		list = append(list, at)
		at += len(longest)
	}
	return list
}

// sharesNumbers reports whether a line has half of the numbers that were typed, or more.
func (t *typedRow) sharesNumbers(line string) bool {
	all, there := 0, 0
	for _, w := range t.tokens {
		if w.isNumber() {
			all++
			if strings.Contains(line, w.low) {
				there++
			}
		}
	}
	return 2*there >= all
}

// A tableRow is a line of a table.
type tableRow struct {
	Span
	columns Span   // the line with their names, or the row where there is none
	text    string // of the row, in plain form
	tokens  []token
	above   []token // of what names the columns and the table
	table   string  // from its title to its end
	others  []token // of its other rows
	cells   []int   // where those behind the first begin in the plain text; nil where nothing parts them
	heads   [][]token
}

// newTableRow reads a line as a row of a table.
func newTableRow(text string, start, end int) (*tableRow, bool) {
	line := text[start:end]
	parted := strings.Contains(line, "\t")
	isRow := isPlainRow
	if parted {
		isRow = func(line string) bool { return strings.Contains(line, "\t") }
	}
	if !isRow(line) {
		return nil, false
	}
	r := &tableRow{Span: trimSpan(text, start, end), text: normalise(line).text}
	r.tokens = tokens(r.text)
	first := start // of the table's lines
	from := words.RuneStart(text, start-maxTable)
	var named []Span // lines above the rows, the nearest first
	for up := start - 1; up > from && len(named) < 3; {
		begins, ends := lineAround(text, up)
		switch above := text[begins:ends]; {
		case strings.TrimSpace(above) == "":
		case len(above) > maxTableRow:
			up = from
		case len(named) == 0 && isRow(above):
			first = begins
		default:
			named = append(named, Span{begins, ends})
		}
		up = min(up, begins) - 1
	}
	if !parted && first == start && !isPlainRow(lineBelow(text, end)) {
		return nil, false // one line is no table
	}
	rows := first
	if parted {
		_, ends := lineAround(text, first)
		if first < start && namesColumns(text[first:ends]) {
			named = append([]Span{{first, ends}}, named...)
			rows = ends
		}
	}
	r.columns = r.Span
	if len(named) > 0 {
		r.columns = trimSpan(text, named[0].Start, named[0].End)
	}
	for _, n := range named {
		r.above = append(r.above, tokens(normalise(text[n.Start:n.End]).text)...)
		first = min(first, n.Start)
	}
	last := end
	to := words.RuneStart(text, end+maxTable)
	for last < to {
		begins, ends := lineAround(text, min(last+1, len(text)))
		if below := text[begins:ends]; !isRow(below) && strings.TrimSpace(below) != "" || ends <= last {
			break
		}
		last = ends
	}
	r.table = text[first:last]
	r.others = append(tokens(normalise(text[rows:start]).text), tokens(normalise(text[end:last]).text)...)
	if parted {
		r.part(strings.TrimSpace(line), text[r.columns.Start:r.columns.End])
	}
	return r, true
}

// namesColumns reports whether the first line of a table holds names and no row: behind its
// first cell stands one without a number, or they are years.
func namesColumns(line string) bool {
	cells := strings.Split(line, "\t")
	return slices.ContainsFunc(cells[1:], func(cell string) bool {
		list := tokens(normalise(cell).text)
		return !slices.ContainsFunc(list, func(w token) bool { return w.isNumber() && !isYear(w.low) })
	})
}

// part tells the cells of a row, and the words by which each column is called.
func (r *tableRow) part(line, columns string) {
	heads := strings.Split(columns, "\t")
	cells := strings.Split(line, "\t")
	at := 0
	for _, cell := range cells {
		plain := strings.TrimSpace(normalise(cell).text)
		if i := strings.Index(r.text[at:], plain); i >= 0 {
			at += i
		}
		r.cells = append(r.cells, at)
		at += len(plain)
	}
	if len(heads) != len(cells) || r.columns == r.Span {
		return
	}
	for _, head := range heads {
		r.heads = append(r.heads, tokens(normalise(head).text))
	}
}

// lineAround is the line of a text at a place.
func lineAround(text string, at int) (start, end int) {
	start = strings.LastIndexByte(text[:at], '\n') + 1
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return start, at + i
	}
	return start, len(text)
}

// lineBelow is the next line of a text that has something in it.
func lineBelow(text string, end int) string {
	below := strings.TrimLeft(text[end:], " \t\r\n")
	if i := strings.IndexByte(below, '\n'); i >= 0 {
		below = below[:i]
	}
	return below[:words.RuneStart(below, maxTableRow)]
}

// isPlainRow reports whether a line with nothing between its cells may be a row: a name, and
// then numbers with hardly a word between them.
func isPlainRow(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" || len(line) > maxTableRow || strings.ContainsAny(line[len(line)-1:], ".;:!?") || strings.ContainsAny(line, ";!?") {
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

// isOf reports whether what was typed says of a row what stands in it.
func (t *typedRow) isOf(r *tableRow, language func() string) bool {
	used := make([]int, len(t.tokens)) // the row's token, -1 for one of what is above, -2 for the quoter's own
	next, own := 0, 0
	taken := make([]bool, len(r.tokens))
	for i, w := range t.tokens {
		used[i] = -2
		if w.isNumber() {
			at := slices.IndexFunc(r.tokens[next:], func(o token) bool { return o.low == w.low })
			switch {
			case at >= 0:
				used[i] = next + at
				next += at + 1
				taken[used[i]] = true
			case slices.ContainsFunc(r.above, func(o token) bool { return o.low == w.low }):
				used[i] = -1
			default:
				return false
			}
			continue
		}
		at, isLong := indexOfForm(r.tokens, w), utf8.RuneCountInString(w.low) > 3
		switch {
		case at >= 0:
			used[i] = at
			taken[at] = true
		case indexOfForm(r.above, w) >= 0:
			used[i] = -1
		case i > 0 && t.tokens[i-1].isNumber() && guard.IsUnitSymbol(t.text[w.start:w.end]):
			return false // a unit that the table does not have
		case indexOfForm(r.others, w) >= 0 && (isLong || utf8.RuneCountInString(w.low) == 1 || unicode.IsUpper(firstRune(t.text[w.start:]))):
			return false // of another row
		case isLong:
			own++
		}
	}
	return own <= 1+len(t.tokens)/12 && r.isNamedBy(taken) && t.saysHowMuch(r, used) && t.decidesAsRow(r, used, taken, language) && r.hasWholeCells(taken) && t.hasColumnsRight(r, used)
}

// indexOfForm finds a word among others, in whatever ending.
func indexOfForm(list []token, w token) int {
	return slices.IndexFunc(list, func(o token) bool {
		if o.low == w.low {
			return true
		}
		const stem = 4 // letters
		n := 0
		for n < len(o.low) && n < len(w.low) && o.low[n] == w.low[n] {
			n++
		}
		same := utf8.RuneCountInString(w.low[:words.RuneStart(w.low, n)])
		return !w.isNumber() && !o.isNumber() && same >= stem && max(utf8.RuneCountInString(w.low), utf8.RuneCountInString(o.low))-same <= 3
	})
}

// isNamedBy reports whether of the words and numbers with which a row begins one half is among
// those taken, and something behind them.
func (r *tableRow) isNamedBy(taken []bool) bool {
	end := 1 // of the name
	for end < len(r.tokens) && !r.tokens[0].isNumber() && !r.tokens[end].isNumber() {
		end++
	}
	if len(r.cells) > 1 {
		for end = 1; end < len(r.tokens) && r.tokens[end].start < r.cells[1]; end++ {
		}
	}
	n := 0
	for _, is := range taken[:end] {
		if is {
			n++
		}
	}
	return 2*n >= end && slices.Contains(taken[end:], true)
}

// saysHowMuch reports whether each number has the marks that it has in the row: a sign, a
// bound, a currency, a per cent.
func (t *typedRow) saysHowMuch(r *tableRow, used []int) bool {
	for i, w := range t.tokens {
		if !w.isNumber() || used[i] < 0 {
			continue
		}
		o := r.tokens[used[i]]
		if i > 0 && t.tokens[i-1].isNumber() && used[i-1] >= 0 && used[i-1] < used[i] {
			between := t.text[t.tokens[i-1].end:w.start]
			if !strings.ContainsFunc(between, unicode.IsSpace) && strings.Trim(between, ".,:：，'-") == "" && between != r.text[r.tokens[used[i]-1].end:o.start] {
				return false // two numbers made one
			}
		}
		if t.skipsNumber(r, used, i) {
			return false
		}
		ours, theirs := markBefore(t.text, w.start), markBefore(r.text, o.start)
		isLess := theirs == '-' || isLossInBrackets(r.text, o)
		switch {
		case isLess && !(ours == '-' || isLossInBrackets(t.text, w) || t.fallsBefore(i)):
			return false
		case !isLess && (ours == '-' || isLossInBrackets(t.text, w) || t.fallsBefore(i)):
			return false
		case ours != '-' && theirs != '-' && ours != theirs:
			return false
		}
		for _, sign := range [...]string{"%", "‰", "°", "€", "$", "£", "¥"} {
			near := t.text[max(0, w.start-len(sign)-1):min(len(t.text), w.end+len(sign)+2)]
			if strings.Contains(near, sign) && !strings.Contains(r.table, sign) {
				return false
			}
		}
	}
	return true
}

// skipsNumber reports whether a number of the row is left out before one, and no word beside
// tells which of them is meant.
func (t *typedRow) skipsNumber(r *tableRow, used []int, i int) bool {
	if i == 0 || used[i] < 1 || !r.tokens[used[i]-1].isNumber() || slices.Contains(used[:i], used[i]-1) {
		return false
	}
	if used[i-1] == -1 && !t.tokens[i-1].isNumber() {
		return false
	}
	return i+1 == len(used) || t.tokens[i+1].isNumber() || used[i+1] == -2
}

// markBefore is the bound or the sign right before a number, 0 for none. A dash behind a
// letter or a digit is none.
func markBefore(text string, at int) rune {
	bare := strings.TrimRight(text[:at], " $€£")
	mark := lastRune(bare)
	if !strings.ContainsRune("<>≤≥~≈±-", mark) || bare == "" {
		return 0
	}
	if mark == '-' && (len(bare) != at || len(bare) > 1 && !strings.ContainsRune(" (\t:", lastRune(bare[:len(bare)-1]))) {
		return 0
	}
	return mark
}

// isLossInBrackets reports whether a number stands alone in brackets before a per cent, or
// before the end of a cell, as tables print what is below zero.
func isLossInBrackets(text string, w token) bool {
	before, behind := strings.TrimRight(text[:w.start], " $€£"), strings.TrimLeft(text[w.end:], " ")
	unit, _, closed := strings.Cut(behind, ")")
	if !strings.HasSuffix(before, "(") || !closed || unit != "" && unit != "%" && !isAmount("1 "+unit) {
		return false
	}
	return !isYear(w.low)
}

// fallsBefore reports whether a word for a fall stands before a number.
func (t *typedRow) fallsBefore(i int) bool {
	for _, w := range t.tokens[max(0, i-2):i] {
		switch w.low {
		case "down", "fell", "fall", "decrease", "decreased", "decline", "declined", "minus", "loss", "lower", "rückgang", "baisse", "caída", "daling", "pokles", "снижение", "減":
			return true
		}
	}
	return false
}

// decidesAsRow reports whether words that decide, as "not" and "at least", stand in both.
func (t *typedRow) decidesAsRow(r *tableRow, used []int, taken []bool, language func() string) bool {
	for _, w := range guard.WordsIn(t.text, language) {
		switch w.Kind {
		case guard.Negation, guard.Comparator, guard.Quantifier, guard.Hedge, guard.Magnitude:
		default:
			continue
		}
		i := slices.IndexFunc(t.tokens, func(o token) bool { return o.start <= w.Start && w.Start < o.end })
		if i >= 0 && used[i] == -2 && !(i+2 < len(t.tokens) && (t.fallsBefore(i+1) || t.fallsBefore(i+2))) {
			return false
		}
	}
	last := len(r.tokens)
	for last > 0 && !taken[last-1] {
		last--
	}
	for _, w := range guard.WordsIn(r.text, language) {
		switch w.Kind {
		case guard.Negation, guard.Comparator, guard.Quantifier, guard.Hedge, guard.Magnitude:
		default:
			continue
		}
		i := slices.IndexFunc(r.tokens, func(o token) bool { return o.start <= w.Start && w.Start < o.end })
		if i >= 0 && !taken[i] && (i < last || r.isInTakenCell(i, taken)) {
			return false
		}
	}
	return true
}

// cellOf is the cell in which a token of the row stands.
func (r *tableRow) cellOf(i int) int {
	cell := 0
	for cell+1 < len(r.cells) && r.cells[cell+1] <= r.tokens[i].start {
		cell++
	}
	return cell
}

// isInTakenCell reports whether something of a token's cell is taken.
func (r *tableRow) isInTakenCell(i int, taken []bool) bool {
	for o := range r.tokens {
		if taken[o] && r.cellOf(o) == r.cellOf(i) {
			return true
		}
	}
	return false
}

// hasWholeCells reports whether a cell of which a number is taken has all of its numbers
// taken. The number of the row itself may be left out.
func (r *tableRow) hasWholeCells(taken []bool) bool {
	if len(r.cells) < 2 {
		return true
	}
	for i, w := range r.tokens {
		if i > 0 && w.isNumber() && !taken[i] && r.isInTakenCell(i, taken) {
			return false
		}
	}
	return true
}

// hasColumnsRight reports whether the name of a column stands beside a number of that column,
// or, where nothing parts the columns, whether the names come in their order.
func (t *typedRow) hasColumnsRight(r *tableRow, used []int) bool {
	last := 0
	for i, w := range t.tokens {
		if w.isNumber() || used[i] != -1 {
			continue
		}
		if r.heads == nil {
			if len(r.cells) > 1 || len(r.above) == 0 {
				continue
			}
			at := indexOfForm(r.above[last:], w)
			if at < 0 {
				return false
			}
			last += at
			continue
		}
		column := -1
		for c, head := range r.heads {
			if indexOfForm(head, w) >= 0 {
				if column >= 0 {
					column = -2
					break
				}
				column = c
			}
		}
		if column > 0 && !t.isBeside(r, used, i, column) {
			return false
		}
	}
	return true
}

// isBeside reports whether the nearest part of a row before or behind a word that was typed
// is of a column.
func (t *typedRow) isBeside(r *tableRow, used []int, i, column int) bool {
	for k := i - 1; k >= 0; k-- {
		if used[k] >= 0 {
			if r.cellOf(used[k]) == column {
				return true
			}
			break
		}
	}
	for k := i + 1; k < len(used); k++ {
		if used[k] >= 0 {
			return r.cellOf(used[k]) == column
		}
	}
	return false
}
