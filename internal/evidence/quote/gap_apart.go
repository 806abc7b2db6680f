package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
)

// What an ellipsis leaves out that says something of nothing else, or only which or when.

// isSpanOfTime reports whether a "half" or "quarter" of a gap is a part of a year or a match, in a
// phrase that says when: "during the quarter", "in the first half of the match".
func isSpanOfTime(g gap, w guard.Word) bool {
	if g.end < 0 || w.Start < 0 || w.Kind != guard.Quantifier && w.Kind != guard.Number || w.End > len(g.inside) {
		return false
	}
	low, language := strings.ToLower(w.Text), g.language()
	if !slices.Contains(strings.Fields(partsOfTime), low) || sentenceEnd(strings.TrimRight(g.inside, " .")) >= 0 {
		return false
	}
	list := nounWords(g.inside[:w.Start])
	if len(list) < 2 || !has(articles, language, list[1]) && !has(pointers, language, list[1]) || list[1] == "a" || list[1] == "an" {
		return false
	}
	const most = 4 // words before it
	return len(list) <= most && slices.Contains(strings.Fields(durings), list[0])
}

// partsOfTime are words for such parts, and durings prepositions before a time.
const (
	partsOfTime = "quarter half halves quarters quartal hälfte trimestre semestre trimestres moitié mitad metà kwartaal"
	durings     = "during in over throughout for im in während au pendant durant en durante nel nella in"
)

// release is a phrase with the number of a release, in which two points or more stand.
var release = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:of|in|from|by|von|de|du|di|van|da|do) (?:(?:version|release|Version) )?v?\d+(?:\.\d+){2,}$`)
})

// isReleaseOf reports whether what is left out is no more than a preposition and the number of a
// release, by which something is called and not counted: "of 3.9.0".
func isReleaseOf(inside string) bool { return release().MatchString(strings.TrimSpace(inside)) }

func isOfRelease(g gap, w guard.Word) bool {
	return g.end == 0 && w.Start > 0 && (w.Kind == guard.Number || w.Kind == guard.Date) && isReleaseOf(g.inside)
}

// isListedPredicate reports whether a negation stands in a predicate of English between commas that is
// left out whole, as one of several of the same subject, of which the last is quoted with its "and":
// ", had no licence, and could".
func isListedPredicate(g gap, w guard.Word) bool {
	if g.end != 0 || w.Kind != guard.Negation || w.Start <= 0 || g.language() != "en" || !strings.HasPrefix(g.inside, ",") && lastOf(g.text[:g.from]) != "," {
		return false
	}
	closed := strings.HasSuffix(g.inside, ",") || strings.HasPrefix(g.text[g.to:], ",")
	clause := strings.Trim(g.inside, ", \n")
	if !closed || strings.ContainsAny(clause, opensAside) || sentenceEnd(clause) >= 0 {
		return false
	}
	list := nounWords(clause)
	next := nounWords(strings.TrimLeft(g.text[g.to:min(len(g.text), g.to+maxNearby)], ", \n"))
	const fewest = 3 // words
	if len(list) < fewest || len(next) < 2 || next[0] != "and" || !isFiniteForm(list[0], "en") || list[0] == "is" && isParticiple(list[len(list)-1]) {
		return false
	}
	verb := isFiniteForm(next[1], "en") || slices.Contains(strings.Fields(modals), next[1]) || isPastForm(next[1])
	before := g.clauseBefore()
	const noun = 4 // letters
	return verb && !slices.ContainsFunc(guard.Governors(before, "en"), func(o guard.Governor) bool {
		return o.Role == guard.Claimed || o.Role == guard.That || o.Role == guard.Condition || o.Role == guard.Doubt || o.Role == guard.Whether
	}) && !slices.ContainsFunc(list, func(w string) bool { return len(w) >= noun && slices.Contains(nounWords(before), w) })
}

// isMeasured reports whether a "not" stands before a number and a unit in a phrase between marks that
// is left out whole, and says how near or short something was: ", not ten yards from the quay".
func isMeasured(g gap, w guard.Word) bool {
	if g.end != 0 || w.Kind != guard.Negation || w.Start < 0 || strings.ToLower(w.Text) != "not" || sentenceEnd(g.inside) >= 0 {
		return false
	}
	before := strings.TrimRight(g.inside[:w.Start], " \n")
	opens := before == "," || before == "" && lastOf(g.text[:g.from]) == ","
	closes := strings.ContainsRune(closesAside+";", char.First(strings.TrimLeft(g.text[g.to:], " \n"))) || strings.ContainsRune(closesAside+";", char.Last(g.inside))
	list := guard.WordsIn(g.behind(w), g.language)
	return opens && closes && len(list) > 1 && list[0].Kind == guard.Number && list[1].Kind == guard.Unit && !char.HasWord(g.behind(w)[:list[0].Start]) && !char.HasWord(g.behind(w)[list[0].End:list[1].Start])
}

// isOnlyConditional reports whether all that denies in a sentence is the beginning of a condition that
// its verb may do without: "sofern es täglich genommen wird".
func isOnlyConditional(sentence, language string) bool {
	return !slices.ContainsFunc(guard.WordsIn(sentence, func() string { return language }), func(w guard.Word) bool {
		return w.Kind == guard.Negation && !slices.Contains(strings.Fields("sofern solange soweit"), strings.ToLower(w.Text))
	})
}

// isNameOfFirm reports whether a part of a quotation ends with the abbreviation that a firm has behind
// its name, and what is left out is what the firm is called in brackets: `Inc. ("Morrow")`.
func isNameOfFirm(part, gap string) bool {
	gap = strings.TrimSpace(gap)
	const most = 60 // bytes
	return len(gap) <= most && strings.HasPrefix(gap, "(") && strings.IndexByte(gap, ')') == len(gap)-1 && firm().MatchString(strings.TrimRight(part, " \n"))
}

var firm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s,])(?:Inc|Corp|Ltd|Co|Cie|Cía|Bros|LLC|GmbH|S\.A|S\.p\.A|N\.V|B\.V|plc|Jr|Sr)\.?$`)
})

