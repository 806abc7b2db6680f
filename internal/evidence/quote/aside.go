package quote

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
)

const opensAside, closesAside = ",;:(—–，、；،؛", ",;:)—–，、；،؛"

// isAside reports whether a word stands in an aside that is left out as a whole,
// between two marks, and says something of the aside alone: it is no condition,
// and a negation stands within a longer one, or goes on with one that stays.
func (g gap) isAside(w guard.Word) bool {
	if g.end != 0 || w.Norm == "if" || w.Norm == "except" || w.Norm == "unless" || sentenceEnd(g.inside) >= 0 {
		return false
	}
	aside, at, ok := g.asideAround(max(0, w.Start))
	count := max(len(strings.Fields(aside)), words.Count(aside))
	if !ok || count < 3 {
		return false
	}
	if w.Kind != guard.Negation {
		return true
	}
	if isRelativeClause(aside) && g.isWhole(aside) || isNegativeAdjective(w) || g.isOfName(aside) {
		return true
	}
	if g.language() == "en" && slices.Contains([]string{"many", "most", "some", "several", "half", "once", "twice"}, firstWordOf(aside)) {
		return true // many without
	}
	if governing.TellsOfNobody(g.clauseBefore(), strings.TrimLeft(aside, opensAside+" \n"), g.language()) {
		return true
	}
	if w.Norm == "nor" {
		return governing.HasNegation(g.clauseBefore(), g.language)
	}
	before := len(strings.Fields(aside[:at]))
	return count > 6 && before > 2 && before < count-1
}

// relatives begin a clause that, between two commas, only tells more of what stands
// before it, in the languages that set no comma before one that bounds.
var relatives = map[string]bool{
	"who": true, "which": true, "whose": true, "whom": true, "qui": true, "dont": true, "lequel": true, "laquelle": true,
	"que": true, "quien": true, "quienes": true, "cuyo": true, "cuya": true, "cujo": true, "cuja": true,
	"che": true, "cui": true, "som": true, "vars": true, "vilket": true, "vilken": true, "yang": true,
}

// isRelativeClause reports whether an aside is such a clause.
func isRelativeClause(aside string) bool {
	list := strings.Fields(strings.ToLower(strings.Trim(aside, opensAside+" \n")))
	return len(list) > 2 && relatives[list[0]] && (len(list) > 3 || !isAuxiliary(list[2], "en") && list[2] != "not")
}

// isWhole reports whether an aside is all of a gap, but for a mark.
func (g gap) isWhole(aside string) bool {
	return len(strings.TrimSpace(aside)) >= len(strings.TrimSpace(g.inside))-1
}

// namedRelatives begin a clause that only tells more of a name before it, by language: of a
// noun it may say which one is meant.
var namedRelatives = map[string]string{
	"en": "where", "fr": "où", "es": "donde", "pt": "onde", "it": "dove", "nl": "waar", "sv": "där", "id": "tempat",
	"pl": "gdzie który która które którego której któremu którą którym", "ru": "где который которая которое которого которой которому которую которым",
}

// isOfName reports whether an aside that is left out whole is a clause that tells more of a
// name, and of nothing else: of one of two words, or of one behind a preposition, with which
// the sentence begins.
func (g gap) isOfName(aside string) bool {
	const most, preposition = 4, 3 // words, letters
	list := strings.Fields(strings.ToLower(strings.Trim(aside, opensAside+" \n")))
	if len(list) < 3 || !g.isWhole(aside) || !slices.Contains(strings.Fields(namedRelatives[g.language()]), list[0]) {
		return false
	}
	before := g.text[words.RuneStart(g.text, g.from-maxNearby):g.from]
	name := strings.Fields(before[lastSentence(before):])
	if len(name) < 2 || len(name) > most || slices.ContainsFunc(name[1:], func(w string) bool { return !unicode.IsUpper(char.First(w)) }) {
		return false
	}
	behindPreposition := utf8.RuneCountInString(name[0]) <= preposition && !has(articles, g.language(), strings.ToLower(name[0]))
	return behindPreposition || unicode.IsUpper(char.First(name[0])) && !has(articles, g.language(), strings.ToLower(name[0]))
}

// isNegativeAdjective reports whether a negation is one word with what it negates, as
// "unpaved".
func isNegativeAdjective(w guard.Word) bool {
	low := strings.ToLower(w.Text)
	return len(low) > 5 && w.Norm != "unless" && w.Norm != "except" && (strings.HasPrefix(low, "un") || strings.HasPrefix(low, "in") || strings.HasPrefix(low, "im"))
}

// asideAround gives what stands around a place of a gap between two marks, which
// may stand right outside of it, and the place in that.
func (g gap) asideAround(at int) (aside string, in int, ok bool) {
	inside := g.inside
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(g.text[:g.from], " \n"))
	behind, _ := utf8.DecodeRuneInString(strings.TrimLeft(g.text[g.to:], " \n"))
	first, _ := utf8.DecodeRuneInString(inside)
	last, _ := utf8.DecodeLastRuneInString(inside)
	if last == ')' && first != '(' {
		last = 0 // it closes what was opened within
	}
	opens := strings.ContainsRune(opensAside, first) || strings.ContainsRune(opensAside, before)
	closes := strings.ContainsRune(closesAside, last) || strings.ContainsRune(closesAside, behind)
	if opens && closes {
		return inside, at, true
	}
	start := strings.LastIndexAny(inside[:at], opensAside)
	if start < 0 && opens {
		start = 0
	}
	closes = closes || beginsWithAnd(g.text[g.to:words.RuneStart(g.text, g.to+maxNearby)])
	if start < 0 || !closes && !strings.ContainsAny(inside[at:], closesAside) {
		return "", 0, false
	}
	end := len(inside)
	if stop := strings.IndexAny(inside[at:], closesAside); stop >= 0 {
		end = at + stop
	}
	return inside[start:end], at - start, true
}
