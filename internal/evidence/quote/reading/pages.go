package reading

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
)

// block is a run of lines without an empty one.
type block struct {
	from, to  int // without the empty lines around it
	lines     []string
	ofPage    bool // its lines stand at the head or foot of a page, whatever stands beside them
	furniture bool
	notes     bool // it is furniture as notes, which are told by their shape alone
	word      bool // it is a number alone that belongs to the text
	row       bool // it is of rows of a table of HTML
}

// answeredEdits takes out the marks before the lines of a mail that is answered, or of a
// block that Markdown quotes, where a sentence goes on. The end of a tag of HTML that
// begins a line is none.
func answeredEdits(text string) []Edit {
	if !strings.Contains(text, "\n>") {
		return nil
	}
	var list []Edit
	marks := func(line string) int {
		if !strings.HasPrefix(line, ">") {
			return 0
		}
		return len(line) - len(strings.TrimLeft(line, "> \t"))
	}
	at, goesOn, inTag := 0, false, false // in the line before
	for line := range strings.Lines(text) {
		n := marks(line)
		if inTag {
			n = 0
		}
		if open, shut := strings.LastIndexByte(line, '<'), strings.LastIndexByte(line, '>'); open >= 0 || shut >= 0 {
			inTag = open > shut && open+1 < len(line) && (line[open+1] == '/' || char.LowerASCII(line[open+1]) != 0)
		}
		bare := strings.TrimSpace(line[n:])
		if n > 0 && goesOn && bare != "" {
			list = append(list, Edit{From: at, To: at + n})
		}
		last, _ := utf8.DecodeLastRuneInString(bare)
		goesOn = n > 0 && bare != "" && !char.IsSentenceStop(last)
		at += len(line)
	}
	return list
}

// furnitureEdits takes out what a page has at its head and foot: blocks of
// lines that come again with another number, and numbers of pages, between the
// lines of the text. The text before and behind is joined when its sentence
// goes on. What no other page has, and may be text, is taken out where that is asked for,
// and marked. It tells whether numbers alone are among that. In a text with cells of HTML the rows of
// a table are none of it, though they stand apart and many end with a number.
func furnitureEdits(text string, without int, hasCells bool) (list []Edit, numbers bool) {
	if !strings.Contains(text, "\n\n") && !strings.Contains(text, "\n\r\n") && !strings.Contains(text, "\f") && !strings.Contains(text, "\n ") {
		return nil, false
	}
	lines, ofPages := linesOfPages(text)
	known := knownLines{ofPages: ofPages}
	if hasCells {
		known.rows = rowsOfMarkup(text)
		maps.DeleteFunc(ofPages, func(at int, _ bool) bool { return known.rows[at] })
	}
	blocks := blocksOfPages(text, known)
	order := orderOfPages(lines, blocks)
	once := order.apply(lines, ofPages, without >= numbersOfPages) // where the lines begin that no other page has
	if known.words = order.words; len(order.words) > 0 {
		blocks = blocksOfPages(text, known)
	}
	more := linesOfInterruptions(lines, ofPages, blocks)
	more = slices.DeleteFunc(more, func(i int) bool { return known.rows[lines[i].at] })
	if without == allOfPages && len(more) > 0 {
		for _, i := range more {
			ofPages[lines[i].at] = true
			once = append(once, lines[i].at)
		}
		blocks = blocksOfPages(text, known)
	}
	slices.Sort(once)
	for i := 0; i < len(blocks); {
		if !blocks[i].furniture {
			if i > 0 && !blocks[i-1].furniture && (isOverWord(blocks, i) || isLastOfPage(blocks, i)) {
				list = append(list, Edit{From: blocks[i-1].to, To: blocks[i].from, With: "\n"})
			}
			i++
			continue
		}
		end := i
		for end < len(blocks) && blocks[end].furniture {
			end++
		}
		if i > 0 && end < len(blocks) {
			e := Edit{From: blocks[i-1].to, To: blocks[end].from, With: "\n"}
			if char.EndsSentence(text, e.From) {
				e.With = "\n\n"
			}
			at, _ := slices.BinarySearch(once, e.From)
			e.unsure = at < len(once) && once[at] < e.To || slices.ContainsFunc(blocks[i:end], func(b block) bool { return b.notes })
			list = append(list, e)
		}
		i = end
	}
	return list, len(order.doubtful) > 0
}

