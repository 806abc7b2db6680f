package status_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/status/statustest"
	"github.com/research-council/research-council/internal/product/council"
)

func begin() *statustest.Tape {
	p := statustest.New(council.Workflow(), flow.Setup{
		ID: "20260222-143000-a1b2c3", Workflow: "council", Topic: "How?", Tier: "max", Loop: loop.Default(),
		Seats:   []flow.Seat{{Name: "claude", Model: "opus"}, {Name: "codex"}},
		Missing: []flow.Missing{{Seat: "gemini", Reason: "gemini is not installed"}},
		Limits:  budget.Limits{USD: 5, Tokens: 9, Turns: 7, Time: 90 * time.Minute},
	})
	p.Tell(flow.Event{Kind: flow.SupervisorStarted, Process: &flow.Process{PID: 41}})
	return p
}

func TestTheLogTellsARunLikeThis(t *testing.T) {
	p := begin()
	p.Ask("research", 1, "claude", "codex")
	p.Turn("research", "claude", statustest.Good(4))
	p.Ends("research", "claude", loop.Complete, "marked complete")
	p.Turn("research", "codex", flow.Result{Iterations: 1, Artefact: loop.Artefact{SHA256: "b", Usable: true}})
	p.Turn("research", "codex", statustest.Good(1))
	p.Ends("research", "codex", loop.Exhausted, "iterations spent")
	p.Tell(flow.Event{Kind: flow.StageJudged, Stage: "research", Verdict: &flow.Verdict{Move: flow.Next}})
	p.Ask("registry", 1, flow.Program)
	p.Turn("registry", flow.Program, statustest.Good(1))
	p.Ends("registry", flow.Program, loop.Complete, "marked complete")
	p.Tell(flow.Event{Kind: flow.StageJudged, Stage: "registry", Verdict: &flow.Verdict{Move: flow.Next}})
	p.Ask("refinement", 1, "claude")
	p.Turn("refinement", "claude", flow.Result{Fault: &agent.Fault{Class: agent.Terminal, Message: "not logged in"}})
	p.Ends("refinement", "claude", loop.Failed, "not logged in; no usable report")
	p.Tell(flow.Event{Kind: flow.StageJudged, Stage: "refinement", Verdict: &flow.Verdict{Move: flow.Next}})
	p.Ask("synthesis", 1, flow.Host)
	p.Turn("synthesis", flow.Host, flow.Result{Fault: &agent.Fault{Class: agent.Terminal, Message: "the session is gone"}})
	p.Ends("synthesis", flow.Host, loop.Failed, "the session is gone")
	p.Tell(flow.Event{Kind: flow.StageJudged, Stage: "synthesis", Verdict: &flow.Verdict{Move: flow.Again, Reason: "session wrote no synthesis: the session is gone"}})
	p.Tell(flow.Event{Kind: flow.RunEnded, Status: flow.Completed})
	require.Equal(t, []string{
		"Research council 20260222-143000-a1b2c3: claude, codex; MISSING: gemini (gemini is not installed)",
		"Phase 1: Claude research starting (iteration 1/10)",
		"Claude research complete after 4 iterations",
		"Phase 1: Codex research starting (iteration 1/10)",
		"Phase 1: Codex iteration 2/10",
		"Codex research stopped at its limit of 2 iterations",
		"Phase 1: All agents complete",
		"Phase 2: Starting refinement...",
		"Phase 2: Claude refinement starting (iteration 1/10)",
		"Phase 2: Claude: not logged in",
		"Phase 2: Claude refinement failed: not logged in; no usable report",
		"Phase 2: All agents complete",
		"Phase 3: Starting synthesis...",
		"Phase 3: Session synthesis starting (iteration 1/10)",
		"Phase 3: Session: the session is gone",
		"Phase 3: Session synthesis failed: the session is gone",
		"Phase 3: session wrote no synthesis: the session is gone",
		"Run completed",
	}, p.Said)
}

