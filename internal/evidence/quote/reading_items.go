package quote

import (
	"regexp"
	"strings"
	"sync"
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
	return before == "" || strings.ContainsRune("\n.:;,!?：。；", lastRune(before))
}

// newReadingOfItems reads a text without the letters and numbers of the items of its lists.
func newReadingOfItems(text string) *reading {
	r := newReading(text, false)
	r.rewrite(itemEdits(r.text))
	return r
}

// findItems looks for items of a list that are quoted a line each, with a sign before them or
// none.
func findItems(s *search, quoted string) (Match, bool) {
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
