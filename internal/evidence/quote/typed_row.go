package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// findTypedRow looks for a row of a table that its quoter has typed out: cells in their order,
// some left out, with the names of the columns or their units put beside the numbers. Every
// number stands in the row, in order, and the row is told by its first cell. What the columns are
// called is shown.
func (s *search) findTypedRow(quoted string) (Match, bool) {
	t, read := s.Text, s.reading()
	if !read.IsSame() {
		t = s.readText()
	}
	asked := reading.OfQuotation(quoted)
	for _, form := range slices.Compact([]string{quoted, asked.String()}) {
		var notes []string
		if form != quoted {
			notes = asked.Marks()
		}
		typed := newTypedRow(form)
		if typed == nil {
			continue
		}
		for _, line := range typed.candidates(t.text) {
			row, ok := newTableRow(t.text, line.Start, line.End, tableLines{s.text, read})
			if !ok || isRowOfCode(s, t, read, row.Span) {
				continue
			}
			putHeadsOver(s, row, read, t.text)
			if !read.HasMarks(notes, row.Start, row.End) || !typed.isOf(row, s.language) {
				continue
			}
			if m := row.match(read); m.Start >= s.from && m.End <= s.to {
				return m, true
			}
		}
	}
	return Match{}, false
}

// isRowOfCode reports whether a line of a reading is code and no row of a table of markup, whose
// cells may be names of code.
func isRowOfCode(s *search, t *Text, read *reading.Text, line Span) bool {
	from, to := read.Span(line.Start, line.End)
	isCode := t.isCode(line.Start, line.End) || t.isInCodeBlock(line.Start, line.End)
	return isCode && (s.isCode(from, to) || s.isInCodeBlock(from, to)) && !isRowOfMarkup(s.text, from, to)
}

// isRowOfMarkup reports whether a line has cells of a table of HTML, or is a row between bars of a grid:
// right above or below it stands a rule with crosses.
func isRowOfMarkup(text string, from, to int) bool {
	if row := text[from:to]; strings.Contains(row, "<td") || strings.Contains(row, "<TD") {
		return true
	}
	start, end := char.LineAround(text, from)
	row := strings.TrimSpace(text[start:end])
	return len(row) > 1 && strings.HasPrefix(row, "|") && strings.HasSuffix(row, "|") &&
		(start > 0 && isGridRule(char.Line(text, start-1)) || end < len(text) && isGridRule(char.Line(text, end+1)))
}

func isGridRule(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "+-") && strings.HasSuffix(line, "-+") && strings.Trim(line, "+-") == "" || strings.HasPrefix(line, "+=") && strings.HasSuffix(line, "=+") && strings.Trim(line, "+=") == ""
}

// match is the row of a reading in its text, with what its columns are called left out, and in
// what it goes on.
func (r *tableRow) match(read *reading.Text) Match {
	m := Match{Tier: Normalised, Start: r.Start, End: r.End, Gaps: []Span{r.columns}}
	if len(r.skipped) > 0 && r.columns == r.Span {
		m.Gaps = nil
	}
	m.Gaps = append(m.Gaps, r.skipped...)
	if r.rest.Start < r.rest.End {
		m.Gaps = append(m.Gaps, r.rest)
	}
	if read.IsSame() {
		return m
	}
	return matchInText(read, m)
}

// emptyCell is a cell with nothing in it, behind the first.
var emptyCell = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\|\s*\||<td[^>]*>\s*</td>|\t\t`)
})

// A typedRow is a quotation as a row of a table may be typed.
type typedRow struct {
	text   string
	tokens []token
	tabbed bool // bars or tabs part its cells
	lines  bool // it has more than one line

	numberless bool
}

const (
	maxTypedRow  = 300      // bytes
	maxTable     = 16 << 10 // bytes above a row in which the names of its columns are looked for
	maxTableRows = 100      // that have a number by which a row is looked for
)

func newTypedRow(quoted string) *typedRow {
	if len(quoted) > maxTypedRow {
		return nil
	}
	text := normalise(quoted).text
	list := tokens(text)
	numbers, letters := 0, 0
	for _, w := range list {
		switch {
		case w.isNumber():
			numbers++
		case words.Unspaced(char.First(w.low)):
			letters++
		}
	}
	const most, word = 8, 3                        // words to a number, letters of a script without blanks to a word
	parted := strings.ContainsAny(text, ",;:、，；：") // a row without numbers has its cells parted
	if len(list) < 3 || numbers*most < len(list)-letters+letters/word && !(numbers == 0 && parted) || strings.ContainsAny(text, "{}[]^*+&\\`") {
		return nil
	}
	return &typedRow{text, list, strings.ContainsAny(quoted, "|\t"), strings.Contains(quoted, "\n"), numbers == 0}
}

