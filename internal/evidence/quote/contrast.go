package quote

import (
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
)

// ors join what something holds of alike, by language.
var ors = map[string]string{
	"en": "or", "de": "oder", "fr": "ou", "es": "o u", "pt": "ou", "it": "o", "nl": "of", "sv": "eller", "pl": "lub czy albo", "ru": "или", "tr": "veya", "id": "atau", "vi": "hoặc",
}

// isOneOfBoth reports whether a "without" stands behind an "or" and the preposition that says the
// contrary, and is left out with both: "with or without a licence" bounds nothing.
func isOneOfBoth(g gap, w guard.Word) bool {
	if g.end < 0 || w.Kind != guard.Negation || w.Start < 0 || w.Norm == "unless" || w.Norm == "except" {
		return false
	}
	list := nounWords(g.inside[:w.Start])
	if len(list) < 2 || !has(ors, g.language(), list[len(list)-1]) || !strings.ContainsFunc(g.behind(w), char.IsOfWord) {
		return false
	}
	first := list[len(list)-2]
	return isPreposition(first) || has(bounding, g.language(), first) || first == "whether"
}

// instead are words behind which stands what something is not, by language: what stands before
// them holds without it. "_" is a blank.
var instead = map[string]string{
	"en": "rather_than instead_of in_place_of as_opposed_to",
	"de": "statt anstatt anstelle", "fr": "plutôt_que au_lieu_de au_lieu_des au_lieu_du", "es": "en_vez_de en_lugar_de",
	"pt": "em_vez_de ao_invés_de em_lugar_de", "it": "invece_di anziché al_posto_di", "nl": "in_plaats_van", "sv": "i_stället_för istället_för",
	"pl": "zamiast", "ru": "вместо", "tr": "yerine", "id": "bukannya", "vi": "thay_vì",
}

// isContrasted reports whether a gap is no more than what something is not, which is said with
// what it is: "rather than the old one", ", not from the day of moving in," behind a "from".
// It ends with its phrase, so that none of its words belongs to what is quoted next.
func isContrasted(g gap) bool {
	const most = 14 // words
	language := g.language()
	phrase := strings.TrimFunc(g.inside, func(r rune) bool { return strings.ContainsRune(" \n"+opensAside+closesAside, r) })
	list := nounWords(phrase)
	if g.end < 0 || len(list) < 2 || len(list) > most || sentenceEnd(phrase) >= 0 || strings.ContainsAny(phrase, ";:()—–\n") && !strings.Contains(phrase, "\n") || !endsPhrase(g) {
		return false
	}
	for opener := range strings.FieldsSeq(instead[language]) {
		rest, ok := cutWords(strings.ToLower(phrase), strings.ReplaceAll(opener, "_", " "))
		if ok && char.HasWord(rest) {
			return !strings.Contains(rest, ",") && !bounds(rest, language)
		}
	}
	return g.end == 0 && isBetweenCommas(g) && !strings.Contains(phrase, ",") && isDeniedAlike(g, phrase)
}

// cutWords is a text behind the words with which it begins.
func cutWords(text, first string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.Join(strings.Fields(text), " "), first)
	return rest, ok && !char.IsOfWord(char.First(rest))
}

// bounds reports whether some words have a governor of the clause they stand in.
func bounds(text, language string) bool {
	return slices.ContainsFunc(guard.Governors(text, language), func(o guard.Governor) bool {
		switch o.Role {
		case guard.Condition, guard.Exception, guard.Only, guard.Doubt, guard.Rejection, guard.Whether:
			return true
		}
		return false
	})
}

// endsPhrase reports whether a phrase ends where a gap ends: at a mark, at the end of the sentence
// or before what joins or a verb that is known.
func endsPhrase(g gap) bool {
	behind := strings.TrimLeft(g.text[g.to:words.RuneStart(g.text, g.to+maxNearby)], " \n")
	if g.end > 0 || behind == "" || !char.IsOfWord(char.First(behind)) || strings.ContainsAny(lastOf(g.inside), closesAside) {
		return true
	}
	first := firstWordOf(behind)
	return beginsWithAnd(behind) || isAuxiliary(first, g.language())
}

// isBetweenCommas reports whether a gap stands between two commas or dashes, of which either may
// be its own.
func isBetweenCommas(g gap) bool {
	const marks = ",—–"
	opens := strings.ContainsAny(lastOf(strings.TrimRight(g.text[:g.from], " \n")), marks) || strings.ContainsRune(marks, char.First(g.inside))
	closes := strings.ContainsAny(lastOf(g.inside), marks) || strings.ContainsRune(marks, char.First(strings.TrimLeft(g.text[g.to:], " \n")))
	return opens && closes
}

// denials are words that deny and say neither how often nor of how many, by language.
var denials = map[string]string{
	"en": "not", "de": "nicht", "fr": "non pas", "es": "no", "pt": "não", "it": "non", "nl": "niet", "sv": "inte ej", "pl": "nie", "ru": "не",
}

