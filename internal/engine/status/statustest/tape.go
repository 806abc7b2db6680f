// Package statustest tells runs fact by fact, for the tests of what is said of
// them.
package statustest

import (
	"time"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
)

// Began is when a tape's first fact comes.
func Began() time.Time { return time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC) }

// Tape is a run told fact by fact, a second apart, and what the log says.
type Tape struct {
	Workflow flow.Workflow
	Run      flow.Run
	Said     []string
}

// New is a tape whose run has begun.
func New(w flow.Workflow, setup flow.Setup) *Tape {
	p := &Tape{Workflow: w}
	p.Tell(flow.Event{Kind: flow.RunBegun, Setup: &setup})
	return p
}

// Tell adds a fact, and gives what the log says of it.
func (p *Tape) Tell(e flow.Event) string {
	e.Seq, e.At = p.Run.Seq+1, Began().Add(time.Duration(p.Run.Seq)*time.Second)
	p.Run = flow.Evolve(p.Run, e)
	line := status.LogLine(p.Workflow, p.Run, e)
	if line != "" {
		p.Said = append(p.Said, line)
	}
	return line
}

// Ask enters a stage with a task for each seat.
func (p *Tape) Ask(stage string, visit int, seats ...string) {
	var tasks []flow.Task
	for _, s := range seats {
		tasks = append(tasks, flow.Task{ID: ID(stage, s), Seat: s, Role: stage, Rule: loop.Default()})
	}
	p.Tell(flow.Event{Kind: flow.StageEntered, Stage: stage, Visit: visit, Tasks: tasks})
}

// ID is that of a seat's task in a stage.
func ID(stage, seat string) string { return stage + ".1/" + seat }

// Turn is one turn of a seat.
func (p *Tape) Turn(stage, seat string, r flow.Result) string {
	p.Tell(flow.Event{Kind: flow.TurnStarted, Task: ID(stage, seat)})
	return p.Tell(flow.Event{Kind: flow.TurnEnded, Task: ID(stage, seat), Result: &r})
}

// Ends is the end of a seat's task.
func (p *Tape) Ends(stage, seat string, o loop.Outcome, why string) string {
	return p.Tell(flow.Event{Kind: flow.TaskEnded, Task: ID(stage, seat), Outcome: o, Reason: why})
}

// Status is what the run looks like.
func (p *Tape) Status() status.Status { return status.Of(p.Workflow, p.Run, "/p/research/x") }

// Good is the result of a turn that has left something whole.
func Good(iterations int) flow.Result {
	return flow.Result{Iterations: iterations, USD: 0.25, Tokens: 100, Artefact: loop.Artefact{SHA256: "a", Usable: true, Complete: true}}
}
