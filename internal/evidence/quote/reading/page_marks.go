package reading

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// ofPage is an attribute of a tag that says that the element is the number of a page of the
// printed book: class="pagenum", id="Page_12", role="doc-pagebreak", name="p12".
var ofPage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\s(?:class|id|name|role|(?:epub:)?type)\s*=\s*["']?(?:[^"'>]*\s)?(?:doc-)?(?:(?:page|pg|folio)(?:[-_]?(?:num(?:ber)?|no|nr|break|marker?))?s?[-_.]?\d*|pb[-_.]?\d*|(?:p|s|seite|pagina|página|strona|sida|side|sivu|стр)[-_.]?\d+)(?:["'\s>]|$)`)
})

// pageElementEdits writes the numbers in elements of HTML that stand where a page of the printed
// book begins as marks in brackets: they belong to no sentence.
func pageElementEdits(text string) []Edit {
	const longest = 160 // bytes of what the element holds
	var list []Edit
	for i := 0; i < len(text); {
		at := strings.IndexByte(text[i:], '<')
		if at < 0 {
			break
		}
		i += at
		name, closing, end := tag(text, i)
		if end == 0 {
			i++
			continue
		}
		opening := text[i:end]
		i = end
		if closing || !inlineElements[name] && name != "div" && name != "p" && name != "sup" {
			continue
		}
		stop := strings.Index(text[end:min(len(text), end+longest)], "</"+name+">")
		if stop <= 0 {
			continue
		}
		said := strings.TrimSpace(saidWithin(text[end : end+stop]))
		n, ok := pageNumberIn(said)
		bare := ok && n == strings.Trim(said, "[](){}")
		if m := wordAndNumber().FindStringSubmatch(said); !bare && m != nil && isNamedForPage(opening) {
			n, bare = m[1], true
		}
		if bare && isOfPage(opening, n) {
			list = append(list, Edit{From: end, To: end + stop, With: "[p. " + n + "]"})
			i = end + stop
		}
	}
	return list
}

// isOfPage reports whether a tag says that its element is the number of a page, and of no other.
func isOfPage(opening, number string) bool {
	attribute := ofPage().FindString(opening)
	name := strings.TrimRight(attribute, "\"'> \t\n")
	digits := name[len(strings.TrimRight(name, "0123456789")):]
	return attribute != "" && (digits == "" || digits == number)
}

// isNamedForPage reports whether a tag says that its element is of a page's number even where that
// has a word with it: it leads nowhere, and is named for more than a page.
func isNamedForPage(opening string) bool {
	name := strings.TrimRight(ofPage().FindString(opening), "\"'> \t\n")
	name = strings.ToLower(name[strings.LastIndexAny(name, "=\"' \t\n")+1:])
	return name != "page" && name != "pg" && name != "folio" && !strings.Contains(strings.ToLower(opening), "href")
}

// wordAndNumber is the number of a page with a word for it in whatever language.
var wordAndNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\[({]?[\p{L}\p{M}]{1,10}\.?[\s\x{a0}]?(\d{1,4}|[ivxlc]{1,7})[\])}]?$`)
})

// pageNumberIn is the number that a mark of a page gives, with or without the word for a page.
func pageNumberIn(mark string) (number string, ok bool) {
	mark = strings.Join(strings.Fields(mark), " ") // a hard blank too
	word, number, named := strings.Cut(strings.Trim(mark, " [](){}-–—|·"), " ")
	if at := strings.IndexFunc(word, unicode.IsDigit); !named && at > 0 {
		word, number, named = word[:at], word[at:], true
	}
	if !named {
		word, number = "p", word
	}
	number = strings.TrimSpace(number)
	return number, isPageWord(strings.ToLower(strings.TrimRight(word, "."))) && isFolio(number)
}

// isFolio reports whether a text is the number of a page: of some digits, or a small Roman one.
func isFolio(s string) bool {
	const longest = 7
	return s != "" && len(s) <= longest && (strings.Trim(s, "0123456789") == "" && len(s) <= 4 || strings.Trim(strings.ToLower(s), "ivxlc") == "")
}

