package quote

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// gap is what an ellipsis leaves out of a text, and the text around it.
type gap struct {
	text     string
	from, to int
	end      int           // -1 in front of the quotation, 1 behind it, 0 within
	inside   string        // what is seen of it
	part     int           // where the part of the quotation before it begins
	next     int           // where the part behind it ends, 0 for none
	language func() string // of the text around it
	governed func() bool   // whether the rest of the sentence governs what stands before it
}

// maxNearby is how many bytes around a gap are looked at: a deciding word may
// begin in front of it, as the "at" of "at most", and the number it is about
// stand behind it.
const maxNearby = 48

// essentialWords gives the words of a gap without which the text says something
// else, in the sentences that are cut into: a negation, an exception, a condition,
// a hedge, a restriction, a bound of a number, a number, or who it was. Words that
// say the same of more, as "always" or "all", may go. Sentences left out whole
// change no other.
func (g gap) essentialWords() []guard.Finding {
	if isOfWholeParts(g) {
		return nil
	}
	before := dropInvisible(g.text[words.RuneStart(g.text, g.from-maxNearby):g.from])
	behind := dropInvisible(g.text[g.to:words.RuneStart(g.text, g.to+maxNearby)])
	cut := g.inQuotedSentence()
	var found []guard.Finding
	list := g.wordsAround(before, behind)
	for i, w := range list {
		if w.End <= 0 || w.Start >= len(g.inside) || w.Kind == guard.Name && isNameInBrackets(g) || isInFormula(g.inside+behind, w) || g.isOfItsOwn(w) || g.isPartOfQuantity(list[i:]) || g.isLeftOutWithItsNoun(list[i:], behind) || isNoAmount(g, list[i:], behind) || isSpanOfTime(g, w) || isOfRelease(g, w) {
			continue
		}
		turns := w.Kind == guard.Negation && (g.end < 0 || g.end > 0 && g.governed())
		if cut(max(w.Start, 0), min(w.End, len(g.inside))) {
			turns = w.Kind == guard.Negation || w.Kind != guard.Name && (w.Start < 0 || w.End > len(g.inside)) || restrictive(w, g.end == 0 && isBeforeQuantity(g.inside+behind, list[i:])) && (g.end == 0 || w.Kind != guard.Number) || g.end == 0 && g.actor(before, w)
		}
		if f := (guard.Finding{Kind: guard.Gap, Text: w.Text}); turns && !slices.Contains(found, f) && len(found) < 8 {
			found = append(found, f)
		}
	}
	if len(found) == 0 && !isReleaseOf(g.inside) && g.narrowsNegation(before, behind) {
		found = append(found, guard.Finding{Kind: guard.Gap, Text: governing.Shorten(g.inside)})
	}
	return found
}

// isOfWholeParts reports whether the part before a gap ends its sentence, and the one behind
// it would stand as it is if it were quoted alone.
func isOfWholeParts(g gap) bool {
	last := strings.TrimRight(lastWords(g.text[words.RuneStart(g.text, g.from-maxNearby):g.from], 1), ".")
	return g.next > 0 && char.EndsSentence(g.text, g.from) && !words.IsAbbreviation(last) && len(governing.Find(g.text, g.to, g.next, reading.Part).Findings) == 0
}

// isNameInBrackets reports whether a gap is short and in brackets, as what a document will
// call somebody.
func isNameInBrackets(g gap) bool {
	const most = 60 // bytes
	return len(g.inside) <= most && g.isInRoundBrackets()
}

// wordsAround are the deciding words of a gap and of what is given of the text around it, their
// places counted from where the gap begins. One may begin before the gap, and one go on behind it.
func (g gap) wordsAround(before, behind string) []guard.Word {
	list := guard.WordsIn(before+g.inside+behind, g.language)
	for i := range list {
		list[i].Start -= len(before)
		list[i].End -= len(before)
	}
	return list
}

// behind is what of a gap stands behind one of its words.
func (g gap) behind(w guard.Word) string { return g.inside[min(w.End, len(g.inside)):] }

