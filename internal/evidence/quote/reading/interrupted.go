package reading

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// Where a page ends within a sentence, the sentence goes on below with a small letter: then what
// stands between is likely of the page, in whatever form. It may be text as well: it is shown
// where a quotation leaves it out, and may be quoted.

// linesOfInterruptions gives the lines between the halves of sentences that pages part: feet and
// heads that do not come again, and notes. Of the lines and the blocks some are known to be of pages.
func linesOfInterruptions(lines []pageLine, ofPages map[int]bool, blocks []block) []int {
	found := map[int]bool{}
	maps.Copy(found, ofPages)
	breaks, k := []int{}, 0
	for _, b := range blocks {
		for k+1 < len(lines) && lines[k+1].at <= b.from {
			k++
		}
		if b.furniture && (len(breaks) == 0 || breaks[len(breaks)-1] != k) {
			breaks = append(breaks, k)
		}
		for alone := isNumberAlone(b); b.furniture && k < len(lines) && lines[k].at < b.to; k++ {
			found[lines[k].at] = true
			lines[k].alone = alone
		}
	}
	for i := range lines {
		if i > 0 && lines[i].fed {
			breaks = append(breaks, i)
		}
	}
	markTitlesAgain(lines)
	var list []int
	for _, i := range breaks {
		foot, head := interruption(lines, found, i)
		list = append(append(list, foot...), head...)
	}
	return list
}

// isNumberAlone reports whether a block is a number and no more, or several one below the other.
func isNumberAlone(b block) bool {
	return !b.ofPage && !slices.ContainsFunc(b.lines, func(line string) bool {
		return strings.Trim(strings.TrimSpace(line), "0123456789") != ""
	})
}

// nextLines gives the lines with words of a page from one on, upwards or downwards, behind those that
// are known to be of the page; downwards also those among them, as a head above the page's number.
func nextLines(lines []pageLine, found map[int]bool, from, step, most int) []int {
	const farthest = 200 // lines
	var list []int
	for i := from; i >= 0 && i < len(lines) && len(list) < most && (i-from)*step < farthest; i += step {
		switch {
		case lines[i].said() == "":
		case !found[lines[i].at], lines[i].alone && step < 0 && len(list) > 0: // a number alone may be the mark of a note
			list = append(list, i)
		case len(list) > 0 && step < 0:
			return list
		}
		if lines[i].fed && (step < 0 || i > from) {
			return list
		}
	}
	return list
}

// interruption gives the lines of foot and head that stand at a line between the halves of a
// sentence.
func interruption(lines []pageLine, found map[int]bool, at int) (foot, head []int) {
	const deep, notes = 4, 70 // lines of a head, and of notes at a foot
	below := nextLines(lines, found, at, 1, deep)
	above := nextLines(lines, found, at-1, -1, notes)
	if list := notesBetween(lines, above, below); list != nil {
		return list, nil
	}
	heads := 0
	for heads < len(below) && !unicode.IsLower(char.First(lines[below[heads]].said())) {
		if !maybeHead(lines, below[heads]) {
			return nil, nil
		}
		heads++
	}
	if heads == len(below) {
		return nil, nil
	}
	if len(above) == 0 {
		return nil, nil
	}
	feet := footOf(lines, above, isCountedOn(lines, found, above[0], at))
	if feet < 0 || heads+feet == 0 {
		return nil, nil
	}
	return above[:feet], below[:heads]
}

// footOf tells how many of the lines above the end of a page, from it upwards, are its foot: above
// them a sentence is open. It is -1 where none is. The lowest may be known to be a number of a page.
func footOf(lines []pageLine, above []int, numbered bool) int {
	const deep = 4 // lines of a foot that are no notes
	open := func(k int) bool { return k < len(above) && isOpenAtBreak(lines[above[k]].said()) }
	if n := notesOf(lines, above); n > 0 {
		return n
	}
	for k := range min(deep, len(above)-1) {
		if above[k+1] < above[k]-1 && isTitleOfFigure(lines[above[k]].said()) && open(k+1) {
			return k + 1
		}
	}
	n := 0
	if numbered {
		n = 1
	}
	for n < len(above) && n < deep && isFootByShape(lines[above[n]].bare) {
		n++
	}
	if open(n) {
		return n
	}
	return -1
}

// isCountedOn reports whether a line is a number and no more, and the head of the page that begins at
// another line has the next one.
func isCountedOn(lines []pageLine, found map[int]bool, foot, at int) bool {
	const deep = 4 // lines of a head
	n, err := strconv.Atoi(lines[foot].bare)
	if err != nil || lines[foot].word || !lines[at].fed {
		return false
	}
	said := 0
	for i := at; i < len(lines) && said < deep; i++ {
		if lines[i].bare == "" {
			continue
		}
		said++
		if numbers, _ := numbersOfPage(lines[i].bare); found[lines[i].at] && slices.Contains(numbers, n+1) {
			return true
		}
	}
	return false
}

