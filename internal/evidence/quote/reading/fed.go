package reading

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// An edgeLine is one of the first or last lines of a page that a form feed ends.
type edgeLine struct {
	line    int // of the text
	page    int
	numbers []int // what may be the number of the page
	words   string
	apart   bool // a wide blank stands between number and words
	long    bool // it is of a page only where it comes again page after page
	ofPage  bool
	far     bool // it is nearer to the other edge of its page
}

// A pageEdge is the lines at the head or foot of a page, the outermost first.
type pageEdge []edgeLine

const (
	edgeLines     = 6 // at most, that may belong to the page alone
	numberedLines = 3 // of which, the outermost, some may have its number
)

// linesOfFedPages gives which lines stand at head and foot of pages that form feeds part: numbers
// that count the pages, and what comes again beside them or on page after page.
func linesOfFedPages(lines []pageLine) []int {
	heads, feet := edgesOfPages(lines)
	if len(heads) < 2 {
		return nil
	}
	for _, edges := range [][]pageEdge{heads, feet} {
		markNumbers(edges)
		markTitles(edges)
	}
	var list []int
	for _, edges := range [][]pageEdge{heads, feet} {
		for _, e := range edges {
			for _, l := range e {
				if l.ofPage {
					list = append(list, l.line)
				}
			}
		}
	}
	return list
}

// edgesOfPages gives the lines at the head and at the foot of each page.
func edgesOfPages(lines []pageLine) (heads, feet []pageEdge) {
	from := 0
	for to := 1; to <= len(lines); to++ {
		if to < len(lines) && !lines[to].fed {
			continue
		}
		if from > 0 || to < len(lines) {
			heads = append(heads, edgeOf(lines, len(heads), from, to, 1))
			feet = append(feet, edgeOf(lines, len(feet), to-1, from-1, -1))
			markFar(heads[len(heads)-1], feet[len(feet)-1])
		}
		from = to
	}
	return heads, feet
}

// markFar marks the lines of head and foot of a page of so few lines that those are in both.
func markFar(head, foot pageEdge) {
	if len(head) == 0 {
		return
	}
	for k := range head {
		head[k].far = head[k].line >= foot[k].line && k > 0
		foot[k].far = head[k].far
	}
}

func edgeOf(lines []pageLine, page, from, end, step int) pageEdge {
	var e pageEdge
	for i := from; i != end && len(e) < edgeLines; i += step {
		if lines[i].long {
			e = append(e, edgeLine{line: i, page: page, words: lines[i].all, long: true})
		} else if lines[i].bare != "" {
			numbers, words := numbersOfPage(lines[i].bare)
			e = append(e, edgeLine{line: i, page: page, numbers: numbers, words: words, apart: folio().MatchString(lines[i].bare)})
		}
	}
	return e
}

// romanAlone is a small Roman number alone on a line.
var romanAlone = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ivxl]{1,7}$|\s{3,}[ivxl]{1,7}$|^[ivxl]{1,7}\s{3,}`)
})

// numbersOfPage gives the numbers of pages that a line may have, and its words without them.
func numbersOfPage(line string) (numbers []int, words string) {
	if m := romanAlone().FindString(line); m != "" {
		rest := strings.Fields(strings.Replace(line, m, " ", 1))
		return []int{romanValue(strings.TrimSpace(m))}, strings.Join(rest, " ")
	}
	if isPageNumber(line) {
		digits := strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsDigit(r) })
		if n, err := strconv.Atoi(digits[0]); err == nil {
			return []int{n}, ""
		}
	}
	words = skeleton(line)
	if m := numberOfAll().FindStringSubmatchIndex(line); m != nil {
		line = line[:m[3]] // the number of all pages counts none
	}
	fields := strings.Fields(line)
	last := len(fields) - 1
	number := func(s string) (int, bool) {
		s = strings.Trim(s, "[]()-–—|·•")
		if of, page, ok := strings.Cut(s, ":"); ok && isArticle(of) {
			s = page
		}
		n, err := strconv.Atoi(s)
		return n, err == nil && n > 0 && len(s) <= 8
	}
	if n, ok := number(fields[0]); ok && last > 0 {
		numbers = append(numbers, n)
	}
	if n, ok := number(fields[last]); ok {
		numbers = append(numbers, n)
	}
	return numbers, words
}

// numberOfAll is the number of a page at the end of a line, with that of all pages behind it:
// "8 / 55".
var numberOfAll = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s(\d{1,4})\s?(?:/|of|von|sur|de|di|van)\s?\d{1,4}$`)
})

