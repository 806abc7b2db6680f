// Package quote says whether a text holds a quotation, where, and how surely.
//
// Two tiers are known. Exact: the very bytes. Normalised: the same once both
// are folded, which undoes what typesetting, copying and line wrapping do to a
// text and nothing that changes what it says. In both, letters keep their case
// (US is not us, MW not mW) and punctuation stays, so a number, a sign, a unit
// or a negation in the quotation is in the text as well. And a passage may not
// be cut so that it says something else: it begins and ends between words, not
// within a number, behind its sign, or before its percent sign or its million.
//
// Whether the passage supports a claim is not judged here.
package quote

import (
	"strings"
)

// Tier says how alike a quotation and its passage are.
type Tier string

// The tiers, the surest first.
const (
	Exact      Tier = "exact"      // the same bytes
	Normalised Tier = "normalised" // the same once both are folded
)

// Match is where a text holds a quotation.
type Match struct {
	Tier       Tier
	Start, End int // the passage's bytes in the text, End exclusive
}

// Find looks for a quotation in a text. A quotation without a letter or digit
// is never found. Time and memory are linear in both lengths. For more than
// one quotation of the same text, see [Index].
func Find(text, quoted string) (Match, bool) { return Index(text).Find(quoted) }

// A Text is a text made ready for many quotations. It does not change and may
// be used by many at once.
type Text struct {
	text   string
	folded folded
}

// Index makes a text ready.
func Index(text string) *Text { return &Text{text: text, folded: fold(text)} }

// Find looks for a quotation. Marks of quotation around the whole of it need
// not be in the text.
func (t *Text) Find(quoted string) (Match, bool) { return t.FindWithin(quoted, 0, len(t.text)) }

// FindWithin looks for a quotation whose passage lies between two bytes of the
// text. What stands around them is still seen by the guards.
func (t *Text) FindWithin(quoted string, from, to int) (Match, bool) {
	quoted = strings.TrimSpace(quoted)
	forms := []string{quoted}
	if inner, ok := unwrap(quoted); ok {
		forms = append(forms, inner)
	}
	for _, form := range forms {
		if !worded(form) {
			continue
		}
		if m, ok := t.exact(form, from, to); ok {
			return m, true
		}
		if m, ok := t.normalised(form, from, to); ok {
			return m, true
		}
	}
	return Match{}, false
}

func (t *Text) exact(quoted string, from, to int) (Match, bool) {
	for at := range occurrences(t.text, quoted) {
		m := Match{Tier: Exact, Start: at, End: at + len(quoted)}
		if from <= m.Start && m.End <= to && whole(t.text, m.Start, m.End) {
			return m, true
		}
	}
	return Match{}, false
}

func (t *Text) normalised(quoted string, from, to int) (Match, bool) {
	q := fold(quoted).text
	if !worded(q) {
		return Match{}, false
	}
	for at := range occurrences(t.folded.text, q) {
		start, end := t.folded.span(at, at+len(q))
		if from <= start && end <= to && t.folded.between(at, at+len(q)) && whole(t.text, start, end) {
			return Match{Tier: Normalised, Start: start, End: end}, true
		}
	}
	return Match{}, false
}

// unwrap takes off a pair of quotation marks that encloses the whole.
func unwrap(s string) (string, bool) {
	for _, pair := range [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"'", "'"}, {"‘", "’"}} {
		inner, opened := strings.CutPrefix(s, pair[0])
		inner, closed := strings.CutSuffix(inner, pair[1])
		if opened && closed {
			return strings.TrimSpace(inner), true
		}
	}
	return "", false
}

// occurrences gives every place of word in text, overlapping ones too, in
// time linear in both (Knuth, Morris, Pratt 1977). word is not empty.
func occurrences(text, word string) func(func(int) bool) {
	return func(yield func(int) bool) {
		first := strings.Index(text, word)
		if first < 0 || !yield(first) {
			return
		}
		borders := borders(word)
		matched := borders[len(word)-1]
		for i := first + len(word); i < len(text); i++ {
			for matched > 0 && text[i] != word[matched] {
				matched = borders[matched-1]
			}
			if text[i] == word[matched] {
				matched++
			}
			if matched < len(word) {
				continue
			}
			if !yield(i + 1 - len(word)) {
				return
			}
			matched = borders[matched-1]
		}
	}
}

// borders gives for each prefix of word the length of its longest proper
// border: a part that both begins and ends it.
func borders(word string) []int {
	b := make([]int, len(word))
	for i, k := 1, 0; i < len(word); i++ {
		for k > 0 && word[i] != word[k] {
			k = b[k-1]
		}
		if word[i] == word[k] {
			k++
		}
		b[i] = k
	}
	return b
}