// isDeniedAlike reports whether the words of an aside deny of something else what the clause
// before says: a "not" and the same preposition as stands there, or a "not" and an article behind
// a noun. It has no word that counts, compares or bounds, as "not more than" has.
func isDeniedAlike(g gap, phrase string) bool {
	const most = 9 // words
	language := g.language()
	list, before := nounWords(phrase), nounWords(g.clauseBefore())
	if len(list) < 2 || len(list) > most || len(before) == 0 {
		return false
	}
	if joins := guard.Governors(list[0], language); len(joins) == 1 && joins[0].Role == guard.And {
		list = list[1:] // and not
	}
	if len(list) < 2 || !has(denials, language, list[0]) {
		return false
	}
	rest := strings.Join(list[1:], " ")
	if bounds(rest, language) || governing.HasNegation(rest, g.language) || governing.HasNegation(g.clauseBefore(), g.language) || slices.ContainsFunc(guard.WordsIn(rest, g.language), func(w guard.Word) bool {
		return w.Kind == guard.Hedge || w.Kind == guard.Comparator || w.Kind == guard.Quantifier
	}) {
		return false
	}
	next, last := list[1], before[len(before)-1]
	if isPreposition(next) && !has(articles, language, next) || has(bounding, language, next) {
		return isSameSort(behindLast(phrase, next), behindLast(g.clauseBefore(), next), language)
	}
	return len(list) > 2 && has(articles, language, next) && len(before) > 1 && (has(articles, language, before[0]) || has(pointers, language, before[0])) &&
		!slices.ContainsFunc(before[1:], func(w string) bool { return isAuxiliary(w, language) }) && !isPreposition(last)
}

// behindLast is what of a text stands behind a word that it has last, "" without it.
func behindLast(text, word string) string {
	list := strings.Fields(text)
	for i, w := range slices.Backward(list) {
		if strings.ToLower(w) == word {
			return strings.Join(list[i+1:], " ")
		}
	}
	return ""
}

// isSameSort reports whether two nouns are both names, have both an article or neither: what is
// said of a place is not what is said of a time, "in Bath" and "in winter".
func isSameSort(a, b, language string) bool {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	return a != "" && b != "" && unicode.IsUpper(char.First(a)) == unicode.IsUpper(char.First(b)) && unicode.IsDigit(char.First(a)) == unicode.IsDigit(char.First(b)) &&
		has(articles, language, firstWordOf(a)) == has(articles, language, firstWordOf(b))
}

// isModalOfRelative reports whether a "may" or a "would" stands in a relative clause that is left
// out from its pronoun on, and says of that clause alone how sure it is: "walls that would
// otherwise bake". The noun before has no word by which the clause bounds it.
func isModalOfRelative(g gap, w guard.Word) bool {
	const few = 3 // words
	language := g.language()
	if g.end != 0 || !isModality(w) || w.Start <= 0 || sentenceEnd(g.inside) >= 0 || !endsPhrase(g) {
		return false
	}
	list := nounWords(g.inside[:w.Start])
	if len(list) == 0 || len(list) > few || !has(relativesOf, language, list[0]) && list[0] != "that" && !relatives[list[0]] {
		return false
	}
	before := nounWords(g.clauseBefore())
	return len(before) > 1 && !isAuxiliary(firstWordOf(g.text[g.to:words.RuneStart(g.text, g.to+maxNearby)]), language) && !governing.HasNegation(g.clauseBefore(), g.language) && !bounds(g.clauseBefore(), language) &&
		!slices.ContainsFunc(guard.WordsIn(strings.Join(before, " "), g.language), func(o guard.Word) bool { return o.Kind == guard.Quantifier }) &&
		!strings.ContainsAny(strings.Trim(g.inside, " \n"+closesAside), ",;:")
}

// ofPlace are prepositions of place and of means that begin no clause.
const ofPlace = "over under through across along around near behind beside beneath within into onto toward towards beyond throughout opposite"

// isInPhraseOfPlace reports whether a name ends a phrase of place or means that is left out from
// its preposition on, so that it is no doer: "over SSH".
func isInPhraseOfPlace(list []string) bool {
	const most = 4 // words
	return len(list) > 0 && len(list) <= most && slices.Contains(strings.Fields(ofPlace), strings.ToLower(list[0]))
}

// isPhraseLead reports whether what of a text stands behind its last sentence is a phrase of a
// preposition and a comma, with which the sentence begins that is quoted next: "Of 52 claims made
// by June,". What it tells of whom or when is shown; a condition, an exception or whose word
// follows is no such phrase.
func isPhraseLead(rest, language string) bool {
	const fewest, most, longest = 2, 10, 120 // words, bytes
	phrase, ok := strings.CutSuffix(strings.TrimRight(rest, " \n"), ",")
	phrase = strings.TrimSpace(phrase)
	list := nounWords(phrase)
	if !ok || len(rest) > longest || len(list) < fewest || len(list) > most || strings.ContainsAny(phrase, ".,;:()\"“”„«»") {
		return false
	}
	if !isPreposition(list[0]) && !has(bounding, language, list[0]) || has(articles, language, list[0]) || beginsWithAnd(phrase) {
		return false
	}
	if bounds(phrase, language) || governing.HasNegation(phrase, func() string { return language }) {
		return false
	}
	for _, o := range guard.Governors(phrase, language) {
		before := nounWords(phrase[:o.Start])
		counted := len(before) > 0 && (isInDigits(before[len(before)-1]) || has(articles, language, before[len(before)-1]))
		if o.Role == guard.That || o.Role == guard.When || o.Role == guard.Contrast || o.Role == guard.Claimed && !counted {
			return false
		}
	}
	return true
}