// isOfItsOwn reports whether a word of a gap says something of nothing but what is left out with it.
func (g gap) isOfItsOwn(w guard.Word) bool {
	return g.isOfConjunct(w) || g.isOfAnotherStatement(w) || w.Kind == guard.Negation && g.isOfReason(w) || g.isAside(w) || g.isOfNobody(w) ||
		g.isHedgeOfReason(w) || g.isCorrected(w) || g.isOfPart(w) || g.isInBrackets(w) || g.isNumbering(w) || g.isListed(w) ||
		g.isAttributeInBrackets(w) || g.isConditionOfBracket(w) || g.isOfPredicate() || g.isOfJoinedPredicate() || g.isInCode(w) || g.isOfOnlooker(w) ||
		isOneOfBoth(g, w) || isContrasted(g) || isModalOfRelative(g, w) || isOfReasonedClause(g, w) || isOfOtherRequest(g, w) || isListedPredicate(g, w) || isMeasured(g, w) || isListItem(g, w) || isMostlyInBrackets(g, w) || isBarely(g, w)
}

// beginsWithAnd reports whether a text begins with a word that joins.
func beginsWithAnd(s string) bool {
	s = strings.TrimLeft(s, " \n")
	for _, g := range guard.Governors(s, guard.Language(s)) {
		return g.Start == 0 && g.Role == guard.And
	}
	return false
}

// isPartOfQuantity reports whether the first of some words is a number, or says how
// exact one is, that is left out with what it counts, at a mark: ", 3.5 per cent".
func (g gap) isPartOfQuantity(list []guard.Word) bool {
	w := list[0]
	about := w.Norm == "some" || w.Norm == "about" || w.Norm == "almost"
	if g.end != 0 || w.Start < 0 || sentenceEnd(g.inside) >= 0 || w.Kind != guard.Number && !about {
		return false
	}
	if about {
		if len(list) == 1 || list[1].Kind != guard.Number || list[1].Start > w.End+2 {
			return false
		}
		w = list[1]
	}
	if !strings.ContainsFunc(g.behind(w), char.IsOfWord) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(g.text[:g.from], " \n"))
	behind, _ := utf8.DecodeRuneInString(strings.TrimLeft(g.text[g.to:], " \n"))
	first, _ := utf8.DecodeRuneInString(g.inside)
	last, _ := utf8.DecodeLastRuneInString(g.inside)
	return strings.ContainsRune(opensAside, first) || strings.ContainsRune(opensAside, before) || strings.ContainsRune(closesAside, last) || strings.ContainsRune(closesAside, behind) || about && w.Text != "" && !strings.ContainsFunc(w.Text, unicode.IsDigit)
}

// isLeftOutWithItsNoun reports whether the first of some words is a number, or says of
// one how exact it is, and what it counts is left out too: "for up to three weeks".
func (g gap) isLeftOutWithItsNoun(list []guard.Word, behind string) bool {
	w := list[0]
	if w.Start < 0 || g.end < 0 || g.end > 0 && !endsOf(g.inside[:w.Start]) {
		return false
	}
	if len(list) > 2 && list[1].Kind == guard.Unit && list[2].Kind == guard.Number && list[2].Start == list[1].End {
		return w.Kind == guard.Hedge || w.Kind == guard.Comparator // about £3
	}
	hasNext := func(kind guard.Kind) bool {
		return len(list) > 1 && list[1].Kind == kind && isAdjacent((g.inside + behind)[w.End:max(w.End, list[1].Start)])
	}
	switch {
	case w.Kind == guard.Hedge || w.Kind == guard.Comparator:
		if !hasNext(guard.Number) {
			return false
		}
		w = list[1]
	case w.Norm == "few" || w.Norm == "some" || w.Norm == "half":
		rest := nounWords(g.behind(w))
		several := w.Norm != "few" || strings.HasSuffix(strings.TrimRight(g.inside[:w.Start], " \n"), " a")
		if !hasNext(guard.Unit) && (!several || len(rest) == 0 || isPreposition(rest[0]) || isPreposition(rest[len(rest)-1])) {
			return false
		}
	case w.Kind != guard.Number:
		return false
	case g.isDate(w):
		return true
	}
	rest := strings.Fields(g.behind(w))
	if !char.HasWord(g.behind(w)) {
		return false
	}
	stays := guard.WordsIn(behind, g.language)
	counts := len(stays) > 0 && stays[0].Kind == guard.Number && !char.HasWord(behind[:stays[0].Start]) // 12 of … 400
	return !isPreposition(rest[len(rest)-1]) || !counts && !joinsWithin(g.inside[:w.Start])
}

