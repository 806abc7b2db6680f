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
