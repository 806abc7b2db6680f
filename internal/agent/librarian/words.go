package librarian

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord bounds a word, in bytes; what is longer is data.
const maxWord = 64

// word is a word of a text and where it stands.
type word struct {
	text  string
	start int
}

// words cuts a text into runs of letters, digits, marks and underscores.
func words(s string) []word {
	var out []word
	start := -1
	for i, r := range s {
		if wordRune(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out = append(out, word{s[start:i], start})
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, word{s[start:], start})
	}
	return out
}

func wordRune(r rune) bool {
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
	for _, w := range words(text) {
		out = appendStems(out, w.text)
	}
	return out
}

func appendStems(out []string, w string) []string {
	if len(w) > maxWord {
		if !ascii(w) {
			return appendPairs(out, w)
		}
		return out
	}
	if !ascii(w) {
		for _, part := range words(norm.NFKC.String(w)) { // one letter may stand for several words
			out = appendForeign(out, part.text)
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
		out = append(out, stem(strings.ToLower(p)))
	}
	return out
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// appendForeign adds a word that is not plain ASCII.
func appendForeign(out []string, w string) []string {
	for _, r := range w {
		if unspaced(r) {
			return appendPairs(out, w)
		}
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
		if !unspaced(r) {
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

// unspaced reports whether a letter's script runs words together.
func unspaced(r rune) bool {
	return r >= 0xe00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
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

// stem takes a plain English word to what its relatives share: pace, paced,
// pacer and pacing; allocate, allocator and allocation. It may join too much,
// which costs a place in the order and never a false quotation.
func stem(w string) string {
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
