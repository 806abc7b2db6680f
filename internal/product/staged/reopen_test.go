package staged_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
)

// reopen lets a run that has failed go on, days later.
func (w *stagedWorld) reopen(later time.Duration) {
	require.Equal(w.t, flow.Failed, w.run.Status)
	w.clock = w.clock.Add(later)
	s := w.run.Setup
	w.tell(flow.Event{Kind: flow.RunReopened, Stage: staged.ReopenStage(w.run), Setup: &s, Reason: "taken up again"})
}

func TestAReopenedStageAsksEachSeatAgain(t *testing.T) {
	for role, fails := range map[string]int{agent.Questions: 3, agent.Brief: 3, agent.Planning: 3, agent.Collection: 2, agent.Findings: 3, agent.Advocate: 3, agent.Prose: 3} {
		t.Run(role, func(t *testing.T) {
			w := newStaged(t, stagedSetup())
			bad := true
			w.play = func(task flow.TaskState, visit int) flow.Own {
				if task.Role == role && bad {
					return flow.Own{}
				}
				return wellDone(task, visit)
			}
			require.Equal(t, flow.Failed, w.ends().Status)
			require.Equal(t, fails, w.run.Visits(w.run.Stage))
			w.reopen(time.Hour)
			require.Equal(t, flow.Failed, w.ends().Status)
			require.Equal(t, 2*fails, w.run.Visits(w.run.Stage), "as many seats are asked as the first time")
			w.reopen(time.Hour)
			bad = false
			r := w.ends()
			require.Equal(t, flow.Completed, r.Status, r.Reason)
		})
	}
}

func TestAStageIsNotLateForTheTimeItsRunWasClosed(t *testing.T) {
	w := newStaged(t, stagedSetup())
	bad := true
	w.play = func(task flow.TaskState, visit int) flow.Own {
		if task.Role == agent.Planning && bad {
			return flow.Own{}
		}
		return wellDone(task, visit)
	}
	w.ends()
	w.reopen(24 * time.Hour)
	bad = false
	for w.run.Stage != agent.Planning || len(flow.WantedTurns(w.run)) == 0 {
		e, ok := flow.Decide(w.wf, w.run)
		require.True(t, ok)
		w.tell(e)
	}
	require.Less(t, w.clock.Sub(staged.PartBegan(w.run)), time.Minute)
}

func TestAReviewOfTooFewIsHeldAgain(t *testing.T) {
	w := newStaged(t, stagedSetup())
	silent := true
	w.play = func(task flow.TaskState, visit int) flow.Own {
		switch {
		case silent && task.Role == agent.Review:
			return flow.Own{}
		case silent && task.Role == panel.Verdict:
			return panel.OwnCount(&panel.Count{Verdict: panel.NoQuorum})
		}
		return wellDone(task, visit)
	}
	require.Contains(t, w.ends().Reason, "no quorum")
	w.reopen(time.Hour)
	require.Contains(t, staged.Outputs(w.run), staged.Report, "the report still stands")
	silent, w.path = false, nil
	r := w.ends()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, []string{agent.Review, agent.Reconsider, panel.Verdict}, w.path)
	require.Zero(t, staged.StateOf(r).Iteration)
	require.Equal(t, "review-2-R1.json", r.LastTasks(agent.Review)[0].Writes)
}

// That a person lets a run go on is no revision the gate has asked for, and the
// gate's word stays what it was.
func TestAPersonsWordIsNoRevision(t *testing.T) {
	for _, verdict := range []string{panel.NeedsRevision, panel.Rejected} {
		w := newStaged(t, stagedSetup())
		bad := true
		w.play = func(task flow.TaskState, visit int) flow.Own {
			if bad && task.Role == panel.Verdict {
				return panel.OwnCount(&panel.Count{Verdict: verdict, Valid: 3})
			}
			return wellDone(task, visit)
		}
		r := w.ends()
		before := staged.StateOf(r)
		require.LessOrEqual(t, before.Iteration, before.MaxIterations)
		w.reopen(time.Hour)
		w.path, bad = nil, false
		for range 2 { // before its stage is entered, and at the end
			after := staged.StateOf(w.run)
			require.Equal(t, before.Iteration, after.Iteration)
			require.Equal(t, before.Gates[len(before.Gates)-1].Reason, after.Gates[len(before.Gates)-1].Reason)
			for _, g := range after.Gates {
				require.NotContains(t, g.Reason, "taken up again")
			}
			if w.run.Status == "" {
				require.NotContains(t, staged.Outputs(w.run), staged.Synthesis)
				r = w.ends()
			}
		}
		require.Equal(t, flow.Completed, r.Status, r.Reason)
		require.Equal(t, agent.Findings, w.path[0])
		require.Contains(t, r.LastTasks(agent.Findings)[0].Reads, panel.RevisionFile)
	}
}
