package claim

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxContext bounds how far the context of a passage reaches to either side, in
// bytes.
const maxContext = 400

// contextAround is a passage with the rest of its sentences and a sentence more
// on either side: there stands what qualifies it. It never reaches over a blank
// line.
func contextAround(body string, start, end int) string {
	from, to := contextStart(body, start), contextEnd(body, end)
	return strings.TrimSpace(body[from:to])
}

// contextStart is where the sentence before the one that holds at begins.
func contextStart(body string, at int) int {
	low := max(0, at-maxContext)
	for low < at && !utf8.RuneStart(body[low]) {
		low++
	}
	ends := 0
	for i := at; i > low; {
		r, size := utf8.DecodeLastRuneInString(body[low:i])
		if paragraph(body, i-size) {
			return i
		}
		if sentenceEnd(body, i, r) {
			if ends++; ends == 2 {
				return i
			}
		}
		i -= size
	}
	return low
}

// contextEnd is where the sentence behind the one that holds at ends.
func contextEnd(body string, at int) int {
	high := min(len(body), at+maxContext)
	for high < len(body) && high > at && !utf8.RuneStart(body[high]) {
		high--
	}
	ends := 0
	if last, _ := utf8.DecodeLastRuneInString(body[:at]); sentenceEnd(body, at, last) {
		ends = 1
	}
	for i := at; i < high; {
		r, size := utf8.DecodeRuneInString(body[i:])
		if paragraph(body, i) {
			return i
		}
		i += size
		if sentenceEnd(body, i, r) {
			if ends++; ends == 2 {
				return i
			}
		}
	}
	return high
}

// paragraph reports whether a blank line begins at a byte.
func paragraph(body string, at int) bool {
	return body[at] == '\n' && (strings.HasPrefix(body[at+1:], "\n") || strings.HasPrefix(body[at+1:], "\r\n"))
}

// sentenceEnd reports whether a sentence may end at a byte, behind a rune. A
// full stop needs white space behind it: not the one in 1.5.
func sentenceEnd(body string, at int, behind rune) bool {
	switch behind {
	case '。', '！', '？', '؟', '।':
		return true
	case '.', '!', '?':
		next, _ := utf8.DecodeRuneInString(body[at:])
		return at == len(body) || unicode.IsSpace(next)
	}
	return false
}
