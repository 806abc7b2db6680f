package product_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product"
)

// The smallest product there is: one seat writes a note, and the program counts
// its words. docs/ARCHITECTURE.md shows it.

type notes struct{}

type noteSetup struct {
	Words int `json:"words"`
}

func (notes) Workflow(s flow.Setup) (flow.Workflow, bool) {
	asked := flow.Held[noteSetup](s.Own, "notes")
	return flow.Workflow{Name: "notes", Stages: []flow.Stage{
		{Name: "write", Phase: "write", Visits: 1, Spent: flow.Fail, Plan: write, Gate: next},
		{Name: "count", Phase: "count", Visits: 1, Spent: flow.Fail, Plan: count, Gate: counted},
	}}, asked != nil
}

func write(r flow.Run) []flow.Task {
	s := r.Setup.Seats[0]
	return []flow.Task{{ID: "write.1/" + s.Name, Seat: s.Name, Brand: s.Brand, Role: "write", Writes: "note.md", Rule: loop.Rule{Iterations: 1, Retries: 1, Stuck: 1}}}
}

func count(flow.Run) []flow.Task {
	return []flow.Task{{ID: "count.1/" + flow.Program, Seat: flow.Program, Brand: flow.Program, Role: "count", Writes: flow.FinalReport, Free: true, Rule: loop.Rule{Iterations: 1, Retries: 1, Stuck: 1}}}
}

func next(r flow.Run) flow.Verdict {
	if t := r.Tasks[0]; !t.Outcome.Good() {
		return flow.Verdict{Move: flow.Fail, Reason: t.Reason}
	}
	return flow.Verdict{Move: flow.Next}
}

func counted(r flow.Run) flow.Verdict {
	found := r.Tasks[0].Found
	if found == nil || found.Score < float64(flow.Held[noteSetup](r.Setup.Own, "notes").Words) {
		return flow.Verdict{Move: flow.Fail, Reason: "the note is too short"}
	}
	return flow.Verdict{Move: flow.Done}
}

func (notes) Reserve(flow.Setup, bool, time.Time) error                { return nil }
func (notes) Release(flow.Setup)                                       {}
func (notes) Session(_ flow.Setup, st workspace.State) workspace.State { return st }
func (notes) Reopened(flow.Run) (stage string, moves bool)             { return "", false }
func (notes) Demand(flow.Setup) forecast.Demand                        { return forecast.Demand{} }
func (notes) Open(r *supervisor.Run) (supervisor.Work, error) {
	return noteWork{supervisor.Base{Run: r}}, nil
}

type noteWork struct{ supervisor.Base }

func (w noteWork) Prompt(_ flow.Task, ask agent.Turn, _ []string) (string, error) {
	return "Write a note into " + ask.Report, nil
}

func (w noteWork) Perform(t flow.TaskState) func() (*flow.Assessment, error) {
	return func() (*flow.Assessment, error) {
		text, err := w.Folder.Read("note.md")
		if err != nil {
			return nil, err
		}
		words := len(strings.Fields(string(text)))
		return &flow.Assessment{Score: float64(words)}, w.Folder.Write(t.Writes, fmt.Appendf(nil, "The note has %d words.\n", words))
	}
}

func TestMain(m *testing.M) {
	if code, mine := proc.Main(os.Args); mine {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func TestTheSmallestProductIsAFolderAndALine(t *testing.T) {
	project := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	products := append(product.All(product.Settings{}), notes{})
	for id, c := range map[string]struct {
		least  int
		status flow.Status
	}{"20260222-143000-a1b2c3": {3, flow.Completed}, "20260222-143000-a1b2c4": {300, flow.Failed}} {
		setup := flow.Setup{
			ID: id, Workflow: "notes", Topic: "A hedgehog", Root: project, Own: flow.Hold("notes", &noteSetup{Words: c.least}), Turn: time.Hour,
			Limits: budget.Limits{Turns: 10}, Loop: loop.Default(),
			Seats: []flow.Seat{{Name: "ada", Kind: "command", Brand: "ada", Program: "/bin/sh", Args: []string{"-c", `printf 'It sleeps all winter.\n<!-- RESEARCH_COMPLETE -->\n' > "$RESEARCH_REPORT_PATH"`}}},
		}
		f, err := supervisor.Begin(products, setup, time.Now())
		require.NoError(t, err)
		require.NoError(t, f.Close())
		r, err := supervisor.Supervise(t.Context(), supervisor.Options{Project: project, ID: id, Council: self, Hook: "/bin/true", Environ: os.Environ(), Products: products})
		require.NoError(t, err)
		require.Equal(t, c.status, r.Status, r.Reason)
		report, err := os.ReadFile(filepath.Join(project, workspace.Runs, id, flow.FinalReport))
		require.NoError(t, err)
		require.Equal(t, "The note has 7 words.\n", string(report))
		_, err = supervisor.Read(project, id)
		require.NoError(t, err)
		_, _, err = product.Load(project, id)
		require.ErrorContains(t, err, `this version knows no workflow "notes"`, "who does not list it does not know it")
	}
}
