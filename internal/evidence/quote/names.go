package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/quote/spelling"
)

// isName reports whether a capitalised word of the passage is a name. One that
// begins a sentence is none when it is a word of English or written small
// elsewhere; nor is a German noun behind what goes before nouns.
func (a *alignment) isName(their int, surface string) bool {
	low := a.passageWords[their].low
	if strings.ToLower(surface) != surface && strings.ContainsFunc(surface[1:], unicode.IsUpper) {
		return true
	}
	if a.german() {
		return !a.noun(their, low)
	}
	if !a.beginsSentence(their) {
		return true
	}
	return !spelling.IsEnglish(low) && !a.occursInLowerCase(low)
}

// beginsSentence reports whether a word begins a sentence.
func (a *alignment) beginsSentence(their int) bool {
	before := strings.TrimRight(a.passage[:a.passageWords[their].start], " \"'([")
	return before == "" || strings.ContainsRune(".!?", rune(before[len(before)-1]))
}

// occursInLowerCase reports whether the text writes a word small somewhere.
func (t *Text) occursInLowerCase(low string) bool {
	for i, at := range t.wordIndex().lookUp(low) {
		if t.stream.isWord(low, int(at)) {
			if r, _ := utf8.DecodeRuneInString(t.text[t.stream.at[at]:]); unicode.IsLower(r) {
				return true
			}
		}
		if i == maxPlacesPerGram {
			break
		}
	}
	return false
}

// german reports whether a quotation is in German, where all nouns have
// capitals.
func (a *alignment) german() bool {
	n := 0
	for _, w := range a.quotationWords {
		switch w.low {
		case "der", "die", "das", "den", "dem", "des", "und", "ist", "nicht", "ein", "eine", "einen", "einer", "im", "mit", "für", "auf", "wird", "werden", "wurde", "zu", "von", "sich", "auch":
			n++
		}
	}
	return n >= 2
}

// noun reports whether a German word with a capital is a noun like any other:
// by its ending, or because an article, an adjective or a number stands before
// it, or because it begins the sentence or is written so elsewhere with one.
func (a *alignment) noun(their int, low string) bool {
	for _, end := range [...]string{"ung", "ungen", "heit", "heiten", "keit", "keiten", "schaft", "schaften", "tion", "tionen", "tät", "täten", "nis", "nisse", "ismus", "ment", "mente", "ling", "linge", "eur", "eure"} {
		if strings.HasSuffix(low, end) && len(low) > len(end)+2 {
			return true
		}
	}
	if their == 0 {
		return false
	}
	before := a.passage[a.passageWords[their-1].start:a.passageWords[their-1].end]
	if r, _ := utf8.DecodeRuneInString(before); !unicode.IsLower(r) {
		return unicode.IsDigit(r)
	}
	switch before {
	case "der", "die", "das", "den", "dem", "des", "im", "am", "zum", "zur", "vom", "beim", "ins", "ans", "kein", "ein":
		return true
	case "in", "an", "von", "bei", "mit", "und", "oder", "nach", "aus", "zu", "als", "sagte", "wurde", "hatte", "habe", "haben", "werden", "sollte", "konnte", "wie", "wo", "so", "neben", "zwischen", "gegen", "wegen":
		return false
	}
	for _, end := range [...]string{"e", "en", "er", "es", "em"} {
		if strings.HasSuffix(before, end) {
			return true
		}
	}
	return false
}