// endsOf reports whether a text is a preposition, a noun and an "of": "at a cost of".
func endsOf(s string) bool {
	const fewest = 3 // words
	list := nounWords(s[sentenceEnd(s)+1:])
	return len(list) >= fewest && slices.Contains([]string{"of", "von", "de", "di", "van"}, list[len(list)-1]) && (isPreposition(list[0]) || slices.Contains([]string{"zu", "bei"}, list[0]))
}

// joinsWithin reports whether a text has a word that joins: what a number behind it
// counts stands beside what stays.
func joinsWithin(s string) bool {
	return slices.ContainsFunc(guard.Governors(s, guard.Language(s)), func(g guard.Governor) bool { return g.Role == guard.And })
}

// narrowsNegation reports whether a few words left out of what is denied bound it:
// "was not designed to carry … vehicles" denies more than "heavy vehicles".
func (g gap) narrowsNegation(before, behind string) bool {
	const few = 3
	if first, _, _ := strings.Cut(g.inside, " "); slices.Contains([]string{"or", "oder", "ou", "eller", "lub", "или"}, first) {
		return false // what is denied of more is denied of less
	}
	if g.end != 0 || len(strings.Fields(g.inside)) > few || strings.ContainsAny(g.inside, closesAside+".!?。") || !isAdjacent(leadingBlanks(behind)) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, " \n"))
	return char.IsOfWord(last) && !isSubjectUnderstood(g, before, behind) && !words.Unspaced(last) && governing.HasNegation(g.clauseBefore(), g.language)
}

// clauseBefore is what of the clause stands before a gap.
func (g gap) clauseBefore() string {
	before := g.text[words.RuneStart(g.text, g.from-governing.MaxAround):g.from]
	before = strings.TrimRight(before, " \n"+closesAside)
	return before[strings.LastIndexAny(before, ".,;:!?()—–，。；")+1:]
}

// leadingBlanks is what stands before the first letter or digit of a text.
func leadingBlanks(s string) string {
	return s[:len(s)-len(strings.TrimLeftFunc(s, char.IsNotOfWord))]
}

// inQuotedSentence tells which bytes of a gap belong to a sentence of which a part is
// quoted; the others are of sentences left out whole. At an end of the quotation
// only the clause counts that the passage stands in.
func (g gap) inQuotedSentence() func(start, end int) bool {
	const clause = ",;:()—–，、；："
	inside := g.inside
	switch g.end {
	case -1:
		return func(start, _ int) bool { return !strings.ContainsAny(inside[start:], clause) }
	case 1:
		closed := strings.ContainsAny(lastOf(g.text[:g.from]), clause)
		return func(_, end int) bool { return !closed && !strings.ContainsAny(inside[:end], clause) }
	}
	if isOnePairOfBrackets(inside) && !char.EndsSentence(g.text, g.from) {
		return func(int, int) bool { return true }
	}
	first, last := sentenceEnd(inside), lastSentence(inside)
	if rest, behind := inside[last:], g.text[g.to:]; char.EndsSentence(g.text, g.from) && (endsClause(rest, g.language()) || !strings.ContainsFunc(inside[:last], char.IsOfWord) && isPhraseLead(rest, g.language())) || last > 0 && (isEnumerated(inside, rest, g.language()) || isShortLead(rest, g.language()) || endsStatement(rest, behind, g.language()) || beginsStatement(rest, behind, g.language()) || beginsOwnClause(g.text[g.part:g.from], rest, behind, g.language())) {
		last = len(inside)
	}
	if char.EndsSentence(g.text, g.to) {
		last = len(inside)
	}
	switch {
	case char.EndsSentence(g.text, g.from):
		first = 0
	case first < 0:
		first = len(inside)
	default:
		rest, mark := inside[:first], g.boundingEnd(inside[:first])
		first = len(rest)
		return func(start, end int) bool {
			return start < mark || start < first && g.governed() || end > last
		}
	}
	return func(start, end int) bool { return start < first || end > last }
}

