package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/loop"
)

func TestWhatIsLeftComesFromTheRunsOwnPace(t *testing.T) {
	demand := forecast.Demand{Parts: []forecast.Part{
		{Seat: forecast.Seat{Name: "ada"}, Roles: []string{"research"}, Likely: 3, Max: 9},
		{Seat: forecast.Seat{Name: "bo"}, Roles: []string{"research"}, Likely: 1, Max: 9},
	}}
	run := flow.Run{Began: noon(), Tasks: []flow.TaskState{
		{Task: flow.Task{ID: "a", Seat: "ada", Role: "research"}, Loop: loop.State{Iterations: 1}},
		{Task: flow.Task{ID: "b", Seat: "bo", Role: "research"}, Outcome: loop.Complete},
	}}
	require.Zero(t, remaining(demand, run, nil, noon()), "nothing was measured")
	events := []flow.Event{
		{Kind: flow.StageEntered, Tasks: []flow.Task{{ID: "a", Seat: "ada"}, {ID: "b", Seat: "bo"}}},
		{Kind: flow.TurnStarted, Task: "a", At: noon()},
		{Kind: flow.TurnEnded, Task: "a", At: noon().Add(6 * time.Minute), Result: &flow.Result{Iterations: 1}},
		{Kind: flow.TurnStarted, Task: "b", At: noon()},
		{Kind: flow.TurnEnded, Task: "b", At: noon().Add(time.Hour), Result: &flow.Result{Fault: agent.NewFault(agent.Terminal, "it broke")}},
	}
	now := noon().Add(6 * time.Minute)
	require.Equal(t, forecast.Span{Low: 8 * time.Minute, High: 18 * time.Minute}, remaining(demand, run, events, now), "two iterations of six minutes, more or less")
	run.Tasks[0].NotBefore = now.Add(10 * time.Minute)
	require.Equal(t, forecast.Span{Low: 18 * time.Minute, High: 28 * time.Minute}, remaining(demand, run, events, now), "its provider is waited for")
	run.Setup.Limits.Time = 20 * time.Minute
	require.Equal(t, forecast.Span{Low: 14 * time.Minute, High: 14 * time.Minute}, remaining(demand, run, events, now), "the run's limit ends it")
	run.Status = flow.Completed
	require.Zero(t, remaining(demand, run, events, now))

	events = append(events, flow.Event{Kind: flow.TaskEnded, Task: "b", At: noon(), Outcome: loop.Failed, Reason: "login expired"})
	require.Equal(t, []string{noon().Add(time.Hour).Local().Format("15:04") + "  : a turn failed: it broke", noon().Local().Format("15:04") + "  : failed: login expired"}, pastOf(events)["bo"])
}
