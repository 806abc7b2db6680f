package quote

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// otherGreek gives a Greek letter that stands for something in a passage, as a capital or not, where its
// quotation has it the other way: "the ω cell" for "the Ω cell".
func otherGreek(quoted, passage string) (guard.Finding, bool) {
	ours, theirs := greekIn(quoted), greekIn(passage)
	if len(ours) != len(theirs) {
		return guard.Finding{}, false
	}
	for i, letter := range theirs {
		if ours[i] != letter && strings.EqualFold(ours[i], letter) {
			return guard.Finding{Kind: guard.Name, Quote: ours[i], Text: letter}, true
		}
	}
	return guard.Finding{}, false
}

// greekIn are the words of a text that are one Greek letter, in their order, but for those that are
// words of Greek.
func greekIn(text string) []string {
	if !strings.ContainsFunc(text, isSign) {
		return nil
	}
	return slices.DeleteFunc(strings.FieldsFunc(text, char.IsNotOfWord), func(w string) bool {
		r, size := utf8.DecodeRuneInString(w)
		return size != len(w) || !isSign(r)
	})
}

// isSign reports whether a Greek letter is none that is a word of its own.
func isSign(r rune) bool {
	return r >= 'Α' && r <= 'ω' && !strings.ContainsRune("οΟηΗ", r)
}
