package finding

import (
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
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
func sharesHalf(list, in []string) bool {
	shared := 0
	for _, w := range list {
		if _, there := slices.BinarySearch(in, w); there {
			shared++
		}
	}
	return shared >= 2 && 2*shared >= len(list)
}

// content adds a text's content words, by their stems, and reports whether one
// of them says that something is lacking.
func content(into []string, text string) (list []string, lacks bool) {
	for _, word := range words.Tokens(text) {
		if rest, un := strings.CutPrefix(word, "un"); un && undone()[words.Stem(rest)] {
			word, lacks = rest, true
		}
		switch stem := words.Stem(word); {
		case saysMissing()[stem]:
			lacks = true
		case len(stem) > 1 && !fillers()[stem]:
			into = append(into, stem)
		}
	}
	return into, lacks
}

var (
	// undone are words that "un" before them denies: unchecked is not checked.
	undone = stemsOf("bound check close escape guard handle lock protect sanitize synchronize validate verify")
	// saysMissing are words that say that something is not there or not done.
	saysMissing = stemsOf("absent discard drop forget forgot forgotten ignore lack miss never no not omit skip swallow without")
	// fillers tell nothing of a fault.
	fillers = stemsOf("an and are as at be been but by can could do does for from has have if in into is it may might of on or that the then there this to was when which will with")
)

// stemsOf are the stems of some words.
func stemsOf(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		stems := map[string]bool{}
		for word := range strings.FieldsSeq(list) {
			stems[words.Stem(word)] = true
		}
		return stems
	})
}