func TestTheLogTellsWhatGoesWrong(t *testing.T) {
	busy := &agent.Fault{Class: agent.Retryable, Message: "too many requests", RetryAfter: 30 * time.Second}
	for name, row := range map[string]struct {
		fact flow.Event
		says string
	}{
		"taken up again":      {flow.Event{Kind: flow.SupervisorStarted}, "Taken up again"},
		"time":                {flow.Event{Kind: flow.TimeUp}, "Time is up: what was found is written down now"},
		"cancelled":           {flow.Event{Kind: flow.CancelAsked, Reason: "the user cancelled it"}, "Cancelled: the user cancelled it"},
		"the session":         {flow.Event{Kind: flow.SessionMoved}, "The session has ended: a seat takes its place"},
		"taken up, and why":   {flow.Event{Kind: flow.SupervisorStarted, Reason: "the computer was started anew"}, "Taken up: the computer was started anew"},
		"an early end":        {flow.Event{Kind: flow.FinishAsked}, "To be finished early: what was found is written down now"},
		"a note":              {flow.Event{Kind: flow.NoteGiven, Note: &flow.Note{ID: "1", Text: "look at\nthe \x1b[31mtests"}}, "Noted for the next iteration: look at the tests"},
		"another session":     {flow.Event{Kind: flow.SessionMoved, Session: "b", Reason: "it was resumed"}, "The session goes on under another id: it was resumed"},
		"answers":             {flow.Event{Kind: flow.InputGiven, Input: &flow.Input{File: "answers-1.json"}}, "Answers are there"},
		"a confirmation":      {flow.Event{Kind: flow.InputGiven, Input: &flow.Input{Confirmed: true}}, "Confirmed by a person"},
		"a source that fails": {flow.Event{Kind: flow.IssueMet, Issue: &flow.Issue{Code: "data_source_failed", Detail: "arxiv answers with 503"}}, "data source failed: arxiv answers with 503"},
		"a note of nothing":   {flow.Event{Kind: flow.NoteGiven}, ""},
		"an edit of nothing":  {flow.Event{Kind: flow.Edited}, ""},
		"an issue of nothing": {flow.Event{Kind: flow.IssueMet}, ""},
		"going on":            {flow.Event{Kind: flow.RunReopened, Stage: "research"}, "Taken up again, to go on"},
		"the end, no word":    {flow.Event{Kind: flow.RunEnded, Status: flow.Failed}, "Run failed"},
		"a compaction":        {flow.Event{Kind: flow.SessionCompacted}, ""},
		"the end, failed":     {flow.Event{Kind: flow.RunEnded, Status: flow.Failed, Reason: "no seat left a report"}, "Run failed: no seat left a report"},
		"the end, no money":   {flow.Event{Kind: flow.RunEnded, Status: flow.OutOfBudget, Reason: "$5.00 of $5.00 spent"}, "Run out of budget: $5.00 of $5.00 spent"},
		"a refusal":           {flow.Event{Kind: flow.TurnEnded, Task: statustest.ID("research", "claude"), Result: &flow.Result{Fault: busy}}, "Phase 1: Claude: too many requests (again in 30s)"},
		"a stopped turn":      {flow.Event{Kind: flow.TurnEnded, Task: statustest.ID("research", "claude"), Result: &flow.Result{Fault: busy, Stopped: true}}, ""},
		"a good turn":         {flow.Event{Kind: flow.TurnEnded, Task: statustest.ID("research", "claude"), Result: &flow.Result{}}, ""},
		"a turn of nobody's":  {flow.Event{Kind: flow.TurnEnded, Task: "research.1/nobody", Result: &flow.Result{Fault: busy}}, ""},
		"a task of nobody's":  {flow.Event{Kind: flow.TaskEnded, Task: "research.1/nobody", Outcome: loop.Failed}, ""},
		"a verdict":           {flow.Event{Kind: flow.StageJudged, Verdict: &flow.Verdict{Move: flow.Fail, Reason: "no seat left a report"}}, "Phase 1: no seat left a report"},
		"a later kind":        {flow.Event{Kind: "run.dreamt"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := begin()
			p.Ask("research", 1, "claude", "codex")
			p.Tell(flow.Event{Kind: flow.TurnStarted, Task: statustest.ID("research", "claude")})
			require.Equal(t, row.says, p.Tell(row.fact))
		})
	}
}

