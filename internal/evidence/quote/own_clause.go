package quote

import (
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
)

// isNoAmount reports whether the first of some words of English is an "about" or "around" that
// tells of what or where, and no amount: "about the fence", "that was handed around".
func isNoAmount(g gap, list []guard.Word, behind string) bool {
	w := list[0]
	low := strings.ToLower(w.Text)
	if g.end != 0 || w.Kind != guard.Hedge || w.Start < 0 || low != "about" && low != "around" || g.language() != "en" {
		return false
	}
	const near = 1 // words before a number
	if len(list) > 1 && list[1].Kind != guard.Name && list[1].Norm != "all" && list[1].Kind != guard.Negation && len(nounWords((g.inside + behind)[w.End:max(w.End, list[1].Start)])) <= near {
		return false
	}
	next := nounWords((g.inside + behind)[w.End:])
	switch {
	case len(next) == 0:
		return false
	case w.End >= len(strings.TrimRight(g.inside, " \n")):
		return isAuxiliary(next[0], "en") || isFinite(next[0])
	case next[0] == "all":
		return true
	case has(articles, "en", next[0]) || has(pronouns, "en", next[0]):
		return len(next) > 1 && !slices.Contains(strings.Fields(amounts), next[1])
	}
	return false
}

// amounts are nouns of English that say how much or when, behind "about the".
const amounts = "same half third quarter fifth tenth size length height width weight depth age average middle end beginning start time dozen hundred thousand million year day week month hour minute mile number amount rate level price cost"

// endsItsSentence reports whether the sentence of a gap ends right behind a word, whose name is
// then of nobody who does what stands behind.
func endsItsSentence(g gap, w guard.Word) bool {
	const initial = 2 // letters
	return g.end == 0 && w.Start >= 0 && w.End < len(g.inside) && len(w.Text) > initial && endsAt(g.inside, w.End, char.First(g.inside[w.End:]))
}

// agents are prepositions, by language, before who did what a participle tells.
var agents = map[string]string{
	"en": "by", "fr": "par", "es": "por", "pt": "por pelo pela pelos pelas", "it": "da dal dalla dai dagli dalle", "de": "von vom durch", "nl": "door", "sv": "av",
}

// isOfParticiple reports whether the words before a name are a participle and the preposition
// before who did that, "reported by Ostrander and the", with names alone between them.
func isOfParticiple(list []string, language string) bool {
	if len(list) < 2 || !has(agents, language, strings.ToLower(list[1])) {
		return false
	}
	first := strings.ToLower(list[0])
	participle := language == "en" && isParticiple(first) || slices.ContainsFunc(strings.Fields(participles[language]), func(p string) bool { return strings.HasSuffix(first, p) && len(first) > len(p)+2 }) ||
		language == "de" && strings.Contains(first, "ge") && (strings.HasSuffix(first, "t") || strings.HasSuffix(first, "en"))
	return participle && !slices.ContainsFunc(list[2:], func(w string) bool {
		joins := beginsWithAnd(w+" ") || has(articles, language, strings.ToLower(w)) || isPreposition(w)
		return !joins && !unicode.IsUpper(char.First(w))
	})
}

// isSubjectUnderstood reports whether a gap is but the pronoun and the "is" that English may leave
// out of a clause: "unless they are declared" says what "unless declared" does.
func isSubjectUnderstood(g gap, before, behind string) bool {
	list, next := nounWords(g.inside), nounWords(behind)
	return len(list) == 2 && len(next) > 0 && g.language() == "en" &&
		slices.Contains(strings.Fields("unless if when whenever while until once although though where"), strings.ToLower(lastWords(before, 1))) &&
		slices.Contains(strings.Fields("it they he she you we"), list[0]) && slices.Contains(strings.Fields("is are was were"), list[1]) &&
		!isNegation(next[0], "en")
}

// isOfReasonedClause reports whether a negation is of a clause of its own, behind a semicolon,
// that is left out up to the "because" of what is quoted next: "; nobody was hurt, because".
func isOfReasonedClause(g gap, w guard.Word) bool {
	const fewest = 3 // words
	if g.end != 0 || w.Kind != guard.Negation || w.Start < 0 || sentenceEnd(g.inside) >= 0 {
		return false
	}
	clause := strings.TrimLeft(g.inside, " \n")
	if rest, ok := strings.CutPrefix(clause, ";"); ok {
		clause = rest
	} else if lastOf(g.text[:g.from]) != ";" {
		return false
	}
	mark := strings.LastIndexByte(clause, ',')
	if mark < 0 || strings.ContainsAny(clause, ";:(") {
		return false
	}
	why := strings.ToLower(strings.TrimSpace(clause[mark+1:])) + " "
	clause = strings.TrimSpace(clause[:mark])
	list := nounWords(clause)
	return slices.Contains(reasons, why) && len(list) >= fewest && !statement[list[0]] && !has(pointers, g.language(), list[0]) && !governing.Denies(clause, g.language()) &&
		!slices.ContainsFunc(guard.Governors(clause, g.language()), func(o guard.Governor) bool {
			return o.Role != guard.And && o.Role != guard.Verb && o.Role != guard.Where && o.Role != guard.Fact && o.Role != guard.Back
		})
}

// isOfOtherRequest reports whether a negation of Japanese ends a clause between two marks that is
// left out whole, and that tells what not to do first, where what stands behind asks for
// something else: 荷物を取りに戻らず、…ください.
func isOfOtherRequest(g gap, w guard.Word) bool {
	if g.end != 0 || w.Kind != guard.Negation || g.language() != "ja" || !strings.HasSuffix(strings.TrimRight(g.text[:g.from], " \n"), "、") {
		return false
	}
	clause, ok := strings.CutSuffix(g.inside, "、")
	ends := strings.HasSuffix(clause, "ず") || strings.HasSuffix(clause, "ずに") || strings.HasSuffix(clause, "ないで")
	if !ok || !ends || strings.ContainsAny(clause, "、。；：") || w.Start < len(clause)-len("ないで") {
		return false
	}
	next := g.text[g.to:]
	if end := sentenceEnd(next); end >= 0 {
		next = next[:end]
	}
	asks := slices.ContainsFunc([]string{"ください", "下さい", "なさい", "ましょう"}, func(e string) bool { return strings.HasSuffix(next, e) })
	return asks && !governing.HasNegation(next, g.language)
}
