package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/vote"
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
	add("Score", p.scoreText())
	add("Judged", p.judgedText())
	if p.Form == Council {
		add("Debate", p.debateText())
	}
	for _, w := range slices.Concat(p.Plan.Lowered, p.Warnings) {
		add("Note", escapeForeign(w, 300))
	}
	return append(out, p.runFacts()...)
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

// sourcesBy counts the distinct sources of a registry by type, those apart that nobody
// could read. A standard is an official source; of a source that claims call different
// things, the first word counts.
func sourcesBy(entries []claim.Entry) string {
	types, read, located := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		for _, p := range e.Evidence() {
			if _, seen := types[p.Key]; !seen {
				types[p.Key] = typeGroup(p.Type)
			}
			read[p.Key] = read[p.Key] || p.Location.State != claim.Unchecked
			located[p.Key] = located[p.Key] || p.Location.State == claim.Located
		}
	}
	n, found := map[string]int{}, 0
	for key, t := range types {
		if !read[key] {
			t = unread
		}
		n[t]++
		if located[key] {
			found++
		}
	}
	parts := []string{fmt.Sprintf("%d official", n[official]), fmt.Sprintf("%d code", n[program]), fmt.Sprintf("%d community", n[community])}
	if n[experimented] > 0 {
		parts = append(parts, plural.Of(n[experimented], "experiment"))
	}
	if n[otherTypes] > 0 {
		parts = append(parts, fmt.Sprintf("%d of no stated type", n[otherTypes]))
	}
	if n[unread] > 0 {
		parts = append(parts, fmt.Sprintf("%d not read", n[unread]))
	}
	return fmt.Sprintf("%d (%s); quotations located in %d", len(types), strings.Join(parts, ", "), found)
}

// Kinds of source that are counted.
const (
	official     = "official"
	program      = "code"
	community    = "community"
	experimented = "experiment"
	otherTypes   = ""
	unread       = "not read"
)

func typeGroup(t claim.SourceType) string {
	switch t {
	case claim.Official, claim.Standard:
		return official
	case claim.Code:
		return program
	case claim.Community, claim.Publication:
		return community
	case claim.Experiment:
		return experimented
	}
	return otherTypes
}

// scoreText writes the score, which measures coverage.
func (p *page) scoreText() string {
	r := p.Score
	switch {
	case r == nil:
		return "not computed"
	case !r.IsMeaningful():
		return "none: no model took part"
	}
	out := fmt.Sprintf("%s/100 (coverage; confidence cap: %s", score.FormatScore(r.Final), formatCap(r.Cap)) + withPrefix("; ", escapeForeign(r.CapReason, 200)) + ")"
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

// judgedText counts what judges say of the located passages, and the conflicts.
func (p *page) judgedText() string {
	located, votes := 0, map[string]int{}
	for _, e := range p.Registry.Entries {
		if e.Kind.RestsOnClaims() {
			continue
		}
		if e.Location.State == claim.Located {
			located++
		}
		votes[e.Verdict()]++
	}
	for _, e := range p.withdrawn {
		if e.WasRefuted() && !e.Kind.RestsOnClaims() {
			votes[claim.Contradicts]++ // who takes it back afterwards does not undo the votes
		}
	}
	var said []string
	if located > 0 || votes[claim.Contradicts] > 0 {
		said = append(said, fmt.Sprintf("verified %d (judges have voted that their passages support them), qualified %d, contradicted %d, undecided %d, located and unjudged %d",
			votes[claim.Supports], votes[claim.Qualifies], votes[claim.Contradicts], votes[claim.Undecided], votes[claim.Unjudged]))
	}
	if all := vote.Tally(p.Registry.Conflicts); all != "" {
		said = append(said, all)
	}
	return strings.Join(said, "; ")
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
