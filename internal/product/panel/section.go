package panel

import (
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"

	"golang.org/x/text/unicode/norm"
)

// sectionKey is the same for a heading however a reviewer writes it: whatever its
// case, its number, its marks and the word "section" around it. One that is named
// by its number alone keeps the number whole: 2.1 is not 3.1.
func sectionKey(heading string) string {
	text := norm.NFKC.String(plainLine(heading))
	list := words.Tokens(text)
	for len(list) > 1 && (isHeadingPrefix(list[0]) || isHeadingNumber(list[0]) && slices.ContainsFunc(list, isHeadingText)) {
		list = list[1:]
	}
	if n := len(list); n > 1 && isSectionWord(list[n-1]) {
		list = list[:n-1]
	}
	return strings.Join(list, " ")
}

// isHeadingText reports whether a word is a heading's own.
func isHeadingText(word string) bool { return !isHeadingPrefix(word) && !isHeadingNumber(word) }

// isHeadingPrefix reports whether a word may stand before a heading.
func isHeadingPrefix(word string) bool { return word == "the" || isSectionWord(word) }

// isSectionWord reports whether a word says that a heading is meant.
func isSectionWord(word string) bool {
	return word == "section" || word == "chapter" || word == "part" || word == "heading"
}

// isHeadingNumber reports whether a word is a heading's number. A year is none.
func isHeadingNumber(word string) bool {
	return len(word) < 4 && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}
