package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/vote"
)

// disputeSection writes of a page what is disputed.
type disputeSection struct{ *page }

// sortedConflicts gives the conflicts that families have agreed on, what the answer
// hangs on first: those that are open before those that are settled, and these before
// those of which a side was withdrawn; then opposite recommendations, what the text
// speaks of, and what is grave. Behind them those that are only possible or turned out
// to be none; what is between the same groups as another is no conflict of its own.
func (p disputeSection) sortedConflicts() (agreed, possible []claim.Conflict) {
	for _, c := range p.Registry.Conflicts {
		switch {
		case c.Status == claim.Dismissed && p.isSaidBefore(c):
		case c.Possible || c.Status == claim.Dismissed:
			possible = append(possible, c)
		default:
			agreed = append(agreed, c)
		}
	}
	rank := func(c claim.Conflict) int {
		w := slices.Index([]claim.Severity{claim.P0, claim.P1, claim.Minor}, cmp.Or(c.Severity, claim.Minor))
		for i, less := range []bool{!p.refs.named[c.A] && !p.refs.named[c.B], !c.Answers, p.isMoot(c), !score.IsOpen(c)} {
			if less {
				w += 4 << i
			}
		}
		return w
	}
	for _, list := range [][]claim.Conflict{agreed, possible} {
		slices.SortStableFunc(list, func(a, b claim.Conflict) int { return cmp.Compare(rank(a), rank(b)) })
	}
	return agreed, possible
}

// isSaidBefore reports whether another conflict, which stands, is between the groups of
// one.
func (p disputeSection) isSaidBefore(c claim.Conflict) bool {
	one, other := p.Registry.SameAs(c.A), p.Registry.SameAs(c.B)
	return slices.ContainsFunc(p.Registry.Conflicts, func(o claim.Conflict) bool {
		return o.ID != c.ID && o.Status != claim.Dismissed &&
			(slices.Contains(one, o.A) && slices.Contains(other, o.B) || slices.Contains(one, o.B) && slices.Contains(other, o.A))
	})
}

// isMoot reports whether a side of a conflict is claimed by nobody any more.
func (p disputeSection) isMoot(c claim.Conflict) bool {
	return p.refs.known[c.A].IsWithdrawn() || p.refs.known[c.B].IsWithdrawn()
}

// mostDisputes is how many conflicts the body shows at most: none that is moot.
func (p disputeSection) mostDisputes() int {
	live := slices.IndexFunc(p.disputes, func(c claim.Conflict) bool { return p.isMoot(c) && !score.IsOpen(c) })
	if live < 0 {
		live = len(p.disputes)
	}
	return min(live, maxDisputes)
}

// divergence shows both sides of the conflicts that most hangs on, and says what others
// there are and where they stand. Without any there is nothing.
func (p disputeSection) divergence() []string {
	var out []string
	shown := p.disputes[:p.shown[divergence]]
	if len(shown) > 0 {
		out = []string{sentence(vote.Tally(p.Registry.Conflicts)) + " Shown are those that judges of two models confirmed, what most hangs on first. What each judge said is in " + disputesLink + "."}
	}
	for _, c := range shown {
		out = spaced(out, p.dispute(c))
	}
	if rest := p.otherDisputes(); rest != "" {
		out = spaced(out, []string{rest})
	}
	return out
}

// otherDisputes counts what was disputed and is not shown in the body, and says where it
// stands.
func (p disputeSection) otherDisputes() string {
	left, none, pairs := len(p.disputes)-p.shown[divergence], 0, ""
	for _, c := range p.possible {
		if c.IsNone() {
			none++
		} else {
			left++
		}
	}
	switch n := len(p.conditional()); {
	case n == 1:
		pairs = "1 pair of claims that both hold, each under its own condition"
	case n > 1:
		pairs = fmt.Sprintf("%d pairs of claims that both hold, each under its own condition", n)
	}
	var list []string
	if left > 0 {
		list = append(list, plural.Of(left, "dispute"))
	}
	if none > 0 {
		list = append(list, plural.Of(none, "conflict")+" found to be none")
	}
	if pairs != "" {
		list = append(list, pairs)
	}
	if len(list) == 0 {
		return ""
	}
	what, words := "What is not shown here, ", ""
	if p.shown[divergence] == 0 {
		what, words = "All that was disputed, ", ", and with the words of the judges in "+disputesLink
	}
	return what + enumerate(list) + ", stands under " + moreDisputes + " in the appendix" + words + "."
}

