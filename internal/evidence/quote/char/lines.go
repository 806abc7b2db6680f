package char

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// LineAround is where the line of a text begins and ends, without its line end, that has a place.
func LineAround(text string, at int) (start, end int) {
	start = strings.LastIndexByte(text[:at], '\n') + 1
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return start, at + i
	}
	return start, len(text)
}

// Line is the line of a text that has a place, without its line end.
func Line(text string, at int) string {
	start, end := LineAround(text, at)
	return text[start:end]
}

// ShortLine is how many bytes a line has at least that was broken for its length.
const ShortLine = 40

// OpeningQuotes are marks with which what is spoken may begin.
const OpeningQuotes = "\"'“„«‘‹"

// IsSentenceStop runes end a sentence in one of the scripts that have such a mark.
func IsSentenceStop(r rune) bool { return strings.ContainsRune(".!?。！？؟।", r) }

// EndsSentence reports whether a sentence ends before a place of a text, or a line
// that is a statement of code; blanks may stand between.
func EndsSentence(text string, at int) bool {
	const longest = 400
	before := strings.TrimRight(text[:at], " \t\n")
	if opened := strings.TrimRight(text[:at], OpeningQuotes); len(opened) < at && strings.HasSuffix(opened, " ") {
		before = strings.TrimRight(opened, " \t\n") // it begins what is spoken
	}
	if r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, "\"'”’»)]")); IsSentenceStop(r) {
		return !strings.HasSuffix(before, ".)") || !unicode.IsLower(First(text[at:])) // "(A.F. and L.M.) read"
	}
	blanks := text[len(before):at]
	if !strings.Contains(blanks, "\n") {
		rest := strings.TrimLeft(text[at:min(len(text), at+longest)], " \t")
		if !strings.HasPrefix(rest, "\n") || strings.ContainsFunc(blanks, IsOfWord) {
			return false
		}
	}
	line := before[max(0, len(before)-longest):]
	return strings.HasSuffix(blanks, "\n\n") || IsStatement(line[strings.LastIndexByte(line, '\n')+1:])
}

// IsStatement reports whether a line is one of code that ends a statement there, as
// far as can be told from the line alone: it opens or closes a block, or the whole
// of it is a call or an assignment. A line of prose may end with a bracket too.
func IsStatement(line string) bool {
	line = strings.TrimSpace(line)
	if strings.HasSuffix(line, "{") || strings.HasSuffix(line, "}") {
		return true
	}
	line = strings.TrimSuffix(line, ";")
	if !strings.HasSuffix(line, ")") || strings.Count(line, "(") != strings.Count(line, ")") {
		return false
	}
	left, right, assigned := strings.Cut(line, "= ")
	if assigned {
		line = strings.TrimSpace(right)
	}
	for _, word := range []string{"return ", "throw ", "raise ", "defer ", "go ", "await ", "new "} {
		line = strings.TrimPrefix(line, word)
	}
	called, _, _ := strings.Cut(line, "(")
	return isNameOfCode(called) && (!assigned || !slices.ContainsFunc(strings.Split(strings.TrimRight(left, ": "), ","), func(name string) bool {
		return !isNameOfCode(strings.TrimSpace(name))
	}))
}

// isNameOfCode reports whether a text is one name, as a variable or a path to one.
func isNameOfCode(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !IsOfWord(r) && !strings.ContainsRune("_.[]*&", r) })
}
