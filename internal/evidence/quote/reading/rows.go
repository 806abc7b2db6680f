package reading

import (
	"regexp"
	"strings"
	"sync"
)

// MaxRow is how long a row of a table is at most, in bytes.
const MaxRow = 400

var (
	rowStop = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)</?(?:tr|table|tbody|thead|tfoot|pre|textarea)[\s>]`)
	})
	cellStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^<t[dh](?:\s[^<>]*)?>$`) })
	cellStop  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^\s*</?t[dhr][\s>]`) })
)

// rowOverLines is where a row of a table ends whose tag ends at a place. It is 0 for one that is
// no line of cells: it holds a table of its own or set text, or is longer than rows are.
func rowOverLines(text string, from int) int {
	const longest, plain = 24 * MaxRow, 8 * MaxRow // with the tags and their addresses and styles, and how much of it is read
	window := text[from:min(len(text), from+longest)]
	stop := rowStop().FindStringIndex(window)
	if stop == nil {
		return 0
	}
	switch rest := strings.ToLower(window[stop[0]:stop[1]]); {
	case strings.HasPrefix(rest, "<table"), strings.Contains(rest, "pre"), strings.Contains(rest, "textarea"):
		return 0
	case stop[0] > plain && len(strings.Join(strings.Fields(saidWithin(window[:stop[0]])), " ")) > MaxRow:
		return 0
	}
	return from + stop[0]
}

const blanks = " \t\r\n"

// indexInRow is where in a row of HTML the next tag or entity begins, or the next blanks that are shown
// as one; less than 0 for none.
func indexInRow(text string) int {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '<', c == '&', c == '\n', c == '\r', c == '\t':
			return i
		case c == ' ' && i+1 < len(text) && strings.IndexByte(blanks, text[i+1]) >= 0:
			return i
		}
	}
	return -1
}

// atEdgeOfCell reports whether a tag is the first of a cell or the last.
func atEdgeOfCell(text string, from, to int) bool {
	const near, longest = 200, 1 << 10 // bytes behind the tag, and of a tag of a cell
	before := strings.TrimRight(text[max(0, from-longest):from], blanks)
	if open := strings.LastIndexByte(before, '<'); open >= 0 && cellStart().MatchString(before[open:]) {
		return true
	}
	return cellStop().MatchString(text[to:min(len(text), to+near)])
}