// boundingEnd is where the words end that may bound what stands before a gap, when the
// rest of its sentence is left out and does not govern it: at the first mark.
func (g gap) boundingEnd(rest string) int {
	const clause, few = ",;:(—–", 3 // words
	mark := 0
	switch g.language() {
	case "ko":
		if governing.JoinsClauses(g.text[:g.from]) {
			return 0
		}
	case "zh":
		if rest := behindBracketsInChinese(rest); strings.HasPrefix(rest, "，") && isStatementInChinese(g.text[g.part:g.from]) && !boundsInChinese(rest) {
			return 0
		}
	}
	if !strings.ContainsAny(lastOf(g.text[:g.from]), clause) {
		if mark = strings.IndexAny(rest, clause); mark < 0 {
			return len(rest)
		}
	}
	if words.Count(rest[mark:]) <= few || !strings.ContainsAny(rest[mark:mark+1], ";:") && beginsBound(rest[mark:], g.language()) {
		return len(rest)
	}
	return mark
}

// beginsBound reports whether what stands behind a mark belongs to the clause before it, as
// "by no more than" or "but not in" do, or says whose word that is, and is no statement of its
// own.
func beginsBound(rest, language string) bool {
	if beginsPart(rest, language) {
		return false
	}
	first := firstWordOf(rest)
	for _, o := range guard.Governors(rest, language) {
		if o.Role == guard.Contrast && firstWordOf(rest[:o.End]) == first {
			return beginsBound(rest[o.End:], language)
		}
	}
	const few = 3 // words of who claims it
	if slices.ContainsFunc(guard.Governors(rest, language), func(o guard.Governor) bool {
		n := words.Count(rest[:o.Start])
		return o.Role == guard.Claimed && n > 0 && n <= few
	}) {
		return true // "the builder hopes"
	}
	return first != "" && (isPreposition(first) || has(bounding, language, first)) && !has(articles, language, first)
}

// bounding are more words that begin what belongs to the clause before, by language.
var bounding = map[string]string{
	"en": "within without under over above below before after during since until between among against per than beyond despite compared provided pending outside inside subject",
	"de": "ab beim zum zur aus außer in im an am auf nach vor während für gegen unter über zwischen innerhalb außerhalb ohne seit bis gemessen verglichen",
	"fr": "chez parmi vers au aux dans sans sous sur avant après pendant depuis entre contre hors selon dès",
	"es": "a al ante tras dentro sin bajo sobre antes después durante desde entre contra hasta según fuera",
	"pt": "em no na nos nas ao aos às dentro sem sob sobre antes depois durante desde entre contra até segundo fora",
	"nl": "bij in op aan uit binnen zonder onder boven voor na tijdens sinds tussen tegen tot buiten",
	"ru": "у к ко о об по за без под над до после во со между против через при среди",
	"it": "su tra fra presso senza sotto prima dopo durante nel nella nei nelle sul sulla secondo",
	"pl": "w we u przy bez pod nad do po przed między dla według",
	"sv": "i på hos under före efter mellan utan enligt",
}

// spans are what is shown of a gap: the rest of a sentence that has words that decide, by itself.
func (g gap) spans() []Span {
	whole := []Span{{g.from, g.to}}
	end := sentenceEnd(g.text[g.from:g.to])
	if g.end != 0 || end < 0 || char.EndsSentence(g.text, g.from) {
		return whole
	}
	rest := g.text[g.from : g.from+end]
	behind := trimSpan(g.text, g.from+end, g.to)
	if behind.Start >= behind.End || !slices.ContainsFunc(guard.WordsIn(rest, g.language), func(w guard.Word) bool { return w.Kind != guard.Name }) {
		return whole
	}
	return []Span{{g.from, g.from + end}, behind}
}

