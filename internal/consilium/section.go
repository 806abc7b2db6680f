package consilium

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// section is the same for a heading however a reviewer writes it: whatever its
// case, its number, its marks and the word "section" around it. One that is named
// by its number alone keeps the number whole: 2.1 is not 3.1.
func section(heading string) string {
	text := strings.ToLower(norm.NFKC.String(line(heading)))
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	for len(words) > 1 && (leads(words[0]) || numbers(words[0]) && slices.ContainsFunc(words, worded)) {
		words = words[1:]
	}
	if n := len(words); n > 1 && names(words[n-1]) {
		words = words[:n-1]
	}
	return strings.Join(words, " ")
}

// worded reports whether a word is a heading's own.
func worded(word string) bool { return !leads(word) && !numbers(word) }

// leads reports whether a word may stand before a heading.
func leads(word string) bool { return word == "the" || names(word) }

// names reports whether a word says that a heading is meant.
func names(word string) bool {
	return word == "section" || word == "chapter" || word == "part" || word == "heading"
}

// numbers reports whether a word is a heading's number. A year is none.
func numbers(word string) bool {
	return len(word) < 4 && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}
