package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/spelling"
)

// mostReplaced bounds the words that brackets stand for.
const mostReplaced = 8

// standsFor reports whether what a quoter has put in brackets may stand for some
// words of the text: it sets a word right, or both name something, of which one
// points to what the other names. What decides something is not replaced.
func (s *search) standsFor(p part, before, replaced string) bool {
	language := s.language()
	if language == "en" {
		replaced = strings.Replace(strings.ReplaceAll(replaced, "’nt", "'nt"), "'nt", "n't", 1)
	}
	if p.spelled && isSpelledOut(p, before, replaced, language) || !p.spelled && (isSameQuantity(before, p.text, replaced, language) || abbreviates(p.text, replaced, before, language) || abbreviates(replaced, p.text, before, language) || isDay(p.text) && isRelativeDay(replaced, language) && isAsExact(p.text, replaced)) || language == "en" && (isReported(p.text, replaced) || !p.spelled && arePast(p.text, replaced, p.next)) {
		return true
	}
	if !p.spelled && (isFullerName(p.text, replaced) || !unicode.IsNumber(char.Last(before)) && contracts(replaced, p.text, language)) {
		return true
	}
	if !p.spelled && (contractsUnit(replaced, p.text, before) || namesInFull(s.text, p.text, replaced, language) || isSameYear(p.text, replaced)) {
		return true
	}
	if short, ok := withoutPlace(replaced, language); ok && s.standsFor(p, before, short) {
		return true
	}
	if p.spelled && withoutApostrophes(p.text) == withoutApostrophes(replaced) {
		return true // does'nt
	}
	if language == "en" {
		mine, theirs := expandContractions(p.text, p.next), expandContractions(replaced, p.next)
		if len(mine)+len(theirs) > 0 {
			return isOneOf(p.spelled, append(mine, p.text), append(theirs, replaced), func(ours, theirs string) bool {
				return s.standsFor(part{text: ours, gloss: true, next: p.next}, before, theirs)
			})
		}
	}
	list, ours := nounWords(replaced), nounWords(p.text)
	if len(list) == 0 || len(list) > mostReplaced || len(ours) == 0 {
		return false
	}
	if language == "en" && len(list) == 1 && isReflexive(list[0]) {
		return len(ours) == 1 && isReflexive(ours[0]) && slices.Contains([]string{"myself", "ourselves", "yourself", "yourselves"}, list[0])
	}
	if !p.spelled && before == "" && endsWithArticles(ours, list, language) {
		return s.explains(p.text) // the subject of a heading
	}
	if one := len(list) == 1 && len(ours) == 1; one && isSpeltLike(p, ours[0], list[0]) || one && isVerbForm(ours[0], list[0], language) && (areIrregular(ours[0], list[0], language) || !decidesOtherwise(p.text, replaced, language)) {
		return true
	}
	if len(list) == 1 && !p.spelled && (saysTheSame(p.text, replaced, language) || before == "" && (relatives[list[0]] || list[0] == "where") && s.explains(p.text)) {
		return true
	}
	if language == "en" && hasModal(list) && !hasModal(ours) {
		return false // what will be is not what is
	}
	if theirs, left := withoutVerbs(list, ours, language); !p.spelled && len(theirs)+len(left) == 0 {
		return !decidesOtherwise(p.text, replaced, language)
	} else if !p.spelled && len(theirs) > 0 && len(left) > 0 {
		list, ours = theirs, left
	}
	for len(list) > 1 && len(ours) > 1 && list[0] == ours[0] && has(hereAndNow, language, list[len(list)-1]) {
		list, ours = list[1:], ours[1:] // di sana
	}
	if p.spelled || len(list) == 1 && has(hereAndNow, language, list[0]) {
		return !p.spelled && s.explains(p.text)
	}
	points := pointsTo(list, ours, language)
	if language == "en" && points && len(list) == 1 && isPlainWord(p.text) && slices.Contains(strings.Fields("its his her their our my your"), list[0]) && !has(pronouns, language, ours[0]) && !has(articles, language, ours[0]) {
		return false // "safe" for "our"
	}
	if points && len(deciding(replaced, language)) == 0 && (s.stands(p.text) || has(articles, language, ours[0]) && s.stands(afterFirstWord(p.text))) {
		return true // whatever it says, it is what the text says
	}
	if points && len(list) == 1 && len(ours) > 1 && len(deciding(replaced, language)) == 0 && s.explains(p.text) && isCounted(s.text, ours) {
		return true // "the 612 wells" for "them"
	}
	if decidesOtherwise(withoutEdition(s.text, p.text, replaced), replaced, language) && !(points && isDate(p.text) && len(deciding(replaced, language)) == 0) {
		return false
	}
	if words.Unspaced(char.First(replaced)) {
		const noun = 2 // letters
		if utf8.RuneCountInString(replaced) >= noun && strings.HasSuffix(p.text, replaced) && strings.Contains(s.text, p.text) {
			return true
		}
		return standsForRun(p.text, replaced, language)
	}
	return points || isPronounFor(ours, replaced, list, language) || sharesNoun(list, nounWords(withInitialsSpelled(p.text, replaced)), language) || isHeadOf(list, ours, language) ||
		areInitials(p.text, replaced) || s.namesWhat(p.text, replaced, language)
}

// withoutApostrophes is a text in small letters without the apostrophes in it.
func withoutApostrophes(text string) string {
	return strings.Map(func(r rune) rune {
		if apostrophe(r) {
			return -1
		}
		return r
	}, strings.ToLower(text))
}

// isOneOf reports whether one of the ways in which brackets may be read is, or stands for,
// one of those in which words may be: the first ways are written out, the last as it stands.
func isOneOf(spelled bool, ours, theirs []string, standsFor func(ours, theirs string) bool) bool {
	doubtful := len(theirs) > 2
	for _, o := range ours[:max(1, len(ours)-1)] {
		for _, t := range theirs[:max(1, len(theirs)-1)] {
			if strings.EqualFold(strings.TrimSpace(o), strings.TrimSpace(t)) || !spelled && (!doubtful || lastWords(o, 1) == lastWords(t, 1)) && standsFor(o, t) {
				return true
			}
		}
	}
	return false
}

// mayRename reports whether what a quoter has put in brackets may be another name, or an
// English one, for some words of the text. Nothing shows that it names the same, so it is
// told.
func mayRename(text, language string, p part, before, replaced, behind string) bool {
	list, ours := nounWords(replaced), nounWords(p.text)
	if p.spelled || len(list) == 0 || len(list) > mostReplaced || len(ours) == 0 || words.Unspaced(char.First(replaced)) || decidesOtherwise(p.text, replaced, language) {
		return false
	}
	return renames(text, p.text, before, replaced, behind, language) || translates(ours, list, language)
}

// renames reports whether brackets call something by another noun than the text: either
// has an article or what points, or one stands right before both, and a verb, a
// preposition or a mark behind them, so that it is no adjective that is exchanged. Where
// a language has no articles, a name of the text stands for the one noun that begins a
// clause.
func renames(text, ours, before, theirs, behind, language string) bool {
	const few = 4 // words
	if len(nounWords(ours)) > few || len(nounWords(theirs)) > few {
		return false
	}
	points := func(words string) bool {
		first, _, _ := strings.Cut(strings.ToLower(words), " ")
		return has(articles, language, first) || has(pointers, language, first)
	}
	if articles[language] == "" {
		return before == "" && len(nounWords(theirs)) == 1 && isName(ours) && strings.Contains(text, strings.Fields(ours)[0])
	}
	if language == "id" || language == "vi" {
		return len(nounWords(theirs)) == 1 && points(strings.TrimSpace(behind))
	}
	beside := points(lastWords(before, 1))
	return (beside || points(ours) && (points(theirs) || isName(theirs))) && endsNoun(behind, language)
}

// endsNoun reports whether a noun ends before a text: it begins with a mark, a
// preposition, an article, a pronoun or a verb that is known.
func endsNoun(behind, language string) bool {
	behind = strings.TrimLeft(behind, " \n")
	if r := char.First(behind); behind == "" || !char.IsOfWord(r) {
		return true
	}
	word := nounWords(behind[:words.RuneStart(behind, maxNearby)])[0]
	if isPreposition(word) || isAuxiliary(word, language) || has(articles, language, word) || has(pronouns, language, word) {
		return true
	}
	return language == "en" && (strings.Contains(" "+strings.ReplaceAll(irregularVerbs+"\n"+modals, "\n", " ")+" ", " "+word+" ") || strings.HasSuffix(word, "ed"))
}

// translates reports whether brackets give in English what a text in another language
// says.
func translates(ours, theirs []string, language string) bool {
	return language != "en" && isAllEnglish(ours) && !isAllEnglish(theirs) && !slices.ContainsFunc(ours, func(w string) bool {
		return has(articles, language, w) || has(pronouns, language, w)
	})
}

// isAllEnglish reports whether words are English, and one is no short one.
func isAllEnglish(list []string) bool {
	const short = 3 // letters
	return slices.ContainsFunc(list, func(w string) bool { return utf8.RuneCountInString(w) > short }) &&
		!slices.ContainsFunc(list, func(w string) bool { return !spelling.IsEnglish(w) })
}

// withoutVerbs takes a verb off the ends of two texts, when it is the same in another
// tense or person: "[The court did] not agree" for "We do".
func withoutVerbs(list, ours []string, language string) (theirs, left []string) {
	n, m := len(list), len(ours)
	if language == "en" && n > 1 && m > 1 && ours[m-1] == "not" && list[n-1] == "not" {
		if before, rest := withoutVerbs(list[:n-1], ours[:m-1], language); len(before) < n-1 {
			return before, rest // we have not
		}
	}
	if ours[m-1] == list[n-1] && !isAuxiliary(ours[m-1], language) {
		return list, ours
	}
	switch {
	case m > 1 && isAuxiliary(ours[m-2], language) && isFormOf(ours[m-1], list[n-1]):
		return list[:n-1], ours[:m-2] // ont duré
	case n > 1 && isAuxiliary(list[n-2], language) && isFormOf(ours[m-1], list[n-1]):
		return list[:n-2], ours[:m-1]
	case isVerbForm(ours[m-1], list[n-1], language):
		return list[:n-1], ours[:m-1]
	}
	return list, ours
}

// saysTheSame reports whether two texts are one word each that decides the same.
func saysTheSame(ours, theirs, language string) bool {
	a, b := deciding(ours, language), deciding(theirs, language)
	return len(a) == 1 && len(b) == 1 && len(strings.Fields(ours)) == 1 && len(guard.Compare(a, b)) == 0
}

// stands reports whether some words stand in the text, whatever their capitals.
func (s *Text) stands(ours string) bool {
	return len(strings.Fields(ours)) > 1 && (strings.Contains(s.text, ours) || strings.Contains(s.lower(), strings.ToLower(ours)))
}

// isNameFor reports whether brackets with an article call by a noun of the text, which has the same
// words, what the text calls by one word of English that no other text has: a name of a drug.
func (s *Text) isNameFor(ours, before, theirs, language string) bool {
	const longest = 30 // bytes
	last := strings.ToLower(lastWords(before, 1))
	return language == "en" && firstWordOf(ours) == "the" && len(nounWords(ours)) == 2 &&
		len(theirs) <= longest && !strings.ContainsFunc(theirs, func(r rune) bool { return !unicode.IsLower(r) }) && !strings.HasSuffix(theirs, "s") &&
		!spelling.IsEnglish(theirs) && len(deciding(ours+" "+theirs, language)) == 0 &&
		!has(articles, language, last) && strings.Count(s.lower(), theirs) > 1 && s.stands(ours)
}

// isReflexive reports whether a word of English says that what is done is done to who does
// it: nobody else can stand for it.
func isReflexive(word string) bool {
	return strings.HasSuffix(word, "self") && word != "self" || strings.HasSuffix(word, "selves") && word != "selves"
}

// isPlainWord reports whether a text is one word in small letters that says not whose
// something is.
func isPlainWord(text string) bool {
	return !strings.ContainsAny(text, " '’") && !strings.HasSuffix(text, "s") && unicode.IsLower(char.First(text))
}

// afterFirstWord is a text without its first word.
func afterFirstWord(text string) string {
	_, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	return rest
}

// endsWithArticles reports whether some words are articles with which others end too.
func endsWithArticles(ours, list []string, language string) bool {
	return len(ours) > len(list) && slices.Equal(ours[len(ours)-len(list):], list) &&
		!slices.ContainsFunc(list, func(w string) bool { return !has(articles, language, w) })
}

// isDate reports whether a text is a date and no more: "12 March", "1998".
func isDate(text string) bool {
	list := deciding(text, "en")
	return slices.ContainsFunc(list, func(w guard.Word) bool { return w.Kind == guard.Date }) && len(strings.Fields(text)) <= 4 &&
		!slices.ContainsFunc(list, func(w guard.Word) bool { return w.Kind != guard.Date && w.Kind != guard.Number && w.Kind != guard.Unit })
}

// isDay reports whether a text is a date and no more, with or without an "in" or "on".
func isDay(text string) bool {
	first, rest, ok := strings.Cut(text, " ")
	return isDate(text) || ok && isPreposition(first) && isDate(rest)
}

// isRelativeDay reports whether a text tells a day or a year by that of its writer: "last
// year", without a number.
func isRelativeDay(text, language string) bool {
	const most = 3 // words
	return len(strings.Fields(text)) <= most && !strings.ContainsFunc(text, unicode.IsNumber) && endsWithDate(text, language) &&
		!slices.ContainsFunc(deciding(text, language), func(w guard.Word) bool {
			return w.Kind == guard.Negation || w.Kind == guard.Hedge || w.Kind == guard.Date
		})
}

// isAsExact reports whether a date tells as much as words of English that point to it: a
// day for "yesterday", a month for "last month".
func isAsExact(date, replaced string) bool {
	list := nounWords(replaced)
	last := list[len(list)-1]
	if slices.Contains(strings.Fields("year spring summer autumn fall winter season decade century"), last) {
		return true
	}
	day := isDate(strings.Join(slices.DeleteFunc(strings.Fields(date), func(w string) bool { return isYearAlone(guard.Word{Kind: guard.Date, Text: strings.Trim(w, ",.")}) }), " "))
	if last == "month" || last == "week" {
		return day
	}
	return day || !slices.Contains(strings.Fields(hereAndNow["en"]), last)
}

// pronounFor gives the pronoun at the end of a span, alone or with the verb behind it,
// that brackets may stand for.
func (s *search) pronounFor(p part, g Span) (Span, bool) {
	const most = 2 // words
	language, at := s.language(), g.End
	for range most {
		at = g.Start + strings.LastIndexFunc(strings.TrimRight(s.text[g.Start:at], " \n"), unicode.IsSpace) + 1
		first, _, _ := strings.Cut(strings.ReplaceAll(s.text[at:g.End], "’", "'"), " ")
		if language == "en" {
			first, _, _ = strings.Cut(first, "'") // I've
		}
		if at > g.Start && isPronoun(language, strings.ToLower(first)) {
			return Span{at, g.End}, s.standsFor(p, "", s.text[at:g.End])
		}
	}
	return Span{}, false
}

// nounWords are the words of a text in small letters.
func nounWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !char.IsOfWord(r) && r != '-' && r != '\'' && r != '’' && r != '_' })
}

// has reports whether a list of words of a language holds a word. In Arabic an "and"
// may stand before it, in Korean a particle behind it, without a blank.
func has(lists map[string]string, language, word string) bool {
	list := strings.Fields(lists[language])
	switch {
	case slices.Contains(list, word), language == "ar" && slices.Contains(list, strings.TrimPrefix(word, "و")):
		return true
	case language == "ko":
		return slices.ContainsFunc(strings.Fields("은 는 이 가 을 를 의 에 에서 에는 도 과 와 로 으로 만 에게"), func(particle string) bool {
			bare, ok := strings.CutSuffix(word, particle)
			return ok && slices.Contains(list, bare)
		})
	}
	return false
}

// decidesOtherwise reports whether two texts differ in a word that decides: a
// number, a bound, a "not", an "all" or a "may". A unit without a number is a word
// as any other, and what is an English number may be a pronoun elsewhere.
func decidesOtherwise(a, b, language string) bool {
	if !strings.ContainsFunc(b, unicode.IsNumber) {
		a = label().ReplaceAllString(a, "")
	}
	return len(guard.Compare(deciding(a, language), deciding(b, language))) > 0
}

// label is the number of a part of a text, by which a quoter names it.
var label = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`第[\d一二三四五六七八九十]+[条條章节節款项項号號页]|제\s?\d+[조항장호]|§+\s?\d+|(?i:\b(?:(?:under|in)\s)?(?:article|artikel|artículo|artigo|articolo|artykuł|art\.|pasal|section|sección|clause|paragraph|table|tabla|tabela|tabel|figure|fig\.|abb\.|no\.|nr\.?)\s?\d+)`)
})

// edition is a number behind what it numbers, as that of a release.
var edition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i:\b(release|version|edition|chapter|rule|annex|appendix|recommendation|guideline|step|phase|volume)\s(\d+(?:\.\d+)*))`)
})

// withoutEdition is what brackets hold without the number of an edition that the text
// names so too, where the words they stand for have none.
func withoutEdition(text, ours, replaced string) string {
	if strings.ContainsFunc(replaced, unicode.IsNumber) {
		return ours
	}
	m := edition().FindStringSubmatchIndex(ours)
	if m == nil {
		return ours
	}
	named, number := strings.ToLower(ours[m[2]:m[3]]), ours[m[4]:m[5]]
	stands := slices.ContainsFunc(edition().FindAllStringSubmatch(text, -1), func(o []string) bool {
		return strings.ToLower(o[1]) == named && o[2] == number
	})
	if stands || (named == "release" || named == "version") && beginsLine(text, number) {
		return ours[:m[3]] + ours[m[1]:]
	}
	return ours
}

// beginsLine reports whether a number is the first word of a line, as of a heading.
func beginsLine(text, number string) bool {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(line, "#[*_v \t"), number); ok && !unicode.IsNumber(char.First(strings.TrimLeft(rest, "."))) {
			return true
		}
	}
	return false
}

func deciding(text, language string) []guard.Word {
	list := slices.DeleteFunc(guard.WordsIn(text, func() string { return language }), func(w guard.Word) bool {
		low := strings.ToLower(w.Text)
		return w.Kind == guard.Name || language == "en" && (low == "about" && !isOfNumber(text[w.End:]) || isLostThing(text, w)) || language != "en" && (isPronoun(language, low) || has(articles, language, low))
	})
	if !slices.ContainsFunc(list, func(w guard.Word) bool { return w.Kind == guard.Number }) {
		list = slices.DeleteFunc(list, func(w guard.Word) bool { return w.Kind == guard.Unit })
	}
	return list
}

// isOfNumber reports whether a number stands behind an "about", or nothing, so that it says
// how sure the number is, and not of what something is.
func isOfNumber(behind string) bool {
	next, _, _ := strings.Cut(strings.TrimSpace(behind), " ")
	return next == "" || strings.ContainsFunc(next, unicode.IsNumber) || slices.ContainsFunc(guard.WordsIn(next, func() string { return "en" }), func(w guard.Word) bool {
		return w.Kind != guard.Name && w.Kind != guard.Negation
	})
}

// pointsTo reports whether some words point back to what has been named: a pronoun
// alone or before words that stand in the brackets too, or one that belongs to a
// noun.
func pointsTo(list, ours []string, language string) bool {
	const noun = 4 // words with what points
	switch {
	case len(list) > noun:
		return false
	case has(pointers, language, list[0]), (language == "id" || language == "vi") && has(pointers, language, list[len(list)-1]):
		return true
	case language == "en" && len(list) == 2 && list[0] == "of" && has(pronouns, language, list[1]) && !slices.Contains([]string{"of", "but", "except", "save", "without"}, ours[0]):
		return true // all of them
	case len(list) > 1 && list[0] == "the" && slices.Contains([]string{"latter", "former", "said", "same"}, list[1]):
		return true
	case isPronoun(language, list[0]):
		return len(list) == 2 && emphatic[list[1]] || !slices.ContainsFunc(list[1:], func(w string) bool {
			return !slices.Contains(ours, w) && !(language == "fi" && isPossessed(w, ours[len(ours)-1]))
		})
	}
	return len(list) == 1 && len(ours) == 1 && has(articles, language, list[0]) && (has(articles, language, ours[0]) || isPronoun(language, ours[0]))
}

// isPossessed reports whether a word of Finnish is another with the ending for whose it is.
func isPossessed(word, bare string) bool {
	return slices.ContainsFunc([]string{"nsa", "nsä", "sa", "sä", "an", "än"}, func(ending string) bool {
		stem, ok := strings.CutSuffix(word, ending)
		return ok && stem == bare
	})
}

// emphatic are words that stand with a pronoun and point to the same.
var emphatic = map[string]bool{
	"himself": true, "herself": true, "itself": true, "themselves": true, "selbst": true, "selber": true, "même": true, "mêmes": true,
	"mismo": true, "misma": true, "mismos": true, "mismas": true, "mesmo": true, "mesma": true, "stesso": true, "stessa": true, "zelf": true,
	"själv": true, "själva": true, "sam": true, "sama": true, "samo": true, "сам": true, "сама": true, "само": true, "сами": true, "sendiri": true,
}

// isPronounFor reports whether the brackets hold a pronoun, maybe with a noun, where
// the text names something.
func isPronounFor(ours []string, replaced string, list []string, language string) bool {
	named := has(articles, language, list[0]) || has(pointers, language, list[0]) || unicode.IsUpper(char.First(replaced))
	alone := len(ours) == 1 && isPronoun(language, ours[0])
	return named && (alone || len(ours) <= 3 && (has(pointers, language, ours[0]) || language == "id" && has(pointers, language, ours[len(ours)-1])))
}

// sharesNoun reports whether all that one of two texts names is in the other.
func sharesNoun(list, ours []string, language string) bool {
	a, b := contentWords(list, language), contentWords(ours, language)
	within := func(a, b []string) bool {
		return len(a) > 0 && !slices.ContainsFunc(a, func(w string) bool {
			return !slices.ContainsFunc(b, func(o string) bool { return sameStem(w, o) })
		})
	}
	return within(a, b) || within(b, a)
}

// contentWords are those that are no article and no pronoun.
func contentWords(list []string, language string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(w string) bool {
		return has(articles, language, w) || has(pointers, language, w) || isPronoun(language, w) || utf8.RuneCountInString(w) < 3
	})
}

// sameStem reports whether two words have five letters in common at their beginning,
// or are the same but for an Arabic article.
func sameStem(a, b string) bool {
	const stem = 5
	a, b = strings.TrimPrefix(a, "ال"), strings.TrimPrefix(b, "ال")
	return a == b || utf8.RuneCountInString(a) >= stem && strings.HasPrefix(b, string([]rune(a)[:stem]))
}

// areInitials reports whether one text is of the first letters of the other's words:
// "heart rate variability" for "HRV".
func areInitials(a, b string) bool {
	initials := func(s string) string {
		var out strings.Builder
		for _, w := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '-' }) {
			if r := char.First(w); utf8.RuneCountInString(w) > 3 || unicode.IsUpper(r) {
				out.WriteRune(unicode.ToUpper(r))
			}
		}
		return out.String()
	}
	short := func(s string) string { return strings.TrimPrefix(strings.TrimPrefix(s, "the "), "The ") }
	if isInitialOf(a, b) || isInitialOf(b, a) {
		return true // J. for Josiah
	}
	a, b = short(a), short(b)
	if strings.HasSuffix(a, "s") && strings.HasSuffix(b, "s") {
		a, b = withoutPlural(a), withoutPlural(b) // LANs
	}
	return len(a) > 1 && len(b) > 1 && (a == strings.ToUpper(a) && initials(b) == a || b == strings.ToUpper(b) && initials(a) == b)
}

// withoutPlural is an abbreviation in capitals without an "s" behind it; any other text as it is.
func withoutPlural(short string) string {
	if bare := strings.TrimSuffix(short, "s"); len(bare) > 1 && bare == strings.ToUpper(bare) && !strings.Contains(bare, " ") {
		return bare
	}
	return short
}

// isInitialOf reports whether one text is the first letter of a name, with a full stop.
func isInitialOf(initial, name string) bool {
	bare, dotted := strings.CutSuffix(initial, ".")
	r, size := utf8.DecodeRuneInString(bare)
	return (dotted || size == len(initial)) && size == len(bare) && size > 0 && unicode.IsUpper(r) && char.First(name) == r && isName(name)
}

// namesWhat reports whether one text is a name and the other an article with a noun,
// as "the company" and "Nordvik". A name in the brackets stands in the text.
func (s *search) namesWhat(ours, theirs, language string) bool {
	const noun = 3 // words with the article
	isNoun := func(text string) bool {
		list := nounWords(text)
		return len(list) > 1 && len(list) <= noun && has(articles, language, list[0]) && !isName(list[0]+text[len(list[0]):])
	}
	isNamed := func(text string) bool { return isName(text) && !has(articles, language, nounWords(text)[0]) }
	return isNoun(theirs) && isNamed(ours) && strings.Contains(s.text, strings.Fields(ours)[0]) || isNoun(ours) && isNamed(theirs)
}

// isName reports whether every word of a text but short ones begins with a capital.
func isName(text string) bool {
	return unicode.IsUpper(char.First(text)) && !slices.ContainsFunc(strings.Fields(text), func(w string) bool {
		return !unicode.IsUpper(char.First(w)) && utf8.RuneCountInString(w) > 3
	})
}

// takesParticles reports whether a text is of a script that writes particles to the
// noun before.
func takesParticles(text string) bool { return unicode.Is(unicode.Hangul, char.Last(text)) }

// standsForRun is [search.standsFor] where words are not parted by blanks: either
// begins with a pronoun, of few letters.
func standsForRun(ours, theirs, language string) bool {
	const few, most = 6, 12
	points := func(text string) bool {
		return slices.ContainsFunc(strings.Fields(pronouns[language]+" "+runPointers[language]), func(w string) bool { return strings.HasPrefix(text, w) })
	}
	n, m := utf8.RuneCountInString(theirs), utf8.RuneCountInString(ours)
	if n == 1 && m == 1 {
		return !strings.Contains(opposed, ours) || !strings.Contains(opposed, theirs) // a character set right
	}
	return points(theirs) && n <= few || points(ours) && m <= few && n <= most
}

// opposed are characters of which another may say the contrary.
const opposed = "大小多少高低長长短上下左右前后後内外內增減减升降有无無是否非好坏壞男女父母東东西南北新旧舊快慢早晚買买卖賣進进出入開开关關生死胜勝负負真假正反輕轻重冷热熱强弱老先来來去得失加不未可一二三四五六七八九十百千万億亿半两"

// runPointers are more of the pronouns, of languages without blanks.
var runPointers = map[string]string{
	"zh": "本 该 此 这 那 上述 前述 同 前者 后者 双方 两者",
	"ja": "同 本 当 この その あの こう 前者 後者 両者 我々 われわれ 私たち",
}

// isSpeltLike reports whether one word, in small letters, sets another right, or has
// another ending in brackets.
func isSpeltLike(p part, ours, theirs string) bool {
	same := 0 // letters at the beginning
	for same < min(len(ours), len(theirs)) && ours[same] == theirs[same] {
		same++
	}
	const ending, verb = 3, 4
	left := max(len(ours), len(theirs)) - same
	decides := func(w guard.Word) bool {
		return w.Kind != guard.Name && !(w.Kind == guard.Comparator && p.spelled && same >= ending && left <= 2)
	}
	if slices.ContainsFunc(guard.Words(ours), decides) || slices.ContainsFunc(guard.Words(theirs), decides) {
		return false
	}
	if spelling.Misspells(ours, theirs) || spelling.Misspells(withoutAccents(ours), withoutAccents(theirs)) {
		return true
	}
	if !p.spelled && !spelling.IsEnglish(theirs) && len(theirs) > 1 && len(ours) == len(theirs)+1 && strings.HasSuffix(ours, theirs) {
		return true // hoy for oy
	}
	if p.spelled && p.completes(theirs) {
		return true
	}
	if !p.spelled && ours[:1] == theirs[:1] && spelling.IsEnglish(ours) && !spelling.IsEnglish(theirs) {
		return max(len(ours), len(theirs)) <= 2*min(len(ours), len(theirs)) // buyed
	}
	return p.spelled && (same >= ending && left <= ending || same >= verb && left <= verb+1)
}

// completes reports whether a word of the text is the one of which letters stand in
// brackets, but for these: at most three, and none that negate.
func (p part) completes(theirs string) bool {
	const most = 3 // letters
	before, behind := strings.ToLower(p.before), strings.ToLower(p.behind)
	rest, ok := strings.CutPrefix(theirs, before)
	rest, ends := strings.CutSuffix(rest, behind)
	inside := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(p.text, p.before), p.behind))
	negates := before == "" && slices.Contains([]string{"un", "in", "im", "ir", "il", "dis", "non", "a", "an", "de", "des", "nie", "bez", "не", "o", "of", "anti"}, inside)
	return ok && ends && !negates && utf8.RuneCountInString(before+behind) > 0 && utf8.RuneCountInString(rest) <= most && utf8.RuneCountInString(inside) <= most && (utf8.RuneCountInString(before+behind) > 1 || rest == "")
}

// withoutAccents is a word without the marks on its letters.
func withoutAccents(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return r
	}, norm.NFD.String(word))
}