func (t token) isNumber() bool { return unicode.IsDigit(char.First(t.low)) }

// candidates are the lines of a text where one of the longest numbers stands, or words where
// there are none: that of a row may be shorter than one that names its column.
func (t *typedRow) candidates(text string) []Span {
	const most = 4 // numbers
	if t.numberless && !strings.Contains(text, "\t") {
		return nil
	}
	var numbers []string
	for _, w := range t.tokens {
		if number := t.text[w.start:w.end]; (w.isNumber() || t.numberless) && !slices.Contains(numbers, number) {
			numbers = append(numbers, number)
		}
	}
	slices.SortStableFunc(numbers, func(a, b string) int { return len(b) - len(a) })
	var list []Span
	for _, number := range numbers[:min(most, len(numbers))] {
		for at, n := 0, 0; n < maxTableRows; n++ {
			i := strings.Index(text[at:], number)
			if i < 0 {
				break
			}
			start, end := char.LineAround(text, at+i)
			if line := (Span{start, end}); end-start <= reading.MaxRow && (!t.numberless || strings.Contains(text[start:end], "\t")) && !slices.Contains(list, line) && t.sharesNumbers(text[start:end]) {
				list = append(list, line)
			}
			at = max(at+i+len(number), end)
		}
	}
	return list
}

// sharesNumbers reports whether a line has half of the numbers that were typed, or more, or of
// the words where there are none.
func (t *typedRow) sharesNumbers(line string) bool {
	if t.numberless {
		line = strings.ToLower(line)
	}
	all, there := 0, 0
	for _, w := range t.tokens {
		if w.isNumber() || t.numberless {
			all++
			if strings.Contains(line, w.low) {
				there++
			}
		}
	}
	return 2*there >= all
}

// Where a word that was typed stands, if not in the row.
const (
	inHead  = -1 // in what names the columns
	inTitle = -2 // above that
	joins   = -3 // nowhere, and it says nothing
	tells   = -4 // nowhere, and it says that a number fell or rose
)

// joints are words and particles that say nothing beside the cells of a row.
const joints = "a an the in at on of for with and by was were is are had has het de een van bij met en in op der die das im am bei mit und von für den dem le la les l d du des à au aux en dans pour avec et el los las un una del al con y em o os as um uma no na do da com e il lo gli i nel nella di per con w na z i do v ve na s se a pro у в на с и для を は が の に で と も が まで は 的 为 為 在 의 은 는 이 가 을 를 に"

// isOf reports whether what was typed says of a row what stands in it: each number and word
// is one of the row, in its order, of what names its columns, or says nothing.
func (t *typedRow) isOf(r *tableRow, language func() string) bool {
	const most = 32 // ways to read it
	p := placing{typedRow: t, row: r, language: language, used: make([]int, len(t.tokens)), taken: make([]bool, len(r.tokens)), name: r.nameEnd(), left: most}
	return p.place(0, 0)
}

// A placing is a way to read what was typed: where each of its words stands.
type placing struct {
	*typedRow
	row      *tableRow
	language func() string
	used     []int  // the row's token, or where else it stands
	taken    []bool // the row's tokens that are used
	name     int    // how many tokens name the row
	left     int    // ways that may still be tried
}

