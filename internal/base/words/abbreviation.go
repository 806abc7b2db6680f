package words

import (
	"strings"
	"sync"
)

// IsAbbreviation reports whether the full stop behind a word is likely its own
// and ends no sentence. The word is given without it.
func IsAbbreviation(word string) bool { return abbreviations()[strings.ToLower(word)] }

var abbreviations = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for word := range strings.FieldsSeq("e.g i.e al cf vs dr mr mrs ms prof fig figs no nos approx ca vol pp p sec eq st jr sr inc ltd co corp dept " +
		"u.s u.k gen gov sen rep z.b bzw usw nr abb bd hrsg d.h u.a ph.d rev ed eds art abs rn rdnr ziff lit urt beschl т.е") {
		known[word] = true
	}
	return known
})
