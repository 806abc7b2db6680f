package quote

import (
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// isOfAnotherStatement reports whether a word behind a quotation belongs to a
// statement with a subject of its own, which an "and" behind a mark joins to it.
func (g gap) isOfAnotherStatement(w guard.Word) bool {
	const most = 8 // bytes of the mark and blanks
	if g.end != 1 || w.Start <= 0 {
		return false
	}
	language := g.language()
	for _, o := range guard.Governors(g.inside[:w.Start], language) {
		switch {
		case o.Role == guard.And && o.Start <= most && strings.ContainsAny(g.inside[:o.Start]+lastOf(g.text[:g.from]), ",;"):
			list := nounWords(g.inside[o.End:w.Start])
			return len(list) > 1 && !statement[list[0]] && (has(pronouns, language, list[0]) || has(articles, language, list[0]) || has(pointers, language, list[0]))
		case o.Role != guard.Back:
			return false
		}
	}
	return false
}

// isOfConjunct reports whether a word of a gap belongs to what an "and" joins to a part
// of the quotation, and that is left out to its end: what it says is said of that. A
// condition or an exception may be of both, and so may what stands right behind an "and"
// without a comma.
func (g gap) isOfConjunct(w guard.Word) bool {
	const most = 3 // bytes of the mark and blanks
	inside, at := g.inside, w.Start
	if g.end < 0 || at <= 0 {
		return false
	}
	joint := -1
	closed := strings.ContainsRune(opensAside, char.First(strings.TrimLeft(inside, " "))) || strings.ContainsAny(lastOf(g.text[:g.from]), opensAside)
	clause := inside
	if end := sentenceEnd(inside); end > at {
		clause = inside[:end]
	}
	for _, o := range guard.Governors(clause, g.language()) {
		switch {
		case joint < 0 && (o.Role != guard.And || o.Start > most):
			return false
		case joint < 0:
			joint = o.End
		case o.Role == guard.Condition, o.Role == guard.Exception, o.Role == guard.Contrast:
			return false
		}
	}
	if joint < 0 || joint >= at || !closed && !isModality(w) && !char.HasWord(inside[joint:at]) && !(g.end == 0 && !unicode.IsNumber(char.Last(strings.TrimRight(g.text[:g.from], " \n"))) && hasSubjectAndVerb(clause[at:], g.language())) {
		return false
	}
	end := sentenceEnd(inside)
	return g.end == 1 || end > at || end < 0 && (char.EndsSentence(g.text, g.to) || strings.HasSuffix(strings.TrimRight(inside, " \n"), ";"))
}

// hasSubjectAndVerb reports whether a clause of English that begins with a word that decides
// is a statement of its own: a noun stands behind that word, and a verb that is known behind
// the noun.
func hasSubjectAndVerb(clause, language string) bool {
	list := nounWords(clause)
	if language != "en" || len(list) < 3 || isPreposition(list[1]) && list[1] != "of" && !has(articles, language, list[1]) {
		return false
	}
	bounds := slices.ContainsFunc(guard.Governors(clause, language), func(o guard.Governor) bool {
		return o.Role == guard.Condition || o.Role == guard.Exception || o.Role == guard.When && o.Start < len(list[0])+2
	})
	return !bounds && slices.ContainsFunc(list[2:], func(w string) bool { return isAuxiliary(w, language) || isFinite(w) })
}

// isInBrackets reports whether a gap is what stands in round brackets, and a word of it a
// number, its unit or what compares it: it says the same again, or more of it.
func (g gap) isInBrackets(w guard.Word) bool {
	g.inside = strings.TrimRight(g.inside, ".!?,; \n") // at the end of their sentence
	if !g.isInRoundBrackets() {
		return false
	}
	return w.Kind == guard.Number || w.Kind == guard.Date || w.Kind == guard.Unit || w.Kind == guard.Comparator && strings.ContainsAny(w.Text, "<>=≤≥±")
}

// isOfNobody reports whether a negation is the subject of a clause that is left out whole,
// up to an "and" or to the end of its sentence: "and nobody answered". Nothing else is
// denied by it.
func (g gap) isOfNobody(w guard.Word) bool {
	if g.end < 0 || w.Kind != guard.Negation || w.Start < 0 || !slices.Contains(strings.Fields(nobodies[g.language()]), strings.ToLower(w.Text)) {
		return false
	}
	before := strings.TrimRight(g.inside[:w.Start], " \n")
	language := g.language()
	joined := slices.ContainsFunc(guard.Governors(before, language), func(o guard.Governor) bool { return o.Role == guard.And && o.End == len(before) })
	opens := strings.ContainsAny(lastOf(before), opensAside) || before == "" && strings.ContainsAny(lastOf(g.text[:g.from]), opensAside)
	if !joined && !opens {
		return false
	}
	clause := g.behind(w)
	if end := sentenceEnd(clause); end >= 0 {
		clause = clause[:end]
	} else if !beginsWithAnd(g.text[g.to:words.RuneStart(g.text, g.to+maxNearby)]) && !char.EndsSentence(g.text, g.to) && g.end == 0 {
		return false
	}
	if slices.ContainsFunc(nounWords(clause), func(w string) bool { return has(pronouns, language, w) && !has(articles, language, w) }) {
		return false // "nobody believed him"
	}
	next, _, _ := strings.Cut(strings.TrimSpace(clause), " ")
	return len(strings.Fields(clause)) > 1 && next != "else" && next != "other" && !slices.ContainsFunc(guard.Governors(clause, language), func(o guard.Governor) bool {
		return o.Role == guard.Condition || o.Role == guard.Exception || o.Role == guard.Only || o.Role == guard.Contrast
	})
}

// nobodies are words for no person or thing that may be a subject, by language.
var nobodies = map[string]string{
	"en": "nobody none noone", "de": "niemand keiner keine keines", "fr": "personne aucun aucune", "es": "nadie ninguno ninguna", "pt": "ninguém nenhum nenhuma",
	"it": "nessuno nessuna", "nl": "niemand geen", "sv": "ingen inga", "pl": "nikt żaden żadna", "ru": "никто",
}

// isInFormula reports whether a word is letters of a formula: an index stands behind it.
func isInFormula(text string, w guard.Word) bool {
	r := char.First(text[w.End:])
	return w.Kind == guard.Negation && unicode.IsNumber(r) && !unicode.IsDigit(r)
}

// reasons begin a clause that says why, and reasonEnds end one.
var (
	reasons = []string{
		"because ", "since ", "weil ", "denn ", "parce que ", "parce qu'", "puisque ", "car ", "porque ", "ya que ", "puesto que ", "pues ", "como ", "já que ", "pois ",
		"perché ", "poiché ", "siccome ", "omdat ", "want ", "eftersom ", "ponieważ ", "gdyż ", "bo ", "потому что ", "так как ", "поскольку ", "çünkü ", "karena ", "sebab ", "bởi vì ", "因为", "因", "由于",
	}
	reasonEnds = []string{"때문에", "까닭에", "ため", "ために", "ので", "から"}
)

// isOfReason reports whether a word of a gap stands in a clause that says why, and that
// is left out whole: what it gives the reason of holds without it.
func (g gap) isOfReason(w guard.Word) bool {
	inside, at := g.inside, w.Start
	end := sentenceEnd(inside)
	if at < 0 || end >= 0 && end < at && g.end == 0 {
		return false
	}
	from := strings.LastIndexAny(inside[:at], opensAside)
	clause := strings.ToLower(strings.ReplaceAll(strings.TrimLeft(inside[max(0, from):], opensAside+" \n"), "\n", " "))
	begins := slices.ContainsFunc(reasons, func(w string) bool { return strings.HasPrefix(clause, w) })
	behind := strings.TrimLeft(g.text[g.to:], " \n")
	switch closed := end > at || strings.ContainsAny(inside[at:], closesAside) || strings.ContainsRune(closesAside, char.First(behind)); {
	case begins && (closed || g.end == 1), g.end == 1 && isRelativeClause(clause) && strings.HasPrefix(strings.TrimLeft(inside, " "), ","):
		return true
	case g.end == 1:
		return false
	}
	if end >= 0 {
		return false
	}
	rest := strings.TrimRight(inside, closesAside+" \n")
	return slices.ContainsFunc(reasonEnds, func(w string) bool { return strings.HasSuffix(rest, w) })
}

// isHedgeOfReason reports whether a word of a gap hedges a reason alone, which it stands right
// before, behind a mark: ", possibly because", up to the end of that clause.
func (g gap) isHedgeOfReason(w guard.Word) bool {
	if w.Kind != guard.Hedge || g.end < 0 || w.Start < 0 {
		return false
	}
	before, behind := strings.TrimRight(g.inside[:w.Start], " \n"), strings.ToLower(strings.ReplaceAll(strings.TrimLeft(g.behind(w), " \n"), "\n", " "))
	opens := strings.ContainsRune(opensAside, char.Last(before)) && before != "" || before == "" && strings.ContainsAny(lastOf(g.text[:g.from]), opensAside)
	closes := sentenceEnd(behind) >= 0 || g.end == 1 || char.EndsSentence(g.text, g.to) || strings.ContainsRune(closesAside, char.Last(strings.TrimRight(g.inside, " \n"))) || strings.ContainsRune(closesAside, char.First(strings.TrimLeft(g.text[g.to:], " \n")))
	return opens && closes && slices.ContainsFunc(reasons, func(r string) bool { return strings.HasPrefix(behind, r) })
}

// corrections begin what is so behind what is not, by language: "not for money but for love".
var corrections = map[string]string{
	"en": "but", "de": "sondern", "es": "sino", "pt": "mas", "it": "bensì ma", "fr": "mais", "nl": "maar", "sv": "utan", "pl": "lecz ale", "ru": "а но",
	"id": "melainkan tetapi", "zh": "而是", "ja": "ではなく でなく", "ko": "아니라",
}

// isCorrected reports whether a negation begins a gap that ends with the word behind which
// stands what is so instead: nothing else is denied. Where the verb stands last that word has
// the negation in it.
func (g gap) isCorrected(w guard.Word) bool {
	const least = 2 // words between them, or letters of a script without blanks
	if g.end != 0 || w.Kind != guard.Negation || w.Start < 0 || sentenceEnd(g.inside) >= 0 || strings.ContainsAny(g.inside, ";:(—；：") {
		return false
	}
	language, bare := g.language(), strings.TrimRight(g.inside, " \n,，")
	if language == "ja" || language == "ko" {
		return w.End >= len(bare)-1 && slices.ContainsFunc(strings.Fields(corrections[language]), func(c string) bool { return strings.HasSuffix(bare, c) })
	}
	if w.Start > 0 || w.End > len(bare) || strings.Contains(strings.ToLower(w.Text), "nothing") {
		return false
	}
	for _, c := range strings.Fields(corrections[language]) {
		between, ok := strings.CutSuffix(bare[w.End:], c)
		if !ok || language != "zh" && !strings.HasSuffix(between, " ") {
			continue
		}
		other := slices.ContainsFunc(guard.WordsIn(between, g.language), func(o guard.Word) bool { return o.Kind == guard.Negation || o.Kind == guard.Hedge })
		return !other && (words.Count(between) >= least || language != "zh" && words.Count(between) > 0)
	}
	return false
}

// parts begin a clause that tells of a part of what was spoken of, by language.
var parts = map[string][]string{
	"en": {"of which ", "of whom ", "none of which ", "none of whom ", "neither of which ", "neither of whom "}, "de": {"von denen ", "davon "}, "fr": {"dont "}, "es": {"de los que ", "de las que ", "de los cuales ", "de las cuales ", "ninguno de los cuales ", "ninguna de las cuales ", "ninguno de ellos ", "ninguna de ellas "},
	"pt": {"dos quais ", "das quais ", "nenhum dos quais ", "nenhuma das quais "}, "it": {"di cui ", "dei quali ", "delle quali ", "nessuno dei quali ", "nessuna delle quali "}, "nl": {"waarvan ", "van wie "}, "sv": {"varav ", "av vilka "},
	"pl": {"z których ", "spośród których ", "z czego "}, "ru": {"из которых ", "из них "}, "id": {"di antaranya "}, "zh": {"其中"}, "ja": {"そのうち", "このうち"}, "hi": {"जिसमें से ", "जिनमें से ", "इसमें से ", "इनमें से "}, "ko": {"이 가운데 ", "그 가운데 ", "이 중 ", "그중 "},
}

// beginsPart reports whether a text begins with such a clause.
func beginsPart(text, language string) bool {
	clause := strings.ToLower(strings.TrimLeft(text[:words.RuneStart(text, maxNearby)], opensAside+"。 \n"))
	return slices.ContainsFunc(parts[language], func(p string) bool { return strings.HasPrefix(clause, p) })
}

// isOfPart reports whether a word of a gap stands in a clause that tells of a part of what was
// spoken of, and is left out whole.
func (g gap) isOfPart(w guard.Word) bool {
	if g.end != 0 || w.Start < 0 {
		return false
	}
	clause := g.inside[max(0, strings.LastIndexAny(g.inside[:w.Start], opensAside+"。")):]
	mark := strings.ContainsRune(opensAside, char.First(clause)) || strings.ContainsRune(opensAside, char.Last(strings.TrimRight(g.text[:g.from], " \n")))
	clause = strings.TrimLeft(clause, opensAside+" \n")
	closed := strings.ContainsAny(clause, closesAside) || sentenceEnd(clause) >= 0 || char.EndsSentence(g.text, g.to) || strings.ContainsRune(closesAside, char.First(strings.TrimLeft(g.text[g.to:], " \n")))
	return mark && closed && beginsPart(clause, g.language())
}

// statement are pronouns that may stand for the whole of what was said.
var statement = map[string]bool{"it": true, "this": true, "that": true, "which": true, "es": true, "das": true, "dies": true, "cela": true, "ce": true, "esto": true, "isso": true, "questo": true, "ciò": true, "dat": true, "het": true, "det": true, "detta": true, "to": true, "это": true, "itu": true}

// lastOf is the last byte of a text without blanks, "" for none.
func lastOf(s string) string {
	s = strings.TrimRight(s, " \n")
	return s[max(0, len(s)-1):]
}