// knownLines are the lines of which it is known what they are, by where they begin.
type knownLines struct {
	ofPages, words map[int]bool
	rows           map[int]bool // of tables of HTML
}

// rowsOfMarkup gives where the lines begin that are rows of HTML with more than one cell: what a tag
// of a cell leaves begins them.
func rowsOfMarkup(text string) map[int]bool {
	rows := map[int]bool{}
	at := 0
	for line := range strings.Lines(text) {
		if row, begins := strings.CutPrefix(strings.TrimLeft(line, " "), "\t"); begins && strings.Contains(strings.TrimSpace(row), "\t") {
			rows[at] = true
		}
		at += len(line)
	}
	return rows
}

// isLastOfPage reports whether a block is the last line of a page, apart from the one above, with which a
// sentence goes on from that to the next page: "may be sold / EXCEPT ON SUNDAYS / by a chemist".
func isLastOfPage(blocks []block, i int) bool {
	const most = 60 // letters
	b, above := blocks[i], blocks[i-1]
	if i+2 >= len(blocks) || !blocks[i+1].furniture || len(b.lines) > 1 || utf8.RuneCountInString(b.lines[0]) > most {
		return false
	}
	line, last := strings.TrimSpace(b.lines[0]), above.lines[len(above.lines)-1]
	if !goesOn(line) && !isInCapitals(line) || !isOpenAtBreak(line) || !isOpenAtBreak(last) || len(above.lines) == 1 && countOfWords(last) < prose {
		return false
	}
	for _, next := range blocks[i+2:] {
		if !next.furniture {
			return goesOn(strings.TrimSpace(next.lines[0]))
		}
	}
	return false
}

// blocksOfPages gives the blocks of a text, of which some lines are known to be of pages, and which
// of them are furniture; nil for a text of a block or two. Some lines are numbers that belong to the text.
func blocksOfPages(text string, known knownLines) []block {
	blocks := splitIntoBlocks(text, known)
	if len(blocks) < 3 {
		return nil
	}
	numbered, again := countLines(blocks)
	for i := range blocks {
		b := &blocks[i]
		if b.furniture = b.ofPage || len(b.lines) <= 3 && !b.word && !b.row; b.ofPage || b.word || b.row {
			continue
		}
		if inner, ok := betweenRules(b.lines); ok && (isPageNumber(inner) || hasOuterNumber(inner)) {
			continue
		}
		for _, line := range b.lines {
			b.furniture = b.furniture && (isPageNumber(line) || numbered[skeleton(line)] > 1)
		}
	}
	for i := range blocks { // a running title has no number, but stands beside one
		b := &blocks[i]
		beside := i > 0 && blocks[i-1].furniture || i+1 < len(blocks) && blocks[i+1].furniture
		if !b.furniture && !b.word && !b.row && beside && len(b.lines) == 1 && again[strings.TrimSpace(b.lines[0])] > 1 {
			b.furniture = true
		}
	}
	for i := len(blocks) - 2; i > 0; i-- { // notes at the foot of a page
		b := &blocks[i]
		b.notes = !b.furniture && !b.row && blocks[i+1].furniture && b.isFootnotes() && !char.EndsSentence(text, blocks[i-1].to) && !isNumberedText(text, blocks, i)
		b.furniture = b.furniture || b.notes
	}
	return blocks
}

// betweenRules is the one line between two lines drawn across the page.
func betweenRules(lines []string) (string, bool) {
	const long = 20 // letters
	isRule := func(line string) bool {
		line = strings.TrimSpace(line)
		return len(line) >= long && strings.Trim(line, "-_=—–─*") == ""
	}
	if len(lines) != 3 || !isRule(lines[0]) || !isRule(lines[2]) {
		return "", false
	}
	return lines[1], true
}