// disputesLink leads to the file beside the report that has all that was disputed.
const disputesLink = "[disputes.md](disputes.md)"

// dispute shows a conflict: both sides, in what they differ, what would settle it or how
// it ended.
func (p disputeSection) dispute(c claim.Conflict) []string {
	kind := cmp.Or(escapeForeign(string(c.Kind), 40), "conflict")
	if c.Answers {
		kind = "opposite recommendations"
	}
	title := fmt.Sprintf("### %s: %s, %s", escapeForeign(c.ID, 20), kind, vote.Outcome(c))
	said := []string{"- **A" + fateOf(c, claim.ResolvedA, claim.ResolvedB) + ":** " + p.disputeSide(c.A), "- **B" + fateOf(c, claim.ResolvedB, claim.ResolvedA) + ":** " + p.disputeSide(c.B)}
	differ := withPrefix("They differ in: ", sentence(whole(c.Detail, detailInLine)))
	end := withPrefix("How it ended: ", sentence(whole(listedIDs().ReplaceAllString(vote.Ending(c), ""), resolutionInBody)))
	if score.IsOpen(c) {
		end = strings.TrimSpace(withPrefix("Would settle it: ", sentence(whole(c.Settle, detailInLine))) + " " + end)
	}
	if last := strings.TrimSpace(differ + " " + end); last != "" {
		said = append(said, "- "+last)
	}
	return spaced([]string{title}, said)
}

// fateOf says of a side whether it holds, once that is settled: won is the status that
// says so, lost the one that says it of the other.
func fateOf(c claim.Conflict, won, lost string) string {
	switch c.Status {
	case won:
		return ", which holds"
	case lost:
		return ", which does not"
	}
	return ""
}

// Bounds of what is said of a dispute, in runes.
const (
	detailInLine     = 200
	resolutionInBody = 400
)

