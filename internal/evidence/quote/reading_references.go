package quote

import (
	"regexp"
	"strings"
	"sync"
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

// referenceEdits takes out the brackets of links whose addresses the text defines, and those of
// the number of a release in a heading.
func referenceEdits(text string) []edit {
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
	var list []edit
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
		list = append(list, edit{from: from, to: from + 1}, edit{from: m[3], to: to})
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
