package quote

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
)

// comparing are the words with which a comparison names what it compares with.
var comparing = map[string]string{
	"en": "as than", "de": "als wie", "fr": "que", "es": "que como", "pt": "que como", "it": "che di", "nl": "als dan", "sv": "som än",
	"pl": "niż jak", "ru": "чем как", "fi": "kuin", "cs": "než jako",
}

// retells reports whether a gloss at a place of the text says again what the text has just
// said: of a verb whose predicate is left out ("it was not [valid]"), of what is pointed to
// ("this [fall]") or compared with ("as high [as the old dam]"), or which of several is meant
// ("these [longer] trials"). Then it may decide something, as the text does.
func retells(text, language, before, inside, next string, at int) bool {
	list := nounWords(before[words.RuneStart(before, len(before)-maxNearby):])
	ours := nounWords(inside)
	if len(list) == 0 || len(ours) == 0 {
		return false
	}
	last, end := list[len(list)-1], list[max(0, len(list)-3):]
	switch {
	case isLeftOpen(last, text[at:], language):
		negated := len(ours) > 1 && governing.HasNegation(ours[0], func() string { return language })
		return !negated && isSaidBefore(text, language, at, ours, inside, false)
	case has(comparing, language, ours[0]) && len(ours) > 1:
		_, rest, _ := strings.Cut(inside, " ")
		return isSaidBefore(text, language, at, ours[1:], rest, false)
	case (has(articles, language, last) || has(pointers, language, last)) && isNamedLast(text[:at], ours, next):
		return true
	}
	if len(ours) < 3 && (has(articles, language, last) || has(pointers, language, last)) {
		return false // which of them, and another was named last
	}
	return slices.ContainsFunc(end, func(w string) bool { return has(pointers, language, w) || has(pronouns, language, w) }) && isSaidBefore(text, language, at, ours, inside, true)
}

// isLeftOpen reports whether a word is an auxiliary, or a "not" behind it, with which a
// clause ends, so that its predicate is that of another.
func isLeftOpen(word, behind, language string) bool {
	behind = strings.TrimLeft(behind, " \n")
	if behind != "" && char.IsOfWord(char.First(behind)) {
		return false
	}
	return isAuxiliary(word, language) || language == "en" && (hasModal([]string{word}) || word == "must") || governing.HasNegation(word, func() string { return language })
}

// recentSentences are the sentence that goes on at a place of the text, and the two before.
func recentSentences(text string, at int) string {
	const sentences, far = 3, 600
	text = text[words.RuneStart(text, at-far):at]
	from := len(text)
	for range sentences {
		from = lastSentence(strings.TrimRight(text[:from], " \n.!?”\"’»"))
	}
	return text[from:]
}

// isSaidBefore reports whether all that some words say was said in the sentences before a
// place: every noun and verb, and whatever decides something. What is pointed to is not
// said without the "not" that it has there.
func isSaidBefore(text, language string, at int, list []string, inside string, pointed bool) bool {
	recent := recentSentences(text, at)
	theirs := nounWords(recent)
	content := slices.DeleteFunc(contentWords(list, language), func(w string) bool {
		return isPreposition(w) || isAuxiliary(w, language) || w == "one" || w == "ones" || w == "whose" || w == "about"
	})
	if len(content) == 0 {
		return false
	}
	for _, w := range content {
		if !slices.ContainsFunc(theirs, func(o string) bool { return sameStem(w, o) || isSameNoun(w, o) || isSameVerb(w, o) }) {
			return false
		}
	}
	said := deciding(recent, language)
	for _, w := range withoutProp(deciding(inside, language)) {
		if !slices.ContainsFunc(said, func(o guard.Word) bool {
			return o.Norm == w.Norm || w.Kind == guard.Comparator && sameStem(strings.ToLower(w.Text), strings.ToLower(o.Text))
		}) && !(w.Kind == guard.Comparator && slices.ContainsFunc(theirs, func(o string) bool { return sameStem(strings.ToLower(w.Text), o) })) {
			return false
		}
	}
	const phrase = 4 // words
	if rest := strings.ToLower(afterFirstWord(inside)); len(strings.Fields(rest)) >= phrase && strings.Contains(strings.Join(strings.Fields(strings.ToLower(recent)), " "), rest) {
		return true
	}
	isNegation := func(w guard.Word) bool { return w.Kind == guard.Negation }
	return !pointed || !slices.ContainsFunc(said, isNegation) || slices.ContainsFunc(deciding(inside, language), isNegation)
}

// isSameVerb reports whether two words are one but for an "-ing" and the ending of a person.
func isSameVerb(a, b string) bool {
	const least = 3 // letters
	root := func(w string) string { return strings.TrimSuffix(strings.TrimSuffix(w, "ing"), "s") }
	return len(root(a)) >= least && root(a) == root(b)
}

// isNamedLast reports whether a text has a noun last with some words before it.
func isNamedLast(text string, ours []string, next string) bool {
	const far, few = 1200, 2
	noun, _, _ := strings.Cut(next, " ")
	if noun == "" || len(ours) > few {
		return false
	}
	list := nounWords(text[words.RuneStart(text, len(text)-far):])
	for i := len(list) - 1; i >= len(ours); i-- {
		if isSameNoun(list[i], noun) {
			return slices.Equal(list[i-len(ours):i], ours)
		}
	}
	return false
}

// concessive are the words that make of a condition one that does not matter: "even if".
var concessive = map[string]string{
	"en": "even", "de": "auch selbst sogar", "fr": "même", "es": "incluso aun aún aunque hasta", "pt": "mesmo até ainda", "it": "anche perfino", "nl": "ook zelfs",
	"sv": "även också", "pl": "nawet", "ru": "даже", "cs": "i dokonce", "tr": "bile", "id": "bahkan", "fi": "vaikka jopa", "vi": "ngay cả",
}

// liftsCondition reports whether brackets of a quotation put such a word before what says
// when the rest holds.
func liftsCondition(quoted, language string) bool {
	for _, m := range gloss().FindAllStringSubmatchIndex(quoted, -1) {
		inside := strings.Trim(quoted[m[0]:m[1]], "[]［］")
		behind := strings.TrimLeft(quoted[m[1]:], " ")
		if !has(concessive, language, strings.ToLower(inside)) {
			continue
		}
		if language == "fr" && strings.HasPrefix(strings.ReplaceAll(behind, "’", "'"), "s'il") {
			return true
		}
		list := guard.Governors(behind, language)
		if len(list) > 0 && list[0].Start == 0 && (list[0].Role == guard.Condition || list[0].Role == guard.When || list[0].Role == guard.Whether || list[0].Role == guard.Contrast) {
			return true
		}
	}
	return false
}
