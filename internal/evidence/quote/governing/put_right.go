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
		"en": regexp.MustCompile(`,? (?:and|for which) (?:i|I|we) (?:(?:am|are|do|very|so|truly|deeply|sincerely|much|both|all|now) ){0,3}(?:sorry|ashamed|apologi[sz]e|regret (?:it|this|that)|beg (?:your )?pardon)(?: (?:for|about) (?:it|this|that))?:$`),
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

var whoBehind = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(?i:who|whose|whom)\b`) })

// isDefinition is a clause that tells what something is or what somebody made.
var isDefinition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\W*\p{Lu}.* (?:is|was|are|were|wrote|made|built|published|released) `)
})

// nameBehind is a preposition and a name at the end of a clause of English.
var nameBehind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(` (?:in|for|on|from|of|at|near|by) (?:\p{Lu}[\pL\d.+#-]* ?)+$`)
})

// withoutNameBehind leaves them out: no clause tells which of a name is meant. A person may be one
// of many of a place, and where a thing is said to be, the clause may tell of the thing.
func withoutNameBehind(clause, tail string) string {
	if whoBehind().MatchString(tail) || !isDefinition().MatchString(clause) {
		return clause
	}
	return nameBehind().ReplaceAllString(strings.TrimRight(clause, " "), "")
}
