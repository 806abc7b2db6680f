package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/source"
)

// maxFailedSources bounds the sources that are named as having failed.
const maxFailedSources = 30

// countsText tells how the report came to be, in numbers the program counted.
func (s *typesetter) countsText() string {
	var b strings.Builder
	b.WriteString(s.iterations())
	b.WriteString(s.claimsCounted())
	b.WriteString(s.sourcesCounted())
	b.WriteString(s.failedSources())
	return b.String()
}

func (s *typesetter) iterations() string {
	n := s.paper.Iterations
	parts := []string{fmt.Sprintf("%d of research", n.Researching)}
	if n.Planning > 0 {
		parts = append(parts, fmt.Sprintf("%d of planning", n.Planning))
	}
	if n.Coding > 0 {
		parts = append(parts, fmt.Sprintf("%d of implementation", n.Coding))
	}
	return fmt.Sprintf("Iterations so far: %d (%s). The figures below were counted by the program, not told by an agent.\n", n.All, strings.Join(parts, ", "))
}

// claimsCounted says how many claims there are in which state, and what
// confidence goes by.
func (s *typesetter) claimsCounted() string {
	state, worth := map[string]int{}, map[claim.Confidence]int{}
	for _, e := range s.entries {
		state[stateOf(e)]++
		if e.Location.State == claim.Located {
			worth[e.Confidence]++
		}
	}
	open := 0
	for _, c := range s.Registry.Conflicts {
		if c.Status == claim.Open || c.Status == claim.StillDivergent {
			open++
		}
	}
	return fmt.Sprintf(`
Claims: %d. Every quotation was looked for in the archived text of its source. Located: %d; not found: %d; could not be checked: %d. Groups of claims that say the same: %d. Conflicts between claims: %d, of which not settled: %d.

A source counts as the better witness the nearer it stands to the matter. Confidence is reckoned by the program:
\begin{description}
\item[High (%d)] a located quotation of an official document, a standard or code, and votes that it supports the claim;
\item[Medium (%d)] a located quotation of another source, one that is elided or nearly alike, or one that nobody has judged;
\item[Low (%d)] a located quotation in doubtful company, such as that of a retracted paper.
\end{description}
`, len(s.entries), state["located"], state["not found"], state["not checked"], len(s.Registry.Groups), len(s.Registry.Conflicts), open,
		worth[claim.High], worth[claim.Medium], worth[claim.Low])
}

// tally is a row of the table of sources.
type tally struct {
	kind  source.Kind
	state string
	n     int
}

// sourcesCounted is the table of sources by kind and by what became of fetching
// them.
func (s *typesetter) sourcesCounted() string {
	var rows []tally
	for _, r := range s.references {
		row := tally{kind: r.ID.Kind, state: cmp.Or(short(r.Source.State, maxHeading), "not fetched")}
		i := slices.IndexFunc(rows, func(c tally) bool { return c.kind == row.kind && c.state == row.state })
		if i < 0 {
			i, rows = len(rows), append(rows, row)
		}
		rows[i].n++
	}
	if len(rows) == 0 {
		return "\nNo source was consulted yet.\n"
	}
	slices.SortFunc(rows, func(a, b tally) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.state, b.state))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "\nSources consulted: %d.\n\n\\begin{longtable}{llr}\n\\toprule\nKind & State & Sources \\\\\n\\midrule\n", len(s.references))
	for _, r := range rows {
		fmt.Fprintf(&b, "{}%s & %s & %d \\\\\n", latexText(string(r.kind)), latexText(r.state), r.n)
	}
	return b.String() + "\\bottomrule\n\\end{longtable}\n"
}

// failedSources lists the sources that could not be had, or should not be trusted.
func (s *typesetter) failedSources() string {
	var list []string
	for _, r := range s.references {
		if r.Source.Retracted || !slices.Contains([]string{"", "live", "moved"}, r.Source.State) {
			list = append(list, short(r.Name, maxNameLetters)+": "+r.remarks())
		}
	}
	if len(list) == 0 {
		return ""
	}
	note := fmt.Sprintf("\nSources that failed or are doubtful: %d.", len(list))
	if len(list) > maxFailedSources {
		note += fmt.Sprintf(" The first %d are named.", maxFailedSources)
	}
	return note + "\n" + itemList(list[:min(len(list), maxFailedSources)])
}
