package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/source"

	"github.com/research-council/research-council/internal/base/plural"
)

// Bounds of what tables show: rows of each, and runes of a claim and of a
// quotation in a cell. What is beyond is counted, and is in the registry.
const (
	maxRows      = 100
	maxConflicts = 4 // of each sort; disputes.md has all
	claimInCell  = 160
	quotedInCell = 120
)

// row writes a table's row.
func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |" }

// table writes rows below their heads.
func table(heads []string, rows []string) []string {
	return append([]string{row(heads...), "|" + strings.Repeat(" --- |", len(heads))}, rows...)
}

// findings counts what was claimed of each source, by the sort of source.
func (p *page) findings() []string {
	type sourceCount struct {
		first                      claim.Entry
		claims, located, supported int
		read                       bool
	}
	at := map[string]int{}
	var counts []sourceCount
	for _, e := range p.mostImportant(p.Registry.Entries, len(p.Registry.Entries)) {
		if e.Kind.RestsOnClaims() {
			continue
		}
		i, known := at[e.Key]
		if !known {
			i, at[e.Key] = len(counts), len(counts)
			counts = append(counts, sourceCount{first: e})
		}
		counts[i].claims++
		if e.Location.State == claim.Located {
			counts[i].located++
		}
		if e.Verified() {
			counts[i].supported++
		}
		counts[i].read = counts[i].read || e.Location.State != claim.Unchecked
	}
	shown := counts[:min(len(counts), maxRows)]
	slices.SortStableFunc(shown, func(a, b sourceCount) int {
		return cmp.Compare(sourceRank(a.first, a.read), sourceRank(b.first, b.read))
	})
	var rows []string
	for _, c := range shown {
		kind := typeText(c.first)
		if !c.read {
			kind = unread // what its address promises, nobody has seen
		}
		rows = append(rows, row(p.refs.referenceLinks([]claim.Entry{c.first})+" "+sourceName(c.first), kind,
			strconv.Itoa(c.claims), strconv.Itoa(c.located), strconv.Itoa(c.supported)))
	}
	if len(rows) == 0 {
		return nil
	}
	out := table([]string{"Source", "Source Type", "Claims", "Located", "Verified"}, rows)
	return append(out, p.restNote(len(counts)-len(shown), "source")...)
}

// sourceName is what a source is known by: a site, or a file.
func sourceName(e claim.Entry) string {
	s := source.Identify(e.Source)
	switch {
	case s.Kind == source.File:
		return foreignCode(s.Path)
	case source.Host(s.Key) != "":
		return escapeForeign(source.Host(s.Key), 60)
	}
	return escapeForeign(e.Source, 80)
}

// mostImportant picks claims, at most so many, the ones first that most hangs on: those
// the text cites, then the critical that hold, as far as a seat may call claims critical,
// the verified, what answers a question, the disputed, the located.
func (p *page) mostImportant(entries []claim.Entry, most int) []claim.Entry {
	disputed := map[string]bool{}
	for _, c := range p.Registry.Conflicts {
		disputed[c.A], disputed[c.B] = true, true
	}
	cited := map[string]bool{}
	for _, id := range p.cited {
		cited[id] = true
	}
	critical := claim.Critical(p.Registry.Entries)
	weight := func(e claim.Entry) int {
		w := 0
		for i, counts := range []bool{e.Location.State == claim.Located, disputed[e.ID], len(e.Questions) > 0, e.Verified(), critical[e.ID] && e.Holds(), cited[e.ID]} {
			if counts {
				w += 1 << i
			}
		}
		return w
	}
	list := slices.Clone(entries)
	slices.SortStableFunc(list, func(a, b claim.Entry) int { return weight(b) - weight(a) })
	return list[:min(len(list), most)]
}

// restNote says how much a table leaves out, and where that stands.
func (p *page) restNote(n int, noun string) []string {
	if n <= 0 {
		return nil
	}
	return []string{"", fmt.Sprintf("And %s more, less central: `registry.json` and `claims.jsonl` of the run hold them all, `council claims %s` lists them.", plural.Of(n, noun), p.runID())}
}

// sourceRank orders claims by the sort of their source.
func sourceRank(e claim.Entry, read bool) int {
	order := []string{official, program, community, otherTypes, experimented}
	if !read {
		return len(order)
	}
	return slices.Index(order, typeGroup(e.Type))
}

// quotationCell writes the reference to a claim's source and the quotation.
func (p *page) quotationCell(e claim.Entry) string {
	link := p.refs.referenceLinks([]claim.Entry{e})
	if e.Quote == "" {
		return link + " no quotation"
	}
	return link + " “" + shortened(e.Quote, quotedInCell) + "”" + omissions(e.Location, quotedInCell)
}