// place finds a place for the words from one on, those of the row behind another.
func (p *placing) place(i, next int) bool {
	r := p.row
	if i == len(p.tokens) {
		p.left--
		if p.numberless && !p.hasCellsOfWords() || !p.hasTicks() || !p.tellsOfChange() {
			return false
		}
		return !p.beginsWithHead() && !p.mendsCell() && r.isNamedBy(p.taken, p.name) && p.saysHowMuch(r, p.used) && !p.skipsCell(r, p.used) && r.hasWholeCells(p.taken) && p.hasColumnsRight(r, p.used) && p.decidesAsRow(r, p.used, p.taken, p.language)
	}
	w, was := p.tokens[i], next
	if at := indexOf(r.tokens[next:], w); at >= 0 {
		for ; at >= 0 && p.left > 0; at = indexOf(r.tokens[next:], w) { // one cell may have what another has
			next += at + 1
			if p.takes(i, next-1, next) {
				return true
			}
		}
		next = was
	} else if at := indexOf(r.tokens[:p.name], w); !w.isNumber() && at >= 0 && !p.taken[at] && p.takes(i, at, next) {
		return true
	}
	switch {
	case p.left <= 0:
		return false
	case !w.isNumber() && !r.isColumn(w) && (slices.Contains(strings.Fields(joints), w.low) || w.low == "to" && !p.isBesideNumber(i)):
		p.used[i] = joins
	case w.isNumber() && r.heads != nil && indexOf(r.named, w) >= 0, !w.isNumber() && (indexOfForm(r.named, w) >= 0 || r.isShortened(w)):
		p.used[i] = inHead
	case !w.isNumber() && indexOf(r.title, w) >= 0 && isMeasure(p.text[w.start:w.end], p.language), p.isOfTitle(i):
		p.used[i] = inTitle
	case isFall(w.low) || isRise(w.low):
		p.used[i] = tells
	case p.counts(i):
		p.used[i] = joins
	default:
		return false
	}
	return p.place(i+1, next)
}

// hasCellsOfWords reports whether what was typed without a number has whole cells of the row, its
// first and another, as they are written, but for a first letter.
func (p *placing) hasCellsOfWords() bool {
	r, cells := p.row, 0
	for i, at := range p.used {
		w := p.tokens[i]
		switch {
		case at == joins && (i == 0 || p.used[i-1] != inHead || !words.Unspaced(char.First(w.low))):
			return false
		case at == inHead && (i == 0 || p.used[i-1] != inHead) && !p.namesCellBehind(i):
			return false
		case at >= 0 && !isSameButFirst(p.text[w.start:w.end], r.text[r.tokens[at].start:r.tokens[at].end]):
			return false
		}
	}
	for c := range r.cells {
		if r.isCellTaken(c, p.taken) {
			cells++
		} else if c == 0 {
			return false
		}
	}
	for i := range r.tokens {
		if !p.taken[i] && r.isInTakenCell(i, p.taken) {
			return false
		}
	}
	return cells > 1
}

// namesCellBehind reports whether the whole name of a column begins at a word, right before what
// is of that column: the first line of a table without numbers may be a row as others.
func (p *placing) namesCellBehind(i int) bool {
	end := i
	for end < len(p.used) && (p.used[end] == inHead || end > i && p.used[end] == joins) {
		end++
	}
	if end == len(p.used) || p.used[end] < 0 || p.row.heads == nil || strings.ContainsAny(p.text[p.tokens[i].end:p.tokens[end].start], ",;|、，；") {
		return false
	}
	head := p.row.heads[p.row.cellOf(p.used[end])]
	for end > i && p.used[end-1] == joins {
		end--
	}
	return slices.EqualFunc(head, p.tokens[i:end], func(a, b token) bool { return a.low == b.low })
}

// hasTicks reports whether signs as ✓ that were typed stand in the row.
func (p *placing) hasTicks() bool {
	return !strings.ContainsFunc(p.text, func(c rune) bool {
		return unicode.Is(unicode.So, c) && c != '°' && !strings.ContainsRune(p.row.text, c)
	})
}

func isSameButFirst(a, b string) bool {
	_, n := utf8.DecodeRuneInString(a)
	_, k := utf8.DecodeRuneInString(b)
	return a[n:] == b[k:]
}

// beginsWithHead reports whether of several lines the first names columns: then each cell of the
// row would stand under one of them.
func (p *placing) beginsWithHead() bool {
	for i, at := range p.used {
		if at >= 0 || !p.lines {
			return false
		}
		if at == inHead && (p.row.heads == nil || !p.row.isHead(0, p.tokens[i])) {
			return true
		}
	}
	return false
}

