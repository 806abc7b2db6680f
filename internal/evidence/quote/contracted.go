package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/quote/spelling"
)

// contracts reports whether a short word is a longer one, or a few, with letters left out,
// and none of either decides otherwise than the other: "dept." for "department", "capex" for
// "capital expenditure", "bbls" for "barrels".
func contracts(short, long, language string) bool {
	const fewest, most, left, words = 2, 6, 2, 3
	if bare := strings.TrimSuffix(short, "."); bare == short && bare == strings.ToUpper(bare) {
		return false // initials, which are those of every word
	}
	short, long = strings.ToLower(strings.TrimSuffix(short, ".")), strings.ToLower(long)
	n := utf8.RuneCountInString(short)
	switch {
	case n < fewest || n > most || utf8.RuneCountInString(long) < n+left || len(strings.Fields(long)) > words:
		return false
	case strings.ContainsFunc(short, isNotLetter) || strings.ContainsFunc(strings.ReplaceAll(long, " ", ""), isNotLetter):
		return false
	case spelling.IsEnglish(short), decidesOtherwise(short, long, language):
		return false
	}
	letters := []rune(short)
	if letters[0] == letters[1] {
		letters = letters[1:] // bbl., pp.
	}
	return abridges(letters, strings.Fields(long))
}

func isNotLetter(r rune) bool { return !unicode.IsLetter(r) }

// abridges reports whether letters are some of each of these words in their order, the
// first of each among them.
func abridges(letters []rune, list []string) bool {
	if len(list) == 0 {
		return len(letters) == 0
	}
	word := []rune(list[0])
	if len(letters) == 0 || letters[0] != word[0] {
		return false
	}
	used := 1
	for at := 1; ; at++ {
		if abridges(letters[used:], list[1:]) {
			return true
		}
		for at < len(word) && used < len(letters) && word[at] != letters[used] {
			at++
		}
		if at >= len(word) || used == len(letters) {
			return false
		}
		used++
	}
}