// interruptionEdits takes out the lines between two of a sentence that belong to the
// page: what stands above an advertisement, a request to share the page.
func interruptionEdits(text string) []Edit {
	const shortest = 16 // bytes of a line that goes on
	const whole = 60    // letters of a line that was broken for its length
	var list []Edit
	before := ""                 // the line before those that are taken out
	from := 0                    // where it ends
	out := false                 // a line behind it is taken out
	blank, wraps := false, false // an empty line stands before; a line that is taken out goes on below
	at := 0
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		switch {
		case bare == "":
			blank, wraps = true, false
		case len(before) >= shortest && isOpen(before) && governing.IsFurniture(bare) && !(unicode.IsLower(char.First(bare)) && utf8.RuneCountInString(bare) >= whole):
			wraps = blank && isOpen(bare) && utf8.RuneCountInString(bare) >= whole
			out, blank = true, false
		default:
			begin := at + strings.Index(line, bare)
			if out && !wraps && goesOn(bare) {
				list = append(list, Edit{From: from, To: begin, With: "\n"})
			}
			before, from, out, blank, wraps = bare, begin+len(bare), false, false, false
		}
		at += len(line)
	}
	return list
}

// isOpen reports whether a line may end within a sentence: no stop, colon or bracket
// ends it.
func isOpen(line string) bool {
	last := char.Last(line)
	return char.IsOfWord(last) || last == ',' || last == '，' || last == '、'
}

// goesOn reports whether a line may go on with a sentence: no capital begins it.
func goesOn(line string) bool {
	first := char.First(line)
	return char.IsOfWord(first) && !unicode.IsUpper(first) && !unicode.IsDigit(first)
}

// footnote is how a note at the foot of a page begins.
var footnote = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:\[?\d{1,3}[\]).]?|[*†‡§]{1,3}|[¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3})\s*\pL`)
})

// isNumberedText reports whether a block with a number in front is no note but a paragraph of
// the text: a heading stands above it, or the text goes on with it behind what belongs to the page.
func isNumberedText(text string, blocks []block, i int) bool {
	b, above := blocks[i], blocks[i-1]
	switch {
	case !unicode.IsDigit(char.First(strings.TrimSpace(b.lines[0]))):
		return false
	case len(above.lines) == 1 && len(above.lines[0]) < char.ShortLine, hasNoteBelow(b.lines):
		return true
	}
	for _, next := range blocks[i+1:] {
		if !next.furniture {
			return !char.EndsSentence(text, b.to) && isOpen(b.lines[len(b.lines)-1]) && goesOn(strings.TrimSpace(next.lines[0]))
		}
	}
	return false
}

// hasNoteBelow reports whether some lines are of the text and a note stands right below them, within
// a sentence, whose mark they have.
func hasNoteBelow(lines []string) bool {
	for k, line := range lines {
		m := noteMark().FindStringSubmatch(strings.TrimSpace(line))
		if k > 0 && m != nil && isOpenAtBreak(strings.TrimSpace(lines[k-1])) && slices.ContainsFunc(lines[:k], func(l string) bool { return hasMark(l, m[1]+m[2]+m[3]) }) {
			return true
		}
	}
	return false
}

// isFootnotes reports whether a block is of notes, maybe under a rule.
func (b block) isFootnotes() bool {
	const most = 12 // lines
	first := b.lines[0]
	if strings.Trim(first, "_-–—=* \t") == "" && len(b.lines) > 1 {
		first = b.lines[1]
	}
	return len(b.lines) <= most && footnote().MatchString(first)
}

// splitIntoBlocks gives the blocks of a text; lines of pages are apart from those of others. A block is
// a word, or of rows, where all its lines are.
func splitIntoBlocks(text string, known knownLines) []block {
	var list []block
	open := false
	for at := 0; at < len(text); {
		end := at + len(text[at:])
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		line := strings.TrimRight(text[at:end], " \t\r\f")
		switch {
		case strings.TrimLeft(line, " \t\f") == "":
			open = false
		case open && !strings.HasPrefix(line, "\f") && known.ofPages[at] == list[len(list)-1].ofPage:
			last := &list[len(list)-1]
			last.lines, last.to, last.word, last.row = append(last.lines, line), at+len(line), last.word && known.words[at], last.row && known.rows[at]
		default:
			open = true
			from := at + len(line) - len(strings.TrimLeft(line, " \t\f"))
			list = append(list, block{from: from, to: at + len(line), lines: []string{strings.TrimLeft(line, "\f")}, ofPage: known.ofPages[at], word: known.words[at], row: known.rows[at]})
		}
		at = end + 1
	}
	return list
}

// countLines counts in how many short blocks a line with a number comes again
// with another one, and in how many it comes again as it is.
func countLines(blocks []block) (numbered, again map[string]int) {
	numbered, again = map[string]int{}, map[string]int{}
	for _, b := range blocks {
		if len(b.lines) > 3 {
			continue
		}
		for _, line := range b.lines {
			if utf8.RuneCountInString(line) > 120 {
				continue
			}
			again[strings.TrimSpace(line)]++
			if hasOuterNumber(line) || again[strings.TrimSpace(line)] > 1 && len(b.lines) > 1 {
				numbered[skeleton(line)]++
			}
		}
	}
	return numbered, again
}

// hasOuterNumber reports whether a line has a number at one of its ends, or
// behind a blank wider than those between words, as numbers of pages stand.
func hasOuterNumber(line string) bool {
	line = strings.Trim(line, " \t[]()-–—|.")
	if line == "" || strings.HasPrefix(line, "#") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(line)
	last, _ := utf8.DecodeLastRuneInString(line)
	if unicode.IsDigit(last) || romanAtEnd().MatchString(line) {
		return true
	}
	digits := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsDigit(r) })
	return unicode.IsDigit(first) && digits > 0 && line[digits] == ' '
}

// romanAtEnd is a small Roman number apart from the words of a line, as on the
// pages before the first.
var romanAtEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ivxl]{1,6}\s{3,}|\s{3,}[ivxl]{1,6}$`)
})