// mendsCell reports whether a word of the name of a column stands right beside words of a cell that are
// not all it has, as if it were one of them: what is taken for that name may be a row.
func (p *placing) mendsCell() bool {
	for i, at := range p.used {
		for _, k := range [...]int{i - 1, i + 1} {
			if at != inHead || p.tokens[i].isNumber() || k < 0 || k >= len(p.used) || p.used[k] < 0 || p.tokens[k].isNumber() {
				continue
			}
			if strings.TrimSpace(p.text[p.tokens[min(i, k)].end:p.tokens[max(i, k)].start]) == "" && p.isCutCell(p.row.cellOf(p.used[k])) {
				return true
			}
		}
	}
	return false
}

// isCutCell reports whether a cell behind the first has words that are not taken, and no number.
func (p *placing) isCutCell(cell int) bool {
	cut := false
	for i, w := range p.row.tokens {
		if p.row.cellOf(i) == cell {
			if w.isNumber() {
				return false
			}
			cut = cut || !p.taken[i]
		}
	}
	return cut && cell > 0
}

// takes reads a word as one of the row, and goes on.
func (p *placing) takes(i, at, next int) bool {
	was := p.taken[at]
	p.used[i], p.taken[at] = at, true
	if p.place(i+1, next) {
		return true
	}
	p.taken[at] = was
	return false
}

// isMeasure reports whether a word says in what numbers are given: thousands, a unit.
func isMeasure(word string, language func() string) bool {
	return slices.ContainsFunc(guard.WordsIn("1 "+word, language), func(w guard.Word) bool { return w.Kind == guard.Magnitude || w.Kind == guard.Unit })
}

func (t *typedRow) isBesideNumber(i int) bool {
	return i > 0 && t.tokens[i-1].isNumber() || i+1 < len(t.tokens) && t.tokens[i+1].isNumber()
}

func indexOf(list []token, w token) int {
	return slices.IndexFunc(list, func(o token) bool { return o.low == w.low })
}

// indexOfForm finds a word among others, or else one with another ending.
func indexOfForm(list []token, w token) int {
	if at := indexOf(list, w); at >= 0 {
		return at
	}
	return slices.IndexFunc(list, func(o token) bool { return hasStemOf(o, w) })
}

func hasStemOf(o, w token) bool {
	const stem, ending = 4, 3 // letters
	n := 0
	for n < len(o.low) && n < len(w.low) && o.low[n] == w.low[n] {
		n++
	}
	same := utf8.RuneCountInString(w.low[:words.RuneStart(w.low, n)])
	return !w.isNumber() && !o.isNumber() && same >= stem && len(w.low) > stem && len(o.low) > stem && max(utf8.RuneCountInString(w.low), utf8.RuneCountInString(o.low))-same <= ending
}

const currencies = "$€£¥₽₩₹"

// signs say beside a number what it counts.
var signs = [...]string{"%", "‰", "°", "€", "$", "£", "¥", "₽", "₩", "₹"}

// saysHowMuch reports whether each number has the marks that it has in the row: a sign, a
// bound, a currency, a per cent, and is made of no two.
func (t *typedRow) saysHowMuch(r *tableRow, used []int) bool {
	last := -1 // the number before, of those typed
	for i, w := range t.tokens {
		if !w.isNumber() || used[i] < 0 {
			continue
		}
		o := r.tokens[used[i]]
		if last >= 0 && !t.areApart(r, used, last, i) || t.skipsNumber(r, used, i) {
			return false
		}
		last = i
		ours, theirs := boundBefore(t.text, w.start), boundBefore(r.text, o.start)
		isLess := theirs == '-' || isLossInBrackets(r.text, o) || r.isCellLess(used[i])
		saysLess := ours == '-' || isLossInBrackets(t.text, w) || t.fallsBefore(i)
		plus := strings.HasPrefix(r.text[o.end:], "+") != strings.HasPrefix(t.text[w.end:], "+")
		if isLess != saysLess || ours != '-' && theirs != '-' && ours != theirs || plus || endsWithMinus(r.text, o) {
			return false
		}
		for _, sign := range signs {
			if hasBeside(t.text, t.tokens, i, sign) && !hasBeside(r.text, r.tokens, used[i], sign) && !strings.Contains(r.over(used[i]), sign) {
				return false
			}
		}
	}
	return true
}

