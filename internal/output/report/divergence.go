package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/vote"
)

// divergence shows both sides of each conflict, whatever became of it: one by one those
// that families have agreed on, in a table those that are only possible or turned out
// to be none, and behind them the claims that both hold, each under its condition.
// Without any there is nothing.
func (p *page) divergence() []string {
	list := slices.Clone(p.Registry.Conflicts)
	slices.SortStableFunc(list, func(a, b claim.Conflict) int { return cmp.Compare(conflictRank(a), conflictRank(b)) })
	var agreed, possible []claim.Conflict
	for _, c := range list {
		if c.Possible || c.Status == claim.Dismissed {
			possible = append(possible, c)
			continue
		}
		agreed = append(agreed, c)
	}
	return spaced(spaced(disputes(p, agreed), possibleConflicts(p, possible)), conditions(p))
}

// disputes shows conflicts with all that was said of them.
func disputes(p *page, list []claim.Conflict) []string {
	if len(list) == 0 {
		return nil
	}
	shown := list[:min(len(list), maxConflicts)]
	out := []string{"Families of judges have agreed that not both can hold; opposite recommendations and then what most hangs on come first. What each judge said of them is in `disputes.md` of the run."}
	for _, c := range shown {
		kind := escapeForeign(string(c.Kind), 40)
		if c.Answers {
			kind = "opposite recommendations"
		}
		title := fmt.Sprintf("### %s: %s%s, %s", escapeForeign(c.ID, 20), kind, withPrefix(", ", escapeForeign(string(c.Severity), 20)), vote.Outcome(c))
		said := []string{"- **A:** " + p.conflictSide(c.A), "- **B:** " + p.conflictSide(c.B)}
		add := func(name, words string) {
			if words != "" {
				said = append(said, "- "+name+": "+words)
			}
		}
		add("They differ in", escapeForeign(c.Detail, 200))
		add("Would settle it", escapeForeign(c.Settle, 200))
		add("How it ended", endText(c))
		out = spaced(out, spaced([]string{title}, said))
	}
	return append(out, p.restNote(len(list)-len(shown), "conflict")...)
}

// endText is how a conflict ended, by whom and on what.
func endText(c claim.Conflict) string {
	if c.Resolution == "" {
		return vote.Outcome(c) + "; nobody has settled it"
	}
	return vote.Outcome(c) + ". " + escapeForeign(c.Resolution, 400)
}

// voicesText is what families say who have compared two claims, with the words it
// hangs on for each.
func voicesText(voices []relation.Voice) string {
	var list []string
	for _, v := range voices {
		list = append(list, escapeForeign(v.Family, 40)+": "+escapeForeign(string(v.Kind), 40)+quotedReason(v.Words))
	}
	return strings.Join(list, "; ")
}

// quotedReason is a judge's own words behind what was said; "" for none.
func quotedReason(words string) string {
	if words == "" {
		return ""
	}
	return ", “" + escapeForeign(words, reasonInLine) + "”"
}

// possibleConflicts is a table of what nobody has agreed to be a conflict.
func possibleConflicts(p *page, list []claim.Conflict) []string {
	if len(list) == 0 {
		return nil
	}
	shown := list[:min(len(list), maxConflicts)]
	var rows []string
	for _, c := range shown {
		rows = append(rows, row(escapeForeign(c.ID, 20), p.conflictSide(c.A), p.conflictSide(c.B), resolution(p.Registry, c)))
	}
	out := append([]string{"Possible conflicts alone: the rules of the program, one family of judges or a seat of its own claim say so, and no two families have agreed that not both can hold.", ""},
		table([]string{"#", "Claim", "Claim", "What was said of it"}, rows)...)
	return append(out, p.restNote(len(list)-len(shown), "possible conflict")...)
}

// conflictRank orders conflicts: opposite recommendations first, open before settled, agreed before possible, grave
// before minor.
func conflictRank(c claim.Conflict) int {
	w := slices.Index([]claim.Severity{claim.P0, claim.P1, claim.Minor}, c.Severity)
	if w < 0 {
		w = 3
	}
	if c.Possible {
		w += 4
	}
	if !score.IsOpen(c) {
		w += 16
	}
	if c.Answers {
		w -= 32
	}
	return w
}