// answer is the first sentence that is left out whole behind a part of a
// quotation, where it takes back what the part says: it begins as an exception or
// a contrast, or says that this is not so.
func (g gap) answer() []guard.Finding {
	if r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(g.text[:g.from], " \n\"'”’»)]")); g.end != 0 || !char.IsSentenceStop(r) {
		return nil
	}
	inside := g.text[g.from:g.to]
	if end := sentenceEnd(inside); end >= 0 {
		inside = inside[:end]
	}
	list := guard.Governors(inside, g.language())
	takesBack := len(list) > 0 && list[0].Start == 0 && (list[0].Role == guard.Contrast || list[0].Role == guard.Exception)
	if _, ok := deniedInChinese(inside); ok && g.language() == "zh" {
		takesBack = g.deniesInChinese(inside)
	} else {
		takesBack = takesBack || governing.Denies(inside, g.language()) || g.deniesOfSame(inside)
	}
	if !takesBack {
		return nil
	}
	return []guard.Finding{{Kind: guard.Answered, Text: governing.Shorten(inside)}}
}

// deniesOfSame reports whether a sentence is short and denies something of what the passage
// before it speaks of: it has a pronoun for that, or a noun of it.
func (g gap) deniesOfSame(sentence string) bool {
	const short, noun = 12, 4 // words, letters
	list := nounWords(sentence)
	if len(list) > short || !governing.HasNegation(sentence, g.language) || isOnlyConditional(sentence, g.language()) {
		return false
	}
	if o := guard.Governors(sentence, g.language()); len(o) > 0 && o[0].Start == 0 && o[0].Role == guard.Whether && len(list) > 1 && !has(pronouns, g.language(), list[1]) {
		return false // it leaves open something else
	}
	before := g.text[words.RuneStart(g.text, g.from-governing.MaxAround):g.from]
	if all := words.Sentences(before); len(all) > 0 {
		before = before[all[len(all)-1].Start:]
	}
	named := nounWords(before)
	return slices.ContainsFunc(list, func(w string) bool {
		return has(pronouns, g.language(), w) || utf8.RuneCountInString(w) >= noun && slices.Contains(named, w)
	})
}

// restrictive reports whether a sentence says more, or the contrary, without a
// word. Some words do so only right before a number or a unit.
func restrictive(w guard.Word, counted bool) bool {
	switch w.Kind {
	case guard.Hedge:
		return true
	case guard.Quantifier:
		switch w.Norm {
		case "all", "each", "every", "any", "both", "several", "many", "much", "always", "entire", "completely":
			return false // what remains says no more
		}
		return true
	case guard.Comparator:
		switch w.Norm {
		case "false", "reject", "forbid", "disable", "against", "negative", "minus":
			return true
		case "last":
			return false // last year
		}
		return counted
	case guard.Number:
		return counted || strings.ContainsFunc(w.Text, unicode.IsNumber)
	}
	return false
}

// isBeforeQuantity reports whether a number, a magnitude or a unit stands right behind the
// first of some words of a text.
func isBeforeQuantity(text string, list []guard.Word) bool {
	if len(list) == 1 || strings.ContainsFunc(text[list[0].End:max(list[0].End, list[1].Start)], char.IsOfWord) {
		return false
	}
	switch list[1].Kind {
	case guard.Number, guard.Magnitude, guard.Unit:
		return true
	}
	return false
}

// actor reports whether a gap ends with the name of whoever does what the text
// goes on to tell, so that the quotation gives it to somebody else. A name
// behind a preposition is no doer, and in German a capital makes no name.
func (g gap) actor(before string, w guard.Word) bool {
	const mostOfName = 2 // words
	opens, closes := strings.ContainsRune(opensAside, char.Last(strings.TrimRight(before, " \n"))), strings.ContainsRune(closesAside, char.First(strings.TrimLeft(g.text[g.to:], " \n")))
	opensWithin := strings.HasPrefix(strings.TrimSpace(g.inside), ",")
	apposed := opens && closes || opensWithin && (closes || strings.ContainsRune(closesAside, char.Last(strings.TrimSpace(g.inside))) || len(strings.Fields(g.inside)) > mostOfName)
	if w.Kind != guard.Name || w.Initial || apposed || strings.ContainsFunc(g.behind(w), char.IsOfWord) || german(before+g.inside) || g.isApposedName(before) || endsItsSentence(g, w) {
		return false
	}
	list := strings.Fields(g.inside[:max(0, w.Start)])
	return len(list) == 0 || !isPreposition(list[0]) && !isPreposition(list[len(list)-1]) && !g.isInMenu(w) && !isInPhraseOfPlace(list) && !isOfParticiple(list, g.language())
}