func TestWhatARunLooksLike(t *testing.T) {
	p := begin()
	s := p.Status()
	require.Equal(t, "running", s.Status)
	require.Zero(t, s.Step)
	require.Equal(t, 13, s.Steps)
	require.Empty(t, s.Seats)
	require.Equal(t, []string{"gemini: gemini is not installed"}, s.Missing)
	require.Equal(t, status.Limits{USD: 5, Tokens: 9, Minutes: 90, Turns: 7}, s.Limits)
	require.Equal(t, statustest.Began(), s.Began)

	p.Ask("research", 1, "claude", "codex")
	p.Tell(flow.Event{Kind: flow.TurnStarted, Task: statustest.ID("research", "claude")})
	p.Tell(flow.Event{Kind: flow.TurnRunning, Task: statustest.ID("research", "claude"), Process: &flow.Process{PID: 77}})
	s = p.Status()
	require.Equal(t, "research", s.Phase)
	require.Equal(t, 1, s.Step)
	require.Equal(t, []status.Seat{
		{Name: "claude", Role: "research", State: "running", Iteration: 1, Iterations: 10, Turn: 1, Model: "opus", PID: 77, Active: statustest.Began().Add(3 * time.Second)},
		{Name: "codex", Role: "research", State: "waiting", Iterations: 10},
	}, s.Seats)

	p.Tell(flow.Event{Kind: flow.TurnEnded, Task: statustest.ID("research", "claude"), Result: &flow.Result{USD: 0.5, Tokens: 10, Estimated: true, Fault: &agent.Fault{Class: agent.Retryable, Message: "too many requests", RetryAfter: time.Minute}}})
	s = p.Status()
	require.Equal(t, "paused", s.Seats[0].State)
	require.Equal(t, s.At.Add(time.Minute), s.Seats[0].Until)
	require.Equal(t, "too many requests", s.Seats[0].Reason)
	require.Equal(t, status.Money{USD: 0.5, Estimated: true, Tokens: 10, Turns: 1, Elapsed: 5 * time.Second}, s.Spent)

	p.Ends("research", "claude", loop.Failed, "gave up")
	s = p.Status()
	require.Equal(t, "failed", s.Seats[0].State)
	require.Equal(t, "gave up", s.Seats[0].Reason)

	p.Tell(flow.Event{Kind: flow.RunEnded, Status: flow.OutOfBudget, Reason: "spent"})
	s = p.Status()
	require.Equal(t, "out_of_budget", s.Status)
	require.Equal(t, "spent", s.Reason)
}

func TestTheStageAFailedRunEndedInHasFailed(t *testing.T) {
	for end, want := range map[flow.Status]string{flow.Failed: "failed", flow.Cancelled: "cancelled", flow.OutOfBudget: "done", flow.Completed: "done"} {
		p := begin()
		p.Ask("research", 1, "claude")
		p.Ask("registry", 1, flow.Program)
		p.Tell(flow.Event{Kind: flow.RunEnded, Status: end})
		course := p.Status().Course
		require.Equal(t, "done", course[1].State, end)
		require.Equal(t, want, course[2].State, end)
		require.Equal(t, "skipped", course[3].State, end)
	}
}

func TestAPartTellsHowLongItTook(t *testing.T) {
	p := begin()
	require.Zero(t, p.Status().Course[1].Took)
	p.Ask("research", 1, "claude")
	going := p.Status()
	require.Equal(t, going.At, going.Course[1].Since)
	p.Turn("research", "claude", statustest.Good(1))
	p.Ends("research", "claude", loop.Complete, "")
	p.Ask("registry", 1, flow.Program)
	gone := p.Status()
	require.Equal(t, gone.At.Sub(going.At), gone.Course[1].Took)
	require.Zero(t, gone.Course[1].Since)
	require.Equal(t, gone.At, gone.Course[2].Since)
	p.Tell(flow.Event{Kind: flow.RunEnded, Status: flow.Completed})
	over := p.Status()
	require.Equal(t, over.At.Sub(gone.At), over.Course[2].Took)
	require.Zero(t, over.Course[2].Since)
}