// hasBeside reports whether a sign stands beside a number: a currency on either side, any
// other behind it.
func hasBeside(text string, list []token, i int, sign string) bool {
	before, behind := text[:list[i].start], text[list[i].end:]
	if i > 0 {
		before = text[list[i-1].end:list[i].start]
	}
	if i+1 < len(list) {
		behind = text[list[i].end:list[i+1].start]
	}
	return strings.Contains(behind, sign) && !strings.Contains(strings.TrimRight(behind[:strings.Index(behind, sign)], " "), " ") || strings.Contains(currencies, sign) && strings.Contains(before, sign)
}

// areApart reports whether two numbers of a row are typed as two: nothing makes a range, a
// fraction or one number of them that does not stand between them in the row.
func (t *typedRow) areApart(r *tableRow, used []int, i, k int) bool {
	a, b := r.tokens[used[i]], r.tokens[used[k]]
	between := t.text[t.tokens[i].end:t.tokens[k].start]
	if n := strings.Count(between, ".."); n > 0 && n != strings.Count(r.text[a.end:b.start], "..") {
		return false // cells without a number
	}
	if rest, closed := strings.CutPrefix(between, ")"); closed && strings.HasPrefix(r.text[a.end:], ")") && strings.ContainsAny(rest, ",;:|、") {
		return true
	}
	if used[k] == used[i]+1 && strings.TrimSpace(between) == strings.TrimSpace(r.text[a.end:b.start]) {
		return true
	}
	for _, at := range used[i+1 : k] {
		if at != joins {
			return true
		}
	}
	if k > i+1 {
		return false // 10 of 12
	}
	if between == " - " && used[i] > 0 && used[i] == r.nameEnd()-1 && !r.tokens[0].isNumber() {
		return true // a dash behind a name that ends with a number
	}
	marks := strings.Trim(between, currencies+"% \t")
	return strings.ContainsFunc(between, unicode.IsSpace) && !strings.ContainsAny(strings.Trim(between, " \t"), "-×x") || strings.Trim(marks, ",;|:、；·") == "" && len(marks) > 1 || marks == "|" || marks == "、" || marks == ";"
}

// skipsNumber reports whether a number of the row is left out before one, and no word beside
// tells which of them is meant. Cells that are parted as those of a table leave none out.
func (t *typedRow) skipsNumber(r *tableRow, used []int, i int) bool {
	last := -1
	for _, at := range used[:i] {
		last = max(last, at)
	}
	skips := false
	for k := last + 1; k < used[i]; k++ {
		skips = skips || r.tokens[k].isNumber() && (k > 0 || len(r.cells) < 2)
	}
	switch {
	case !skips || last < 0 && used[i] < r.nameEnd():
		return false
	case t.tabbed:
		return true
	case i > 0 && used[i-1] == inHead && (r.heads != nil || !t.tokens[i-1].isNumber()), isTold(used, i):
		return false
	}
	next := i + 1
	for next < len(used) && used[next] == joins && r.heads != nil {
		next++
	}
	return next == len(used) || t.tokens[next].isNumber() || used[next] < inHead
}

// skipsCell reports whether a cell is left out before one that is neither named nor begins
// with a number and its unit.
func (t *typedRow) skipsCell(r *tableRow, used []int) bool {
	last := 0
	for i, at := range used {
		if at < 0 || len(r.cells) < 2 {
			continue
		}
		cell := r.cellOf(at)
		hasUnit := t.tokens[i].isNumber() && at+1 < len(r.tokens) && !r.tokens[at+1].isNumber() && r.cellOf(at+1) == cell
		isNamed := r.heads != nil && slices.ContainsFunc(t.tokens, func(w token) bool { return r.isHead(cell, w) })
		if cell > last+1 && (t.tabbed || !hasUnit && !isNamed && !isTold(used, i) && !t.hasSignOf(r, cell, i) && !(t.numberless && r.isDescription(cell)) && !r.isOnlyWords(cell)) {
			return true
		}
		last = max(last, cell)
	}
	return false
}

