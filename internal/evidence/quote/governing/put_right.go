package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/guard"
)

// behindHead is a context whose head begins at a place of its own.
func behindHead(c context, at int) context {
	c.head = c.head[at:]
	c.lead = guard.Governors(c.head, c.language)
	return c
}

// putRight is where what is so begins in a head that first rejects, before a colon, what stands
// before it: "That was wrong, and I am sorry: …"; 0 where it does not.
func putRight(c context) int {
	colon := strings.IndexAny(c.head, ":")
	if colon < 0 {
		return 0
	}
	first := c
	first.head = c.head[:colon+1]
	if regrets := regret()[c.language]; regrets != nil {
		if at := regrets.FindStringIndex(first.head); at != nil && !decidesBesides(c, first.head[at[0]:at[1]]) {
			first.head = first.head[:at[0]] + ":"
		}
	}
	if len(first.head) == len(strings.TrimRight(c.head, " ")) {
		return 0
	}
	first.lead = guard.Governors(first.head, c.language)
	rejects := slices.ContainsFunc(first.lead, func(g guard.Governor) bool { return g.Role == guard.Rejection })
	if !rejects || c.negates(first.head) && !deniesSo().MatchString(first.head) || !first.correctsBefore(first.head) {
		return 0
	}
	return colon + 1
}

// deniesSo is a short sentence of English that denies the one before it.
var deniesSo = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i)(?:this|that|it) (?:is|was) not (?:so|true|correct|right|the case):$`)
})

// regret is how a clause that rejects something goes on, before its colon, with what its writer
// feels about it, by language.
var regret = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`,? (?:and|for which) (?:i|I|we) [^.,;:]{1,40}:$`),
		"de": regexp.MustCompile(`,? (?:und|was|wofür) (?:es tut|ich|wir|tut|bedaue?re?n?)\b[^.,;:]{0,40}:$`),
		"fr": regexp.MustCompile(`,? et (?:je|j['’]|nous) ?[^.,;:]{1,40}:$`),
		"es": regexp.MustCompile(`,? (?:y|e) (?:lo|la|pido|pedimos|nos|me)\b[^.,;:]{1,40}:$`),
		"nl": regexp.MustCompile(`,? en (?:dat|het|ik|wij|we)\b[^.,;:]{1,40}:$`),
	}
})

// decidesBesides reports whether a clause does more than join and point back: it claims, doubts
// or bounds something.
func decidesBesides(c context, clause string) bool {
	return c.negates(clause) || slices.ContainsFunc(guard.Governors(clause, c.language), func(g guard.Governor) bool {
		return g.Role != guard.And && g.Role != guard.Back && g.Role != guard.Verb && g.Role != guard.Where
	})
}

// endsWithOfWhich reports whether a head of Spanish ends with a relative that a preposition and an
// article begin, "de los que", and with no "that" of what is said.
func endsWithOfWhich(bare, language string) bool {
	return language == "es" && ofWhich().MatchString(bare)
}

var ofWhich = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[ ,])(?:(?:de|en|con|por|para|a|sobre|desde|entre|hasta|tras) (?:el|la|los|las)|del|al) que$`)
})

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
	return own != nil && strings.Contains(c.tail[:at], ";") && own.MatchString(c.tail[at:])
}

// nameBehind is a preposition and a name at the end of a clause of English.
var nameBehind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(` (?:in|for|on|from|of|at|near|by) (?:\p{Lu}[\pL\d.+#-]* ?)+$`)
})

// withoutNameBehind leaves them out: no clause tells which of a name is meant.
func withoutNameBehind(clause string) string {
	return nameBehind().ReplaceAllString(strings.TrimRight(clause, " "), "")
}
