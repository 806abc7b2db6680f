package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"research-council/internal/claim"
	"research-council/internal/score"

	"research-council/internal/plural"
)

// divergence shows both sides of each conflict, whatever became of it. Without
// conflicts there is nothing.
func (p *page) divergence() []string {
	list := slices.Clone(p.Registry.Conflicts)
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b claim.Conflict) int { return cmp.Compare(weight(a), weight(b)) })
	shown := list[:min(len(list), mostRows)]
	var rows []string
	for _, c := range shown {
		rows = append(rows, row(foreign(c.ID, 20), p.side(c.A), p.side(c.B), resolution(c)))
	}
	out := table([]string{"#", "Claim A", "Claim B", "Resolution"}, rows)
	return append(out, p.rest(len(list)-len(shown), "conflict")...)
}

// weight orders conflicts: open before settled, grave before minor.
func weight(c claim.Conflict) int {
	w := slices.Index([]claim.Severity{claim.P0, claim.P1, claim.Minor}, c.Severity)
	if w < 0 {
		w = 3
	}
	if !score.Open(c) {
		w += 4
	}
	return w
}

// side writes one side of a conflict with its quotation and whether that was
// located.
func (p *page) side(id string) string {
	e, ok := p.refs.known[id]
	if !ok {
		return foreign(id, 20) + ", which is not in the registry"
	}
	return fmt.Sprintf("%s: %s %s (%s)", e.ID, foreign(e.Text, claimInCell), p.proof(e), p.presence(e))
}

func (p *page) presence(e claim.Entry) string {
	return "located " + located(e) + after(", ", judgement(e))
}

// resolution says in what two claims differ, how much hangs on it and what
// became of it.
func resolution(c claim.Conflict) string {
	kind := foreign(string(c.Kind), 40) + after(", ", foreign(string(c.Severity), 20)) + after(" (", closed(foreign(c.Detail, 200)))
	what := "**open**: nobody has settled it"
	switch c.Status {
	case "resolved_A":
		what = "resolved for A"
	case "resolved_B":
		what = "resolved for B"
	case "still_divergent":
		what = "**still divergent**"
	}
	return kind + "; " + what + after(": ", foreign(c.Resolution, 400))
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
	add("threadId", cmp.Or(foreignSpan(d.Thread), "none"))
	add("Rounds", fmt.Sprint(d.Rounds))
	add("Equilibrium", cmp.Or(foreign(d.Equilibrium, 200), "none"))
	add("Key insight", cmp.Or(foreign(d.Insight, 1000), "none"))
	if d.Transcript != "" {
		add("Transcript", foreignSpan(d.Transcript))
	}
	return out
}

// gaps says what is missing, how much may be unseen, and what to do about it.
func (p *page) gaps() []string {
	var out []string
	for _, g := range p.missing() {
		out = append(out, "- "+g)
	}
	if len(out) == 0 {
		out = append(out, "No gap was found by the measures above.")
	}
	if p.Score != nil && p.Score.Unseen != nil {
		out = append(out, "", "Claims no seat has found yet: "+unseen(*p.Score.Unseen))
	}
	out = append(out, "", "Next steps, to be pasted into a shell in the project:", "")
	return append(out, fenced(strings.Join(p.steps(), "\n"), "sh")...)
}

// unseen writes an estimate with what it is worth.
func unseen(u score.Unseen) string {
	if u.Reason != "" {
		return foreign(u.String(), 300) + "."
	}
	u.AtLeast = max(u.AtLeast, 0) // a zero may come with a sign
	return foreign(u.String(), 300) + ". This is a lower bound, estimated from how often seats that searched alone found the same."
}

// mostGaps bounds the gaps that are listed.
const mostGaps = 30

func (p *page) missing() []string {
	var list []string
	if p.Score != nil {
		for _, g := range p.Score.Gaps[:min(len(p.Score.Gaps), mostGaps)] {
			list = append(list, foreign(string(g.Dimension), 60)+": "+foreign(g.What, 400)+p.asked(g.What))
		}
	}
	if n := openConflicts(p.Registry.Conflicts); n > 0 {
		list = append(list, plural.Of(n, "conflict")+" open: see "+divergence)
	}
	for _, s := range []struct {
		state claim.State
		what  string
	}{{claim.NotFound, "whose quotation was not found"}, {claim.Unchecked, "whose quotation could not be checked"}} {
		if n := p.count(s.state); n > 0 {
			list = append(list, plural.Of(n, "claim")+" "+s.what)
		}
	}
	return list
}

// asked repeats the questions a gap names by their ids.
func (p *page) asked(what string) string {
	var said []string
	for _, w := range strings.FieldsFunc(what, func(r rune) bool { return strings.ContainsRune(" ,.;:()", r) }) {
		for _, q := range p.Plan.Questions {
			if q.ID == w && q.ID != "Q1" { // the first is the topic, which is the title
				said = append(said, foreign(q.ID+" “"+q.Text, 160)+"”")
			}
		}
	}
	return after(" — ", strings.Join(said, "; "))
}

func (p *page) count(state claim.State) int {
	n := 0
	for _, e := range p.Registry.Entries {
		if e.Location.State == state || state == claim.Unchecked && e.Location.State != claim.Located && e.Location.State != claim.NotFound {
			n++
		}
	}
	return n
}