// listedIDs are the claims in parentheses that a resolution was founded on: disputes.md
// has them.
var listedIDs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*\(C[0-9]+(?:, C[0-9]+)*\)`) })

// disputeSide is a side of a conflict: its claim, who says it or the same, its sources, a
// fact's quotation, and where it stands.
func (p disputeSection) disputeSide(id string) string {
	e, ok := p.refs.known[id]
	if !ok {
		return escapeForeign(id, 20) + ", which is not in the registry"
	}
	who := e.ID + withPrefix(" (", closeParenthesis(escapeForeign(enumerate(p.holdersOf(id)), 120)))
	if e.Kind.RestsOnClaims() {
		return fmt.Sprintf("%s: %s%s (%s)", who, whole(e.Text, wholeClaim), p.refs.referenceLinks([]claim.Entry{e}), p.standing(e))
	}
	return fmt.Sprintf("%s: %s %s (%s)", who, whole(e.Text, wholeClaim), p.quotationCell(e), p.standing(e))
}

// holdersOf are the seats that make a claim, and behind them those that make others of
// its group, unless these were withdrawn.
func (p disputeSection) holdersOf(id string) []string {
	var seats []string
	for _, same := range p.Registry.SameAs(id) {
		e := p.refs.known[same]
		if same != id && e.IsWithdrawn() {
			continue
		}
		for _, seat := range e.Seats {
			if !slices.Contains(seats, seat) {
				seats = append(seats, seat)
			}
		}
	}
	return seats
}

// furtherDisputes are the conflicts that the body does not show: one by one those that
// families have agreed on, in tables those that are only possible and those that turned
// out to be none, and behind them the claims that both hold, each under its condition.
func (p disputeSection) furtherDisputes() []string {
	var out []string
	rest := p.disputes[p.shown[divergence]:]
	if len(rest) > 0 {
		out = []string{"Judges of two models have confirmed these disputes too."}
	}
	for _, c := range rest[:min(len(rest), maxConflicts)] {
		out = spaced(out, p.dispute(c))
	}
	out = append(out, p.restNote(len(rest)-maxConflicts, "conflict")...)
	var open, none []claim.Conflict
	for _, c := range p.possible {
		if c.IsNone() {
			none = append(none, c)
		} else {
			open = append(open, c)
		}
	}
	out = spaced(out, p.conflictTable("Possible disputes alone: the rules of the program, judges of one model or a researcher say so, and no judges of two models have agreed that not both can hold.", open))
	out = spaced(out, p.conflictTable("Taken for disputes at first, and found to be none:", none))
	return spaced(out, conditions(p))
}

// endText is how a conflict ended, by whom and on what.
func endText(c claim.Conflict) string {
	if c.Resolution == "" {
		return vote.Outcome(c) + "; nobody has settled it"
	}
	return vote.Outcome(c) + ". " + escapeForeign(vote.Ending(c), 400)
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

// conflictTable is a table of conflicts below what they are.
func (p disputeSection) conflictTable(what string, list []claim.Conflict) []string {
	if len(list) == 0 {
		return nil
	}
	shown := list[:min(len(list), maxConflicts)]
	var rows []string
	for _, c := range shown {
		rows = append(rows, row(escapeForeign(c.ID, 20), p.disputeSide(c.A), p.disputeSide(c.B), resolution(p.Registry, c)))
	}
	out := append([]string{what, ""}, table([]string{"#", "Claim", "Claim", "What was said of it"}, rows)...)
	return append(out, p.restNote(len(list)-len(shown), "conflict")...)
}

// conditional are pairs of claims that both hold, each under its condition, as families
// say who have compared them.
func (p disputeSection) conditional() []relation.Relation {
	var list []relation.Relation
	for _, r := range p.Registry.Relations {
		_, knownA := p.refs.known[r.A]
		_, knownB := p.refs.known[r.B]
		if r.Kind == relation.Condition && r.Condition != "" && knownA && knownB {
			list = append(list, r)
		}
	}
	return list
}

// conditions is a table of the pairs that both hold.
func conditions(p disputeSection) []string {
	var rows []string
	list := p.conditional()
	for _, r := range list[:min(len(list), maxConflicts)] {
		single := ""
		if r.Single {
			single = " (as judges of one model say)"
		}
		rows = append(rows, row(p.briefSide(p.refs.known[r.A]), p.briefSide(p.refs.known[r.B]), escapeForeign(r.Condition, 200)+single))
	}
	if len(rows) == 0 {
		return nil
	}
	out := append([]string{"No conflict, because each holds under its own condition:", ""}, table([]string{"Claim", "Claim", "Condition"}, rows)...)
	return append(out, p.restNote(len(list)-len(rows), "pair")...)
}

// briefSide is a claim in a table of many: its id, who says it, its words, and of a fact
// its sources.
func (p disputeSection) briefSide(e claim.Entry) string {
	links := ""
	if !e.Kind.RestsOnClaims() {
		links = p.refs.referenceLinks([]claim.Entry{e})
	}
	return fmt.Sprintf("%s (%s): %s", e.ID, escapeForeign(enumerate(e.Seats), 60), p.claimText(e.ID)+links)
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
	if c.SameToAll {
		kind += "; those who compared them call them the same"
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
		out = spaced(out, []string{"Claims no researcher has found yet: " + unseen(*p.Score.Unseen)})
	}
	out = spaced(out, []string{"Next steps, to be pasted into a shell in the project:", ""})
	return append(out, fenced(strings.Join(p.nextSteps(), "\n"), "sh")...)
}

// unseen writes an estimate with what it is worth.
func unseen(u score.Unseen) string {
	if u.Reason != "" {
		return escapeForeign(strings.ReplaceAll(u.String(), "seat", "researcher"), 300) + "."
	}
	u.AtLeast = max(u.AtLeast, 0) // a zero may come with a sign
	return escapeForeign(strings.ReplaceAll(u.String(), "seat", "researcher"), 300) + ". This is a lower bound, estimated from how often researchers that searched alone found the same."
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
