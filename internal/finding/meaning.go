package finding

import (
	"slices"
	"strings"
	"unicode"

	"research-council/internal/guard"
)

// meaning is what a finding says, as far as words tell.
type meaning struct {
	title   map[string]bool // its content words
	all     map[string]bool // those of title, category and description
	numbers []string        // of the title
	denies  bool            // whether the title denies something
}

func mean(f Finding) *meaning {
	m := &meaning{title: map[string]bool{}, all: map[string]bool{}}
	m.denies = content(f.Title, m.title)
	content(f.Title+" "+f.Category+" "+f.Description, m.all)
	for _, w := range guard.Words(f.Title) {
		switch w.Kind {
		case guard.Number:
			m.numbers = with(m.numbers, w.Norm)
		case guard.Negation:
			m.denies = true
		}
	}
	return m
}

// same reports whether two findings of one place say the same.
func (m *meaning) same(o *meaning) bool {
	if m.denies != o.denies || len(m.numbers) > 0 && len(o.numbers) > 0 && !slices.Equal(m.numbers, o.numbers) {
		return false
	}
	return half(m.title, o.all) && half(o.title, m.all)
}

// half reports whether at least half of the words of one are in another, and
// two at least.
func half(words, in map[string]bool) bool {
	shared := 0
	for w := range words {
		if in[w] {
			shared++
		}
	}
	return shared >= 2 && 2*shared >= len(words)
}

// content adds a text's content words, by their stems, and reports whether one
// of them says that something is lacking.
func content(text string, into map[string]bool) (lacks bool) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if rest, un := strings.CutPrefix(word, "un"); un && slices.Contains(undone(), stem(rest)) {
			word, lacks = rest, true
		}
		word = stem(word)
		if slices.Contains(lacking(), word) {
			lacks = true
			continue
		}
		if len(word) > 1 && !slices.Contains(filler(), word) {
			into[word] = true
		}
	}
	return lacks
}

// undone are stems that "un" denies: unchecked is not checked.
func undone() []string {
	return []string{"bound", "check", "clos", "escap", "guard", "handl", "lock", "protect", "sanitiz", "synchroniz", "validat", "verifi"}
}

// lacking are stems of words that say something is not there or not done.
func lacking() []string {
	return []string{"absent", "discard", "drop", "fail", "forget", "ignor", "lack", "miss", "omit", "skip", "swallow", "without", "never", "not", "no"}
}

// filler are words that tell nothing of a fault.
func filler() []string {
	return []string{
		"a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "do", "doe", "for", "from", "ha", "have", "if", "in",
		"into", "is", "it", "may", "might", "of", "on", "or", "that", "the", "then", "there", "thi", "to", "wa", "when", "which", "will", "with",
	}
}

// stem takes the usual English endings off a word.
func stem(word string) string {
	for _, ending := range []string{"ing", "ed", "es", "s", "e"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) > 2 {
			return rest
		}
	}
	return word
}
