package vote

import (
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/base/markdown"
)

// Transcript is a debate in Markdown: how it ended, and who said what in which
// round. Words of the seats are escaped: they make no heading, table, image or
// HTML.
func Transcript(r Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Debate %s\n\n- Rounds: %d\n- Equilibrium: %s\n", escaped(r.ThreadID), r.Rounds, r.Equilibrium)
	if r.Insight != "" {
		fmt.Fprintf(&b, "- Key insight: %s\n", escaped(r.Insight))
	}
	if len(r.Points) > 0 {
		b.WriteString("\n| Point | Equilibrium | Side | Evidence |\n|---|---|---|---|\n")
	}
	for _, p := range r.Points {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", escaped(p.Conflict), p.Equilibrium, p.Side, escaped(strings.Join(p.Evidence, ", ")))
	}
	for _, round := range r.History {
		title := fmt.Sprintf("Round %d", round.Number)
		if round.Number == 0 {
			title = "Before the debate"
		}
		fmt.Fprintf(&b, "\n## %s\n", title)
		for _, p := range round.Positions {
			b.WriteString(p.markdown())
		}
		if len(round.Dropped) > 0 {
			b.WriteString("\nLeft out:\n\n")
		}
		for _, d := range round.Dropped {
			fmt.Fprintf(&b, "- %s\n", escaped(d))
		}
	}
	return b.String()
}

func (p Position) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n**%s** on %s: **%s**", escaped(p.Seat), escaped(p.Conflict), p.Side)
	if p.Concession {
		b.WriteString(", conceding")
	}
	b.WriteString("\n\n")
	for _, a := range p.Arguments {
		fmt.Fprintf(&b, "- %s", escaped(a.Claim))
		if a.New {
			b.WriteString(" (recorded in this debate)")
		}
		if a.Because != "" {
			fmt.Fprintf(&b, ": %s", escaped(a.Because))
		}
		b.WriteByte('\n')
	}
	if p.Insight != "" {
		fmt.Fprintf(&b, "- Insight: %s\n", escaped(p.Insight))
	}
	return b.String()
}

// escaped is foreign text in a line of Markdown, every mark taken for itself.
func escaped(s string) string { return markdown.Escape(shortLine(s), false) }
