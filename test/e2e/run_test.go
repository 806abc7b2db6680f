package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
)

const (
	planning   = "# The question, planned\n"
	research   = "# Research\n"
	refinement = "# Refinement\n"
	synthesis  = "# Synthesis\n"
	comparison = "# Comparing Claims\n"
	ballot     = "# Votes on Evidence\n"
	question   = "How does the Go collector pace itself?"
)

// pacing is what the project of a world says of the question.
const pacing = "A cycle starts when the heap reaches its goal size, and the collector paces itself by it.\n"

var found = object{"text": "A cycle starts at the heap goal.", "quote": "A cycle starts when the heap reaches its goal size", "source": "notes.md:1"}

// planned splits any question, where a script says nothing else.
func planned() rule {
	plan := `{"questions":[{"text":"What is it?","answered_by":"a definition"},{"text":"How does it work?","answered_by":"the source that defines it"},{"text":"What goes wrong?","answered_by":"an account of a failure"}]}`
	return rule{said: planning, steps: []step{{write: "{report}", content: plan}, {say: "planned"}}}
}

// looping is a turn of two iterations: a draft, and after the hook has sent
// the seat back a report that is marked complete.
func looping(title string) []step {
	return []step{
		{claim: found},
		{write: "{report}", content: "# " + title + "\n\n## Key Findings\n\nA draft. " + prose + "\n"},
		{say: "first"},
		{write: "{report}", content: "# " + title + "\n\n## Key Findings\n\n" + prose + "\n\n" + agent.Marker + "\n"},
		{say: "second"},
	}
}

// draft is a synthesis that has all it should have.
func draft() string {
	var b strings.Builder
	for _, name := range []string{"Executive Summary", "Key Findings", "Areas of Strong Consensus", "Areas of Disagreement or Nuance", "Novel Insights", "Remaining Open Questions", "Methodology Note"} {
		fmt.Fprintf(&b, "## %s\n\n%s [C1]\n\n", name, prose)
	}
	return b.String() + agent.Marker + "\n"
}

// diligent is a council that does what it is asked, whoever is asked.
func diligent() []rule {
	return []rule{
		{said: synthesis, steps: []step{{write: "{report}", content: draft()}, {say: "written"}}},
		{said: ballot, steps: []step{{write: "{report}", content: `{"id":"C1","answer":"supports","reason":"it says so"}` + "\n" + agent.Marker + "\n"}, {say: "voted"}}},
		{said: refinement, steps: looping("Refined")},
		{said: research, steps: looping("Report")},
		{last: "has ended: completed", steps: []step{{say: "The answer is shown."}}},
		{last: "synthesis", steps: []step{{write: "{report}", content: draft()}, {say: "The report is written."}}},
	}
}

var vendors = map[string]string{"claude": "anthropic", "codex": "openai", "gemini": "google"}

func TestACouncilOfThreeRunsToItsReport(t *testing.T) {
	w := newWorld(t, diligent()...)
	r := w.done(w.council("run", "--seats", "claude,codex,gemini", "--test", "--scope", ".", question))
	require.Zero(t, r.code, r.errs)
	run := w.run()
	require.Equal(t, "completed", w.status(run).Status)
	require.Equal(t, filepath.Join(run, "final-report.md"), strings.TrimSpace(r.out))
	w.complete(run)
	require.Contains(t, content(t, run, "plan.json"), "What goes wrong?", "a cheap model has planned")
	for seat, vendor := range vendors {
		for _, role := range []string{research, refinement} {
			asked := w.asked(vendor, role)
			require.Len(t, asked, 5, "%s %q", seat, role)
			require.Len(t, sessions(asked), 1, "%s loops in one session", seat)
		}
		require.Equal(t, "2\n", content(t, run, "seats", seat, seat+"-state.txt"), "its own hook has sent it back once")
		require.Equal(t, "2\n", content(t, run, "seats", seat, "refinement", seat+"-state.txt"))
	}
	w.nothingRuns()
}

// complete checks what a council of three has to leave.
func (w *world) complete(run string) {
	w.Helper()
	var names []string
	for seat := range vendors {
		names = append(names, seat+"-report.md", seat+"-refined.md")
	}
	require.Empty(w, lacks(run, append(names, "registry.json", "synthesis.md", "final-report.md")...))
	final := content(w.T, run, "final-report.md")
	for _, section := range []string{
		"Executive Summary", "Key Findings", "Areas of Strong Consensus", "Areas of Disagreement or Nuance",
		"Novel Insights", "Remaining Open Questions", "Comprehensive Source List", "Methodology Note",
	} {
		require.Contains(w, final, "\n## "+section+"\n")
	}
	require.Contains(w, final, "notes.md")
	require.NotContains(w, final, "[C1]")
}
