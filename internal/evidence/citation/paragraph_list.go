package citation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A list of sources may stand in one paragraph, one entry behind the other: it is read as
// if each stood on a line of its own.

// readText reads a line that may hold several entries of a list of sources, below the name
// of such a list or behind it.
func (l *markdownSplitter) readText(line string, src int, b block) {
	if l.blank {
		l.run = listRun{}
	}
	name := l.leadingName(line)
	if name > 0 {
		l.run = listRun{}
	}
	starts := []int{}
	if name > 0 || l.run.style != nil || l.isBelowListName() {
		starts = l.run.starts(line[name:], name > 0)
	}
	if len(starts) == 0 {
		l.readItem(line, src, b)
		return
	}
	if name > 0 {
		l.blank = true
		l.beginBlock(b, strings.Trim(line[:name], " *_"), src)
	} else if starts[0] > 0 { // the end of the entry before
		l.readItem(strings.TrimRight(line[:starts[0]], " "), src, b)
	}
	for i, at := range starts {
		end := len(line)
		if i+1 < len(starts) {
			end = name + starts[i+1]
		}
		l.blank = true
		l.readItem(strings.TrimRight(line[name+at:end], " ;"), src+name+at, b)
	}
}

var listNameForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\*\*|__)?([^:：*_\[\]()]{3,40}?)(?:\*\*|__)?[:：](?:\*\*|__)?\s+`)
})

// leadingName is how much of a line is the name of a list that stands before its entries.
func (l *markdownSplitter) leadingName(line string) int {
	m := listNameForm().FindStringSubmatchIndex(line)
	if m == nil || l.openBlock() != nil || !listName(line[m[2]:m[3]]) {
		return 0
	}
	return m[1]
}

// isBelowListName reports whether a line begins a paragraph below the name of a list.
func (l *markdownSplitter) isBelowListName() bool {
	if len(l.blocks) == 0 {
		return false
	}
	last := &l.blocks[len(l.blocks)-1]
	return (last.kind == heading || last.kind == prose) && len(last.raw) <= 80 && listName(string(last.raw))
}

// listRun is a list in a paragraph, of which lines have been read.
type listRun struct {
	style *regexp.Regexp // of its numbers; nil where no list has begun
	next  int            // the number that the next entry has
}

var (
	bracketStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([0-9]{1,3})\][ :]`) })
	stopStart    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([0-9]{1,3})[.)] `) })
	addressEnd   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:https?://|www\.|doi:|\]\()\S+ `) })
)

// starts are where entries begin in a line: numbers that count up, authors with a year
// behind the address of another entry, or what stands between semicolons, each with an
// address. None where it is no such line; a line that begins a list begins with an entry.
func (r *listRun) starts(s string, named bool) []int {
	if r.style != nil {
		return r.count(s)
	}
	for _, style := range []*regexp.Regexp{bracketStart(), stopStart()} {
		if m := style.FindStringSubmatchIndex(s); m != nil && m[0] == 0 {
			first, _ := strconv.Atoi(s[m[2]:m[3]]) // digits
			trial := listRun{style: style, next: first}
			if list := trial.count(s); len(list) > 1 {
				*r = trial
				return list
			}
		}
	}
	if list := authorStarts(s); len(list) > 1 {
		return list
	}
	if named { // a line that names the sources of its section
		return nil
	}
	return semicolonStarts(s)
}

// count gives where the numbers stand that go on counting, each behind the end of the
// entry before: where a line has addresses, that has one or ends a sentence.
func (r *listRun) count(s string) []int {
	var list []int
	read, whole, addressed := 0, false, hasAddress(s) // how far, and whether an address has come since the last entry began
	for _, m := range r.style.FindAllStringSubmatchIndex(s, -1) {
		n, _ := strconv.Atoi(s[m[2]:m[3]]) // digits
		if n != r.next || m[0] > 0 && !strings.ContainsRune(" ;", rune(s[m[0]-1])) {
			continue
		}
		before := strings.TrimRight(s[read:m[0]], " ")
		read, whole = m[0], whole || addressed && hasAddress(before)
		ends := strings.HasSuffix(before, ";") || strings.HasSuffix(before, ".") && s[m[0]] == '['
		if countsParts(before) || len(list) > 0 && addressed && !ends && !whole {
			continue
		}
		list, whole = append(list, m[0]), false
		r.next++
	}
	return list
}

func hasAddress(s string) bool {
	return strings.Contains(s, "://") || strings.Contains(s, "www.") || strings.Contains(s, "doi:") || strings.Contains(s, "](")
}

// countsParts reports whether words end with one that a number belongs to: vol. 2.
func countsParts(before string) bool {
	at := strings.LastIndexAny(before, " ,;(") + 1
	switch strings.ToLower(strings.TrimRight(before[at:], ".")) {
	case "vol", "volume", "no", "nr", "issue", "p", "pp", "page", "pages", "part", "ch", "chap", "chapter", "sec", "section", "bd", "band", "book", "ser", "series", "suppl", "fig", "table", "version", "v":
		return true
	}
	return false
}

// authorStarts gives where authors and a year begin, the first at the beginning and each
// other behind an address.
func authorStarts(s string) []int {
	if !beginsWithAuthors(s) {
		return nil
	}
	list := []int{0}
	for _, m := range addressEnd().FindAllStringIndex(s, -1) {
		if beginsWithAuthors(s[m[1]:]) {
			list = append(list, m[1])
		}
	}
	return list
}

func beginsWithAuthors(s string) bool {
	found := authorForm().FindString(s[:min(len(s), 300)])
	return found != "" && !strings.Contains(found, "://")
}

// semicolonStarts gives where entries begin that semicolons part, all with an address.
func semicolonStarts(s string) []int {
	list, at := []int{0}, 0
	for piece := range strings.SplitSeq(s, "; ") {
		if !strings.Contains(piece, "://") && !strings.Contains(piece, "www.") {
			return nil
		}
		if at += len(piece) + len("; "); at < len(s) {
			list = append(list, at)
		}
	}
	if len(list) < 2 || slices.Contains(list, len(s)) {
		return nil
	}
	return list
}