// isObjectBefore reports whether a "nothing" or "nobody" before a passage is of the clause before it,
// where the passage begins a clause of its own: "costs nothing where", "saw nobody because".
func isObjectBefore(last guard.Word, inside string) bool {
	first, _, _ := strings.Cut(strings.TrimLeftFunc(inside, char.IsNotOfWord), " ")
	return last.Kind == guard.Negation && governing.IsObjectBefore(last.Text, strings.TrimRightFunc(first, func(r rune) bool { return !unicode.IsLetter(r) }))
}

// mostlies are words of how often or of how many something is said, by language; in brackets with one
// word behind them they are said of that.
var mostlies = map[string]string{
	"en": "usually often frequently mainly mostly generally commonly typically normally sometimes largely partly chiefly primarily predominantly",
	"de": "meist meistens oft häufig überwiegend hauptsächlich vorwiegend gewöhnlich manchmal teils teilweise", "fr": "souvent surtout principalement généralement parfois habituellement",
	"es": "normalmente generalmente principalmente frecuentemente habitualmente mayoritariamente", "pt": "geralmente principalmente frequentemente normalmente",
	"it": "spesso solitamente generalmente principalmente perlopiù", "nl": "meestal vaak voornamelijk doorgaans", "sv": "oftast ofta mestadels vanligen", "da": "oftest ofte mest",
	"pl": "zwykle często głównie przeważnie", "ru": "обычно часто преимущественно", "cs": "obvykle často většinou", "uk": "зазвичай часто переважно",
}

// isMostlyInBrackets reports whether a gap is two words in round brackets of which such a word is the
// first: "(frequently executed)", "(mainly farmers)".
func isMostlyInBrackets(g gap, w guard.Word) bool {
	language := g.language()
	if g.end != 0 || !g.isInRoundBrackets() || !has(mostlies, language, strings.ToLower(w.Text)) {
		return false
	}
	list := nounWords(g.inside)
	const several = 2
	return len(list) == several && list[0] == strings.ToLower(w.Text) && !isPreposition(list[1]) && !has(hereAndNow, language, list[1]) && !has(mostlies, language, list[1])
}

// barelies are words for what is so and nearly not, by language.
const barelies = "barely scarcely hardly kaum à-peine apenas appena nauwelijks knappt knapt zaledwie ledwie едва ledva sotva alig tuskin"

// isBarely reports whether such a word begins an aside between two marks that is left out whole: it
// is said of nothing but that.
func isBarely(g gap, w guard.Word) bool {
	const fewest = 3 // words
	if g.end != 0 || w.Start < 0 || !slices.Contains(strings.Fields(barelies), strings.ToLower(w.Text)) || sentenceEnd(g.inside) >= 0 {
		return false
	}
	before := strings.TrimRight(g.inside[:w.Start], " \n")
	opens := before == "," || before == "(" || before == "" && strings.ContainsAny(lastOf(g.text[:g.from]), ",(")
	closes := strings.ContainsRune(",)", char.First(strings.TrimLeft(g.text[g.to:], " \n"))) || strings.ContainsRune(",)", char.Last(g.inside))
	aside := strings.Trim(g.inside, ",() \n")
	return opens && closes && !strings.ContainsAny(aside, ",;:()") && len(strings.Fields(aside)) >= fewest
}