// The score on the screen is the last that was measured, not the first.
func TestTheScoreIsTheLastMeasured(t *testing.T) {
	p := begin()
	require.Nil(t, p.Status().Score, "nothing has been measured")
	for i, score := range []float64{41, 73.5} {
		p.Ask("registry", i+1, flow.Program)
		res := statustest.Good(1)
		res.Found = &flow.Assessment{Gate: "report", Score: score}
		p.Turn("registry", flow.Program, res)
		p.Ends("registry", flow.Program, loop.Complete, "")
	}
	p.Ask("refinement", 1, "claude")
	require.InDelta(t, 73.5, *p.Status().Score, 0)
}

// What is free, what is unknown and what is only partly known are told apart: a
// reader must not take one for another.
func TestMoneyIsShownAsFarAsItIsKnown(t *testing.T) {
	for want, m := range map[string]status.Money{
		"free": {}, "unknown": {Tokens: 70, Unpriced: 70}, "$1.50": {USD: 1.5, Tokens: 9}, "~$1.50": {USD: 1.5, Estimated: true}, "over $1.50": {USD: 1.5, Tokens: 9, Unpriced: 4},
	} {
		require.Equal(t, want, m.Brief())
		require.Equal(t, want, status.Price{USD: m.USD, Estimated: m.Estimated, Tokens: m.Tokens, Unpriced: m.Unpriced}.Brief(), "of a campaign's phase")
	}
}

func TestWaitingForAPersonTakesNoTime(t *testing.T) {
	p := begin()
	p.Ask("research", 1, "claude")
	p.Tell(flow.Event{Kind: flow.StageJudged, Verdict: &flow.Verdict{Move: flow.Ask}})
	asked := p.Status().Spent.Elapsed
	require.Positive(t, asked)
	p.Tell(flow.Event{Kind: flow.SupervisorStarted})
	p.Tell(flow.Event{Kind: flow.CancelAsked, Reason: "enough"})
	p.Tell(flow.Event{Kind: flow.RunEnded, Status: flow.Cancelled})
	require.Equal(t, asked, p.Status().Spent.Elapsed)
}

// A seat is shown by the latest it was asked; the program's own work is not
// shown at all.
func TestSeatsAreShownByTheirLatestTask(t *testing.T) {
	p := begin()
	p.Ask("research", 1, "claude", "codex")
	p.Ends("research", "claude", loop.Complete, "")
	p.Ends("research", "codex", loop.Failed, "no login")
	p.Ask("registry", 1, flow.Program)
	p.Ask("refinement", 1, "claude")
	p.Ask("report", 1, flow.Program)
	s := p.Status()
	require.Equal(t, "synthesis", s.Phase, "people count three phases")
	require.Equal(t, 13, s.Step)
	require.Len(t, s.Seats, 2)
	require.Equal(t, "refinement", s.Seats[0].Role)
	require.Equal(t, "research", s.Seats[1].Role)
	require.Equal(t, "no login", s.Seats[1].Reason)
}

// The last iteration is never passed: a further turn only mends it.
func TestNoIterationBeyondTheLastIsShown(t *testing.T) {
	p := begin()
	p.Ask("research", 1, "claude")
	p.Turn("research", "claude", flow.Result{Iterations: 10, Artefact: loop.Artefact{SHA256: "a"}})
	p.Tell(flow.Event{Kind: flow.TurnStarted, Task: statustest.ID("research", "claude")})
	require.Equal(t, 10, p.Status().Seats[0].Iteration)
}

func TestAStatusComesBackFromJSON(t *testing.T) {
	p := begin()
	p.Ask("research", 1, "claude")
	data, err := json.Marshal(p.Status())
	require.NoError(t, err)
	var again status.Status
	require.NoError(t, json.Unmarshal(data, &again))
	require.Equal(t, p.Status(), again)
}

func TestANameIsWrittenWithACapital(t *testing.T) {
	for name, want := range map[string]string{"": "", "claude": "Claude", "librarian-code": "Librarian-code", "Ada": "Ada", "9a": "9a"} {
		require.Equal(t, want, status.Title(name), "%q", name)
	}
}