// skeleton is a line with its numbers as one sign and single blanks.
func skeleton(line string) string {
	var out strings.Builder
	digits := false
	line = romanAtEnd().ReplaceAllString(strings.TrimSpace(line), " 0 ")
	for _, r := range strings.Join(strings.Fields(line), " ") {
		if unicode.IsDigit(r) {
			if !digits {
				out.WriteByte('#')
			}
			digits = true
			continue
		}
		digits = false
		out.WriteRune(r)
	}
	return out.String()
}

// isPageNumber reports whether a line is the number of a page and no more:
// "12", "- 12 -", "[12]", "Page 12 of 30", "12/30".
func isPageNumber(line string) bool {
	if strings.ContainsAny(line, "页頁") {
		return chinesePage().MatchString(strings.TrimSpace(line))
	}
	digits, letters := 0, 0
	for _, r := range line {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		case !strings.ContainsRune(" \t-–—·|/[]().", r):
			return false
		}
	}
	if digits == 0 || digits > 8 {
		return false
	}
	if letters == 0 {
		return digits <= 4 && !strings.ContainsAny(strings.TrimRight(line, " "), ".)") || strings.HasPrefix(strings.TrimSpace(line), "-")
	}
	word := strings.Fields(strings.TrimLeft(line, " \t[(-–—|"))[0]
	return letters <= 14 && isPageWord(strings.ToLower(strings.TrimRight(word, ".")))
}

// chinesePage is the number of a page in Chinese, and of all of them: "第5页 共6页".
var chinesePage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:共\s*\d{1,4}\s*[页頁]\s*[,，/、]?\s*)?第\s*\d{1,4}\s*[页頁](?:\s*[,，/、]?\s*共\s*\d{1,4}\s*[页頁])?$`)
})

func isPageWord(w string) bool {
	switch w {
	case "page", "p", "pg", "seite", "s", "página", "pagina", "pág", "pag", "стр", "страница", "strona", "sida", "sivu", "sayfa", "halaman", "trang", "صفحة", "पृष्ठ":
		return true
	}
	return false
}
