package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"research-council/internal/evidence/claim"
	"research-council/internal/evidence/score"
)

// divergence shows both sides of each conflict, whatever became of it. Without
// conflicts there is nothing.
func (p *page) divergence() []string {
	list := slices.Clone(p.Registry.Conflicts)
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b claim.Conflict) int { return cmp.Compare(conflictRank(a), conflictRank(b)) })
	shown := list[:min(len(list), maxConflicts)]
	var rows []string
	for _, c := range shown {
		rows = append(rows, row(escapeForeign(c.ID, 20), p.conflictSide(c.A), p.conflictSide(c.B), resolution(c)))
	}
	out := table([]string{"#", "Claim A", "Claim B", "Resolution"}, rows)
	return append(out, p.restNote(len(list)-len(shown), "conflict")...)
}

// conflictRank orders conflicts: open before settled, grave before minor.
func conflictRank(c claim.Conflict) int {
	w := slices.Index([]claim.Severity{claim.P0, claim.P1, claim.Minor}, c.Severity)
	if w < 0 {
		w = 3
	}
	if !score.IsOpen(c) {
		w += 4
	}
	return w
}

// conflictSide writes one side of a conflict with its quotation and whether that was
// located.
func (p *page) conflictSide(id string) string {
	e, ok := p.refs.known[id]
	if !ok {
		return escapeForeign(id, 20) + ", which is not in the registry"
	}
	return fmt.Sprintf("%s: %s %s (%s)", e.ID, escapeForeign(e.Text, claimInCell), p.quotationCell(e), p.standing(e))
}

// resolution says in what two claims differ, how much hangs on it and what
// became of it.
func resolution(c claim.Conflict) string {
	possible := ""
	if c.Possible {
		possible = "possibly, "
	}
	kind := possible + escapeForeign(string(c.Kind), 40) + withPrefix(", ", escapeForeign(string(c.Severity), 20)) + withPrefix(" (", closeParenthesis(escapeForeign(c.Detail, 200)))
	what := "**open**: nobody has settled it"
	switch c.Status {
	case "resolved_A":
		what = "resolved for A"
	case "resolved_B":
		what = "resolved for B"
	case "still_divergent":
		what = "**still divergent**"
	case claim.Dismissed:
		what = "no conflict"
	}
	return kind + "; " + what + withPrefix(": ", escapeForeign(c.Resolution, 200)) + withPrefix("; would settle it: ", escapeForeign(c.Settle, 200))
}

// Debate is what a debate came to.
type Debate struct {
	Thread      string // its id
	Rounds      int
	Equilibrium string // how it ended
	Insight     string // what came out of it; words of seats
	Transcript  string // the file of it in the run's folder
}

// debate writes what a debate came to; without one there is nothing.
func (p *page) debate() []string {
	d := p.Debate
	if d == nil {
		return nil
	}
	var out []string
	add := func(name, value string) { out = append(out, "- "+name+": "+value) }
	add("threadId", cmp.Or(foreignCode(d.Thread), "none"))
	add("Rounds", fmt.Sprint(d.Rounds))
	add("Equilibrium", cmp.Or(escapeForeign(d.Equilibrium, 200), "none"))
	add("Key insight", cmp.Or(escapeForeign(d.Insight, 1000), "none"))
	if d.Transcript != "" {
		add("Transcript", foreignCode(d.Transcript))
	}
	return out
}

// gaps says what is missing, how much may be unseen, and what to do about it.
func (p *page) gaps() []string {
	var out []string
	for _, g := range p.missing() {
		out = append(out, "- "+g)
	}
	if p.Score != nil && p.Score.Unseen != nil {
		out = spaced(out, []string{"Claims no seat has found yet: " + unseen(*p.Score.Unseen)})
	}
	out = spaced(out, []string{"Next steps, to be pasted into a shell in the project:", ""})
	return append(out, fenced(strings.Join(p.nextSteps(), "\n"), "sh")...)
}

// unseen writes an estimate with what it is worth.
func unseen(u score.Unseen) string {
	if u.Reason != "" {
		return escapeForeign(u.String(), 300) + "."
	}
	u.AtLeast = max(u.AtLeast, 0) // a zero may come with a sign
	return escapeForeign(u.String(), 300) + ". This is a lower bound, estimated from how often seats that searched alone found the same."
}

// maxGaps bounds the gaps that are listed.
const maxGaps = 30

func (p *page) missing() []string {
	var list []string
	if p.Score.IsMeaningful() {
		for _, g := range p.Score.Gaps[:min(len(p.Score.Gaps), maxGaps)] {
			list = append(list, escapeForeign(string(g.Dimension), 60)+": "+escapeForeign(g.What, 400)+p.questionTexts(g.What))
		}
	}
	return list
}

// questionTexts repeats the questions a gap names by their ids.
func (p *page) questionTexts(what string) string {
	var said []string
	for _, w := range strings.FieldsFunc(what, func(r rune) bool { return strings.ContainsRune(" ,.;:()", r) }) {
		for _, q := range p.Plan.Questions {
			if q.ID == w && q.ID != "Q1" { // the first is the topic, which is the title
				said = append(said, escapeForeign(q.ID+" “"+q.Text, 160)+"”")
			}
		}
	}
	return withPrefix(" — ", strings.Join(said, "; "))
}

func (p *page) countState(state claim.State) int {
	n := 0
	for _, e := range p.Registry.Entries {
		if e.Location.State == state || state == claim.Unchecked && e.Location.State != claim.Located && e.Location.State != claim.NotFound {
			n++
		}
	}
	return n
}
