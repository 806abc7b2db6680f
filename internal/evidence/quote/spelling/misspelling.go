// Package spelling knows words by their letters: which can be a slip of the pen for
// another, which turn another round by how they begin, and which are English. It
// knows nothing of the text they stand in.
package spelling

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// Misspells reports whether one word, in small letters, can be another with
// one letter wrong, missing, too many or two neighbours exchanged, in a word of
// three letters only the latter; in a word
// of eight letters or more this may happen twice, but not to its first. Words that differ in a
// negating beginning, or in beginnings that are opposites, are two words.
func Misspells(q, w string) bool {
	short := min(utf8.RuneCountInString(q), utf8.RuneCountInString(w))
	long := max(utf8.RuneCountInString(q), utf8.RuneCountInString(w))
	if short < 3 || long > 40 || strings.ContainsFunc(q+w, func(r rune) bool { return words.Unspaced(r) || !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		return false
	}
	most := 1
	if short >= 8 {
		most = 2
	}
	if long-short > most || hasNegatingPrefix(q, w) || hasNegatingPrefix(w, q) || haveOppositePrefixes(q, w) || hasNegatingInfix(q, w) || hasNegatingInfix(w, q) {
		return false
	}
	a, b := []rune(q), []rune(w)
	n := edits(a, b)
	if short == 3 && (long > 3 || !haveSameLetters(a, b)) {
		return false // nearly every change makes another word
	}
	return n > 0 && n <= most && (n == 1 || a[0] == b[0])
}

// haveSameLetters reports whether two words have the same letters in any order.
func haveSameLetters(a, b []rune) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// edits counts the letters to change, leave out, put in or exchange with their
// neighbour to make one word of another (optimal string alignment, Damerau
// 1964). Words have at most 40 letters.
func edits(a, b []rune) int {
	var rows [3][42]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, up := &rows[i%3], &rows[(i+2)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			c := 1
			if a[i-1] == b[j-1] {
				c = 0
			}
			row[j] = min(up[j-1]+c, up[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], rows[(i+1)%3][j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}

// hasNegatingPrefix reports whether the first word is the second behind a beginning that
// turns it round.
func hasNegatingPrefix(word, plain string) bool {
	begin, ok := strings.CutSuffix(word, plain)
	if !ok {
		return false
	}
	switch begin {
	case "i":
		return plain[0] == 'l' // ilegal
	case "un", "in", "im", "ir", "il", "an", "dis", "de", "non", "mis", "ab", "dé", "des", "не", "ни", "без", "бес", "لا":
		return true
	}
	return false
}

// hasNegatingInfix reports whether the first word is the second with the syllable in
// it that negates verbs of Turkish.
func hasNegatingInfix(word, plain string) bool {
	if len(word) <= len(plain) {
		return false
	}
	at := 0
	for at < len(plain) && word[at] == plain[at] {
		at++
	}
	for ; at > 0; at-- {
		for _, infix := range [...]string{"ma", "me", "mı", "mi", "mu", "mü"} {
			if word[:at] == plain[:at] && strings.HasPrefix(word[at:], infix) && word[at+len(infix):] == plain[at:] {
				return true
			}
		}
	}
	return false
}

// opposites are pairs of beginnings that turn a word round, in the languages
// of Europe.
var opposites = [...][2]string{
	{"hyper", "hypo"},
	{"inter", "intra"},
	{"endo", "exo"},
	{"macro", "micro"},
	{"micro", "milli"},
	{"mikro", "milli"},
	{"intro", "extro"},
	{"im", "ex"},
	{"in", "ex"},
	{"in", "de"},
	{"ante", "anti"},
	{"pre", "pro"},
	{"pre", "post"},
	{"ab", "ad"},
	{"mono", "homo"},
	{"iso", "aniso"},
	{"über", "unter"},
	{"auf", "ab"},
	{"ein", "aus"},
	{"hyper", "hipo"},
	{"hiper", "hipo"},
	{"micro", "mili"},
	{"ре", "де"},
	{"гипер", "гипо"},
	{"макро", "микро"},
	{"микро", "милли"},
	{"мега", "гига"},
	{"вос", "ис"},
	{"при", "у"},
	{"интер", "интра"},
}

// haveOppositePrefixes reports whether two words are one but for beginnings that are
// opposites.
func haveOppositePrefixes(a, b string) bool {
	for _, o := range opposites {
		if haveSameStem(a, o[0], b, o[1]) || haveSameStem(a, o[1], b, o[0]) {
			return true
		}
	}
	return false
}

func haveSameStem(a, prefixA, b, prefixB string) bool {
	x, first := strings.CutPrefix(a, prefixA)
	y, second := strings.CutPrefix(b, prefixB)
	return first && second && x == y
}
