package guard

import "strings"

// Meant reports whether a misspelt word, in small letters, can only stand for
// a deciding one: it has one letter wrong, missing, too many or two neighbours
// exchanged, at least five letters, and is as near to no deciding word that
// means something else. "perecnt" is percent; "nillion" may be a million or a
// billion, and "nit" anything.
func Meant(misspelt, word string) bool {
	if len([]rune(misspelt)) < 5 || !oneEdit(misspelt, word) {
		return false
	}
	lex := words()
	is := lex.words[word]
	if is == nil {
		is = lex.stem(word)
	}
	if is == nil || is.kind == "" {
		return false
	}
	for other, s := range lex.words {
		if s.norm != is.norm && s.kind != "" && oneEdit(misspelt, other) {
			return false
		}
	}
	for stem, s := range lex.stems {
		if s.norm != is.norm && (strings.HasPrefix(misspelt, stem) || len(misspelt) >= len(stem) && oneEdit(misspelt[:len(stem)], stem)) {
			return false
		}
	}
	return true
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
