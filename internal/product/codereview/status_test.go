package codereview_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/status/statustest"
	"github.com/research-council/research-council/internal/product/codereview"
)

// reviewTape tells a review of code.
type reviewTape struct{ *statustest.Tape }

// work is a task of a review that comes to its end.
func (p reviewTape) work(id string, found *codereview.Tally, outcome loop.Outcome, why string) {
	p.Tell(flow.Event{Kind: flow.TurnStarted, Task: id, Turn: 1, Session: "s"})
	res := flow.Result{Iterations: 1, Artefact: loop.Artefact{SHA256: "a", Usable: outcome.Good(), Complete: outcome.Good()}}
	if found != nil {
		res.Found = &flow.Assessment{Own: codereview.OwnTally(found)}
	}
	p.Tell(flow.Event{Kind: flow.TurnEnded, Task: id, Turn: 1, Result: &res})
	p.Tell(flow.Event{Kind: flow.TaskEnded, Task: id, Outcome: outcome, Reason: why})
}

func (p reviewTape) enter(stage string, visit int, tasks ...flow.Task) {
	p.Tell(flow.Event{Kind: flow.StageEntered, Stage: stage, Visit: visit, Tasks: tasks})
}

func (p reviewTape) judge(stage, why string) {
	p.Tell(flow.Event{Kind: flow.StageJudged, Stage: stage, Verdict: &flow.Verdict{Move: flow.Next, Reason: why}})
}

func TestTheLogTellsAReviewLikeThis(t *testing.T) {
	p := reviewTape{statustest.New(codereview.Workflow(), flow.Setup{
		ID: "20260222-143000-a1b2c3", Workflow: codereview.Name, Topic: "Review", Seats: []flow.Seat{{Name: "ada"}, {Name: "bea"}}, Own: codereview.Own(&codereview.Setup{Docs: codereview.DocsOff}),
	})}
	program := func(role string) flow.Task { return flow.Task{ID: role, Seat: flow.Program, Role: role} }
	p.enter(codereview.Survey, 1, program(codereview.Survey))
	p.work(codereview.Survey, &codereview.Tally{Files: 40, Lines: 900, Batches: 2}, loop.Complete, "")
	p.judge(codereview.Survey, "40 files in 2 batches")
	reviewer := func(id, seat, name string) flow.Task {
		return flow.Task{ID: id, Seat: seat, Role: agent.Inspect, Agent: name, Rule: loop.Rule{Iterations: 2}}
	}
	p.enter(agent.Inspect, 1, reviewer("a", "ada", "bug-hunter"), reviewer("b", "bea", "security-auditor"))
	p.work("a", nil, loop.Complete, "marked complete")
	p.work("b", nil, loop.Failed, "it wrote no report")
	p.judge(agent.Inspect, "")
	p.enter(codereview.Collate, 1, program(codereview.Collate))
	p.work(codereview.Collate, &codereview.Tally{
		Batch: 1, Findings: map[string]int{"high": 2}, Works: []codereview.ReviewerTally{{Reviewer: "bug-hunter", Seat: "ada", Findings: 2, Dropped: 1}},
		Missing: []codereview.Absent{{Reviewer: "security-auditor", Seat: "bea"}},
	}, loop.Complete, "")
	p.judge(codereview.Collate, "batch 1: asked once more: security-auditor")
	p.enter(agent.Inspect, 2, reviewer("c", "ada", "security-auditor"))
	p.Tell(flow.Event{Kind: flow.TurnStarted, Task: "c", Turn: 1, Session: "s"})
	require.Equal(t, []string{
		"Review 20260222-143000-a1b2c3: ada, bea",
		"Discovery: 40 files in 2 batches",
		"Batch 1/2: bug-hunter (ada), security-auditor (bea)",
		"Batch 1/2: bug-hunter (ada) done",
		"Batch 1/2: security-auditor (bea) left nothing: it wrote no report",
		"Batch 1/2: 2 findings, 1 dropped; batch 1: asked once more: security-auditor",
		"Batch 1/2: security-auditor (ada), asked once more",
	}, p.Said)
	st := p.Status()
	require.Equal(t, &codereview.Status{Phase: "review", Batch: 1, Batches: 2, Files: 40, Lines: 900, Findings: map[string]int{"high": 2}}, codereview.StatusOf(st))
	require.Equal(t, []status.Part{{Name: "1 Discovery", State: "done", Took: 5 * time.Second}, {Name: "2 Review", State: "now", Took: 13 * time.Second, Since: time.Date(2026, 2, 22, 14, 30, 19, 0, time.UTC)}, {Name: "3 Synthesis", State: "next"}}, st.Course)
}

