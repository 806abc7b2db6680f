package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
)

// isOnlyAdded reports whether a gloss behind some words adds what they may mean, and changes
// nothing of what the text says: it denies, bounds and compares nothing but what those words do
// too, and where it has a number no other stands beside it. The words before and behind are given.
func isOnlyAdded(before, inside, behind, language string) bool {
	const near = 3 // words
	last, first := wordsBeside(before, near), firstWordOf(inside)
	if isLeftOpen(last[len(last)-1], behind, language) || has(comparing, language, first) {
		return false // it completes what the text leaves open
	}
	if isOnlyUnit(before, inside, language) {
		return false // another unit
	}
	governors := guard.Governors(strings.Join(last, " "), language)
	if slices.ContainsFunc(guard.Governors(inside, language), func(g guard.Governor) bool {
		switch g.Role {
		case guard.And:
			return g.Start == 0 // or
		case guard.Condition, guard.Exception, guard.Only, guard.Doubt, guard.Rejection, guard.Whether, guard.Contrast, guard.Claimed:
			return !slices.ContainsFunc(governors, func(o guard.Governor) bool { return o.Role == g.Role })
		}
		return false
	}) {
		return false
	}
	theirs := deciding(withoutThere(strings.Join(last, " "), language), language)
	ours := deciding(label().ReplaceAllString(inside, ""), language)
	counts, names := false, char.HasWord(withoutWords(inside, ours))
	for _, w := range ours {
		switch w.Kind {
		case guard.Number, guard.Date, guard.Magnitude:
			counts = true
			continue
		case guard.Unit:
			names = true
			continue
		case guard.Hedge:
			if w.Start > 0 && names && len(nounWords(inside)) >= near {
				continue
			}
		}
		if w.Kind == guard.Negation || !slices.ContainsFunc(theirs, func(o guard.Word) bool { return o.Kind == w.Kind && o.Norm == w.Norm }) {
			return false
		}
	}
	if !counts {
		return len(ours) > 0 && names
	}
	isCount := func(w guard.Word) bool { return w.Kind == guard.Number || w.Kind == guard.Date }
	next := nounWords(behind)
	return names && (!words.Unspaced(char.Last(before)) || pointsBack(last[0], language)) && !slices.ContainsFunc(theirs, isCount) &&
		!slices.ContainsFunc(deciding(strings.Join(next[:min(near, len(next))], " "), language), isCount) &&
		(isMoney(ours) || !slices.ContainsFunc(deciding(before, language), func(w guard.Word) bool { return w.Kind == guard.Quantifier }))
}

// pointsBack reports whether the last letters of a text without blanks have a word that points to
// what was said.
func pointsBack(letters, language string) bool {
	return slices.ContainsFunc(strings.Fields(pronouns[language]+" "+runPointers[language]), func(w string) bool {
		return strings.HasPrefix(letters, w) || strings.HasSuffix(letters, w)
	})
}

// repeatsWords reports whether a gloss behind a word of a language without blanks that points
// back is said so in the text before: whatever it says, it is what the text says.
func repeatsWords(text, before, inside, language string, at int) bool {
	const far, fewest = 1200, 3 // bytes, letters
	said := strings.Trim(inside, char.OpeningQuotes+"”’」』»›》「『《")
	letters := wordsBeside(before, 1)[0]
	return words.Unspaced(char.Last(before)) && pointsBack(letters, language) && utf8.RuneCountInString(said) >= fewest && strings.Contains(text[words.RuneStart(text, at-far):at], said)
}

// wordsBeside are the last few words of a text, or the last letters of one without blanks.
func wordsBeside(text string, few int) []string {
	if at := lastWordsAt(text, len(text)); words.Unspaced(char.Last(text[at.Start:at.End])) {
		return []string{text[at.Start:at.End]}
	}
	list := nounWords(text[words.RuneStart(text, len(text)-maxNearby):])
	return list[max(0, len(list)-few):]
}

// withoutWords is a text without some of its words.
func withoutWords(text string, list []guard.Word) string {
	rest := []byte(text)
	for _, w := range list {
		if w.Start >= 0 && w.End <= len(rest) {
			copy(rest[w.Start:w.End], strings.Repeat(" ", w.End-w.Start))
		}
	}
	return string(rest)
}

