package flow_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
)

// world answers a run's wants with whatever the dice say.
type world struct {
	*rapid.T
	run    flow.Run
	clock  time.Time
	events []flow.Event
}

func (w *world) tell(e flow.Event) {
	e.Seq = len(w.events) + 1
	e.At = w.clock
	w.events = append(w.events, e)
	w.run = flow.Evolve(w.run, e)
}

func setup(t *rapid.T) flow.Setup {
	s := flow.Setup{
		ID: "20260222-143000-a1b2c3", Workflow: "council", Topic: "t",
		Loop:   loop.Rule{Iterations: rapid.IntRange(1, 4).Draw(t, "iterations"), Retries: 2, Stuck: 2},
		Limits: budget.Limits{Turns: rapid.IntRange(1, 60).Draw(t, "turns"), USD: rapid.SampledFrom([]float64{0, 1, 50}).Draw(t, "usd")},
	}
	s.Parallel = rapid.IntRange(0, 3).Draw(t, "parallel")
	s.Limits.Time = rapid.SampledFrom([]time.Duration{0, time.Minute, time.Hour}).Draw(t, "time")
	if rapid.Bool().Draw(t, "hosted") {
		s.Session = "host"
	}
	if rapid.Bool().Draw(t, "staged") {
		s.Workflow, s.Session = staged.Name, ""
		s.Own = staged.Own(&staged.Setup{Agents: rapid.IntRange(1, staged.Agents).Draw(t, "agents"), Revisions: rapid.IntRange(0, 2).Draw(t, "revisions")})
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "panel") {
		s.Panel = append(s.Panel, flow.Seat{Name: fmt.Sprintf("seat%d", i), Brand: fmt.Sprintf("brand%d", i%2)})
	}
	for i := range rapid.IntRange(1, 5).Draw(t, "seats") {
		free := rapid.Bool().Draw(t, "free")
		s.Seats = append(s.Seats, flow.Seat{Name: fmt.Sprintf("seat%d", i), Brand: fmt.Sprintf("brand%d", i%2), Free: free})
	}
	return s
}

// step makes one thing happen: a decision, an alarm, a start or an end.
func (w *world) step(wf flow.Workflow) bool {
	if e, ok := flow.Decide(wf, w.run); ok {
		w.tell(e)
		return true
	}
	if w.run.Status != "" {
		return false
	}
	if !w.run.Asked.IsZero() {
		w.clock = w.clock.Add(time.Duration(rapid.IntRange(0, 20).Draw(w.T, "days")) * 24 * time.Hour)
		w.tell(flow.Event{Kind: flow.InputGiven, Input: &flow.Input{File: "answers-1.json", Confirmed: rapid.Bool().Draw(w.T, "confirmed")}})
		return true
	}
	w.clock = w.clock.Add(time.Duration(rapid.IntRange(1, 600).Draw(w.T, "seconds")) * time.Second)
	if at, e := flow.Alarm(w.run); !at.IsZero() && !w.clock.Before(at) {
		w.tell(e)
		return true
	}
	wants := flow.WantedTurns(w.run)
	w.check(wants)
	wanted := map[string]bool{}
	for _, work := range wants {
		wanted[work.Task.ID] = true
		if work.Task.Running == nil {
			w.tell(flow.Event{Kind: flow.TurnStarted, Task: work.Task.ID, Session: "s"})
			return true
		}
	}
	for _, t := range w.run.Tasks {
		if t.Running != nil && (wanted[t.ID] || rapid.Bool().Draw(w.T, "ended")) {
			w.tell(flow.Event{Kind: flow.TurnEnded, Task: t.ID, Result: w.result(wanted[t.ID])})
			return true
		}
	}
	return len(w.run.Tasks) > 0
}

func (w *world) result(wanted bool) *flow.Result {
	if !wanted {
		return &flow.Result{Stopped: w.run.Cancel != "", Fault: &agent.Fault{Class: agent.TimedOut, Message: "time is up"}}
	}
	class := rapid.SampledFrom([]agent.Class{"", "", "", agent.Retryable, agent.Terminal, agent.Degenerate, agent.TimedOut, agent.NoSession, agent.Lost}).Draw(w.T, "class")
	res := &flow.Result{Iterations: 1, USD: 0.3, Artefact: loop.Artefact{
		SHA256: rapid.StringMatching("[abc]").Draw(w.T, "hash"),
		Usable: rapid.Bool().Draw(w.T, "usable"), Complete: rapid.Bool().Draw(w.T, "complete"),
	}}
	if staged.Of(w.run.Setup.Own) != nil || len(w.run.Setup.Panel) > 0 {
		res.Found = &flow.Assessment{Own: w.output()}
	}
	if class != "" {
		res.Fault = &agent.Fault{Class: class, Message: string(class)}
	}
	return res
}

