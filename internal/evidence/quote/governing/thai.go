package governing

import (
	"strings"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// Thai has no full stop, and a blank parts its clauses as it parts its sentences: what
// stands beside a passage there is the clause next to it, and that alone where a word of it
// reaches over to the passage.

// clauseBeforeThai is what of a head of Thai stands in the clause of a passage, or right
// before it and begins or ends with a word that governs.
func clauseBeforeThai(head string) string {
	bare := strings.TrimRight(head, " ")
	last := bare[strings.LastIndexByte(bare, ' ')+1:]
	if len(bare) == len(head) {
		return last
	}
	list := guard.Governors(last, "th")
	if n := len(list); n > 0 && (list[0].Start == 0 || list[n-1].End == len(last)) {
		return last + " "
	}
	return ""
}

// clauseBehindThai is the same of a tail, which a blank may part from the passage. It reports
// whether another clause follows, which a condition may as well be of.
func clauseBehindThai(tail string, parted bool) (string, bool) {
	clause, rest, _ := strings.Cut(strings.TrimLeft(tail, " "), " ")
	if list := guard.Governors(clause, "th"); parted && (len(list) == 0 || list[0].Start > 0) {
		return "", false
	}
	return clause, parted && strings.ContainsFunc(rest, char.IsOfWord)
}