// there is the beginning of a word of German or Dutch for "below that" and its like: darunter,
// hierüber, daaronder.
var there = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:daar|hier|dar|da)(\p{L}{2,})`) })

// withoutThere puts the preposition alone for such words.
func withoutThere(text, language string) string {
	if language != "de" && language != "nl" {
		return text
	}
	return there().ReplaceAllString(text, "$1")
}

// ordinals are words that, with an article, name one of several that were named before, where
// no noun follows. Others are numbers.
var ordinals = map[string]string{
	"en": "latter former second third last other",
	"de": "zweite zweiten dritte dritten letzte letztere letzterer letzteres letzteren erstere ersterer ersteres ersteren andere anderen",
	"fr": "premier première premiers premières second seconde deuxième troisième dernier dernière autre",
	"es": "primero primera segundo segunda tercero tercera último última otro otra",
	"pt": "primeiro primeira segundo segunda terceiro terceira último última outro outra",
	"it": "primo prima secondo seconda terzo terza ultimo ultima altro altra",
	"nl": "eerste tweede derde laatste andere laatstgenoemde eerstgenoemde",
	"sv": "första andra tredje sista senare förra",
	"pl": "pierwszy pierwsza pierwsze drugi druga drugie trzeci trzecia ostatni ostatnia",
	"ru": "первый первая первое второй вторая второе третий третья последний последняя",
}

// isOrdinal reports whether words name by its place one of several things named before: "la
// première", "the second", "letzterer".
func isOrdinal(list []string, language string) bool {
	if len(list) == 2 && (has(articles, language, list[0]) || has(pointers, language, list[0])) || len(list) == 3 && has(articles, language, list[0]) && slices.Contains([]string{"one", "ones"}, list[2]) {
		list = list[1:2]
	} else if articles[language] != "" && language != "de" {
		return false
	}
	return len(list) == 1 && (has(ordinals, language, list[0]) || list[0] == "first" && language == "en" || language == "de" && (list[0] == "erste" || list[0] == "ersten"))
}

// isNamedBefore reports whether what brackets put for a "one", or for what a text names by its
// place, stands so in the sentences before, an article aside. Which of several is meant is left
// to who reads both.
func isNamedBefore(text, ours, language string, at int) bool {
	const far = 1200 // bytes
	name := strings.TrimSpace(ours)
	if first := firstWordOf(name); has(articles, language, first) || has(pointers, language, first) {
		name = afterFirstWord(name)
	}
	if name == "" || governing.HasNegation(name, func() string { return language }) {
		return false
	}
	before := strings.ToLower(strings.Join(strings.Fields(text[words.RuneStart(text, at-far):at]), " "))
	low := strings.ToLower(strings.Join(strings.Fields(name), " "))
	for from := strings.Index(before, low); from >= 0; {
		end := from + len(low)
		if !char.IsOfWord(char.Last(before[:from])) && !char.IsOfWord(char.First(before[end:])) {
			return true
		}
		next := strings.Index(before[end:], low)
		if next < 0 {
			break
		}
		from = end + next
	}
	return false
}

// standsForOne reports whether brackets stand for a "one", or for an ordinal, of which the text
// before has named the thing in the same words.
func standsForOne(text, ours, theirs, behind, language string, at int) bool {
	list, first := nounWords(theirs), firstWordOf(ours)
	switch {
	case isOrdinal(list, language):
	case language == "en" && len(list) == 1 && list[0] == "one":
		if first != "a" && first != "an" && first != "another" {
			return false
		}
		next := nounWords(behind)
		if len(next) == 0 || !char.IsOfWord(char.First(strings.TrimLeft(behind, " \n"))) {
			break
		}
		isSmall := len(next) > 1 && len(quantityIn(next[1], language)) > 0 && !(isInDigits(next[1]) && len(next[1]) == len("2000")) // one in ten
		if !isPreposition(next[0]) && !has(bounding, language, next[0]) || next[0] == "of" || next[0] == "or" || next[0] == "and" || isSmall {
			return false
		}
	default:
		return false
	}
	return isNamedBefore(text, ours, language, at)
}

// isNameOfKind reports whether brackets, of a script without blanks, give a name that ends with
// the word for its kind, which alone the text has: 青浜市 for 市. A number before that word would
// count it.
func isNameOfKind(ours, theirs, language string) bool {
	const fewest, most = 2, 8 // letters of the name
	name, ok := strings.CutSuffix(ours, theirs)
	n := utf8.RuneCountInString(name)
	if !ok || theirs == "" || !words.Unspaced(char.First(theirs)) || n < fewest || n > most || strings.ContainsAny(name, "の的不非無无未各全両两諸诸数数約约") {
		return false
	}
	if _, isNumber := valueOfHan(name); isNumber || strings.ContainsFunc(name, unicode.IsDigit) {
		return false
	}
	return !strings.HasSuffix(name, "つ") && !governing.HasNegation(name, func() string { return language })
}

// dayOfMonth is a day or a month at the end of a text of Japanese or Chinese.
var dayOfMonth = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d{1,2}(?:月\d{1,2}日|月|日)$`) })

// givesYear reports whether a gloss is the year of a day of Japanese or Chinese before it.
func givesYear(before, inside string) bool {
	m := lastYear().FindStringIndex(inside)
	return m != nil && m[0] == 0 && dayOfMonth().MatchString(before)
}

// unitOf parts a quantity from the number in digits with which it begins.
var unitOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([$€£¥]?\d[\d.,]*)[\s\x{a0}\x{202f}]*(\pL.*|[°%µμ].*)$`)
})

// isSameWithUnit reports whether two texts are the same number in digits, with units of the same
// value: "20 grams per litre", "20 g/L".
func isSameWithUnit(ours, theirs, language string) bool {
	m, o := unitOf().FindStringSubmatch(ours), unitOf().FindStringSubmatch(theirs)
	return m != nil && o != nil && m[1] == o[1] && m[2] != o[2] && isSameQuantity(m[1], m[2], o[2], language)
}

// metric are the prefixes of units with their symbols, as most languages begin their names.
var metric = [][2]string{{"milli", "m"}, {"kilo", "k"}, {"mikro", "µ"}, {"micro", "µ"}, {"centi", "c"}, {"zenti", "c"}, {"nano", "n"}, {"hecto", "h"}, {"hekto", "h"}, {"deci", "d"}, {"dezi", "d"}, {"mega", "M"}, {"giga", "G"}}

// withoutMetric are the name and the symbol of a unit without the prefix that both have:
// "grammes" and "g" of "milligrammes" and "mg".
func withoutMetric(name, symbol string) (base, short string, ok bool) {
	for _, m := range metric {
		base, named := strings.CutPrefix(strings.ToLower(name), m[0])
		short, signed := strings.CutPrefix(symbol, m[1])
		if named && signed && base != "" && short != "" {
			return base, short, true
		}
	}
	return "", "", false
}