// isArticle reports whether a text is the number of an article, as it stands before that of a page: "39:3", "A:3".
func isArticle(s string) bool {
	return s != "" && len(s) <= 3 && (strings.Trim(s, "0123456789") == "" || len(s) == 1 && unicode.IsUpper(char.First(s)))
}

// romanValue is the value of a small Roman number.
func romanValue(s string) int {
	value := map[byte]int{'i': 1, 'v': 5, 'x': 10, 'l': 50}
	sum := 0
	for i := range len(s) {
		v := value[s[i]]
		if i+1 < len(s) && value[s[i+1]] > v {
			v = -v
		}
		sum += v
	}
	return sum
}

// markNumbers marks the lines with numbers that are as far from the count of the pages as those of
// pages near by, or, where a wide blank parts them from whatever words, as those of most pages.
func markNumbers(edges []pageEdge) {
	const near, many = 4, 6  // pages
	offsets := map[int]int{} // on how many pages the outermost line has a number so far from their count
	for _, e := range edges {
		if len(e) > 0 && e[0].apart && len(e[0].numbers) > 0 {
			offsets[e[0].numbers[len(e[0].numbers)-1]-e[0].page]++
		}
	}
	type place struct {
		offset int
		words  string
	}
	pages := map[place][]int{}
	visit := func(do func(l *edgeLine, k int, p place)) {
		for _, e := range edges {
			for k := range min(len(e), numberedLines) {
				for _, n := range e[k].numbers {
					do(&e[k], k, place{n - e[k].page, e[k].words})
				}
			}
		}
	}
	visit(func(l *edgeLine, _ int, p place) {
		if list := pages[p]; len(list) == 0 || list[len(list)-1] != l.page {
			pages[p] = append(list, l.page)
		}
	})
	visit(func(l *edgeLine, k int, p place) {
		if n := offsets[p.offset]; k == 0 && l.apart && n >= many && 3*n >= 2*len(edges) {
			l.ofPage = true
		}
		list := pages[p]
		beside := 0
		for _, other := range list {
			if d := other - l.page; d != 0 && d <= near && d >= -near {
				beside++
			}
		}
		if beside > 0 && (k == 0 || len(list) > 2) {
			l.ofPage = true
		}
	})
}

// markTitles marks the lines without a number of the page that come again on other pages, or stand
// between its number and its edge.
func markTitles(edges []pageEdge) {
	const pages = 3           // on which the like may stand in the text too
	times := map[string]int{} // on how many pages
	for _, e := range edges {
		for k, l := range e {
			if !slices.ContainsFunc(e[:k], func(o edgeLine) bool { return o.words == l.words }) {
				times[l.words]++
			}
		}
	}
	for _, e := range edges {
		number := -1
		for k := range e {
			if e[k].ofPage && !e[k].far {
				number = k
			}
		}
		for k := range e {
			l := &e[k]
			if l.ofPage {
				continue
			}
			again := times[l.words] > 2 || times[l.words] > 1 && number >= 0 && !l.long
			if !again && (k > number || l.long || unicode.IsLower(char.First(l.words))) || !strings.ContainsFunc(l.words, unicode.IsLetter) || times[l.words] <= pages && deniesSomething(l.words) {
				break
			}
			l.ofPage = true
		}
	}
}
