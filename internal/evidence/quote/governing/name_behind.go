package governing

import (
	"regexp"
	"strings"
	"sync"
)

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