// isOpenAtBreak reports whether a line may end within a sentence: no stop or colon ends it, within
// marks or brackets.
func isOpenAtBreak(line string) bool {
	line = strings.TrimRight(line, `’'»›]`)
	last := char.Last(line)
	return isOpen(line) || unicode.IsDigit(last) || strings.ContainsRune(`-–—;)”"’%°$€£&/+=`, last)
}

// maybeHead reports whether a line may be a head that does not come again: apart from what stands
// below, much shorter than that, with nothing that goes on, and it denies nothing.
func maybeHead(lines []pageLine, i int) bool {
	const near = 8 // lines
	l := lines[i]
	if l.long || l.word || !mayBeHead(l.bare) {
		return false
	}
	if l.title || isFootByShape(l.bare) || isPageNumber(l.bare) {
		return true
	}
	below := i + 1
	for below < len(lines) && lines[below].said() == "" {
		below++
	}
	wide := 0 // of the lines around it
	for k := max(0, i-near); k < len(lines) && k < below+near; k++ {
		wide = max(wide, len(lines[k].said()))
	}
	said := strings.Join(strings.Fields(l.bare), " ")
	short := below > i+1 && len(said)*4 < wide*3 || len(said) < len(l.bare) && hasOuterNumber(l.bare) || isInCapitals(said)
	return short && !strings.ContainsRune(".,;:-", char.Last(said))
}

// isInCapitals reports whether a line has words, and no small letter.
func isInCapitals(line string) bool {
	return strings.Contains(line, " ") && strings.ContainsFunc(line, unicode.IsUpper) && !strings.ContainsFunc(line, unicode.IsLower)
}

// footShape is what a line has that stands at the foot or head of pages: where and when a paper
// was published, who has the rights to it, where it may be found.
var footShape = sync.OnceValue(func() *regexp.Regexp {
	const months = `(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\.?`
	const date = `(?:\d{1,2}\.? ` + months + `,? (?:\d{4}|YYYY)|` + months + `(?: \d{1,2},?)? (?:\d{4}|YYYY)|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{4}(?:,? \d{1,2}:\d\d(?::\d\d)?(?: [AP]M)?)?)`
	return regexp.MustCompile(`^(?:` + date + `|(?i:preprint submitted to|submitted(?: to)? |received |accepted |revised |published (?:online|by|in)|copyright |all rights reserved|\(c\) |manuscript |corresponding author|author for correspondence|e-?mail|draft |version |rev(?:ision|\.) |article (?:id|no)|issn |isbn |licen[sc]ed under|this (?:article|work|paper|version) (?:is|was) |available (?:at|online)|stand:|stand vom|doi).*` +
		`|.*(?i:https?://|www\.\pL|\bdoi[: ]|\barxiv:\d|©|publication date:|\bvol(?:ume|\.)? ?[\dVIX]+\b.*\b(?:no\.?|issue|nr\.?|pp\.?|article) ?[\dN]|\bissn\b|all rights reserved|\S@\S+\.\pL).*)$`)
})

// isFootByShape reports whether a line is such.
func isFootByShape(line string) bool {
	line = strings.TrimLeft(line, "*∗†‡§¶•·|–— ")
	return line != "" && !unicode.IsLower(char.First(line)) == !strings.HasPrefix(line, "www") && footShape().MatchString(line)
}

// isTitleOfFigure reports whether a line begins with the number of a figure or a table and has words
// behind it, as what stands below a picture.
func isTitleOfFigure(line string) bool { return titleOfFigure().MatchString(line) }

var titleOfFigure = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:fig(?:ure|ura|uur|\.)?|table(?:au)?|tab(?:ell?e|ell?a|la|\.)|plate|map|abb(?:ildung|\.)|bild|kuva|taulukko|rys\.|ris\.|obr(?:\.|ázek)|рис\.|табл\.|figur|tabel|tabell|planche|carte|lámina|cuadro|gráfico|grafico) \d{1,3}(?:\.\d{1,2})?[.:]? +[\p{Lu}(]`)
})

// noteMark is the mark that a note at the foot of a page begins with.
var noteMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[\[(]?(\d{1,3})[\]).:/]?|([*∗†‡§¶]{1,3})|([¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3}))(?:$|\s*[\p{Lu}\p{Lo}"“„«‘'(]|\s+(?:\d|http|www|\p{Ll}))`)
})

