package citation

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a quotation between marks.
const (
	fewestWords   = 3    // fewer are a term, not a quotation
	fewestWide    = 8    // letters of scripts without blanks between words
	longestQuoted = 4000 // bytes; a mark that was not closed by then is none
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

// quoted finds what stands between quotation marks, outermost pairs only, the
// marks left out.
func quoted(text string) []extent {
	var out []extent
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if marks := closing(r); marks != "" && opens(text, i, r) {
			if end, width := closes(text, i+size, r, marks); end > 0 {
				if says(text[i+size : end]) {
					out = append(out, extent{i + size, end})
				}
				i = end + width
				continue
			}
		}
		i += size
	}
	return out
}

// says reports whether a text is long enough to be somebody's words.
func says(s string) bool {
	wide := 0
	for _, r := range s {
		if unbroken(r) {
			wide++
		}
	}
	return count(s) >= fewestWords && (wide == 0 || wide >= fewestWide || count(s)-(wide+1)/2 >= fewestWords)
}

// opens reports whether a mark that also closes, or is an apostrophe or inch,
// opens here: before it stands no letter and no digit, behind it no blank.
func opens(text string, i int, r rune) bool {
	if r != '"' && r != '‘' && r != '»' {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
	return (!wordy(before) || unbroken(before)) && !unicode.IsSpace(after) && after != utf8.RuneError
}

// closes finds the closing mark of a quotation; 0 when there is none. A search
// ends where another opens that is of the same kind, but for nested ones.
func closes(text string, from int, opened rune, marks string) (at, width int) {
	depth := 0
	limit := min(len(text), from+longestQuoted)
	for i := from; i < limit; {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == opened && opened != '"' && opened != '‘' && !strings.ContainsRune(marks, r):
			depth++
			if depth > 3 {
				return 0, 0
			}
		case strings.ContainsRune(marks, r) && ends(text, i, size, r):
			if depth == 0 {
				return i, size
			}
			depth--
		}
		i += size
	}
	return 0, 0
}

// ends reports whether a mark closes here: an apostrophe stands between
// letters, and a straight mark that closes has no blank before it.
func ends(text string, i, size int, r rune) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+size:])
	switch r {
	case '’':
		return !wordy(after)
	case '"':
		return !unicode.IsSpace(before)
	}
	return true
}
