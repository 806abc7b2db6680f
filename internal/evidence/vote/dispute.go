package vote

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// Voices are what families of judges say who have compared the claims of two sides:
// of the two claims themselves, else of others that say the same and were found to be
// opposed. None where nobody has compared any.
func Voices(reg claim.Registry, a, b string) []relation.Voice {
	one, other := reg.SameAs(a), reg.SameAs(b)
	var among []relation.Voice
	for _, r := range reg.Relations {
		switch {
		case r.A == a && r.B == b || r.A == b && r.B == a:
			return r.Voices
		case !r.Agreed(relation.Contradicts) && !r.Possible() || len(among) > 0:
		case slices.Contains(one, r.A) && slices.Contains(other, r.B) || slices.Contains(one, r.B) && slices.Contains(other, r.A):
			among = r.Voices
		}
	}
	return among
}

// Outcome says in a few words how a conflict has ended, without who settled it, which
// its resolution says.
func Outcome(c claim.Conflict) string {
	switch c.Agreed {
	case string(Both):
		return "agreed that both hold, each under its condition"
	case string(Neither):
		return "agreed that neither holds as it is worded"
	}
	switch c.Status {
	case claim.ResolvedA:
		return "settled: A (" + c.A + ") holds"
	case claim.ResolvedB:
		return "settled: B (" + c.B + ") holds"
	case claim.StillDivergent:
		return "still open after it was judged"
	case claim.Dismissed:
		return "no conflict"
	}
	return "open"
}

// Tally counts disputes by how they ended, in words: "9 disputes: 7 settled, 1 agreed
// that both hold under their conditions, 1 possible but not confirmed". What turned out
// to be no conflict is none, nor what all who compared it call the same; "" without any.
func Tally(list []claim.Conflict) string {
	all, n := 0, map[string]int{}
	for _, c := range list {
		if c.IsNone() {
			continue
		}
		all++
		switch {
		case c.Status == claim.ResolvedA || c.Status == claim.ResolvedB:
			n["settled"]++
		case c.Possible:
			n["possible but not confirmed"]++
		case c.Agreed == string(Both):
			n["agreed that both hold under their conditions"]++
		case c.Agreed == string(Neither):
			n["agreed that neither holds as it is worded"]++
		default:
			n["open"]++
		}
	}
	if all == 0 {
		return ""
	}
	var said []string
	for _, how := range []string{"open", "settled", "agreed that both hold under their conditions", "agreed that neither holds as it is worded", "possible but not confirmed"} {
		if n[how] > 0 {
			said = append(said, fmt.Sprintf("%d %s", n[how], how))
		}
	}
	return plural.Of(all, "dispute") + ": " + strings.Join(said, ", ")
}

// Ending is how a dispute ended, in words for who was not there.
func Ending(c claim.Conflict) string {
	return byDebate().ReplaceAllStringFunc(c.Resolution, func(said string) string {
		m := byDebate().FindStringSubmatch(said)
		out := "Decided after " + m[1] + " of debate: all agree on " + map[string]string{"both": "both, each under its condition", "neither": "neither"}[m[2]]
		if m[2] == "A" || m[2] == "B" {
			out += m[2]
		}
		if m[3] != "" {
			out += "; " + m[3] + " gave way"
		}
		return out
	})
}

// byDebate is how the resolution of a debate that all agreed in begins.
var byDebate = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^By debate, (?:consensus|dominance) after ([0-9]+ rounds?): all hold (A|B|both|neither)(?:, ([^().]*?) by giving way)?`)
})

// maxDisputes bounds the disputes of a paper that are not argued over.
const maxDisputes = 100

// DisputesPaper is all that was disputed in a run that has ended, in Markdown: what is
// still on the docket, then the other conflicts, settled or only possible, then the
// claims that both hold, each under its own condition. "" where there is none of these.
func DisputesPaper(reg claim.Registry, points []claim.Point, questions []scope.Question) string {
	d := newDocketPaper("Disputes", reg)
	d.points(points, questions)
	var rest []claim.Point
	for _, c := range reg.Conflicts {
		if c.Status != claim.Dismissed && !slices.ContainsFunc(points, func(p claim.Point) bool { return slices.Contains(p.Conflicts(), c.ID) }) {
			rest = append(rest, claim.Point{ID: c.ID, Severity: c.Severity, Conflict: c, A: reg.SameAs(c.A), B: reg.SameAs(c.B)})
		}
	}
	var conditions []relation.Relation
	for _, r := range reg.Relations {
		if r.Kind == relation.Condition && r.Condition != "" {
			conditions = append(conditions, r)
		}
	}
	if len(points)+len(rest)+len(conditions) == 0 {
		return ""
	}
	for _, p := range rest[:min(len(rest), maxDisputes)] {
		d.point(p)
	}
	for _, r := range conditions[:min(len(conditions), maxDisputes)] {
		d.condition(r)
	}
	if more := max(0, len(rest)-maxDisputes) + max(0, len(conditions)-maxDisputes); more > 0 {
		fmt.Fprintf(d, "\nThe registry has %d more.\n", more)
	}
	return d.String()
}

// condition shows two claims that both hold, and who says under which condition.
func (d *docketPaper) condition(r relation.Relation) {
	fmt.Fprintf(d, "\n## %s and %s (no conflict: each holds under its own condition)\n\n", r.A, r.B)
	d.claim(r.A)
	d.claim(r.B)
	d.quoted("The condition", r.Condition)
	d.voices(r.Voices)
}

// voices shows what families say who have compared two claims.
func (d *docketPaper) voices(list []relation.Voice) {
	for _, v := range list {
		d.quoted(fmt.Sprintf("A judge of %s who has compared both says %s, which hangs on", plain.Line(v.Family, 40), plainKind(v.Kind)), firstNonEmpty(v.Words, "words it does not name"))
	}
}

// plainKind is a relation in the words that judges are asked with.
func plainKind(k relation.Kind) relation.Kind {
	if k == relation.Wider {
		return relation.Narrower
	}
	return k
}