// output is what any stage of staged research, or a review, may come to.
func (w *world) output() flow.Own {
	if rapid.IntRange(0, 4).Draw(w.T, "good") == 0 {
		return staged.OwnOutput(&staged.Output{})
	}
	if w.run.Stage == panel.Verdict {
		return panel.OwnCount(&panel.Count{Verdict: rapid.SampledFrom([]string{"approved", "needs_revision", "rejected", "no_quorum"}).Draw(w.T, "verdict"), Valid: 3})
	}
	return staged.OwnOutput(&staged.Output{
		Questions: 10, Brief: true, Subtopics: 2, Agents: []staged.Assignment{{ID: "A1"}, {ID: "A2"}, {ID: "A3"}}, Facts: 2,
		Stats: &staged.Stats{Total: 3, Verified: 2}, Recommendations: 3, Risks: 1,
		Report: &staged.ReportResult{File: "final-report.md", Local: true, Blocks: rapid.IntRange(10, 20).Draw(w.T, "blocks")},
	})
}

// workflowOf is that of a council's run, or of staged research.
func workflowOf(s flow.Setup) flow.Workflow {
	if w, mine := staged.WorkflowOf(s); mine {
		return w
	}
	w, _ := council.WorkflowOf(s)
	return w
}

func (w *world) check(wants []flow.WantedTurn) {
	running := 0
	for _, work := range wants {
		require.False(w.T, work.Task.Ended())
		if work.Task.Running != nil {
			running++
			continue
		}
		require.False(w.T, w.run.Finish != "" && work.Task.Role == agent.Research, "research begins in a run that is to finish")
		if !work.Task.Free {
			require.Empty(w.T, w.run.Setup.Limits.RefusalReason(w.run.Spent, work.Task.Reserved), "a turn may start beyond a limit")
		}
	}
	if p := w.run.Setup.Parallel; p > 0 {
		require.LessOrEqual(w.T, len(wants), max(p, running))
	}
}

// Whatever the seats answer, every run ends, and a run folded from the journal
// is the run that wrote it, after every fact.
func TestEveryRunEndsAndReplaysEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{T: t, clock: time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC)}
		s := setup(t)
		wf := workflowOf(s)
		require.NotEmpty(t, wf.Stages)
		w.tell(flow.Event{Kind: flow.RunBegun, Setup: &s})
		cancelAt := rapid.IntRange(0, 400).Draw(t, "cancel")
		finishAt := rapid.IntRange(0, 200).Draw(t, "finish")
		for steps := 0; w.run.Status == ""; steps++ {
			require.Less(t, steps, 2000, "the run does not end")
			if steps >= finishAt && steps < finishAt+2 { // asked twice is asked once
				w.tell(flow.Event{Kind: flow.FinishAsked, Reason: "finished early by the user"})
			}
			if steps == cancelAt {
				w.tell(flow.Event{Kind: flow.CancelAsked, Reason: "the user asked"})
			}
			before := w.run
			w.step(wf)
			if steps%7 == 0 {
				require.JSONEq(t, text(t, before), text(t, replay(t, w.events[:before.Seq])))
			}
		}
		require.JSONEq(t, text(t, w.run), text(t, replay(t, w.events)))
		require.Contains(t, []flow.Status{flow.Completed, flow.Failed, flow.Cancelled, flow.OutOfBudget}, w.run.Status)
		_, more := flow.Decide(wf, w.run)
		require.False(t, more)
		require.Empty(t, flow.WantedTurns(w.run))
	})
}

func replay(t require.TestingT, events []flow.Event) flow.Run {
	read := make([]flow.Event, len(events))
	for i, e := range events {
		line, err := json.Marshal(e)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(line, &read[i]))
	}
	return flow.Replay(read)
}

func text(t require.TestingT, r flow.Run) string {
	data, err := json.Marshal(r)
	require.NoError(t, err)
	return string(data)
}