// A pageMark is what stands within the text for the beginning of a page.
type pageMark struct {
	from, to int
	number   int  // 0 where a word says that it is of a page
	kind     byte // its first sign
}

// pageMarkEdits takes out what stands in a text where a page of the printed book begins: "[Pg 12]",
// "{12}" or "*12" where such numbers count up one by one.
func pageMarkEdits(text string) []Edit {
	var list []Edit
	for _, m := range pageMarks(text) {
		e := Edit{From: len(strings.TrimRightFunc(text[:m.from], unicode.IsSpace)), To: m.to, note: true}
		e.To += len(text[m.to:]) - len(strings.TrimLeftFunc(text[m.to:], unicode.IsSpace))
		if n := len(list); n > 0 && list[n-1].To >= m.from {
			list[n-1].To = e.To
			e.From = list[n-1].From
			list = list[:n-1]
		}
		before, behind := text[e.From:m.from], text[m.to:e.To]
		next, _ := utf8.DecodeRuneInString(text[e.To:])
		switch breaks := max(strings.Count(before, "\n"), strings.Count(behind, "\n")); {
		case e.From == 0 || e.To == len(text):
		case breaks > 1 && (char.EndsSentence(text, e.From) || !char.IsOfWord(next)):
			e.With = "\n\n"
		case breaks > 0 || strings.HasSuffix(text[:e.From], "-"):
			e.With = "\n"
		case before != "" && char.IsOfWord(next), behind != "":
			e.With = " "
		}
		list = append(list, e)
	}
	return list
}

// pageMarks gives the marks of pages of a text.
func pageMarks(text string) []pageMark {
	const inRow = 3 // marks without a word that count up
	const page = 40 // bytes, at least, from one to the next
	var list []pageMark
	counted := map[byte][]pageMark{}
	for i := 0; i < len(text); i++ {
		at := strings.IndexAny(text[i:], "[{*")
		if at < 0 {
			break
		}
		i += at
		m, ok := pageMarkAt(text, i)
		if !ok {
			continue
		}
		i = m.to - 1
		if m.number == 0 {
			list = append(list, m)
			continue
		}
		row := counted[m.kind]
		if n := len(row); n > 0 && (row[n-1].number+1 != m.number || m.from < row[n-1].to+page) {
			row = nil
		}
		row = append(row, m)
		switch {
		case len(row) == inRow:
			list = append(list, row...)
		case len(row) > inRow:
			list = append(list, m)
		}
		counted[m.kind] = row
	}
	slices.SortFunc(list, func(a, b pageMark) int { return a.from - b.from })
	return list
}

// pageMarkAt reads the mark of a page at a place.
func pageMarkAt(text string, i int) (pageMark, bool) {
	const longest = 24
	m := pageMark{from: i, kind: text[i]}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	window := text[i+1 : min(len(text), i+longest)]
	if m.kind == '*' {
		digits := len(window) - len(strings.TrimLeft(window, "0123456789"))
		m.to = i + 1 + digits
		m.number, _ = strconv.Atoi(window[:digits])
	} else {
		stop := strings.IndexAny(window, "]}[{\n")
		if stop <= 0 || window[stop] != m.kind+2 { // the closing bracket is two signs behind the opening one
			return m, false
		}
		m.to = i + stop + 2
		if n, ok := pageNumberIn(window[:stop]); ok && n != strings.TrimSpace(window[:stop]) {
			return m, !strings.HasPrefix(text[m.to:], "(")
		}
		if m.kind == '[' {
			return m, false // it may be of a note
		}
		m.number, _ = strconv.Atoi(window[:stop])
	}
	next, _ := utf8.DecodeRuneInString(text[m.to:])
	apart := (i == 0 || unicode.IsSpace(before)) && (m.to == len(text) || unicode.IsSpace(next))
	return m, apart && m.number > 0
}
