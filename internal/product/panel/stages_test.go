package panel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/forecast/forecasttest"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/product/panel"
)

// reviewed plays a workflow of one stage with a review behind it, whose count is
// told visit by visit, the last one again and again.
func reviewed(t *testing.T, c panel.Course, counts ...panel.Count) flow.Run {
	t.Helper()
	write := flow.Stage{Name: "write", Visits: 9, Spent: flow.Fail, Plan: flow.PlanProgram("write", flow.FinalReport), Gate: flow.GateProgram}
	w := c.Behind(flow.Workflow{Name: "writing", Stages: []flow.Stage{write}})
	var r flow.Run
	tell := func(e flow.Event) {
		e.Seq = r.Seq + 1
		r = flow.Evolve(r, e)
	}
	tell(flow.Event{Kind: flow.RunBegun, Setup: &flow.Setup{ID: "20260222-143000-a1b2c3", Workflow: w.Name, Panel: []flow.Seat{{Name: "claude", Brand: "anthropic"}, {Name: "codex", Brand: "openai"}}}})
	for r.Status == "" {
		require.Less(t, r.Seq, 500, "the run does not get on")
		if e, more := flow.Decide(w, r); more {
			tell(e)
			continue
		}
		require.NotEmpty(t, r.Tasks, "the run does not get on")
		for _, task := range r.Tasks {
			res := flow.Result{Artefact: loop.Artefact{SHA256: "a", Usable: true, Complete: true}}
			if r.Stage == panel.Verdict {
				res.Found = &flow.Assessment{Own: panel.OwnCount(&counts[min(r.Visit, len(counts))-1])}
			}
			tell(flow.Event{Kind: flow.TurnStarted, Task: task.ID})
			tell(flow.Event{Kind: flow.TurnEnded, Task: task.ID, Result: &res})
			tell(flow.Event{Kind: flow.TaskEnded, Task: task.ID, Outcome: loop.Complete})
		}
	}
	return r
}

func TestAReviewStandsBehindAnyWorkflow(t *testing.T) {
	approved, revise := panel.Count{Verdict: panel.Approved, Valid: 2}, panel.Count{Verdict: panel.NeedsRevision, Valid: 2}
	never := func(flow.Setup) int { return 0 }
	for name, c := range map[string]struct {
		course    panel.Course
		counts    []panel.Count
		status    flow.Status
		reason    string
		revisions int
	}{
		"it is approved":                      {panel.Course{Back: "write"}, []panel.Count{approved}, flow.Completed, "approved by the consilium", 0},
		"it is mended, and then approved":     {panel.Course{Back: "write"}, []panel.Count{revise, approved}, flow.Completed, "approved by the consilium", 1},
		"it is sent back again and again":     {panel.Course{Back: "write"}, []panel.Count{revise}, flow.Failed, "Gate failed: review — needs_revision, and 2 of 2 revisions are spent", 2},
		"nothing may be sent back":            {panel.Course{Back: "write", Revisions: never}, []panel.Count{revise}, flow.Failed, "0 of 0 revisions", 0},
		"there is nowhere to send it back to": {panel.Course{}, []panel.Count{revise}, flow.Completed, "the reviewers do not approve", 0},
	} {
		t.Run(name, func(t *testing.T) {
			c.course.Reads = []string{flow.FinalReport}
			r := reviewed(t, c.course, c.counts...)
			require.Equal(t, c.status, r.Status, r.Reason)
			require.Contains(t, r.Reason, c.reason)
			require.Equal(t, c.revisions, panel.Revisions(r))
			require.True(t, panel.IsRevision(r))
			last, counted := panel.LastCount(r)
			require.True(t, counted)
			require.Equal(t, c.counts[len(c.counts)-1].Verdict, last.Verdict)
			again := r.LastTasks(agent.Reconsider)
			require.Equal(t, []string{flow.FinalReport, panel.ReviewFile(agent.Review, "R2", r.Visits(agent.Review))}, again[1].Reads, "its own review, and no other's")
		})
	}
	_, counted := panel.LastCount(flow.Run{})
	require.False(t, counted)
}

func TestARevisionIsReadByWhoWritesAnew(t *testing.T) {
	reads := panel.RevisionReads("a.md")
	require.Equal(t, []string{"a.md"}, reads(flow.Run{}))
	require.Equal(t, []string{"a.md", panel.RevisionFile}, reads(flow.Run{Stage: panel.Verdict, Visit: 1}))
}

func TestAFinishRevisesNothing(t *testing.T) {
	back := flow.Verdict{Move: flow.Jump, Reason: "mend it"}
	require.Equal(t, flow.Done, panel.Finish(flow.Run{Stage: panel.Verdict}, back).Move)
	require.Equal(t, back, panel.Finish(flow.Run{Stage: "write"}, back))
}

func TestWhatAPanelWillBeAsked(t *testing.T) {
	s := flow.Setup{Panel: []flow.Seat{{Name: "claude"}}}
	alone := forecast.NewBuilder(s)
	panel.AddDemand(alone, s, panel.MostRevisions(s, panel.DefaultRevisions))
	p, _ := forecasttest.Part(alone.Demand, "claude", agent.Review)
	require.Equal(t, 3*flow.MaxAnswerTurns, p.Max)
	_, heard := forecasttest.Part(alone.Demand, "claude", agent.Reconsider)
	require.False(t, heard, "there is nobody to hear")
	require.Zero(t, panel.MostRevisions(flow.Setup{}, 5), "nobody sends anything back")
}

func TestAResultComesBackFromTheStatus(t *testing.T) {
	require.Equal(t, panel.Approved, panel.ResultOf(panel.OwnResult(&panel.Result{FinalVerdict: panel.Approved})).FinalVerdict)
	require.Nil(t, panel.ResultOf(flow.Own{}))
}
