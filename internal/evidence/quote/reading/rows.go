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
	cellStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)<t[dh](?:\s[^<>]*)?>\s*$`) })
	cellStop  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^\s*</?t[dhr][\s>]`) })
)

// rowOverLines is where a row of a table ends whose tag ends at a place. It is 0 for one that is
// no line of cells: it holds a table of its own or set text, or is longer than rows are.
func rowOverLines(text string, from int) int {
	const longest = 8 * MaxRow // with the tags and their addresses
	window := text[from:min(len(text), from+longest)]
	stop := rowStop().FindStringIndex(window)
	if stop == nil {
		return 0
	}
	switch rest := strings.ToLower(window[stop[0]:stop[1]]); {
	case strings.HasPrefix(rest, "<table"), strings.Contains(rest, "pre"), strings.Contains(rest, "textarea"):
		return 0
	}
	return from + stop[0]
}

// atEdgeOfCell reports whether a tag is the first of a cell or the last.
func atEdgeOfCell(text string, from, to int) bool {
	const near = 200
	return cellStart().MatchString(text[max(0, from-near):from]) || cellStop().MatchString(text[to:min(len(text), to+near)])
}
