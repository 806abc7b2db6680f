package quote

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// Marks before the items of a list: letters and numbers, which count up, and signs.
var (
	enumerator = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^[ \t]*(\(?(?:[a-z]|[ivx]{1,4}|[1-9]\d?)[.)])[ \t]+`)
	})
	bullets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*[-•*–·][ \t]+`) })
)

// itemEdits takes out the letters and numbers of items that count up, line by line: a list may be
// typed with other marks, or with none.
func itemEdits(text string) []edit {
	const roman = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv "
	place := func(mark string) (letter, numeral int) {
		mark = strings.Trim(mark, "().")
		if isDigit(mark[0]) {
			for _, d := range mark {
				letter = letter*10 + int(d-'0')
			}
			return letter, 0
		}
		if at := strings.Index(" "+roman, " "+mark+" "); at >= 0 {
			numeral = strings.Count(roman[:at], " ") + 1
		}
		if len(mark) == 1 {
			letter = int(mark[0]-'a') + 1
		}
		return letter, numeral
	}
	var list []edit
	last, lastNumeral, taken := 0, 0, false
	var before edit
	for _, m := range enumerator().FindAllStringSubmatchIndex(text, -1) {
		e := edit{from: m[2], to: m[1]}
		n, numeral := place(text[m[2]:m[3]])
		counts := (last > 0 && n == last+1 || lastNumeral > 0 && numeral == lastNumeral+1) && (taken || beginsItems(text, before.from))
		if counts && !taken {
			list = append(list, before)
		}
		if counts {
			list = append(list, e)
		}
		last, lastNumeral, taken, before = n, numeral, counts, e
	}
	return list
}

// beginsItems reports whether a mark at the beginning of a line may be that of a list's first
// item, and is not the end of a sentence that was wrapped there: a sentence, a clause or a
// paragraph ends before it.
func beginsItems(text string, at int) bool {
	line := strings.LastIndexByte(text[:at], '\n')
	before := strings.TrimRight(text[:max(line, 0)], " \t")
	return before == "" || strings.ContainsRune("\n.:;,!?：。；", char.Last(before))
}

// newReadingOfItems reads a text without the letters and numbers of the items of its lists.
func newReadingOfItems(text string) *reading {
	r := newReading(text, false)
	r.rewrite(itemEdits(r.text))
	return r
}

// findItems looks for items of a list that are quoted a line each, with a sign before them or
// none, or with the numbers that a page of HTML gives them.
func findItems(s *search, quoted string) (Match, bool) {
	if m, ok := findNumbered(s, quoted); ok {
		return m, true
	}
	if !strings.Contains(quoted, "\n") || enumerator().MatchString(quoted) {
		return Match{}, false
	}
	read := s.readingOfItems()
	if read.isSame() {
		return Match{}, false // it has no such list
	}
	asked := newReading(bullets().ReplaceAllString(quoted, ""), true)
	return read.find(s, quoted, asked, s.readTextOfItems)
}

// typedNumber is a number before what is quoted of an item.
var typedNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*([1-9]\d?)[.)][ \t]+`) })

// findNumbered looks for items of an ordered list of HTML that are quoted a line each, with their
// numbers, which the text has not.
func findNumbered(s *search, quoted string) (Match, bool) {
	marks := typedNumber().FindAllStringSubmatch(quoted, -1)
	if len(marks) == 0 || len(marks) != strings.Count(strings.TrimSpace(quoted), "\n")+1 || !strings.Contains(s.text, "<ol") || s.reading().isSame() {
		return Match{}, false
	}
	first, _ := strconv.Atoi(marks[0][1])
	for i, m := range marks {
		if n, _ := strconv.Atoi(m[1]); n != first+i {
			return Match{}, false
		}
	}
	bare := typedNumber().ReplaceAllString(quoted, "")
	m, ok := s.reading().find(s, bare, newReading(bare, true), s.readText)
	if !ok {
		return Match{}, false
	}
	list := strings.LastIndex(s.text[:m.Start], "<ol")
	if list < 0 {
		return Match{}, false
	}
	before, inside := s.text[list:m.Start], s.text[m.Start:m.End]
	opening, _, _ := strings.Cut(before, ">")
	isPlain := !strings.Contains(opening, "start") && !strings.Contains(opening, "reversed") && !strings.Contains(before+inside, "</ol") && !strings.Contains(before+inside, "<ul") && !strings.Contains(before+inside, " value=")
	return m, isPlain && strings.Count(before, "<li") == first && strings.Count(inside, "<li") == len(marks)-1
}

// letterBullet is an "o" before an item, as documents in plain letters have it for a bullet.
var letterBullet = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^([ \t]+)(o(?: {2,}|\t))\S`) })

// typedBullet is such an "o" in a quotation, at its beginning or behind an item.
var typedBullet = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[.;:,\])]\s+|\n[ \t]*)o\s+`) })

// bulletEdits puts a bullet for each "o" that begins items: two or more stand as far in, each at
// the beginning of a paragraph, below another item or behind a colon.
func bulletEdits(text string) []edit {
	if !slices.ContainsFunc([]string{" o  ", "\to  ", " o\t", "\to\t"}, func(bullet string) bool { return strings.Contains(text, bullet) }) {
		return nil
	}
	var list []edit
	margin := ""
	for _, m := range letterBullet().FindAllStringSubmatchIndex(text, -1) {
		at := text[m[2]:m[3]]
		before := strings.TrimRight(text[:m[2]], " \t")
		above := ""
		if strings.HasSuffix(before, "\n") {
			above = strings.TrimSpace(char.Line(text, len(before)-1))
		}
		if above != "" && !strings.HasSuffix(above, ":") && !strings.HasPrefix(above, "o ") && len(list) == 0 {
			continue
		}
		if len(list) > 0 && at != margin {
			continue
		}
		margin = at
		list = append(list, edit{from: m[4], to: m[5], with: "• "})
	}
	if len(list) < 2 {
		return nil
	}
	return list
}
