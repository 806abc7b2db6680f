package finding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"research-council/internal/evidence/guard"
)

// wording is what a finding says, as far as words tell.
type wording struct {
	of        *Finding
	title     []string // its content words by their stems, sorted
	all       []string // those of title, category and description; nil before they are needed
	numbers   []string // of the title
	isNegated bool     // whether the title says that something is not there or not done
}

func newWording(f *Finding) *wording {
	m := &wording{of: f}
	m.title, m.isNegated = content(make([]string, 0, 12), f.Title)
	slices.Sort(m.title)
	m.title = slices.Compact(m.title)
	for _, w := range guard.Words(f.Title) {
		switch w.Kind {
		case guard.Number:
			m.numbers = insertUnique(m.numbers, w.Norm)
		case guard.Negation:
			m.isNegated = true
		}
	}
	return m
}

// allWords are the content words of all that a finding says of what is wrong.
func (m *wording) allWords() []string {
	if m.all == nil {
		all := append(make([]string, 0, len(m.title)+2+len(m.of.Description)/8), m.title...)
		all, _ = content(all, m.of.Category)
		m.all, _ = content(all, m.of.Description)
		slices.Sort(m.all)
		m.all = slices.Compact(m.all)
	}
	return m.all
}

// saysSame reports whether two findings of one place say the same.
func (m *wording) saysSame(o *wording) bool {
	if m.isNegated != o.isNegated || len(m.numbers) > 0 && len(o.numbers) > 0 && !slices.Equal(m.numbers, o.numbers) {
		return false
	}
	return sharesHalf(m.title, o.allWords()) && sharesHalf(o.title, m.allWords())
}

// sharesHalf reports whether at least half of the words of one are in another, and
// two at least.
func sharesHalf(words, in []string) bool {
	shared := 0
	for _, w := range words {
		if _, there := slices.BinarySearch(in, w); there {
			shared++
		}
	}
	return shared >= 2 && 2*shared >= len(words)
}

// content adds a text's content words, by their stems, and reports whether one
// of them says that something is lacking.
func content(into []string, text string) (words []string, lacks bool) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), isSeparator) {
		if rest, un := strings.CutPrefix(word, "un"); un && undone(stem(rest)) {
			word, lacks = rest, true
		}
		switch word = stem(word); {
		case saysMissing(word):
			lacks = true
		case len(word) > 1 && !filler(word):
			into = append(into, word)
		}
	}
	return into, lacks
}

// isSeparator reports whether a character stands between words.
func isSeparator(r rune) bool {
	if r < utf8.RuneSelf {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// undone reports whether "un" before a stem denies it: unchecked is not
// checked.
func undone(stem string) bool {
	switch stem {
	case "bound", "check", "clos", "escap", "guard", "handl", "lock", "protect", "sanitiz", "synchroniz", "validat", "verifi":
		return true
	}
	return false
}

// saysMissing reports whether words of a stem say that something is not there or
// not done.
func saysMissing(stem string) bool {
	switch stem {
	case "absent", "discard", "drop", "forget", "forgot", "forgotten", "ignor", "lack", "miss", "never", "no", "not", "omit", "skip", "swallow", "without":
		return true
	}
	return false
}

// filler reports whether a stem tells nothing of a fault.
func filler(stem string) bool {
	switch stem {
	case "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "do", "doe", "for", "from", "ha", "have", "if", "in",
		"into", "is", "it", "may", "might", "of", "on", "or", "that", "the", "then", "there", "thi", "to", "wa", "when", "which", "will", "with":
		return true
	}
	return false
}

// stem takes the usual English endings off a word.
func stem(word string) string {
	for _, ending := range [...]string{"ing", "ed", "es", "s", "e"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) > 2 {
			return rest
		}
	}
	return word
}
