package quote

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// findItems looks for items of a list that are quoted a line each, with a sign before them or
// none, or with the numbers that a page of HTML gives them.
func findItems(s *search, quoted string) (Match, bool) {
	if m, ok := findNumbered(s, quoted); ok {
		return m, true
	}
	if !strings.Contains(quoted, "\n") || reading.HasEnumerator(quoted) {
		return Match{}, false
	}
	read := s.readingOfItems()
	if read.IsSame() {
		return Match{}, false // it has no such list
	}
	asked := reading.OfQuotation(bullets().ReplaceAllString(quoted, ""))
	return s.findIn(read, quoted, asked, s.readTextOfItems)
}

// bullets are signs before the items of a list.
var bullets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*[-•*–·][ \t]+`) })

// typedNumber is a number before what is quoted of an item.
var typedNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*([1-9]\d?)[.)][ \t]+`) })

// findNumbered looks for items of an ordered list of HTML that are quoted a line each, with their
// numbers, which the text has not.
func findNumbered(s *search, quoted string) (Match, bool) {
	marks := typedNumber().FindAllStringSubmatch(quoted, -1)
	if len(marks) == 0 || len(marks) != strings.Count(strings.TrimSpace(quoted), "\n")+1 || !strings.Contains(s.text, "<ol") || s.reading().IsSame() {
		return Match{}, false
	}
	first, _ := strconv.Atoi(marks[0][1])
	for i, m := range marks {
		if n, _ := strconv.Atoi(m[1]); n != first+i {
			return Match{}, false
		}
	}
	bare := typedNumber().ReplaceAllString(quoted, "")
	m, ok := s.findIn(s.reading(), bare, reading.OfQuotation(bare), s.readText)
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
