package guard

import (
	"strings"
	"unicode/utf8"
)

// Misspells reports whether a misspelt word, in small letters, can only stand for
// a deciding one of at least five letters: it has one letter wrong, missing,
// too many or two neighbours exchanged, and is as near to no word of the same
// kind and language that means something else. "perecnt" is percent; "nillion"
// may be a million or a billion, and "nit" anything.
func Misspells(misspelt, word string) bool {
	if utf8.RuneCountInString(misspelt) < 4 || utf8.RuneCountInString(word) < 5 || !oneEdit(misspelt, word) {
		return false
	}
	lex := sharedLexicon()
	is := lex.words[word]
	if own := lex.words[misspelt]; own != nil || lex.arabic(misspelt) != nil {
		return own != nil && is != nil && own.kind == is.kind && own.norm == is.norm // it is one itself
	}
	if is == nil {
		is = lex.stem(word)
	}
	if is == nil || is.kind == "" {
		return lex.misspellsArabic(misspelt, word)
	}
	if !lex.isNearest(misspelt, is) {
		return false
	}
	for stem, s := range lex.stems {
		if s.norm != is.norm && s.kind == is.kind && !strings.HasPrefix(word, stem) && (strings.HasPrefix(misspelt, stem) || len(misspelt) >= len(stem) && oneEdit(misspelt[:len(stem)], stem)) {
			return false
		}
	}
	return true
}

// misspellsArabic compares words behind the particle both begin with.
func (lex *lexicon) misspellsArabic(misspelt, word string) bool {
	for _, particle := range particles {
		a, first := strings.CutPrefix(misspelt, particle)
		b, second := strings.CutPrefix(word, particle)
		if first && second && utf8.RuneCountInString(b) > 2 {
			return lex.words[b] != nil && oneEdit(a, b) && lex.isNearest(a, lex.words[b]) || Misspells(a, b)
		}
	}
	is := lex.arabic(word)
	return is != nil && lex.isNearest(misspelt, is)
}

// isNearest reports whether no deciding word of another sense is as near.
func (lex *lexicon) isNearest(misspelt string, is *sense) bool {
	for other, s := range lex.words {
		if s.norm != is.norm && s.language == is.language && s.kind == is.kind && oneEdit(misspelt, other) {
			return false
		}
	}
	return is.kind != ""
}

// oneEdit reports whether two different words are one edit apart.
func oneEdit(a, b string) bool {
	if d := len(a) - len(b); d > 4 || d < -4 {
		return false
	}
	x, y := []rune(a), []rune(b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	switch {
	case len(x) == 2 && len(y) == 2:
		return x[0] == y[1] && x[1] == y[0]
	case len(x)+len(y) == 0:
		return false
	}
	return len(x) <= 1 && len(y) <= 1
}
