package quote

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/quote/char"
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

// isFullerName reports whether a name has another in it, as a word or behind a small letter:
// "Jan de Vries" or "MillerJan" for "Jan".
func isFullerName(ours, theirs string) bool {
	if !isName(ours) || !isName(theirs) || len(strings.Fields(theirs)) != 1 || ours == theirs {
		return false
	}
	at := strings.Index(ours, theirs)
	if at < 0 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(ours[:at])
	behind, _ := utf8.DecodeRuneInString(ours[at+len(theirs):])
	begins := at == 0 || before == ' ' || unicode.IsLower(before) || before == '-'
	return begins && !unicode.IsLower(behind)
}

// betweens are words for a place between two others.
var betweens = map[string]string{
	"en": "between", "de": "zwischen", "nl": "tussen", "fr": "entre", "es": "entre", "pt": "entre", "it": "tra fra", "sv": "mellan", "pl": "między", "ru": "между",
}

// withoutPlace is what some words name, without the places between which it is.
func withoutPlace(text, language string) (string, bool) {
	list := strings.Fields(text)
	for i, w := range list {
		if i > 0 && i < len(list)-1 && has(betweens, language, strings.ToLower(w)) && strings.ContainsFunc(strings.Join(list[i+1:], " "), unicode.IsUpper) && !strings.ContainsFunc(text, unicode.IsNumber) {
			return strings.Join(list[:i], " "), true
		}
	}
	return "", false
}

// another are the first parts of compounds of German, Dutch and Swedish that are not what their
// last part names, or are it no longer.
const another = "nicht un vize alt ex gegen anti schein pseudo halb fast neben stellvertreter niet on oud vice vise tegen schijn half bijna plaatsvervangend non ej icke o före förre mot sken halv nästan vice"

// isHeadOf reports whether one noun is the last part of another, as of a compound of German,
// Dutch or Swedish: "Brücke" of "Eisenbahnbrücke". The brackets name no more.
func isHeadOf(theirs, ours []string, language string) bool {
	const least = 4 // letters
	if language != "de" && language != "nl" && language != "sv" {
		return false
	}
	a, b := contentWords(theirs, language), contentWords(ours, language)
	return len(a) == 1 && len(b) == 1 && utf8.RuneCountInString(b[0]) >= least && strings.HasSuffix(a[0], b[0]) && !slices.Contains(strings.Fields(another), strings.TrimRight(strings.TrimSuffix(a[0], b[0]), "-"))
}

// relativesOf begin a clause that tells more of a name before it, by language.
var relativesOf = map[string]string{
	"en": "who which whose whom", "de": "der die das dem den dessen deren", "nl": "die dat wie wiens wier", "fr": "qui que dont", "es": "que quien quienes cuyo cuya",
	"pt": "que cujo cuja", "it": "che il cui", "sv": "som vars", "pl": "który która które którzy", "ru": "который которая которое которые",
}

// withoutClause is a name of the text without a clause between commas that tells more of it.
func withoutClause(text, behind, language string) (string, bool) {
	name, clause, ok := strings.Cut(text, ", ")
	if !ok || !strings.HasPrefix(behind, ",") || strings.ContainsAny(clause, ",;:.!?()") || !has(relativesOf, language, firstWordOf(clause)) {
		return "", false
	}
	list := strings.Fields(name)
	return name, unicode.IsUpper(char.First(list[len(list)-1]))
}

// withInitialsSpelled is what brackets hold with the words of the text for a short name of
// their first letters: "Director of the City Bus Board" for "Director of the CBB".
func withInitialsSpelled(ours, theirs string) string {
	list, full := strings.Fields(ours), strings.Fields(theirs)
	for i, w := range list {
		n := utf8.RuneCountInString(w)
		if n < 2 || w != strings.ToUpper(w) {
			continue
		}
		for from := 0; from+n <= len(full); from++ {
			if name := strings.Join(full[from:from+n], " "); areInitials(w, name) && !strings.Contains(theirs, w) {
				list[i] = name
				break
			}
		}
	}
	return strings.Join(list, " ")
}
