package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/engine/loop"
	"research-council/internal/evidence/claim"
	"research-council/internal/evidence/score"

	"research-council/internal/base/plural"
)

// metadata says what this research was and what it came to.
func (p *page) metadata() []string {
	var out []string
	add := func(name, value string) {
		if value != "" {
			out = append(out, "- "+name+": "+value)
		}
	}
	add("Mode", p.modeText())
	add("Agents", p.agentsText())
	add("Sources", sourcesBy(p.Registry.Entries))
	add("Score", scoreText(p.Score))
	add("Evidence", p.evidenceText())
	if p.Form == Council {
		add("Debate", p.debateText())
	}
	add("Ran", p.seatsText())
	add("Failed", p.failuresText())
	add("Cost", strings.TrimPrefix(cost(p.Final), "Cost: "))
	for _, w := range slices.Concat(p.Plan.Lowered, p.Warnings) {
		add("Note", escapeForeign(w, 300))
	}
	return out
}

func (p *page) modeText() string {
	mode, from := string(p.Plan.Mode), p.Plan.ModeFrom
	if mode == "" && p.Score != nil {
		mode = string(p.Score.Mode)
	}
	if mode == "" {
		return "not set"
	}
	return escapeForeign(mode, 40) + withPrefix(" (from the ", closeParenthesis(escapeForeign(from, 40)))
}

// closeParenthesis ends a parenthesis, if there is anything in it.
func closeParenthesis(s string) string {
	if s == "" {
		return ""
	}
	return s + ")"
}

// agentsText counts those who researched, and of them those who delivered.
func (p *page) agentsText() string {
	var all, good []string
	for _, s := range p.Seats {
		if role, _, _ := strings.Cut(s.Role, " "); role != p.Form.researchRole() {
			continue
		}
		all = append(all, s.Name)
		if !hasFailed(s) {
			good = append(good, s.Name)
		}
	}
	var notes []string
	if p.Plan.Agents > len(all) {
		notes = append(notes, fmt.Sprintf("%d were planned", p.Plan.Agents))
	}
	if len(good) < len(all) {
		notes = append(notes, fmt.Sprintf("%d of them delivered", len(good)))
	}
	return strconv.Itoa(len(all)) + withPrefix(" (", closeParenthesis(strings.Join(notes, ", ")))
}

// researchRole is the role of those who look for evidence.
func (f Form) researchRole() string {
	if f == Staged {
		return agent.Collection
	}
	return agent.Research
}

// hasFailed reports whether a seat's turn came to nothing.
func hasFailed(s SeatLine) bool { return !loop.Outcome(s.Outcome).Good() }

// sourcesBy counts the distinct sources of a registry by type. A standard is
// an official source; of a source that claims call different things, the
// first word counts.
func sourcesBy(entries []claim.Entry) string {
	types, located := map[string]string{}, map[string]bool{}
	n := map[string]int{}
	for _, e := range entries {
		if _, seen := types[e.Key]; !seen {
			types[e.Key] = typeGroup(e.Type)
			n[typeGroup(e.Type)]++
		}
		if e.Location.State == claim.Located {
			located[e.Key] = true
		}
	}
	parts := []string{fmt.Sprintf("%d official", n[official]), fmt.Sprintf("%d code", n[program]), fmt.Sprintf("%d community", n[community])}
	if n[otherTypes] > 0 {
		parts = append(parts, fmt.Sprintf("%d of no stated type", n[otherTypes]))
	}
	return fmt.Sprintf("%d (%s); quotations located in %d", len(types), strings.Join(parts, ", "), len(located))
}

// Kinds of source that are counted.
const (
	official   = "official"
	program    = "code"
	community  = "community"
	otherTypes = ""
)

func typeGroup(t claim.SourceType) string {
	switch t {
	case claim.Official, claim.Standard:
		return official
	case claim.Code:
		return program
	case claim.Community, claim.Publication:
		return community
	}
	return otherTypes
}

// scoreText writes a score.
func scoreText(r *score.Result) string {
	if r == nil {
		return "not computed"
	}
	out := fmt.Sprintf("%s/100 (confidence cap: %s", score.FormatScore(r.Final), formatCap(r.Cap)) + withPrefix("; ", escapeForeign(r.CapReason, 200)) + ")"
	if r.Limit < 100 {
		out += fmt.Sprintf("; at most %.0f, because located sources are of fewer than two types", r.Limit)
	}
	return out
}

func formatCap(c float64) string {
	s := strconv.FormatFloat(c, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// evidenceText counts claims and their quotations.
func (p *page) evidenceText() string {
	n, votes := map[claim.State]int{}, map[string]int{}
	for _, e := range p.Registry.Entries {
		n[e.Location.State]++
		votes[e.Verdict()]++
	}
	total := len(p.Registry.Entries)
	out := fmt.Sprintf("%s; quotations located %d, not found %d, not checked %d",
		plural.Of(total, "claim"), n[claim.Located], n[claim.NotFound], total-n[claim.Located]-n[claim.NotFound])
	if located := n[claim.Located]; located > 0 {
		out += fmt.Sprintf("; verified %d (judges have voted that their passages support them), qualified %d, contradicted %d, undecided %d, located and unjudged %d",
			votes[claim.Supports], votes[claim.Qualifies], votes[claim.Contradicts], votes[claim.Undecided], votes[claim.Unjudged])
	}
	if c := len(p.Registry.Conflicts); c > 0 {
		out += fmt.Sprintf("; %s, %d of them open", plural.Of(c, "conflict"), openConflicts(p.Registry.Conflicts))
	}
	return out
}

func openConflicts(list []claim.Conflict) int {
	n := 0
	for _, c := range list {
		if score.IsOpen(c) {
			n++
		}
	}
	return n
}

func (p *page) debateText() string {
	switch {
	case p.Debate != nil:
		return "held; see " + debateEnd
	case p.Score != nil && len(p.Score.Reasons) > 0:
		return fmt.Sprintf("none held; the gate said %s: %s", escapeForeign(string(p.Score.Gate), 40), escapeForeign(strings.Join(p.Score.Reasons, "; "), 400))
	}
	return ""
}

// seatsText names the seats with their models, each once.
func (p *page) seatsText() string {
	var names []string
	for _, s := range p.Seats {
		name := escapeForeign(s.Name, 60)
		if s.Model != "" {
			name += " with " + foreignCode(s.Model)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "no seat"
	}
	return strings.Join(names, "; ")
}

// failuresText names the turns that came to nothing, and who could not take part.
func (p *page) failuresText() string {
	var list []string
	for _, s := range p.Seats {
		if hasFailed(s) {
			list = append(list, escapeForeign(s.Name, 60)+" in "+escapeForeign(s.Role, 40)+withPrefix(": ", strings.TrimRight(escapeForeign(s.Reason, 200), ".")))
		}
	}
	for _, m := range p.Missing {
		list = append(list, "missing "+strings.TrimRight(escapeForeign(m, 200), "."))
	}
	if len(list) == 0 {
		return "nobody"
	}
	return strings.Join(list, "; ")
}