// typeText is what sort of witness a source is, by the program, with the seat's
// word where that was another.
func typeText(e claim.Entry) string {
	if e.Type == "" {
		return "not stated"
	}
	out := escapeForeign(string(e.Type), 40)
	if strings.HasPrefix(e.TypeWhy, "not established") {
		out += " (nothing more is established)"
	}
	if e.TypeSaid != "" && e.TypeSaid != e.Type && e.Type != claim.Experiment { // a seat has no word for one
		out += "; the researcher says " + escapeForeign(string(e.TypeSaid), 40)
	}
	return out
}

// confidence is what the evidence is worth, and beside it what the seat thought of it
// where that is something else.
func confidence(e claim.Entry) string {
	earned := cmp.Or(e.Confidence, claim.Low)
	if e.Said != "" && e.Said != earned {
		return fmt.Sprintf("%s (the researcher's own: %s)", escapeForeign(string(earned), 20), escapeForeign(string(e.Said), 20))
	}
	return escapeForeign(string(earned), 20)
}

// verdictAdjective is a verdict as an adjective; "" where there is no passage to judge.
func verdictAdjective(e claim.Entry) string {
	if e.Kind.RestsOnClaims() {
		return map[string]string{
			claim.Supports: "judges support it", claim.Qualifies: "judges support it in part", claim.Contradicts: "does not follow",
			claim.Undecided: "judges disagree", claim.Unjudged: "unjudged",
		}[e.Verdict()]
	}
	return map[string]string{
		claim.Supports: "supported", claim.Qualifies: "supported in part", claim.Contradicts: "contradicted",
		claim.Undecided: "judges disagree", claim.Unjudged: "unjudged",
	}[e.Verdict()]
}

// registry lists claims that say the same in one row.
func (p *page) registry() []string {
	entries := p.Registry.Entries
	if len(entries) == 0 {
		return nil
	}
	group := map[string]claim.Group{}
	for _, g := range p.Registry.Groups {
		for _, id := range g.Members {
			group[id] = g
		}
	}
	told, weight := map[string]bool{}, map[string]int{}
	var rows []string
	count := 0
	shown := p.mostImportant(entries, maxRows)
	for i, e := range shown {
		weight[e.ID] = len(shown) - i
	}
	slices.SortStableFunc(shown, func(a, b claim.Entry) int { return cmp.Compare(number(a.ID), number(b.ID)) })
	for _, e := range shown {
		if told[e.ID] {
			continue
		}
		members := p.groupMembers(e, group[e.ID], weight)
		for _, m := range members {
			told[m.ID] = true // those that are not named are in this row too
		}
		count += len(members)
		rows = append(rows, p.registryRow(members, group[e.ID]))
	}
	out := table([]string{"#", "Claim", "Sources", "Consensus", "Status"}, rows)
	return append(out, p.restNote(len(entries)-count, "claim")...)
}

// number is that of an id; 0 when it has none.
func number(id string) int {
	n, _ := strconv.Atoi(strings.TrimLeft(id, "CD")) // 0 is as good as any place
	return n
}

// maxMembers bounds the claims of a group that are named.
const maxMembers = 12

// groupMembers are the claims of a group that are in the registry, each once, the
// claim itself first. Of more than are named those come first that most hangs on.
func (p *page) groupMembers(e claim.Entry, g claim.Group, weight map[string]int) []claim.Entry {
	list := []claim.Entry{e}
	seen := map[string]bool{e.ID: true}
	for _, id := range g.Members {
		if m, ok := p.refs.known[id]; ok && !seen[id] {
			seen[id] = true
			list = append(list, m)
		}
	}
	if len(list) > maxMembers {
		slices.SortStableFunc(list[1:], func(a, b claim.Entry) int { return weight[b.ID] - weight[a.ID] })
	}
	return list
}

func (p *page) registryRow(members []claim.Entry, g claim.Group) string {
	var names, states []string
	seats, families := slices.Clone(g.Seats), slices.Clone(g.Families)
	more := len(members) - maxMembers
	members = members[:min(len(members), maxMembers)]
	for _, m := range members {
		names = append(names, m.ID)
		seats, families = append(seats, m.Seats...), append(families, m.Families...)
		if s := p.stateText(m); !slices.Contains(states, s) {
			states = append(states, s)
		}
	}
	if more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	states = append(states, widerClaims(p.Registry, members)...)
	where := p.refs.referenceLinks(members)
	if members[0].Kind.RestsOnClaims() {
		where = restsOn(members[0]) + withPrefix(": ", where)
		names[0] += ", " + members[0].Kind.String()
	} else if g.ID != "" {
		where = fmt.Sprintf("%d independent: %s", g.Sources, where)
	}
	return row(strings.Join(names, ", "), escapeForeign(members[0].Text, claimInCell), where, agreementText(distinct(seats), distinct(families)), strings.Join(states, "; "))
}