// isPreposition reports whether a word joins a name to what stands before it, so
// that the name is no doer.
func isPreposition(word string) bool {
	switch strings.ToLower(word) {
	case "door", "van", "met", "av", "med", "przez", "od", "z", "da", "dal", "del", "della", "di", "do", "pela", "pelo", "du", "des", "oleh", "bởi", "tarafından", "durch", "von", "vom", "mit", "bei",
		"of", "in", "on", "at", "by", "for", "from", "to", "with", "via", "as", "like", "and", "or", "the", "a", "an",
		"de", "en", "à", "par", "pour", "avec", "con", "por", "para", "y", "et", "в", "на", "из", "от", "для", "с", "и":
		return true
	}
	return false
}

// german reports whether a text has words that only German has.
func german(text string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(word string) bool {
		switch word {
		case "der", "das", "dem", "des", "den", "ist", "und", "eine", "einer", "einen", "wird", "wurde", "werden", "mit", "für", "von", "auf", "laut", "zu":
			return true
		}
		return false
	})
}

// dropInvisible is a text without what is not seen in it.
func dropInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		if r == char.SoftHyphen || char.IsInvisible(r) {
			return -1
		}
		return r
	}, s)
}

// edgeGaps is what an ellipsis at an end of a quotation stands for: the rest of
// the sentence the passage begins or ends in.
func edgeGaps(text string, m Match, q *query) []gap {
	const most = 1 << 10
	var list []gap
	raw := strings.TrimFunc(q.quotation, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'“”„‟«»‘’`, r) })
	if marks := ellipsis().FindStringIndex(raw); marks != nil && marks[0] == 0 && !char.EndsSentence(text, m.Start) {
		from := words.RuneStart(text, m.Start-most)
		list = append(list, gap{text: text, from: from + lastSentence(text[from:m.Start]), to: m.Start, end: -1, part: m.Start})
	}
	if trimmed := trimEllipses(raw); strings.HasSuffix(raw, trimmed) || char.EndsSentence(text, m.End) {
		return list
	}
	to := words.RuneStart(text, m.End+most)
	if end := sentenceEnd(text[m.End:to]); end >= 0 {
		to = m.End + end
	}
	return append(list, gap{text: text, from: m.End, to: to, end: 1, part: m.Start})
}

// findGaps is what a quotation leaves out of a text, its blanks trimmed.
func (s *search) findGaps(m Match, q *query) []gap {
	var list []gap
	for i := range len(m.Segments) - 1 {
		list = append(list, gap{text: s.text, from: m.Segments[i].End, to: m.Segments[i+1].Start, part: m.Segments[i].Start, next: m.Segments[i+1].End})
	}
	list = append(list, edgeGaps(s.text, m, q)...)
	for i, g := range list {
		list[i] = g.trimmed()
	}
	list = slices.DeleteFunc(list, func(g gap) bool { return !strings.ContainsFunc(g.text[g.from:g.to], char.IsOfWord) })
	slices.SortFunc(list, func(a, b gap) int { return a.from - b.from })
	return list
}

// trimmed is a gap without the blanks at its ends, made ready.
func (g gap) trimmed() gap {
	within := g.text[g.from:g.to]
	g.from = g.to - len(strings.TrimLeftFunc(within, unicode.IsSpace))
	g.to = g.from + len(strings.TrimSpace(within))
	g.inside = dropInvisible(g.text[g.from:g.to])
	g.language = sync.OnceValue(func() string { return languageAround(g.text, g.from, g.to) })
	g.governed = sync.OnceValue(func() bool { return len(governing.Find(g.text, g.part, g.from, reading.Part).Findings) > 0 })
	return g
}

// checkGaps is a passage with what its quotation leaves out, unless that turns what
// the passage says.
func (s *search) checkGaps(m Match, q *query) (Match, bool) {
	m.Gaps = nil
	var turns, answers []guard.Finding
	gaps := s.findGaps(m, q)
	for _, g := range gaps {
		turns = append(turns, g.essentialWords()...)
		answers = append(answers, g.answer()...)
	}
	if len(turns) > 0 {
		s.recordRefused(m.Start, m.End, 0, turns)
		return Match{}, false
	}
	for _, g := range gaps {
		m.Gaps = append(m.Gaps, g.spans()...)
	}
	if parts := splitAtEllipses(q.raw); m.Tier == Elided && len(m.Findings) == 0 && len(parts) > 1 {
		m.Findings = append(m.Findings, s.joined(m.Segments, parts)...)
	}
	for _, f := range answers {
		if !slices.Contains(m.Findings, f) {
			m.Findings = append(m.Findings, f)
		}
	}
	return m, true
}

// joined tells what stands between parts that an ellipsis makes one sentence of,
// though they stand in two.
func (s *search) joined(chain []Span, parts []string) []guard.Finding {
	for i := range len(chain) - 1 {
		if len(parts) == len(chain) && strings.ContainsAny(lastOf(strings.TrimSpace(parts[i])), ".!?。！？") && isOfWholeParts(gap{text: s.text, from: chain[i].End, to: chain[i+1].Start, next: chain[i+1].End}) {
			continue
		}
		if !s.hasFairGaps(chain[i : i+2]) {
			return []guard.Finding{{Kind: guard.Joined, Text: governing.Shorten(s.text[chain[i].End:chain[i+1].Start])}}
		}
	}
	return nil
}

// restOfSentence is what of the sentence of a passage stands before it and behind it,
// where that may bound what the passage says and no ellipsis stands for it.
func restOfSentence(text string, m Match, around governing.Around) []Span {
	var list []Span
	around.Head = around.Head && !(strings.HasSuffix(text[:m.Start], "\n") && governing.IsBreak(text, m.Start-1))
	around.Tail = around.Tail && !endsShortLine(text, m.End) && !isLine(text, m)
	if around.Head {
		from := words.RuneStart(text, m.Start-governing.MaxAround)
		from += lastSentence(text[from:m.Start])
		for i := m.Start - 1; i > from; i-- {
			if text[i] == '\n' && (governing.IsBreak(text, i) || endsShortLine(text, i)) {
				from = i + 1
				break
			}
		}
		list = append(list, trimSpan(text, from, m.Start))
	}
	if around.Tail {
		to := words.RuneStart(text, m.End+governing.MaxAround)
		if end := sentenceEnd(text[m.End:to]); end >= 0 && strings.ContainsFunc(text[m.End:m.End+end], char.IsOfWord) {
			to = m.End + end
		}
		for i := m.End; i < to; i++ {
			if text[i] == '\n' && (governing.IsBreak(text, i) || endsShortLine(text, i)) {
				to = i
			}
		}
		list = append(list, trimSpan(text, m.End, to))
	}
	return slices.DeleteFunc(list, func(g Span) bool {
		const article = 3 // letters: "The", "Der"
		return g.Start >= g.End || utf8.RuneCountInString(text[g.Start:g.End]) <= article && g.Start < m.Start || slices.ContainsFunc(m.Gaps, func(o Span) bool { return o.Start < g.End && g.Start < o.End })
	})
}

// isLine reports whether a passage is the whole of a line, as a heading is, and too
// short for one that was broken for its length.
func isLine(text string, m Match) bool {
	const most = 60
	before := text[strings.LastIndexByte(text[:m.Start], '\n')+1 : m.Start]
	return !strings.ContainsFunc(before, char.IsOfWord) && strings.HasPrefix(text[m.End:], "\n") && utf8.RuneCountInString(text[m.Start:m.End]) < most
}

// endsShortLine reports whether a place is the end of a line that is too short to have
// been broken for its length, with letters in it.
func endsShortLine(text string, at int) bool {
	line := strings.TrimSpace(text[strings.LastIndexByte(text[:at], '\n')+1 : at])
	next := char.First(strings.TrimLeft(text[at:], "\n "))
	goesOn := strings.HasSuffix(line, ";") && unicode.IsLower(next)
	return strings.HasPrefix(text[at:], "\n") && utf8.RuneCountInString(line) < char.ShortLine && line != "" && !goesOn
}

// trimSpan is a span of a text without the blanks and marks around its words.
func trimSpan(text string, from, to int) Span {
	from = to - len(strings.TrimLeftFunc(text[from:to], char.IsNotOfWord))
	return Span{from, from + len(strings.TrimRightFunc(text[from:to], char.IsNotOfWord))}
}
