package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/test/cli"
)

// evidence is what each seat claims, of files that are there: two say one
// thing and one another, and codex adds what no file says.
var evidence = map[string]struct{ limit, file string }{
	"claude": {"20", "a.md"}, "codex": {"30", "b.md"}, "gemini": {"30", "c.md"},
}

func said(limit string) string {
	return fmt.Sprintf("The upload limit of the service is %s megabytes for every single file.", limit)
}

// arguing is a council that disagrees: each vendor claims, votes and debates
// in its own words.
func arguing() []rule {
	list := []rule{
		{said: synthesis, steps: []step{{write: "{report}", content: draft()}, {say: "written"}}},
		{said: refinement, steps: looping("Refined")[1:]},
	}
	votes := map[string][]string{"claude": {"C2", "C3"}, "codex": {"C1", "C3"}, "gemini": {"C1", "C2"}}
	for seat, vendor := range vendors {
		e := evidence[seat]
		claims := []step{{claim: object{"text": said(e.limit), "quote": said(e.limit), "source": e.file + ":1", "source_type": "official_doc", "critical": true, "questions": []string{"Q1"}}}}
		if seat == "codex" {
			claims = append(claims, step{claim: object{"text": "There is no limit at all on weekends.", "quote": "There is no limit at all for files on weekends and holidays.", "source": "b.md:1"}})
		}
		var answers string
		for _, id := range votes[seat] {
			answers += fmt.Sprintf(`{"id":%q,"answer":"supports","reason":"it says so"}`+"\n", id)
		}
		side := map[string]string{"20": "A", "30": "B"}[e.limit]
		position := fmt.Sprintf(`{"conflict":"D1","side":%q,"arguments":[{"claim":%q,"because":"it is the page itself"}],"insight":"the limit depends on the plan"}`+"\n",
			side, map[string]string{"A": "C1", "B": "C2"}[side])
		marked := agent.Marker + "\n"
		const pairs = `{"pairs":[{"pair":"C1/C2","relation":"contradicts","dispute":"fact","words":"20 / 30"},{"pair":"C1/C3","relation":"unrelated"},{"pair":"C2/C3","relation":"unrelated"}]}` + "\n"
		list = append(list,
			rule{vendor: vendor, said: comparison, steps: []step{{write: "{report}", content: pairs}, {say: "compared"}}},
			rule{vendor: vendor, said: ballot, steps: []step{{write: "{report}", content: answers + marked}, {say: "voted"}}},
			rule{vendor: vendor, said: "# Debate\n", steps: []step{{write: "{report}", content: position + marked}, {say: "argued"}}},
			rule{vendor: vendor, said: research, steps: append(claims, looping("Report")[1:]...)},
		)
	}
	return list
}

// TestACouncilThatDisagreesVotesAndDebates drives the real command lines from
// the plan to a report whose every quotation is verified.
func TestACouncilThatDisagreesVotesAndDebates(t *testing.T) {
	cli.InMatrix(t)
	w := newWorld(t, arguing()...)
	docs := filepath.Join(w.project, "docs")
	require.NoError(t, os.Mkdir(docs, 0o700))
	for _, e := range evidence {
		require.NoError(t, os.WriteFile(filepath.Join(docs, e.file), []byte(said(e.limit)+" See "+e.file+" for more on the subject, which differs.\n"), 0o600))
	}
	r := w.done(w.council("run", "--seats", "claude,codex,gemini", "--test", "--scope", "docs", "--mode", "exploratory", question))
	require.Zero(t, r.code, r.errs)
	run := w.run()
	log := content(t, run, "progress.log")
	require.Equal(t, 3, strings.Count(log, " support starting"), "each family votes once\n%s", log)
	require.Equal(t, 3, strings.Count(log, " debate starting"), "and debates until a round moves nobody from what they have claimed\n%s", log)
	var reg struct {
		Entries []struct {
			ID       string
			Families []string
			Location struct{ State string }
			Support  *struct{ Verdict string }
		}
		Conflicts []struct{ Kind, Severity, Status string }
	}
	require.NoError(t, json.Unmarshal([]byte(content(t, run, "registry.json")), &reg))
	require.Len(t, reg.Entries, 3, "the desk refuses what stands nowhere")
	states := map[string]string{}
	for _, e := range reg.Entries {
		states[e.ID] = e.Location.State
		if e.Location.State == "located" {
			require.NotNil(t, e.Support, "%s was voted on\n%s", e.ID, log)
			require.Equal(t, "supports", e.Support.Verdict)
		}
	}
	require.Equal(t, map[string]string{"C1": "located", "C2": "located", "C3": "located"}, states)
	require.Len(t, reg.Conflicts, 1, "the two that agree are one voice against the third")
	require.Equal(t, "still_divergent", reg.Conflicts[0].Status)
	require.Contains(t, content(t, run, "debate.md"), "the limit depends on the plan")
	final := content(t, run, "final-report.md")
	for _, part := range []string{"## Divergence", "## Debate Conclusion", "stable disagreement", "20 megabytes", "30 megabytes"} {
		require.Contains(t, final, part)
	}
	verified := w.done(w.council("verify"))
	require.Zero(t, verified.code, verified.out+verified.errs)
	require.Contains(t, verified.out, "3 quotations found again")
	w.nothingRuns()
}