// notesOf tells how many of the lines above the end of a page are notes, the first of which stands
// below a line within a sentence; 0 for none. The mark of that stands in the text above, or the notes
// count up to the end of the page, or it stands apart from the text.
func notesOf(lines []pageLine, above []int) int {
	const most = 12 // lines of notes that end within a sentence and have no mark in the text
	const left = 4  // notes whose mark is not in the text, between two whose mark is
	last := lines[above[0]].said()
	closed := !isOpenAtBreak(last) || char.Last(last) == ')' || footShape().MatchString(last)
	found, lowest := 0, 0 // with a mark that is in the text
	counted, number := 0, 0
	for k, i := range above[:len(above)-1] {
		said := lines[i].said()
		open := isOpenAtBreak(lines[above[k+1]].said())
		if open && k > 0 && isRule(said) {
			return k + 1
		}
		m := noteMark().FindStringSubmatch(said)
		if m == nil {
			continue
		}
		mark := m[1] + m[2] + m[3]
		marked := open && isMarked(lines, above[k+1:], mark)
		if m[0] == said && !beginsNote(lines, above, k, marked, number) {
			continue
		}
		apart := m[0] == said || isApartFrom(lines, i, above[k+1])
		if first := char.First(strings.TrimLeft(strings.TrimPrefix(said, mark), " \t")); !closed && (unicode.IsDigit(first) || !apart && unicode.IsLower(first)) {
			continue // a row of a table, or "12 times as many" in a text
		}
		below := closed || countOfWords(lines[above[k+1]].said()) >= prose // no formula
		n, _ := strconv.Atoi(m[1])
		if marked && below && (n == 0 || lowest == 0 || n < lowest && lowest <= n+left) {
			found, lowest = k+1, n
		}
		switch {
		case n > 0 && number > 0 && n+1 != number:
			continue // a number within a note
		case n > 0:
			number = n
		}
		if open && below && (closed || apart && k < most) && !strings.HasPrefix(strings.TrimPrefix(said, m[1]), ".") { // no "2. Results"
			counted = k + 1
		}
	}
	if counted > found && hasParagraph(lines, above[:counted]) {
		return found
	}
	return max(found, counted)
}

// prose is how many words a line has that is no formula, at least.
const prose = 4

// countOfWords is how many words of letters a line has, of two or more.
func countOfWords(line string) int {
	n := 0
	for w := range strings.FieldsSeq(line) {
		if first, size := utf8.DecodeRuneInString(w); unicode.IsLetter(first) && size < len(w) {
			n++
		}
	}
	return n
}

// hasParagraph reports whether a paragraph of the text stands below the beginning of what may be notes,
// which are given upwards: an empty line above it, no mark before it, and more in it than in a foot.
func hasParagraph(lines []pageLine, notes []int) bool {
	const short = 40 // letters of a line that may be of the page
	for k, i := range notes[:len(notes)-1] {
		said, above := lines[i].said(), notes[k+1]
		if above < i-1 && utf8.RuneCountInString(said) >= short && !isOpenAtBreak(lines[above].said()) && (unicode.IsUpper(char.First(said)) || unicode.Is(unicode.Lo, char.First(said))) && !isFootByShape(said) {
			return true
		}
	}
	return false
}

// isRule reports whether a line is drawn across the page, or a part of it.
func isRule(line string) bool {
	const long = 5 // signs
	return utf8.RuneCountInString(line) >= long && strings.Trim(line, "_-=—–─*∗") == ""
}

// isApartFrom reports whether a line stands apart from the one with words above it: an empty one is
// between, or it is further in or out.
func isApartFrom(lines []pageLine, i, above int) bool {
	return above < i-1 || lines[i].indent != lines[above].indent
}

// beginsNote reports whether the mark of a note that is alone on its line stands above the words
// of it, or above the next mark. It may be known that the mark is in the text, and the number of the
// note below.
func beginsNote(lines []pageLine, above []int, k int, marked bool, number int) bool {
	if k == 0 {
		return false
	}
	below := lines[above[k-1]]
	if n, err := strconv.Atoi(lines[above[k]].bare); err == nil && (below.bare == strconv.Itoa(n+1) || n+1 == number) {
		return true
	}
	said := below.said()
	begins := marked || !unicode.IsLower(char.First(said)) || isAddress(said)
	if mark := lines[above[k]]; !begins && k+1 < len(above) { // in its own column, as a small raised number is set
		begins = mark.indent != lines[above[k+1]].indent && mark.indent != below.indent && countOfWords(said) >= prose && !isOpenAtBreak(lines[above[0]].said())
	}
	return begins && !isPageNumber(below.bare)
}

// isAddress reports whether a line begins with where something may be found.
func isAddress(line string) bool {
	return strings.HasPrefix(line, "http") || strings.HasPrefix(line, "www.")
}

// isMarked reports whether one of some lines has the mark of a note behind a word.
func isMarked(lines []pageLine, among []int, mark string) bool {
	return slices.ContainsFunc(among, func(i int) bool { return hasMark(lines[i].said(), mark) })
}

// hasMark reports whether a line has the mark of a note behind a word.
func hasMark(line, mark string) bool {
	for from := 0; ; {
		at := strings.Index(line[from:], mark)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(mark)
		word := strings.TrimRight(line[:at], `.,;:)”"’'`)
		if apart := strings.TrimSuffix(line[:at], " "); len(apart) < at {
			word = strings.TrimRight(apart, `.,;:)”"’'`)
			if word == apart {
				continue // "note 12"
			}
		}
		if next := char.First(line[from:]); unicode.IsLetter(char.Last(word)) && !unicode.IsDigit(next) && !unicode.IsLetter(next) {
			return true
		}
	}
}

// said is what a line says, a long one too.
func (l pageLine) said() string {
	if l.long {
		return l.all
	}
	return l.bare
}
