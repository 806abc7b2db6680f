package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// Sentence is a sentence of a text and where it stands, in bytes, End exclusive,
// with the blanks behind it.
type Sentence struct{ Start, End int }

// Sentences cuts a text into sentences that follow one another without a gap. A
// line break ends one, and what Unicode says does (UAX 29), but for three things:
// behind an abbreviation, an initial or the number of an item none ends (a year is
// no such number); nor does one where neither a blank nor a capital follows, as
// within an address; and one ends before a name of code though that begins with a
// small letter.
func Sentences(text string) []Sentence {
	var out []Sentence
	add := func(start, end int) {
		if n := len(out); n > 0 && continues(text[out[n-1].Start:start], text[start:end]) {
			out[n-1].End = end
			return
		}
		out = append(out, Sentence{start, end})
	}
	for it := sentences.FromString(text); it.Next(); {
		start := it.Start()
		for at := start; ; {
			step := codeNameAt(text[at:it.End()])
			if step < 0 {
				break
			}
			at += step
			add(start, at)
			start = at
		}
		add(start, it.End())
	}
	return out
}

// codeNameAt is where a name of code begins that may begin a sentence, since a
// full stop and a blank stand before it; -1 where none does.
func codeNameAt(s string) int {
	for at := 0; ; {
		stop := strings.Index(s[at:], ". ")
		if stop < 0 {
			return -1
		}
		at += stop + 2
		at += len(s[at:]) - len(strings.TrimLeft(s[at:], " "))
		name, _, _ := strings.Cut(s[at:], " ")
		if r, _ := utf8.DecodeRuneInString(name); unicode.IsLower(r) && IsCodeName(strings.TrimRight(name, ".,;:")) && !IsAbbreviation(strings.TrimRight(name, ".,;:")) {
			return at
		}
	}
}

// IsCodeName reports whether a word is a name of code rather than one of prose:
// capitals inside, underscores, digits, dots, brackets.
func IsCodeName(w string) bool {
	for i := range len(w) {
		c := w[i]
		if c == '_' || c == '(' || c == '.' || c >= '0' && c <= '9' || i > 0 && c >= 'A' && c <= 'Z' && w[i-1] >= 'a' && w[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// continues reports whether what looks like a sentence goes on in the next.
func continues(before, after string) bool {
	trimmed := strings.TrimRight(before, " \t")
	if trimmed == "" || !strings.ContainsAny(trimmed[len(trimmed)-1:], ".!?") {
		return false
	}
	blank := len(trimmed) < len(before)
	next, _ := utf8.DecodeRuneInString(after)
	if trimmed[len(trimmed)-1] != '.' {
		return !blank && (unicode.IsLower(next) || unicode.IsDigit(next) || strings.ContainsRune("=&/#%_-", next))
	}
	trimmed = trimmed[:len(trimmed)-1]
	word := trimmed[max(0, len(trimmed)-maxWord):]
	word = word[strings.LastIndexAny(word, " (\u00a0")+1:]
	if !blank && (unicode.IsLetter(next) || unicode.IsDigit(next)) {
		return utf8.RuneCountInString(word) < 2 || !unicode.IsUpper(next)
	}
	if r, size := utf8.DecodeRuneInString(word); size == len(word) && unicode.IsUpper(r) {
		return len(trimmed) < maxWord && Count(trimmed) < 3 || strings.LastIndexByte(trimmed, ' ') > 0 && isInitial(trimmed)
	}
	if strings.Trim(word, "0123456789") == "" && (len(word) == len(trimmed) && len(word) < 4 || len(word) < 3 && isCounted(after)) {
		return true
	}
	return IsAbbreviation(word)
}

// isCounted reports whether a text begins with what German counts with a full
// stop: 6. Dezember, 2. Weltkrieg.
func isCounted(after string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	switch strings.TrimRight(word, ".,;:!?") {
	case "Januar", "Jänner", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember",
		"Jahrhundert", "Jahrhunderts", "Weltkrieg", "Weltkriegs", "Auflage", "Kapitel", "Platz", "Quartal", "Halbjahr", "Mal":
		return true
	}
	return false
}

// isInitial reports whether a lone capital can be a name's: the word before it
// begins with one, too, as in "Robert A."
func isInitial(trimmed string) bool {
	fields := strings.Fields(trimmed[max(0, len(trimmed)-80):])
	if len(fields) < 2 {
		return true
	}
	r, _ := utf8.DecodeRuneInString(fields[len(fields)-2])
	return unicode.IsUpper(r)
}