// widerClaims says which claims but these say less than one of them, or say it of more,
// as families have agreed.
func widerClaims(reg claim.Registry, members []claim.Entry) []string {
	var wider []string
	for _, r := range reg.Relations {
		narrow, wide := r.A, r.B
		if r.Kind == relation.Wider {
			narrow, wide = r.B, r.A
		}
		agreed := r.Agreed(relation.Narrower) || r.Agreed(relation.Wider)
		among := func(id string) bool {
			return slices.ContainsFunc(members, func(e claim.Entry) bool { return e.ID == id })
		}
		if agreed && among(narrow) && !among(wide) {
			wider = append(wider, wide)
		}
	}
	if len(wider) == 0 {
		return nil
	}
	wider = distinct(wider)
	return []string{"narrower than " + strings.Join(wider[:min(len(wider), maxMembers)], ", ")}
}

// distinct sorts names, each once.
func distinct(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// agreementText says how many voices a claim has: seats of one family are one.
func agreementText(seats, families []string) string {
	who := escapeForeign(strings.Join(seats, ", "), 200)
	switch {
	case len(seats) < 2:
		return "no: " + who + " alone"
	case len(families) == 0:
		return fmt.Sprintf("**consensus** of %d researchers: %s", len(seats), who)
	case len(families) == 1:
		return fmt.Sprintf("%d researchers of one model: %s", len(seats), who)
	}
	return fmt.Sprintf("**consensus** of %d models: %s", len(families), who)
}

// stateText says where a claim stands: what its evidence is, and which open conflicts
// it has a part in.
func (p *page) stateText(e claim.Entry) string {
	out := p.standing(e)
	for _, c := range p.Registry.Conflicts {
		if (c.A == e.ID || c.B == e.ID) && c.IsOpen() && !c.IsNone() {
			out += ", disputed (" + escapeForeign(c.ID, 20) + ")"
		}
	}
	return out
}

// standing says whether a claim's quotation was located, what judges say of the
// passage, and what the evidence is worth.
func (p *page) standing(e claim.Entry) string {
	out := "not checked"
	switch e.Location.State {
	case claim.Located:
		out = "located"
	case claim.NotFound:
		out = "**not found**"
	case claim.Reasoned:
		out = "drawn from claims that hold"
		if e.Location.Reason != "" {
			out = "drawn in part from what no longer holds: " + escapeForeign(e.Location.Reason, reasonInLine)
		}
	case claim.Withdrawn:
		out = "**withdrawn**"
	case claim.Unfounded:
		out = "**rests on nothing that holds**"
	}
	return out + withPrefix(", ", p.verdictText(e)) + ", confidence " + confidence(e)
}

// verdictText is what the votes say of a claim's passage, with those who say
// otherwise; "" where there is no passage to judge, or nobody has judged any.
func (p *page) verdictText(e claim.Entry) string {
	out := verdictAdjective(e)
	if out == "" || e.Verdict() == claim.Unjudged && !p.refs.judged {
		return ""
	}
	if e.Support == nil {
		return out
	}
	var against []string
	for _, vote := range e.Support.Votes {
		if vote.Answer != e.Verdict() {
			against = append(against, escapeForeign(vote.Family+" "+vote.Answer, 60))
		}
	}
	return out + withPrefix(" (", closeParenthesis(strings.Join(against, ", ")))
}

// coverage writes the four signals and how the score follows from them.
func (p *page) coverage() []string {
	s := p.Score
	if !s.IsMeaningful() {
		return nil
	}
	var rows, sum []string
	for _, g := range s.Signals {
		rows = append(rows, row(escapeForeign(g.Name, 60), fmt.Sprintf("%.0f %%", math.Round(100*g.Value)), escapeForeign(g.Detail, 300)+fmt.Sprintf("; weight %d %%", g.Weight)))
		sum = append(sum, fmt.Sprintf("%d·%s", g.Weight, decimal(g.Value)))
	}
	out := table([]string{"Dimension", "Score", "Detail"}, rows)
	return append(out, "", fmt.Sprintf("%s = %s, times the cap of %s, times the %s of the claims that is sound, at most %s, in whole points: %s. The gate says %s%s.",
		strings.Join(sum, " + "), decimal(s.Raw), formatCap(s.Cap), decimal(s.Sound), decimal(s.Limit), score.FormatScore(s.Final), escapeForeign(string(s.Gate), 40),
		withPrefix(": ", escapeForeign(strings.Join(s.Reasons, "; "), 400))))
}

// decimal writes a number with two places at most.
func decimal(x float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(x, 'f', 2, 64), "0"), ".")
}
