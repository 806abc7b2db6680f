package reading

import (
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// Links of Markdown whose addresses stand elsewhere: "[guide][install]", "[guide]", and the
// lines "[guide]: address" that define them.
var (
	referenceLink = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\[([^\[\]\n]{1,200})\](?:\[([^\[\]\n]{0,200})\])?`)
	})
	definition = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^ {0,3}\[([^\[\]\n]{1,200})\]:[ \t]+\S`)
	})
	// releaseHeading is a heading that begins with the number of a release in brackets.
	releaseHeading = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^#{1,6}[ \t]+\[(v?\d[\w.+-]*)\]`)
	})
)

// linkEdits takes out the brackets and the addresses of links of Markdown, and what makes a
// picture of one.
func linkEdits(text string) []Edit {
	const longest = 300 // bytes in brackets
	var list []Edit
	for at := 0; ; {
		n := strings.Index(text[at:], "](")
		if n < 0 {
			return list
		}
		last, from := at, at+n
		at = from + 2
		end := char.LinkTarget(text, from+1)
		open := openingBracket(text[max(last, from-longest):from])
		if end == 0 || open == 0 {
			continue
		}
		e := Edit{From: from - open, To: from - open + 1}
		if e.From > last && text[e.From-1] == '!' {
			e.From--
		}
		list = append(list, e, Edit{From: from, To: end})
		at = end
	}
}

// openingBracket is how many bytes before the end of a text the bracket opens that is open there,
// 0 for none.
func openingBracket(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ']':
			depth++
		case '[':
			if depth == 0 {
				return len(text) - i
			}
			depth--
		}
	}
	return 0
}

// referenceEdits takes out the brackets of links whose addresses the text defines, and those of
// the number of a release in a heading.
func referenceEdits(text string) []Edit {
	if !strings.Contains(text, "]: ") && !strings.Contains(text, "]:\t") && !strings.Contains(text, "# [") {
		return nil
	}
	defined, release := map[string]bool{}, map[int]bool{}
	for _, m := range definition().FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[1], "^") { // a note
			defined[labelOf(m[1])] = true
		}
	}
	for _, m := range releaseHeading().FindAllStringSubmatchIndex(text, -1) {
		release[m[2]-1] = true
	}
	var list []Edit
	for _, m := range referenceLink().FindAllStringSubmatchIndex(text, -1) {
		from, to := m[0], m[1]
		name := text[m[2]:m[3]]
		if m[4] >= 0 && m[4] < m[5] {
			name = text[m[4]:m[5]]
		}
		if !release[from] && (from > 0 && canBeIndexed(text[from-1]) || m[4] < 0 && strings.Trim(name, "0123456789") == "") {
			continue // within an array, or the number of a note
		}
		rest := text[to:]
		if !release[from] && !defined[labelOf(name)] || strings.HasPrefix(rest, ":") && (from == 0 || text[from-1] == '\n') || strings.HasPrefix(rest, "(") {
			continue
		}
		list = append(list, Edit{From: from, To: from + 1}, Edit{From: m[3], To: to})
	}
	return list
}

// canBeIndexed reports whether brackets behind a byte are those of an array: it ends a name, a
// number or other brackets.
func canBeIndexed(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z' || b == ']'
}

// labelOf is a name of a link as names are compared.
func labelOf(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }
