package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
)

// isApposedName reports whether a gap is a name and nothing else behind the noun that it is
// the name of: "The new ferry Marit entered service". That noun begins its clause with an
// article and is none of time; no verb but the one that the name would have stands behind.
func (g gap) isApposedName(before string) bool {
	const fewest, most = 2, 5 // words
	language := g.language()
	name := strings.Fields(g.inside)
	if slices.ContainsFunc(name, func(w string) bool { return !unicode.IsUpper(char.First(w)) || strings.ContainsAny(w, closesAside) }) {
		return false
	}
	before = strings.TrimRight(before, " \n")
	clause := strings.TrimSpace(before[max(lastSentence(before), strings.LastIndexAny(before, opensAside)+1):])
	for _, o := range guard.Governors(clause, language) {
		if o.Role == guard.And || o.Role == guard.Contrast && o.Start == 0 {
			clause = clause[o.End:]
			break
		}
	}
	list := nounWords(clause)
	if len(list) < fewest || len(list) > most || !has(articles, language, list[0]) && !has(pointers, language, list[0]) {
		return false
	}
	if slices.ContainsFunc(list[1:], func(w string) bool {
		return isPreposition(w) || isAuxiliary(w, language) || has(timeNouns, language, w)
	}) {
		return false
	}
	if slices.ContainsFunc(guard.WordsIn(clause, g.language), func(w guard.Word) bool { return w.Kind == guard.Unit || w.Kind == guard.Date }) {
		return false
	}
	return language != "en" || !hasTwoVerbs(g.text[g.to:words.RuneStart(g.text, g.to+2*maxNearby)])
}

// timeNouns are nouns of time, manner or speech, behind which the subject of a clause may
// stand, by language.
var timeNouns = map[string]string{
	"en": "moment time times instant way reason morning afternoon evening night weekend spring summer autumn winter day week month year",
	"fr": "lendemain veille moment instant fois jour matin soir nuit semaine mois an année",
	"es": "momento instante vez día mañana tarde noche semana mes año lunes martes miércoles jueves viernes sábado domingo",
	"pt": "momento instante vez dia manhã tarde noite semana mês ano sábado domingo",
	"it": "momento istante volta giorno giorni mattina sera notte settimana mese anno indomani lunedì martedì mercoledì giovedì venerdì sabato domenica",
	"nl": "moment ogenblik keer dag morgen avond nacht week maand jaar",
	"sv": "ögonblick gång dag dagen morgon kväll natt vecka månad år",
	"de": "tag morgen abend nacht moment augenblick woche monat jahr mal",
}

// hasTwoVerbs reports whether two finite verbs of English stand so near the beginning of a
// text that the first belongs to a clause within: "bought sank in the harbour".
func hasTwoVerbs(behind string) bool {
	const near = 4 // words
	if mark := strings.IndexAny(behind, ".;:,()"); mark >= 0 {
		behind = behind[:mark]
	}
	for i, w := range nounWords(behind)[:min(near, len(nounWords(behind)))] {
		switch {
		case i == 0:
		case i == 1 && isPastForm(nounWords(behind)[0]) && isPastForm(w):
			return true // "fired returned"
		case w == "and" || w == "but" || w == "or" || w == "that" || w == "which" || w == "who" || w == "when" || w == "after" || w == "before" || w == "as":
			return false
		case isAuxiliary(w, "en") && w != "been" && w != "being" && w != "be" && !isAuxiliary(nounWords(behind)[0], "en") || isFinite(w) && !isAuxiliary(nounWords(behind)[i-1], "en"):
			return true
		}
	}
	return false
}

// isPastForm reports whether a word of English may be a verb in the past.
func isPastForm(word string) bool {
	return isFinite(word) || isParticiple(word) && !isAuxiliary(word, "en")
}

// isModality reports whether a hedge says how sure what stands behind it is, as "may" and
// "probably" do, and not how exact a number is.
func isModality(w guard.Word) bool {
	return w.Kind == guard.Hedge && slices.Contains([]string{"may", "might", "could", "can", "would", "should", "must", "possible", "probable", "seem", "appear"}, w.Norm)
}

// numberSigns are words before what only numbers.
const numberSigns = "no no. nr nr. n° nº n.º № num. número numéro numero nummer number nos. núm."

// selecting are beginnings of nouns, in languages that have them from Latin, and in German, whose
// number says of which of several something holds: "for group 3".
var selecting = []string{"phase", "fase", "stage", "stadi", "stufe", "estad", "group", "grup", "gruppe", "type", "tipo", "typ", "class", "clas", "klas", "grade", "grad", "zone", "zona", "category", "kateg", "categ", "level", "nivel", "niveau", "livell", "cohort", "kohort", "patient", "pazient", "pacient", "subject", "proband", "rat", "arm", "trial", "age"}

// isNumbering reports whether a number only tells one thing from others, "of No. 14", "in
// Block 7", and is left out with the phrase that it ends, from the preposition on.
func (g gap) isNumbering(w guard.Word) bool {
	const most = 6 // words
	if g.end != 0 || w.Kind != guard.Number || w.Start <= 0 || strings.ContainsFunc(g.behind(w), char.IsOfWord) || sentenceEnd(strings.TrimRight(g.inside[:w.Start], " ")) >= 0 {
		return false
	}
	list := strings.Fields(strings.ToLower(strings.TrimLeft(g.inside[:w.Start], opensAside+" \n")))
	if len(list) < 2 || len(list) > most || !isPreposition(list[0]) && !has(bounding, g.language(), list[0]) || !strings.ContainsFunc(w.Text, unicode.IsDigit) {
		return false
	}
	last := list[len(list)-1]
	sign := slices.Contains(strings.Fields(numberSigns), last)
	noun := !slices.ContainsFunc(selecting, func(n string) bool { return strings.HasPrefix(last, n) }) && !isPreposition(last) && !has(bounding, g.language(), last) && !has(articles, g.language(), last) && char.HasWord(last)
	others := slices.ContainsFunc(g.wordsAround("", ""), func(o guard.Word) bool {
		return o.Start != w.Start && o.Kind != guard.Name && o.Kind != guard.Negation || o.Kind == guard.Negation && !sign
	})
	next := nounWords(g.text[g.to:words.RuneStart(g.text, g.to+maxNearby)])
	return (sign || noun) && !others && len(next) > 0 && !isPreposition(next[0])
}

// isListed reports whether a negation stands in a statement between commas that is left out
// whole, as one of several: "they are cheap, they never crack, and they look good". It has a
// subject that points back, or is of a language that needs none, and does not deny what stands
// before it: no noun or adjective is the same.
func (g gap) isListed(w guard.Word) bool {
	const least = 4 // letters
	language := g.language()
	first := strings.TrimSpace(strings.Trim(g.inside, opensAside))
	opens := strings.HasPrefix(g.inside, ",") || lastOf(g.text[:g.from]) == ","
	if g.end != 0 || w.Kind != guard.Negation || w.Start < 0 || !opens || strings.ContainsAny(first, opensAside) || sentenceEnd(first) >= 0 || !beginsWithAnd(g.text[g.to:words.RuneStart(g.text, g.to+maxNearby)]) {
		return false
	}
	list := nounWords(first)
	subject := len(list) > 2 && (has(subjects, language, list[0]) || has(pronouns, language, list[0]) && !statement[list[0]] && !has(pointers, language, list[0]))
	verb := slices.Contains([]string{"es", "pt", "it"}, language) && len(list) > 1 && isNegation(list[0], language) && !isPreposition(list[1]) && !has(bounding, language, list[1]) && !has(articles, language, list[1])
	before := g.clauseBefore()
	if !subject && !verb || !strings.ContainsFunc(g.behind(w), char.IsOfWord) && strings.EqualFold(w.Text, "not") {
		return false
	}
	named := nounWords(before)
	return !slices.ContainsFunc(guard.Governors(before, language), func(o guard.Governor) bool {
		return o.Role == guard.Claimed || o.Role == guard.That || o.Role == guard.Condition || o.Role == guard.Doubt
	}) && !slices.ContainsFunc(list, func(w string) bool { return len(w) >= least && slices.Contains(named, w) })
}

// norms are beginnings of words that say whether something may be or holds, in languages
// that have them from Latin, and in German.
var norms = []string{"recomm", "recom", "raccom", "empf", "permi", "allow", "autori", "erlaub", "zugelassen", "approv", "aprob", "apro", "advis", "aconse", "consigl", "consei", "test", "confirm", "prov", "valid", "safe", "legal", "true", "licen", "requir", "requi", "count", "nöt", "bestät", "gült", "verif", "replic", "publi", "veröff", "built", "constr", "gebaut", "edific", "deliver", "audit", "peer", "review", "ratif"}

// isAttributeInBrackets reports whether a negation begins brackets that are left out whole,
// and denies in a word or two what was done with the thing before them: "(not supplied)".
func (g gap) isAttributeInBrackets(w guard.Word) bool {
	const most = 3 // words
	if w.Kind != guard.Negation || w.Norm == "unless" || w.Norm == "except" || !g.isInRoundBrackets() || w.Start > 1 {
		return false
	}
	list := nounWords(g.inside)
	if len(list) < 2 || len(list) > most {
		return false
	}
	rest := nounWords(g.behind(w))
	if len(rest) == 0 || slices.ContainsFunc(norms, func(n string) bool { return strings.HasPrefix(rest[len(rest)-1], n) }) {
		return false
	}
	last := rest[len(rest)-1]
	if g.language() == "en" {
		return isParticiple(last) && len(rest) == 1 || isAdverb(rest[0]) && isParticiple(last)
	}
	return len(rest) == 1 && slices.ContainsFunc(strings.Fields(participles[g.language()]), func(p string) bool { return strings.HasSuffix(last, p) && len(last) > len(p)+2 }) ||
		g.language() == "de" && len(rest) <= 2 && strings.Contains(last, "ge") && (strings.HasSuffix(last, "t") || strings.HasSuffix(last, "en"))
}

// participles are endings of the past participle, by language.
var participles = map[string]string{
	"fr": "é ée és ées ni nie nis nies tu tue tus tues is ise ises", "es": "ado ada ados adas ido ida idos idas uesto uesta", "pt": "ado ada ados adas ido ida idos idas",
	"it": "ato ata ati ate uto uta uti ute ito ita iti ite uso usa usi use", "nl": "erd eerd oten uurd end egen", "sv": "ad at ade rad rat", "pl": "ny na ne ty ta te", "ru": "нный нная нное нные тый тая тые ен ена ено ены",
}

// isInRoundBrackets reports whether a gap is what stands in one pair of round brackets.
func (g gap) isInRoundBrackets() bool {
	last := len(g.inside) - 1
	return last > 0 && g.inside[0] == '(' && strings.IndexByte(g.inside, ')') == last
}

// isConditionOfBracket reports whether a condition or the like stands in brackets behind the
// number that it is about, "(30 unless -k says otherwise)", and what stands before the
// brackets has no number of which that would be another.
func (g gap) isConditionOfBracket(w guard.Word) bool {
	if !g.isInRoundBrackets() || w.Start < 2 || !unicode.IsDigit(char.First(g.inside[1:])) {
		return false
	}
	before := g.clauseBefore()
	return !slices.ContainsFunc(guard.WordsIn(before, g.language), func(o guard.Word) bool { return o.Kind == guard.Number || o.Kind == guard.Unit })
}

// isOfPredicate reports whether a gap is a predicate, from its verb to the "and" behind which
// another stands that has a verb of its own: "is half as large and lies further off". What a word
// of it says is said of that predicate alone.
func (g gap) isOfPredicate() bool {
	language := g.language()
	if g.end != 0 || strings.ContainsAny(g.inside, ";:.!?()") {
		return false
	}
	joint := -1
	for _, o := range guard.Governors(g.inside, language) {
		switch {
		case (o.Role == guard.And || o.Role == guard.Contrast) && o.End >= len(strings.TrimRight(g.inside, " \n")):
			joint = o.Start
		case o.Role == guard.Back || o.Role == guard.Where || o.Role == guard.Verb || o.Role == guard.Fact || o.Role == guard.And:
		default:
			return false
		}
	}
	list := nounWords(g.inside)
	if joint < 0 || len(list) < 3 || boundsSubject(g) {
		return false
	}
	for language != "en" && len(list) > 1 && isNegation(list[0], language) {
		list = list[1:] // no tiene
	}
	_, first, elided := strings.Cut(strings.ReplaceAll(list[0], "’", "'"), "'")
	if !elided || language == "en" {
		first = list[0]
	}
	next := nounWords(g.text[g.to:words.RuneStart(g.text, g.to+maxNearby)])
	if len(next) > 1 && next[0] == first && (isFiniteForm(first, language) || language == "en" && hasModal([]string{first})) {
		return true // would come from here and … would not
	}
	if len(next) < 2 || !isFiniteForm(first, language) {
		return false
	}
	if language != "en" {
		return isAuxiliary(next[0], language)
	}
	if slices.Contains(strings.Fields("is are was were has had does did"), next[0]) || isFinite(next[0]) {
		return !strings.HasPrefix(first, "d") || isAuxiliary(next[0], language)
	}
	main := (first == "has" || first == "have" || first == "had") && !isParticiple(list[1]) && !isAdverb(list[1])
	often := slices.Contains(strings.Fields("often rarely seldom usually always never sometimes mostly also still generally normally"), next[0])
	return often && main
}

// boundsSubject reports whether the clause before a gap says of whom or when something holds,
// "anyone who", "if the valve", so that each predicate of it is a condition.
func boundsSubject(g gap) bool {
	language, before := g.language(), g.clauseBefore()
	if slices.ContainsFunc(guard.Governors(before, language), func(o guard.Governor) bool {
		return o.Role == guard.Condition || o.Role == guard.When || o.Role == guard.Whether || o.Role == guard.Exception
	}) {
		return true
	}
	list := nounWords(before)
	if len(list) == 0 {
		return false
	}
	last := list[len(list)-1]
	return last == "that" || has(relativesOf, language, last) && !has(articles, language, last) || has(whoevers, language, last)
}

// whoevers are the subjects of a clause that says of whom something holds, by language.
var whoevers = map[string]string{
	"en": "whoever whichever whatever", "de": "wer", "it": "chi", "sv": "vem", "pl": "kto", "ru": "кто",
}

// isNegation reports whether a word by itself denies.
func isNegation(word, language string) bool {
	list := guard.WordsIn(word, func() string { return language })
	return len(list) > 0 && list[0].Kind == guard.Negation
}

// isFiniteForm reports whether a word is a form of a verb that has a subject.
func isFiniteForm(word, language string) bool {
	if language == "en" {
		return slices.Contains(strings.Fields("is are was were has have had does did"), word) || isFinite(word)
	}
	return isAuxiliary(word, language)
}

// beginsOwnClause reports whether a text goes on, behind what of its sentence is given, with a
// clause of its own: behind a mark and an "and", a "but" or a "while", with a subject and a
// verb that is known. The clause before it has no word that governs both, and the subject is
// no pronoun for somebody else than the subject of what is quoted before.
func beginsOwnClause(quoted, head, text, language string) bool {
	text = strings.TrimLeft(text[:words.RuneStart(text, governing.MaxAround)], " \n")
	if end := sentenceEnd(text); end >= 0 {
		text = text[:end]
	}
	all := strings.TrimRight(head, " \n") + " "
	joint, from, subordinate := len(all), -1, false
	all += text
	for _, o := range guard.Governors(all, language) {
		joins := o.Role == guard.And || o.Role == guard.Contrast || o.Role == guard.Where && strings.EqualFold(all[o.Start:o.End], "while")
		switch {
		case o.Start > joint:
		case joins && (o.Start == joint || o.End >= joint-1) && strings.ContainsAny(lastOf(all[:o.Start]), ",;"):
			from, subordinate = o.End, o.Role != guard.And && !strings.EqualFold(all[o.Start:o.End], "but")
		case o.Role != guard.Back && o.Role != guard.Where && o.Role != guard.Verb && o.Role != guard.Fact && o.Role != guard.And && o.Start < joint:
			return false
		}
	}
	if from < 0 || slices.ContainsFunc(guard.WordsIn(head, func() string { return language }), func(w guard.Word) bool {
		return w.Kind == guard.Negation || restrictive(w, false) && w.Kind != guard.Number
	}) {
		return false
	}
	list := nounWords(all[from:])
	if len(list) < 3 {
		return false
	}
	verb := slices.IndexFunc(list[1:], func(w string) bool {
		return isAuxiliary(w, language) || language == "en" && (isFinite(w) || strings.HasSuffix(w, "ed") || slices.Contains(strings.Fields(modals), w))
	})
	within := slices.IndexFunc(list, func(w string) bool { return w == "that" || w == "which" || w == "who" || relatives[w] })
	said := words.Sentences(strings.Join(strings.Fields(quoted), " "))
	subject := ""
	if len(said) > 0 {
		subject = firstWordOf(strings.Join(strings.Fields(quoted), " ")[said[len(said)-1].Start:])
	}
	switch {
	case verb < 0 || within == 0 || isPreposition(list[0]) && !has(articles, language, list[0]):
		return false
	case has(subjects, language, list[0]):
		return list[0] == subject
	case has(articles, language, list[0]) || has(pointers, language, list[0]) && !has(subjects, language, list[0]):
		return within < 0 || verb+1 < within || subordinate
	}
	return subordinate && language == "en" && !strings.HasSuffix(list[0], "ing") && !strings.HasSuffix(list[0], "ed") && !has(bounding, language, list[0]) && !has(pronouns, language, list[0])
}

// isOfJoinedPredicate reports whether a gap is a predicate, from its verb to the pronoun behind
// an "and", a "but" or a semicolon that is the subject of what is quoted next. That is the
// subject before the gap: the same pronoun, or whatever the same verb is said of again, as in
// "the lift can carry eight people; it cannot carry a piano".
func (g gap) isOfJoinedPredicate() bool {
	language := g.language()
	if g.end != 0 || sentenceEnd(g.inside) >= 0 || strings.ContainsAny(g.inside, ":()") {
		return false
	}
	list := nounWords(g.inside)
	if len(list) < 3 {
		return false
	}
	pronoun := list[len(list)-1]
	if !has(subjects, language, pronoun) && !has(speakers, language, pronoun) {
		return false
	}
	bare := strings.TrimRight(g.inside, " \n")
	bare = strings.TrimRight(bare[:len(bare)-len(pronoun)], " \n")
	joined := strings.HasSuffix(bare, ";")
	for _, o := range guard.Governors(bare, language) {
		switch o.Role {
		case guard.And, guard.Contrast:
			joined = joined || o.End == len(bare)
		case guard.Back, guard.Where, guard.Verb, guard.Fact:
		default:
			return false
		}
	}
	if !joined {
		return false
	}
	if before := nounWords(g.clauseBefore()); len(before) == 1 && before[0] == pronoun {
		return true
	}
	return pronoun == "it" && isSaidAgain(list, nounWords(g.text[g.to:words.RuneStart(g.text, g.to+2*maxNearby)]))
}

// isSaidAgain reports whether two predicates of English begin with the same auxiliary and have
// the same verb, the second with an object of its own.
func isSaidAgain(left, next []string) bool {
	const near = 5 // words
	auxiliary := left[0]
	if len(next) < 3 || !isAuxiliary(auxiliary, "en") && !slices.Contains(strings.Fields(modals), auxiliary) || strings.TrimSuffix(next[0], "not") != auxiliary {
		return false
	}
	verb := slices.IndexFunc(left, func(w string) bool {
		return !isAuxiliary(w, "en") && !slices.Contains(strings.Fields(modals), w) && w != "not" && !isAdverb(w)
	})
	if verb < 0 {
		return false
	}
	at := slices.Index(next[:min(near, len(next))], left[verb])
	return at > 0 && at+1 < len(next) && (has(articles, "en", next[at+1]) || unicode.IsDigit(char.First(next[at+1])))
}

// isInCode reports whether a word stands in a command between backticks that is left out with
// the preposition before it: "with `pip install --no-deps x`". What is denied of it alone is
// not denied without it.
func (g gap) isInCode(w guard.Word) bool {
	from := strings.LastIndexByte(g.inside[:max(0, w.Start)], '`')
	if g.end != 0 || from <= 0 || strings.Count(g.inside[:from], "`")%2 != 0 {
		return false
	}
	code, _, closed := strings.Cut(g.inside[from+1:], "`")
	list := nounWords(g.inside[:from])
	if !closed || w.End > from+1+len(code) || len(list) == 0 || !strings.Contains(code, " ") || !unicode.IsLetter(char.First(code)) {
		return false
	}
	last := list[len(list)-1]
	return (isPreposition(last) || has(bounding, g.language(), last)) && !governing.HasNegation(g.clauseBefore(), g.language)
}

// isInMenu reports whether a name is the last of a path of menus that is left out with the
// preposition before it: "under Settings › Sync".
func (g gap) isInMenu(w guard.Word) bool {
	path := g.inside[:max(0, w.Start)]
	return strings.ContainsAny(path, "›→>") && has(bounding, g.language(), firstWordOf(path))
}

// datePrepositions stand before a date that tells when a thing was done or since when it is so,
// and not until when it may be.
const datePrepositions = "am vom seit dem since on dated le du depuis el del desde il dal dall op van sinds den från z dnia от с"

// isDate reports whether a number is a date in digits that is left out with the preposition
// before it: "seit dem 05.07.2023".
func (g gap) isDate(w guard.Word) bool {
	list := nounWords(g.inside[:w.Start])
	return dateInDigits().MatchString(w.Text) && len(list) > 0 && slices.Contains(strings.Fields(datePrepositions), list[len(list)-1]) && !slices.Contains(list, "bis")
}

var dateInDigits = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\d{1,2}([./-])\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}-\d{2})$`)
})

// endsClause reports whether what a gap leaves out of the sentence that is quoted next is a
// clause of its own behind which a comma stands, in languages whose verbs or whose comma join
// statements: no word of it governs what stands behind, as one that tells whose word that is.
func endsClause(rest, language string) bool {
	bare := strings.TrimRight(rest, " \n")
	told := false
	switch language {
	case "ko":
		bare = strings.TrimSuffix(bare, ",")
		if !governing.JoinsClauses(bare) {
			return false
		}
		if told = isToldInKorean(bare); !told && slices.ContainsFunc(strings.Fields(bare), func(w string) bool { return strings.HasSuffix(w, "면") }) {
			return false
		}
	case "zh":
		clause, ok := strings.CutSuffix(bare, "，")
		if bare = clause; !ok || slices.ContainsFunc(sayings, func(w string) bool { return strings.HasSuffix(bare, w) }) {
			return false
		}
		if _, ok := deniedInChinese(bare); ok {
			return true
		}
		if !isStatementInChinese(bare) {
			return false
		}
	default:
		return false
	}
	return !slices.ContainsFunc(guard.Governors(bare, language), func(o guard.Governor) bool {
		switch o.Role {
		case guard.And, guard.Back, guard.Where, guard.Verb, guard.Fact, guard.Contrast:
			return false
		case guard.Condition:
			return !told
		}
		return true
	})
}

// isToldInKorean reports whether the verb with which a clause of Korean ends tells of what was:
// a condition before it, as in 완충하면 65km를 갔는데, is of that alone.
func isToldInKorean(clause string) bool {
	const first, finals, past = 0xAC00, 28, 20 // of a syllable: the first one, its last letters, and ㅆ of these
	for _, ending := range []string{"는데", "지만", "으나"} {
		if verb, ok := strings.CutSuffix(clause, ending); ok {
			last := char.Last(verb)
			return (last-first)%finals == past && last != '있' && last != '겠'
		}
	}
	return false
}

// sayings are endings of clauses of Chinese that give what follows as said or found.
var sayings = []string{"称", "说", "道", "认为", "表示", "指出", "到", "示", "明", "悉", "知", "现", "为"}

// deniedInChinese gives the noun of which the first clause of a sentence of Chinese says that it
// is not so: 说法 of 该说法不属实.
func deniedInChinese(sentence string) (noun string, ok bool) {
	clause := strings.TrimLeftFunc(sentence, char.IsNotOfWord)
	if end := strings.IndexAny(clause, "，。；"); end >= 0 {
		clause = clause[:end]
	}
	denied := slices.ContainsFunc(guard.Governors(clause, "zh"), func(o guard.Governor) bool { return o.Role == guard.Rejection && o.End == len(clause) })
	for _, pointer := range []string{"该", "上述", "这一", "此"} {
		if rest := []rune(strings.TrimPrefix(clause, pointer)); denied && strings.HasPrefix(clause, pointer) && len(rest) > 2 {
			return string(rest[:2]), true
		}
	}
	return "", false
}

// deniesInChinese reports whether a sentence of Chinese denies what is quoted before it, and not
// what words in quotation marks before that say: “…”的说法 … 该说法不属实.
func (g gap) deniesInChinese(sentence string) bool {
	noun, _ := deniedInChinese(sentence)
	before := g.text[words.RuneStart(g.text, g.part-governing.MaxAround):g.part]
	return !strings.Contains(before, "”的"+noun) || strings.Contains(g.text[g.part:g.from], noun)
}

// isOfOnlooker reports whether a "without" at the end of a sentence tells of somebody who did
// nothing, and governs nothing: "can be read … without anybody touching them".
func (g gap) isOfOnlooker(w guard.Word) bool {
	return g.end == 1 && w.Norm == "without" && governing.IsOnlooker(g.behind(w)) && !g.governed()
}
