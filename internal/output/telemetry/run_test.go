package telemetry

import (
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
)

const (
	runID  = "20260222-143000-a1b2c3"
	secret = "who stole the crown jewels"
)

// began is when the runs of these tests begin.
func began() time.Time { return time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC) }

// story numbers facts and lets a minute pass before each but the first.
func story(facts ...flow.Event) []flow.Event {
	for i := range facts {
		facts[i].Seq = i + 1
		facts[i].At = began().Add(time.Duration(i) * time.Minute)
	}
	return facts
}

func begin() flow.Event {
	return flow.Event{Kind: flow.RunBegun, Setup: &flow.Setup{
		ID: runID, Workflow: "council", Topic: secret, Tier: "max",
		Seats: []flow.Seat{
			{Name: "claude", Kind: "claude", Brand: "anthropic", Model: "model-a"},
			{Name: "gemini", Kind: "gemini", Brand: "google", Model: "model-g"},
		},
	}}
}

func task(id, seat, brand, role string) flow.Task {
	return flow.Task{ID: id, Seat: seat, Brand: brand, Role: role}
}

func enter(stage string, visit int, tasks ...flow.Task) flow.Event {
	return flow.Event{Kind: flow.StageEntered, Stage: stage, Visit: visit, Tasks: tasks}
}

func started(task string, turn int) flow.Event {
	return flow.Event{Kind: flow.TurnStarted, Task: task, Turn: turn, Session: "session-1"}
}

func ended(task string, turn int, r flow.Result) flow.Event {
	return flow.Event{Kind: flow.TurnEnded, Task: task, Turn: turn, Result: &r}
}

func closed(task string, o loop.Outcome) flow.Event {
	return flow.Event{Kind: flow.TaskEnded, Task: task, Outcome: o, Reason: "because of " + secret}
}

func judged(m flow.Move) flow.Event {
	return flow.Event{Kind: flow.StageJudged, Verdict: &flow.Verdict{Move: m, Reason: "because of " + secret}}
}

func over(s flow.Status) flow.Event {
	return flow.Event{Kind: flow.RunEnded, Status: s, Reason: "because of " + secret}
}

func issue(code string) flow.Event {
	return flow.Event{Kind: flow.IssueMet, Issue: &flow.Issue{Code: code, Detail: "because of " + secret}}
}

const (
	claudes = "research.1/claude"
	geminis = "research.1/gemini"
)

// wholeRun is a run of one stage with two seats: one answers, one fails and
// then answers, and a source cannot be had.
func wholeRun() []flow.Event {
	fault := &agent.Fault{Class: agent.Retryable, Message: "because of " + secret}
	return story(
		begin(),
		flow.Event{Kind: flow.SupervisorStarted},
		enter("research", 1, task(claudes, "claude", "anthropic", agent.Research), task(geminis, "gemini", "google", agent.Research)),
		started(claudes, 1),
		started(geminis, 1),
		issue(flow.SourceFailed),
		ended(geminis, 1, flow.Result{Fault: fault, Tokens: 10}),
		ended(claudes, 1, flow.Result{USD: 0.5, Tokens: 1000, Input: 900, Output: 100, Cached: 300, Models: []string{"model-a", "model-b"}, Session: "session-1", Text: secret}),
		closed(claudes, loop.Complete),
		started(geminis, 2),
		ended(geminis, 2, flow.Result{USD: 0.25, Estimated: true, Tokens: 500}),
		closed(geminis, loop.Exhausted),
		judged(flow.Done),
		over(flow.Completed),
	)
}