// What comes after the last batch is told seat by seat: there are no batches any
// more to tell it by.
func TestTheLogTellsTheEndOfAReviewLikeThis(t *testing.T) {
	p := reviewTape{statustest.New(codereview.Workflow(), flow.Setup{
		ID: "20260222-143000-a1b2c3", Workflow: codereview.Name, Topic: "Review", Seats: []flow.Seat{{Name: "ada"}}, Own: codereview.Own(&codereview.Setup{Docs: codereview.DocsOff}),
	})}
	p.enter(codereview.Survey, 1, flow.Task{ID: "survey", Seat: flow.Program, Role: codereview.Survey})
	p.work("survey", &codereview.Tally{Files: 1, Lines: 9, Batches: 1}, loop.Complete, "")
	p.judge(codereview.Survey, "")
	p.enter("summary", 1, flow.Task{ID: "sum", Seat: "ada", Role: "summary", Rule: loop.Rule{Iterations: 3}})
	busy := &agent.Fault{Class: agent.Retryable, Message: "too many requests"}
	p.Tell(flow.Event{Kind: flow.TurnStarted, Task: "sum", Turn: 1, Session: "s"})
	p.Tell(flow.Event{Kind: flow.TurnEnded, Task: "sum", Turn: 1, Result: &flow.Result{Iterations: 1, Fault: busy}})
	p.Tell(flow.Event{Kind: flow.TurnStarted, Task: "sum", Turn: 2, Session: "s"})
	p.Tell(flow.Event{Kind: flow.TurnEnded, Task: "sum", Turn: 2, Result: &flow.Result{Fault: busy, Stopped: true}})
	require.Equal(t, []string{
		"Review 20260222-143000-a1b2c3: ada",
		"Synthesis: summary (ada) starting",
		"Synthesis: summary (ada): too many requests",
		"Synthesis: summary (ada) again, iteration 2/3",
	}, p.Said, "what the program stopped itself is no fault")
}

// A reviewer that has left nothing, also when asked again, is counted: its files
// are read by one fewer.
func TestAReviewCountsTheReviewersThatLeftNothing(t *testing.T) {
	p := reviewTape{statustest.New(codereview.Workflow(), flow.Setup{Workflow: codereview.Name, Seats: []flow.Seat{{Name: "ada"}}, Own: codereview.Own(&codereview.Setup{Under: "internal"})})}
	p.enter(codereview.Survey, 1, flow.Task{ID: "survey", Seat: flow.Program, Role: codereview.Survey})
	p.work("survey", &codereview.Tally{Files: 1, Lines: 9, Batches: 1}, loop.Complete, "")
	for visit := 1; visit <= 2; visit++ {
		p.enter(agent.Inspect, visit, flow.Task{ID: "a", Seat: "ada", Role: agent.Inspect, Agent: "bug-hunter"})
		p.work("a", nil, loop.Failed, "it wrote no report")
		p.enter(codereview.Collate, visit, flow.Task{ID: "c", Seat: flow.Program, Role: codereview.Collate})
		p.work("c", &codereview.Tally{Batch: 1, Missing: []codereview.Absent{{Reviewer: "bug-hunter", Seat: "ada"}}}, loop.Complete, "")
		p.judge(codereview.Collate, "")
	}
	got := codereview.StatusOf(p.Status())
	require.Equal(t, 1, got.Missing)
	require.Equal(t, "internal", got.Folder)
}
