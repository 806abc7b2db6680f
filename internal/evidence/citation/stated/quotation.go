package stated

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// MinWords is the least that says something: fewer words are a term or a label.
const MinWords = 3

// Bounds of a quotation between marks.
const (
	minUnspaced = 8    // letters of scripts without blanks between words
	maxQuoted   = 4000 // bytes; a mark that was not closed by then is none
)

// closing gives the marks that close a quotation opened by r.
func closing(r rune) string {
	switch r {
	case '"':
		return "\""
	case '“':
		return "”\""
	case '„':
		return "“”\""
	case '«':
		return "»"
	case '»':
		return "«»"
	case '「':
		return "」"
	case '『':
		return "』"
	case '‘':
		return "’"
	case '‹':
		return "›"
	case '＂', '〝':
		return "＂〞〟"
	}
	return ""
}

// Span is a part of a text, in bytes, To exclusive.
type Span struct{ From, To int }

// Contains reports whether a place lies in it.
func (s Span) Contains(at int) bool { return s.From <= at && at < s.To }

// Quoted finds what stands between quotation marks, outermost pairs only, the
// marks left out.
func Quoted(text string) []Span {
	var out []Span
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if marks := closing(r); marks != "" && isOpeningMark(text, i, r) {
			if end, width := findClosingMark(text, i+size, r, marks); end > 0 {
				if isLongEnough(text[i+size : end]) {
					out = append(out, Span{i + size, end})
				}
				i = end + width
				continue
			}
		}
		i += size
	}
	return out
}

// isLongEnough reports whether a text is long enough to be somebody's words.
func isLongEnough(s string) bool {
	wide := 0
	for _, r := range s {
		if words.Unspaced(r) {
			wide++
		}
	}
	return words.Count(s) >= MinWords && (wide == 0 || wide >= minUnspaced || words.Count(s)-(wide+1)/2 >= MinWords)
}

// isOpeningMark reports whether a mark that also closes, or is an apostrophe or inch,
// opens here: before it stands no letter and no digit, behind it no blank.
func isOpeningMark(text string, i int, r rune) bool {
	if r != '"' && r != '‘' && r != '»' {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
	return (!words.IsAlphanumeric(before) || words.Unspaced(before)) && !unicode.IsSpace(after) && after != utf8.RuneError
}

// findClosingMark finds the closing mark of a quotation; 0 when there is none. A search
// ends where another opens that is of the same kind, but for nested ones.
func findClosingMark(text string, from int, opened rune, marks string) (at, width int) {
	depth := 0
	limit := min(len(text), from+maxQuoted)
	for i := from; i < limit; {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == opened && opened != '"' && opened != '‘' && !strings.ContainsRune(marks, r):
			depth++
			if depth > 3 {
				return 0, 0
			}
		case strings.ContainsRune(marks, r) && isClosingMark(text, i, size, r):
			if depth == 0 {
				return i, size
			}
			depth--
		}
		i += size
	}
	return 0, 0
}

// isClosingMark reports whether a mark closes here: an apostrophe stands between
// letters, and a straight mark that closes has no blank before it.
func isClosingMark(text string, i, size int, r rune) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+size:])
	switch r {
	case '’':
		return !words.IsAlphanumeric(after)
	case '"':
		return !unicode.IsSpace(before)
	}
	return true
}
