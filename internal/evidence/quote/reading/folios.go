package reading

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
)

// A pageLine is a line as it may stand at the head or foot of a page.
type pageLine struct {
	at   int    // where it begins in the text
	bare string // without the blanks around it
	fed  bool   // a form feed stands before it
	wide bool   // it is indented far, as what stands in the middle of a page is
	long bool   // it is too long for the head or foot of a page, and has no bare form
	all  string // a long one without the blanks around it
	// how many blanks stand before it
	indent int
	// it is a number apart from others, which may be of a page or not
	alone bool
	// it is the number and title of a section that another line has too
	title bool
	// it is a number apart from others that belongs to the text
	word bool
}

// folio is the number of a page at the end of a line, or at its beginning, apart from the
// words of the line by a sign or a wide blank.
var folio = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*\pL.*?)(?:\s{3,}|\s+[|·•–—]\s+|\s{2,}\pL{1,8}\.?\s)(\d{1,4})$|^(\d{1,4})(?:\s{3,}|\s+[|·•–—]\s+)(.*\pL.*)$`)
})

// folioOf is the number of a page that a line has, and what the line is without it.
func folioOf(line string) (number int, rest string, ok bool) {
	if inner := strings.Trim(line, " \t[]()-–—|·."); inner == "" || !isDigit(inner[0]) && !isDigit(inner[len(inner)-1]) {
		return 0, "", false
	}
	if isPageNumber(line) {
		digits := strings.IndexFunc(line, unicode.IsDigit)
		end := digits
		for end < len(line) && isDigit(line[end]) {
			end++
		}
		number, err := strconv.Atoi(line[digits:end])
		return number, line[:digits] + "#" + line[end:], err == nil
	}
	if of, page, ok := strings.Cut(line, ":"); ok && isArticle(of) && strings.Trim(page, "0123456789") == "" {
		number, err := strconv.Atoi(page)
		return number, of + ":#", err == nil
	}
	m := folio().FindStringSubmatch(line)
	if m == nil {
		return 0, "", false
	}
	number, err := strconv.Atoi(m[2] + m[3])
	return number, strings.Join(strings.Fields(m[1]+" # "+m[4]), " "), err == nil
}

// linesOfPages gives where the lines begin that stand at head and foot of the pages of a text,
// right behind or before a line of prose too: numbers of pages that count up, and what comes
// again beside each of them or behind each form feed. It gives all lines of the text too.
func linesOfPages(text string) ([]pageLine, map[int]bool) {
	const longest, beside = 120, 2 // bytes of a line without its wide blanks, lines above and below a number
	const pageLines = 20           // lines of a page, at least
	var lines []pageLine
	at := 0
	type numbered struct{ line, number int }
	folios := map[string][]numbered{}
	for whole := range strings.Lines(text) {
		bare := strings.TrimSpace(whole)
		l := pageLine{at: at, fed: strings.HasPrefix(whole, "\f"), wide: strings.HasPrefix(whole, "        ")}
		l.indent = len(strings.TrimLeft(whole, "\f")) - len(strings.TrimLeft(whole, " \t\f"))
		at += len(whole)
		if l.long = len(bare) > longest && len(strings.Join(strings.Fields(bare), " ")) > longest; l.long {
			l.all = bare
		} else {
			l.bare = bare
			if number, rest, ok := folioOf(bare); ok {
				folios[rest] = append(folios[rest], numbered{len(lines), number})
			}
		}
		lines = append(lines, l)
	}
	again := map[string]int{}
	key := func(where, i int) string {
		return string(rune('0'+where+beside)) + strings.Join(strings.Fields(lines[i].bare), " ")
	}
	around := func(of int, visit func(where, i int)) {
		for _, step := range []int{-1, 1} {
			for i := of + step; i >= 0 && i < len(lines) && i-of <= beside && of-i <= beside; i += step {
				if lines[i].bare == "" || step > 0 && lines[i].fed || step < 0 && lines[i+1].fed {
					break
				}
				visit(i-of, i)
			}
		}
	}
	var counted []int
	for rest, list := range folios {
		named := !strings.HasPrefix(rest, "#") && strings.HasSuffix(rest, " #") // what looks as a count of something, too
		follows := func(n numbered) bool { return n.line+1 < len(lines) && lines[n.line+1].fed }
		if !countsUp(len(list), func(i int) (line, number int) { return list[i].line, list[i].number }) ||
			named && !follows(list[0]) && (len(list) < 3 || len(strings.Fields(rest)) < 3) {
			continue
		}
		for _, n := range list {
			around(n.line, func(where, i int) { again[key(where, i)]++ })
		}
		apart := len(list) > 3 // numbers as far from each other as those of pages are
		for i, n := range list {
			apart = apart && (i == 0 || n.number == list[i-1].number+1 && n.line >= list[i-1].line+pageLines)
		}
		for _, n := range list {
			alone := rest == "#" && !apart && !lines[n.line].wide && !(n.line+1 < len(lines) && lines[n.line+1].fed)
			around(n.line, func(where, i int) { alone = alone && again[key(where, i)] < 2 })
			if !alone {
				counted = append(counted, n.line)
			}
		}
	}
	found := map[int]bool{}
	for _, i := range linesOfFedPages(lines) {
		found[lines[i].at] = true
	}
	for _, n := range counted {
		found[lines[n].at] = true
		around(n, func(where, i int) {
			if near := where == 1 || where == -1 || found[lines[n+where/2].at]; near && (again[key(where, i)] > 1 || governing.IsFurniture(lines[i].bare)) {
				found[lines[i].at] = true
			}
		})
	}
	heads := map[string]int{}
	for _, n := range counted {
		if i := headBelow(lines, found, n); i > 0 {
			heads[lines[i].bare]++
		}
	}
	for _, n := range counted {
		if i := headBelow(lines, found, n); i > 0 && heads[lines[i].bare] > 1 {
			found[lines[i].at] = true
		}
	}
	return lines, found
}

// headBelow is the first line below the foot of a page and the empty lines behind it, of
// which the number is on a line; 0 where no empty one stands there.
func headBelow(lines []pageLine, found map[int]bool, number int) int {
	i := number + 1
	for i < len(lines) && lines[i].bare != "" && found[lines[i].at] {
		i++
	}
	below := i
	for below < len(lines) && lines[below].bare == "" {
		below++
	}
	if below == i || below == len(lines) || !mayBeHead(lines[below].bare) {
		return 0
	}
	return below
}

// mayBeHead reports whether a line may be the head of a page: it does not go on with a sentence,
// and denies nothing.
func mayBeHead(line string) bool {
	return !unicode.IsLower(char.First(line)) && !deniesSomething(line)
}

// numberOf is the sign of a number, which is written as a word that denies.
var numberOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[Nn]o\.? ?(?:[\d#]|N\b)`) })

func deniesSomething(line string) bool {
	line = numberOf().ReplaceAllString(line, "")
	return governing.HasNegation(line, func() string { return guard.Language(line) })
}

// countsUp reports whether numbers on some lines are those of pages: each is a little greater
// than the one before, and stands some lines below it.
func countsUp(n int, at func(int) (line, number int)) bool {
	const most, page = 3, 3 // pages without a number between two that have one, lines of a page
	for i := 1; i < n; i++ {
		line, number := at(i)
		above, before := at(i - 1)
		if number <= before || number > before+most || line < above+page {
			return false
		}
	}
	return n > 1
}
