package recipe_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research-council/internal/agent"
	"research-council/internal/flow"
	"research-council/internal/pipeline"
	"research-council/internal/recipe"
)

// reopen lets a run that has failed go on, days later.
func (w *stagedWorld) reopen(later time.Duration) {
	require.Equal(w.t, flow.Failed, w.run.Status)
	w.clock = w.clock.Add(later)
	s := w.run.Setup
	w.tell(flow.Event{Kind: flow.RunReopened, Stage: recipe.Reopened(w.run), Setup: &s, Reason: "taken up again"})
}

func TestAReopenedStageAsksEachSeatAgain(t *testing.T) {
	for role, fails := range map[string]int{agent.Questions: 3, agent.Brief: 3, agent.Planning: 3, agent.Collection: 2, agent.Findings: 3, agent.Advocate: 3, agent.Prose: 3} {
		t.Run(role, func(t *testing.T) {
			w := newStaged(t, stagedSetup())
			bad := true
			w.play = func(task flow.TaskState, visit int) *pipeline.Output {
				if task.Role == role && bad {
					return nil
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
	w.play = func(task flow.TaskState, visit int) *pipeline.Output {
		if task.Role == agent.Planning && bad {
			return nil
		}
		return wellDone(task, visit)
	}
	w.ends()
	w.reopen(24 * time.Hour)
	bad = false
	for w.run.Stage != agent.Planning || len(flow.Want(w.run)) == 0 {
		e, ok := flow.Decide(w.wf, w.run)
		require.True(t, ok)
		w.tell(e)
	}
	require.Less(t, w.clock.Sub(recipe.PartBegan(w.run)), time.Minute)
}
