// Package words cuts texts into sentences and words, and gives the form that
// related words share. It knows scripts that put no blanks between words, and
// English endings; what words mean is left to others. Where a place in a text decides whether a
// quotation stands there, packages quote and guard read it by rules of their own.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord bounds a word, in bytes; what is longer is data.
const maxWord = 64

// Word is a word of a text and where it stands, in bytes.
type Word struct {
	Text  string
	Start int
}

// Split cuts a text into runs of letters, digits, marks and underscores.
func Split(s string) []Word { return AppendSplit(nil, s) }

// AppendSplit adds the runs of a text to others.
func AppendSplit(out []Word, s string) []Word {
	start := -1
	for i, r := range s {
		if IsPart(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out = append(out, Word{s[start:i], start})
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, Word{s[start:], start})
	}
	return out
}

// IsAlphanumeric reports whether a character is a letter or a digit of any script.
func IsAlphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// IsPart reports whether a character is a part of words and names: a letter, a
// digit, a mark or an underscore.
func IsPart(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// Stems is what a text is found by: each of its words in the form that related
// words share, identifiers whole and in their parts, scripts without blanks
// between words in pairs of letters. They hold letters, digits and marks only.
func Stems(text string) []string {
	var out []string
	for _, w := range Split(text) {
		out = append(out, StemsOf(w.Text)...)
	}
	return out
}

// StemsOf are the stems of one word.
func StemsOf(w string) []string {
	var out []string
	if len(w) > maxWord {
		if !IsASCII(w) {
			return appendPairs(out, w)
		}
		return out
	}
	if !IsASCII(w) {
		for _, part := range Split(norm.NFKC.String(w)) { // one letter may stand for several words
			out = appendForeign(out, part.Text)
		}
		return out
	}
	parts := identifier(w)
	if len(parts) == 0 {
		return out
	}
	if len(parts) > 1 {
		whole := strings.ToLower(strings.ReplaceAll(w, "_", ""))
		out = append(out, whole)
	}
	for _, p := range parts {
		out = append(out, Stem(strings.ToLower(p)))
	}
	return out
}

// IsASCII reports whether a text is of ASCII alone.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// appendForeign adds a word that is not plain ASCII.
func appendForeign(out []string, w string) []string {
	if IsPaired(w) {
		return appendPairs(out, w)
	}
	if w = strings.ToLower(strings.ReplaceAll(w, "_", "")); w != "" {
		out = append(out, w)
	}
	return out
}

// appendPairs adds the pairs of neighbouring letters of a run in a script that
// has no blanks between words; a lone letter is added as it is.
func appendPairs(out []string, w string) []string {
	var previous rune
	pairs := 0
	for _, r := range w {
		if !isPaired(r) {
			previous = 0
			continue
		}
		if previous != 0 {
			out = append(out, string([]rune{previous, r}))
			pairs++
		}
		previous = r
	}
	if pairs == 0 && previous != 0 {
		out = append(out, string(previous))
	}
	return out
}

// isPaired reports whether words of a letter's script are known by pairs of
// letters.
func isPaired(r rune) bool { return Unspaced(r) || r >= 0x1100 && unicode.Is(unicode.Hangul, r) }

// IsPaired reports whether a word is known by the pairs of its letters.
func IsPaired(word string) bool { return strings.ContainsFunc(word, isPaired) }

// Unspaced reports whether a letter's script puts no blanks between words.
func Unspaced(r rune) bool { return r >= 0x0e00 && isUnspaced(r) }

func isUnspaced(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff ||
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// Tokens are a text's words in small letters: runs of letters, digits and marks,
// and each letter of a script without blanks.
func Tokens(text string) []string {
	var list []string
	start := -1
	end := func(at int) {
		if start >= 0 {
			list = append(list, text[start:at])
		}
		start = -1
	}
	text = strings.ToLower(text)
	for i, r := range text {
		switch {
		case Unspaced(r):
			end(i)
			list = append(list, string(r))
		case r == '_' || !IsPart(r):
			end(i)
		case start < 0:
			start = i
		}
	}
	end(len(text))
	return list
}

// Count is how many words a text has: two letters of a script without blanks
// count as one.
func Count(text string) int {
	n, wide, within := 0, 0, false
	for _, r := range text {
		switch {
		case Unspaced(r):
			wide++
			within = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !within {
				n++
			}
			within = true
		case unicode.IsSpace(r):
			within = false
		}
	}
	return n + (wide+1)/2
}

// identifier cuts a name at underscores and where small letters turn into
// capitals: heap_goal, heapGoal and HTTPServer have two parts each.
func identifier(w string) []string {
	var parts []string
	start := 0
	cut := func(end int) {
		if p := strings.Trim(w[start:end], "_"); p != "" {
			parts = append(parts, p)
		}
		start = end
	}
	for i := 1; i < len(w); i++ {
		before, here := w[i-1], w[i]
		switch {
		case here == '_':
			cut(i)
		case upper(here) && lower(before), upper(before) && upper(here) && i+1 < len(w) && lower(w[i+1]) && !isPluralEnding(w[i:]):
			cut(i)
		}
	}
	cut(len(w))
	return parts
}

// isPluralEnding reports whether what follows capitals is their plural: Gs, Ps.
func isPluralEnding(rest string) bool { return len(rest) == 2 && rest[1] == 's' }

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func lower(c byte) bool { return c >= 'a' && c <= 'z' }

// suffixes of English words and how much must be left before them.
var suffixes = []struct {
	text string
	left int
}{
	{"ments", 4},
	{"ment", 4},
	{"ness", 4},
	{"able", 4},
	{"ing", 3},
	{"ion", 3},
	{"ive", 4},
	{"ed", 3},
	{"er", 3},
	{"or", 3},
	{"ly", 4},
	{"e", 3},
}

// Stem takes a plain English word in small letters to what its relatives share: pace, paced,
// pacer and pacing; allocate, allocator and allocation. It may join too much,
// which costs a place in the order and never a false quotation.
func Stem(w string) string {
	if len(w) < 4 || strings.ContainsAny(w, "0123456789") {
		return w
	}
	w = singular(w)
	for _, s := range suffixes {
		root, ok := strings.CutSuffix(w, s.text)
		if !ok || len(root) < s.left || !strings.ContainsAny(root, "aeiouy") {
			continue
		}
		w = root
		if len(w) > 3 {
			w = strings.TrimSuffix(w, "e")
		}
		if at, ok := strings.CutSuffix(w, "at"); ok && len(at) >= 3 {
			w = at
		}
		break
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiou", rune(w[n-1])) {
		w = w[:n-1]
	}
	if root, ok := strings.CutSuffix(w, "i"); ok {
		w = root + "y"
	}
	return w
}

func singular(w string) string {
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
		return w
	}
	return strings.TrimSuffix(w, "s")
}

// RuneStart is the nearest place at or before a byte of a text that is within no
// character; a place outside the text counts as its beginning or end.
func RuneStart(text string, at int) int {
	at = min(max(at, 0), len(text))
	for back := range min(utf8.UTFMax, at+1) {
		if at == len(text) || utf8.RuneStart(text[at-back]) {
			return at - back
		}
	}
	return at // no text: bytes that begin nothing
}