// boundBefore is the bound or the sign right before a number, 0 for none. A dash behind a
// letter or a digit is none.
func boundBefore(text string, at int) rune {
	bare := strings.TrimRight(text[:at], " "+currencies)
	mark := char.Last(bare)
	if bare == "" || !strings.ContainsRune("<>≤≥~≈±-", mark) {
		return 0
	}
	_, size := utf8.DecodeLastRuneInString(bare)
	before := bare[:len(bare)-size]
	if mark == '-' && before != "" && !strings.ContainsRune(" (\t:|", char.Last(before)) {
		return 0
	}
	if mark == '-' && strings.HasSuffix(strings.TrimRight(text[:at], currencies), " ") && strings.TrimSpace(before) != "" && char.IsOfWord(char.Last(strings.TrimSpace(before))) && !strings.HasSuffix(before, "\t") {
		return 0 // a dash between words
	}
	return mark
}

// endsWithMinus reports whether a number has its minus behind it, as some programs print it.
func endsWithMinus(text string, w token) bool {
	rest, ok := strings.CutPrefix(text[w.end:], "-")
	return ok && (rest == "" || strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\t"))
}

// isLossInBrackets reports whether a number stands alone in brackets before a per cent, or
// before the end of a cell, as tables print what is below zero.
func isLossInBrackets(text string, w token) bool {
	before, behind := strings.TrimRight(text[:w.start], " "+currencies), strings.TrimLeft(text[w.end:], " ")
	unit, _, closed := strings.Cut(behind, ")")
	if !strings.HasSuffix(before, "(") || !closed || unit != "" && unit != "%" && !isAmount("1 "+unit) {
		return false
	}
	return !reading.IsYear(w.low)
}

// decidesAsRow reports whether words that decide, as "not" and "at least", stand in both: those
// typed in the row or its head, and those of a cell that is taken, or of the name of its column
// where that is given, among what was typed.
func (t *typedRow) decidesAsRow(r *tableRow, used []int, taken []bool, language func() string) bool {
	decisive := func(w guard.Word) bool {
		switch w.Kind {
		case guard.Negation, guard.Comparator, guard.Quantifier, guard.Hedge, guard.Magnitude:
			return true
		}
		return false
	}
	for _, w := range guard.WordsIn(t.text, language) {
		i := slices.IndexFunc(t.tokens, func(o token) bool { return o.start <= w.Start && w.Start < o.end })
		if i >= 0 && decisive(w) && (used[i] == joins || used[i] == inTitle && w.Kind != guard.Magnitude) {
			return false
		}
	}
	last := len(r.tokens)
	for last > 0 && !taken[last-1] {
		last--
	}
	for _, w := range guard.WordsIn(r.text, language) {
		i := slices.IndexFunc(r.tokens, func(o token) bool { return o.start <= w.Start && w.Start < o.end })
		if i >= 0 && decisive(w) && !taken[i] && (len(r.cells) < 2 && i < last || len(r.cells) > 1 && r.isInTakenCell(i, taken)) {
			return false
		}
	}
	for c, head := range r.heads {
		if !slices.ContainsFunc(t.tokens, func(w token) bool { return indexOfForm(head, w) >= 0 }) || !r.isCellTaken(c, taken) {
			continue
		}
		if slices.ContainsFunc(head, func(o token) bool {
			return o.isNumber() && !reading.IsYear(o.low) && indexOf(t.tokens, o) < 0 && !r.isScale(c, o) && !isOne(head)
		}) {
			return false // Phase 2
		}
		for _, w := range guard.WordsIn(r.marks[c], language) {
			isNumero := w.Norm == "no" && strings.HasPrefix(r.marks[c][w.End:], ".")
			isBound := w.Norm == "allow" && r.hasRange(c)
			if decisive(w) && w.Kind != guard.Magnitude && !isNumero && !isBound && !slices.ContainsFunc(t.tokens, func(o token) bool { return strings.Contains(strings.ToLower(w.Text), o.low) }) {
				return false
			}
		}
	}
	return true
}