// conditions lists pairs of claims that both hold, each under its condition, as
// families say who have compared them.
func conditions(p *page) []string {
	var rows []string
	more := 0
	for _, r := range p.Registry.Relations {
		one, knownOne := p.refs.known[r.A]
		other, knownOther := p.refs.known[r.B]
		switch {
		case r.Kind != relation.Condition || r.Condition == "" || !knownOne || !knownOther:
		case len(rows) == maxConflicts:
			more++
		default:
			single := ""
			if r.Single {
				single = " (as one model family says)"
			}
			rows = append(rows, row(p.briefSide(one), p.briefSide(other), escapeForeign(r.Condition, 200)+single))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	out := append([]string{"No conflict, because each holds under its own condition:", ""}, table([]string{"Claim", "Claim", "Condition"}, rows)...)
	return append(out, p.restNote(more, "pair")...)
}

// briefSide is a claim in a table of many: its id, who says it, its words and sources.
func (p *page) briefSide(e claim.Entry) string {
	return fmt.Sprintf("%s (%s): %s", e.ID, escapeForeign(enumerate(e.Seats), 60), p.claimText(e.ID)+p.refs.referenceLinks([]claim.Entry{e}))
}

// conflictSide writes one side of a conflict with its quotation and whether that was
// located.
func (p *page) conflictSide(id string) string {
	e, ok := p.refs.known[id]
	if !ok {
		return escapeForeign(id, 20) + ", which is not in the registry"
	}
	same := ""
	if others := p.Registry.SameAs(id)[1:]; len(others) > 0 {
		same = ", said by " + strings.Join(others[:min(len(others), maxMembers)], ", ") + " too"
	}
	if e.Kind.RestsOnClaims() {
		return fmt.Sprintf("%s, %s by %s%s: %s %s, %s (%s)", e.ID, e.Kind, escapeForeign(enumerate(e.Seats), 60), same, escapeForeign(e.Text, claimInCell), p.refs.referenceLinks([]claim.Entry{e}), restsOn(e), p.standing(e))
	}
	return fmt.Sprintf("%s%s: %s %s (%s)", e.ID, same, escapeForeign(e.Text, claimInCell), p.quotationCell(e), p.standing(e))
}

// restsOn names what a claim rests on.
func restsOn(e claim.Entry) string {
	if len(e.RestsOn) == 0 {
		return "resting on nothing"
	}
	return "resting on " + escapeForeign(enumerate(e.RestsOn), 120)
}

// resolution says in what two claims possibly disagree, how much hangs on it, who says
// so and what became of it.
func resolution(reg claim.Registry, c claim.Conflict) string {
	kind := escapeForeign(string(c.Kind), 40) + withPrefix(", ", escapeForeign(string(c.Severity), 20)) + withPrefix(" (", closeParenthesis(escapeForeign(c.Detail, 200)))
	if c.Possible {
		kind = "possible, " + kind
	}
	if c.Possible && len(c.SaidBy) > 0 {
		kind += "; a possible conflict, said by " + escapeForeign(enumerate(c.SaidBy), 60)
	}
	return kind + withPrefix("; ", voicesText(vote.Voices(reg, c.A, c.B))) + "; " + endText(c) + withPrefix("; would settle it: ", escapeForeign(c.Settle, 200))
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
			list = append(list, escapeForeign(string(g.Dimension), 60)+": "+escapeForeign(g.What, 400)+p.questionTexts(g.What)+withPrefix(" — cannot be closed here: ", escapeForeign(g.NotHere, 200)))
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
		if e.Kind.RestsOnClaims() {
			continue
		}
		if e.Location.State == state || state == claim.Unchecked && e.Location.State != claim.Located && e.Location.State != claim.NotFound {
			n++
		}
	}
	return n
}
