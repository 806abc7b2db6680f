package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// ownClauseOfOnly is how a clause begins that has its own verb behind an "only" and what that is
// about, by language: "only above 5% does".
var ownClauseOfOnly = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^(?i)only (?:then|once|now|here|there|recently|later|rarely|(?:in|on|at|by|with|without|between|after|before|during|under|over|above|below|from|for|to|through|when|if|where|among|within|beyond|since|until) [^,;:]{1,60}) (?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|may|might|must|should) (?:the|a|an|it|he|she|they|we|I|you|this|that|these|those|any|\pL+) ?\pL+`),
		"de": regexp.MustCompile(`^(?i)nur (?:dann|dort|hier|(?:in|an|auf|bei|mit|ohne|unter|über|ab|bis|nach|vor|zwischen|im|am|beim|zur|zum|oberhalb|unterhalb|außerhalb|innerhalb) [^,;:]{1,60}) (?:ist|sind|war|waren|wird|werden|wurde|wurden|kann|können|darf|dürfen|muss|müssen|hat|haben) \pL+ \pL+`),
	}
})

// hasOwnClause reports whether an "only" at the beginning of a tail, behind a semicolon, begins a
// statement of its own.
func hasOwnClause(c context, at int) bool {
	own := ownClauseOfOnly()[c.language]
	if own == nil || !strings.Contains(c.tail[:at], ";") || !own.MatchString(c.tail[at:]) {
		return false
	}
	clause := c.tail[at:]
	if end := strings.IndexAny(clause, ".;:!?"); end >= 0 {
		clause = clause[:end]
	}
	said := strings.Fields(strings.ToLower(c.said))
	said = said[max(0, len(said)-wordsOfClause):]
	return !saysSoAgain().MatchString(clause) && !slices.ContainsFunc(strings.Fields(strings.ToLower(clause)), func(w string) bool {
		const short = 3 // letters: the, is, der
		return len(w) > short && !isBesides().MatchString(w) && slices.Contains(said, w)
	})
}

// wordsOfClause bounds how far before an "only" what it bounds is sought.
const wordsOfClause = 12

// saysSoAgain is how a clause ends that says of a case what was said of all: "only then is it so".
var saysSoAgain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i) (?:so|true|possible|permitted|allowed|any|(?:do|does|did|get|have) (?:it|this|that|so|them))$`)
})

// isBesides is a word that says little.
var isBesides = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:they|them|this|that|these|those|with|from|have|does|been|were|will|wird|sind|wurde|werden)$`)
})
