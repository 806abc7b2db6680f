package view

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
	productcouncil "github.com/research-council/research-council/internal/product/council"
)

func TestAPaceIsNotBelievedBeforeAPhaseHasEnded(t *testing.T) {
	promised := forecast.Span{Low: 30 * time.Minute, High: 80 * time.Minute}
	run, now := flow.Run{Began: noonOfRun()}, noonOfRun().Add(4*time.Minute)
	short, fits := forecast.Span{Low: time.Minute, High: 2 * time.Minute}, forecast.Span{Low: 30 * time.Minute, High: 60 * time.Minute}
	seat := []flow.TaskState{{Task: flow.Task{ID: "a", Seat: "ada"}}}
	require.Zero(t, believable(short, promised, run, now))
	require.Zero(t, believable(forecast.Span{Low: time.Hour, High: 2 * time.Hour}, promised, run, now))
	require.Equal(t, fits, believable(fits, promised, run, now))
	run.History = []flow.Visit{{Stage: productcouncil.Plan, Tasks: seat}, {Stage: "x", Tasks: []flow.TaskState{{Task: flow.Task{Seat: flow.Program}}}}}
	require.Zero(t, believable(short, promised, run, now), "the plan and the program tell no pace")
	run.History = append(run.History, flow.Visit{Stage: "research", Tasks: seat})
	require.Equal(t, short, believable(short, promised, run, now))
}

func TestWhatIsLeftComesFromTheRunsOwnPace(t *testing.T) {
	demand := forecast.Demand{Parts: []forecast.Part{
		{Seat: forecast.Seat{Name: "ada"}, Roles: []string{"research"}, Likely: 3, Max: 9},
		{Seat: forecast.Seat{Name: "bo"}, Roles: []string{"research"}, Likely: 1, Max: 9},
	}}
	run := flow.Run{Began: noonOfRun(), Tasks: []flow.TaskState{
		{Task: flow.Task{ID: "a", Seat: "ada", Role: "research"}, Loop: loop.State{Iterations: 1}},
		{Task: flow.Task{ID: "b", Seat: "bo", Role: "research"}, Outcome: loop.Complete},
	}}
	require.Zero(t, remaining(demand, run, nil, noonOfRun()), "nothing was measured")
	events := []flow.Event{
		{Kind: flow.StageEntered, Tasks: []flow.Task{{ID: "a", Seat: "ada"}, {ID: "b", Seat: "bo"}}},
		{Kind: flow.TurnStarted, Task: "a", At: noonOfRun()},
		{Kind: flow.TurnEnded, Task: "a", At: noonOfRun().Add(6 * time.Minute), Result: &flow.Result{Iterations: 1}},
		{Kind: flow.TurnStarted, Task: "b", At: noonOfRun()},
		{Kind: flow.TurnEnded, Task: "b", At: noonOfRun().Add(time.Hour), Result: &flow.Result{Fault: agent.NewFault(agent.Terminal, "it broke")}},
	}
	now := noonOfRun().Add(6 * time.Minute)
	require.Equal(t, forecast.Span{Low: 8 * time.Minute, High: 18 * time.Minute}, remaining(demand, run, events, now), "two iterations of six minutes, more or less")
	run.Tasks[0].NotBefore = now.Add(10 * time.Minute)
	require.Equal(t, forecast.Span{Low: 18 * time.Minute, High: 28 * time.Minute}, remaining(demand, run, events, now), "its provider is waited for")
	run.Setup.Limits.Time = 20 * time.Minute
	require.Equal(t, forecast.Span{Low: 14 * time.Minute, High: 14 * time.Minute}, remaining(demand, run, events, now), "the run's limit ends it")
	run.Status = flow.Completed
	require.Zero(t, remaining(demand, run, events, now))
}

func noonOfRun() time.Time { return time.Date(2026, 2, 22, 12, 0, 0, 0, time.UTC) }

func TestHowLongAPartTakes(t *testing.T) {
	now := noonOfRun()
	going := status.Part{Took: time.Minute, Since: now.Add(-10 * time.Minute)}
	require.Equal(t, 11*time.Minute, partTime(status.Status{}, going, now))
	require.Equal(t, 3*time.Minute, partTime(status.Status{Asking: &status.Asking{Since: now.Add(-8 * time.Minute)}}, going, now), "a person is waited for")
	require.Equal(t, time.Minute, partTime(status.Status{}, going, now.Add(-time.Hour)), "a clock that was set back is no time")
	require.Equal(t, time.Minute, partTime(status.Status{}, status.Part{Took: time.Minute}, now))
	going.State = "now"
	require.Equal(t, "11m00s so far", PartText(status.Status{}, going, now))
	require.Equal(t, "1m00s", PartText(status.Status{}, status.Part{State: "done", Took: time.Minute}, now))
	require.Empty(t, PartText(status.Status{}, status.Part{State: "next"}, now))
}

func TestWhatIsLeftIsSaidWhileSomebodyWorks(t *testing.T) {
	left := forecast.Span{Low: 20 * time.Minute, High: 40 * time.Minute}
	require.Equal(t, "20–45 min left", LeftText(status.Status{Status: "running", Supervisor: 1}, left))
	require.Equal(t, "too early to say how much longer", LeftText(status.Status{Status: "running", Supervisor: 1}, forecast.Span{}))
	require.Empty(t, LeftText(status.Status{Status: "running"}, left), "nobody works on it")
	require.Empty(t, LeftText(status.Status{Status: "completed", Supervisor: 1}, left))
}
