package flow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
)

// storm is a council before providers that refuse everything for 36 of 60 seconds, each
// in its own minute, for half an hour.
type storm struct {
	t      *testing.T
	wf     flow.Workflow
	run    flow.Run
	events int
	began  time.Time
	clock  time.Time
	ends   map[string]time.Time    // of the turns under way
	fault  map[string]*agent.Fault // with which they end
	spoken map[string]int          // answers of a task's conversation, which is kept

	taken, refused int
}

const (
	stormTakes = 30 * time.Minute
	every      = time.Minute
	closed     = 36 * time.Second
	oneCall    = 5 * time.Second
	talk       = 80 // answers of a conversation that researches
)

func (s *storm) tell(e flow.Event) {
	s.events++
	e.Seq, e.At = s.events, s.clock
	s.run = flow.Evolve(s.run, e)
}

// begin lets a turn of a task go: it asks until its conversation has come to its end, or it
// is refused.
func (s *storm) begin(t flow.TaskState) {
	offset := time.Duration(len(t.Brand)) * 17 * time.Second
	at := s.clock
	answered := 0
	most := 2
	if t.Role == agent.Research || t.Role == agent.Refinement {
		most = talk
	}
	for s.spoken[t.ID] < most {
		if in := (at.Sub(s.began) + offset) % every; at.Sub(s.began) < stormTakes && in < closed && t.Seat != flow.Program {
			s.refused++
			wait := (closed - in + time.Second - 1).Truncate(time.Second)
			s.fault[t.ID] = &agent.Fault{Class: agent.Retryable, Message: "status 429", RetryAfter: wait}
			break
		}
		s.taken++
		s.spoken[t.ID]++
		answered++
		at = at.Add(oneCall)
	}
	s.ends[t.ID] = at
	s.tell(flow.Event{Kind: flow.TurnStarted, Task: t.ID, Session: "s"})
	s.spoken[t.ID+" now"] = answered
}

func (s *storm) end(t flow.TaskState) {
	res := &flow.Result{Output: int64(s.spoken[t.ID+" now"]), Fault: s.fault[t.ID], Session: "s"}
	if res.Fault == nil {
		res.Iterations, res.Artefact = 1, loop.Artefact{SHA256: t.ID, Usable: true, Complete: true}
		res.Found = &flow.Assessment{Own: panel.OwnCount(&panel.Count{})}
	}
	delete(s.ends, t.ID)
	delete(s.fault, t.ID)
	s.tell(flow.Event{Kind: flow.TurnEnded, Task: t.ID, Result: res})
}

// step does what is next, and says whether there was anything.
func (s *storm) step() bool {
	if e, ok := flow.Decide(s.wf, s.run); ok {
		if e.Kind == flow.TaskEnded {
			require.Equal(s.t, loop.Complete, e.Outcome, "%s: %s", e.Task, e.Reason)
		}
		s.tell(e)
		return true
	}
	next := time.Time{}
	sooner := func(at time.Time) {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	for _, w := range flow.WantedTurns(s.run) {
		switch {
		case w.Task.Running != nil && !s.ends[w.Task.ID].After(s.clock):
			s.end(w.Task)
			return true
		case w.Task.Running != nil:
			sooner(s.ends[w.Task.ID])
		case !w.NotBefore.After(s.clock):
			s.begin(w.Task)
			return true
		default:
			sooner(w.NotBefore)
		}
	}
	if s.run.Status != "" || next.IsZero() {
		return false
	}
	s.clock = next
	return true
}

// Three families research half an hour long while each provider refuses three calls of
// five: every turn comes to its end, and few calls are made in vain.
func TestAStormOfRefusalsForHalfAnHour(t *testing.T) {
	setup := flow.Setup{ID: "20260222-143000-a1b2c3", Workflow: "council", Topic: "t", Loop: loop.Default()}
	for _, brand := range []string{"a", "bb", "ccc"} {
		setup.Seats = append(setup.Seats, flow.Seat{Name: brand, Brand: brand})
	}
	wf, ok := council.WorkflowOf(setup)
	require.True(t, ok)
	began := time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC)
	s := &storm{t: t, wf: wf, began: began, clock: began, ends: map[string]time.Time{}, fault: map[string]*agent.Fault{}, spoken: map[string]int{}}
	s.tell(flow.Event{Kind: flow.RunBegun, Setup: &setup})
	for s.step() {
		require.Less(t, s.events, 5000)
	}
	t.Logf("%d calls taken and %d refused in %s of %d facts", s.taken, s.refused, s.clock.Sub(began), s.events)
	require.Equal(t, flow.Completed, s.run.Status, s.run.Reason)
	require.Greater(t, s.clock.Sub(began), stormTakes, "it has passed over them")
	require.Greater(t, s.refused, 30)
	require.LessOrEqual(t, float64(s.taken+s.refused), 1.5*float64(s.taken))
}
