package supervisor

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// Product is a kind of run. The supervisor asks it for what only it can know,
// and never which one it is.
type Product interface {
	// Workflow is the course of a run; false where the run is another product's.
	Workflow(flow.Setup) (flow.Workflow, bool)

	// Reserve is called before a run is laid down, and again before it is worked
	// on: an error says why it cannot be now. Release gives back what it has kept.
	Reserve(s flow.Setup, working bool, now time.Time) error
	Release(flow.Setup)

	// Session completes the state file by which a session owns a run.
	Session(flow.Setup, workspace.State) workspace.State

	// Reopened is the stage a run goes on with that is taken up by another worker
	// or under other limits; "" for where it stands. It moves to the session named
	// where moves says so.
	Reopened(flow.Run) (stage string, moves bool)

	// Demand is what a run will ask of its seats, for a forecast of what it takes.
	Demand(flow.Setup) forecast.Demand

	// Open makes ready what the product does in a run.
	Open(*Run) (Work, error)
}

// Work is what a product does in one run. [Base] does all of it in the plainest
// way, for a product to build on.
type Work interface {
	Program
	Asking
	Telling

	// TakeUp brings what lies on disk in step with the facts there are, before
	// anything is done.
	TakeUp(facts []flow.Event) error
	// Resume begins what goes on beside the run.
	Resume()
	// Finish ends a run that has ended: its report is there whatever happened.
	Finish() error
	Close() error
}

// Program is the work of the program itself.
type Program interface {
	// Perform is the program's work for a task on the run as it is now; nil where
	// there is none of that role. It is called on the supervisor's goroutine, what
	// it gives is not.
	Perform(flow.TaskState) func() (*flow.Assessment, error)
	// Outputs names files such work leaves beside that of its task, for their
	// hashes to be journaled.
	Outputs(role string) []string
	// FaultClass says what an error of such work means for a further try.
	FaultClass(error) agent.Class
}

// Asking is what is asked of seats, and what their answers are worth.
type Asking interface {
	// SeatFolder is the folder a seat works at a task in, below that of all seats.
	SeatFolder(flow.Task) string
	// BeginTurn is called before a seat's turn, and EndTurn after it. Interrupted
	// is called for a turn that was under way when the supervisor was killed that
	// gave its last sign of life then.
	BeginTurn(t flow.TaskState, first bool) error
	EndTurn(flow.Task) error
	Interrupted(t flow.Task, last time.Time) error

	// Equip says what a turn is given beside its folder.
	Equip(agent.Turn, flow.Task) agent.Turn
	// Lend lays down what it is lent, and Reclaim takes it back.
	Lend(agent.Turn, flow.Task) error
	Reclaim(agent.Turn)
	// Cleared names files in the seat's folder that must not be there yet.
	Cleared(flow.TaskState) []string
	// Inputs adds to what a task reads, as absolute paths.
	Inputs(t flow.Task, inputs []string) ([]string, error)
	// OpenItems lists what a seat should mend or look into, as Markdown.
	OpenItems(flow.TaskState) string
	Prompt(t flow.Task, ask agent.Turn, inputs []string) (string, error)
	// ResumePrompt goes on with a session; "" asks everything again.
	ResumePrompt(t flow.TaskState, ask agent.Turn) (string, error)
	// AskSession asks the host's session, and gives what waits for its answer.
	AskSession(*HostTurn) (func() flow.Result, error)
	// HearsStop reports whether a task of the host's session is over when the
	// session stops.
	HearsStop(flow.Task) bool

	// Progress looks at what a seat has left up to now and counts what of it stands.
	Progress(flow.TaskState) int
	// Ended is called once a seat has come to its end by itself.
	Ended(flow.TaskState)
	// TakeReply keeps what a seat has said last, where that is its answer.
	TakeReply(flow.Task, agent.Reply)
	// Measure judges an answer by what stands in it.
	Measure(t flow.Task, data []byte) loop.Artefact
	// Settle has the last word on a turn's result.
	Settle(flow.TaskState, *flow.Result)
	// IsWhole reports whether an answer can be told to have come to its end.
	IsWhole(t flow.Task, data []byte) bool
	// Publishes reports whether an answer is put into the run's folder, and Publish
	// is the answer as that has it.
	Publishes(flow.Task) bool
	Publish(t flow.Task, data []byte) ([]byte, error)
}

// Telling is how a run is told of.
type Telling interface {
	// Told is called with every fact, in order, once it is journaled and folded.
	Told(flow.Event)
	// Entered is called once facts are told that have entered a stage.
	Entered() error
	// WriteState writes what repeats the journal for people and programs.
	WriteState()
	// Overdue is what is to be told of a run that takes too long.
	Overdue(now time.Time) (flow.Event, bool)
	// Unheard reports whether the session may not know that its run has ended.
	Unheard() bool
	// Note hears what a hook of the session tells.
	Note(workspace.Note)
}

// Base is work in its plainest form: answers are texts that end with the marker
// of completeness. A product embeds it and says what it does otherwise.
type Base struct{ *Run }

func (b Base) TakeUp([]flow.Event) error { return nil }
func (b Base) Resume()                   {}
func (b Base) Finish() error             { return nil }
func (b Base) Close() error              { return nil }

func (b Base) Perform(flow.TaskState) func() (*flow.Assessment, error) { return nil }
func (b Base) Outputs(string) []string                                 { return nil }
func (b Base) FaultClass(error) agent.Class                            { return agent.Terminal }

func (b Base) SeatFolder(t flow.Task) string { return t.Folder() }

func (b Base) BeginTurn(flow.TaskState, bool) error              { return nil }
func (b Base) EndTurn(flow.Task) error                           { return nil }
func (b Base) Interrupted(flow.Task, time.Time) error            { return nil }
func (b Base) Equip(ask agent.Turn, _ flow.Task) agent.Turn      { return ask }
func (b Base) Lend(agent.Turn, flow.Task) error                  { return nil }
func (b Base) Reclaim(agent.Turn)                                {}
func (b Base) Cleared(flow.TaskState) []string                   { return nil }
func (b Base) Inputs(_ flow.Task, in []string) ([]string, error) { return in, nil }

// OpenItems lists what was wrong with the last answer.
func (b Base) OpenItems(t flow.TaskState) string { return ProblemLines(t.Loop.Artefact.Problems) }

// Prompt is nothing one could ask: whoever has tasks for seats asks them.
func (b Base) Prompt(t flow.Task, _ agent.Turn, _ []string) (string, error) {
	return "", fmt.Errorf("there is no question for %s", t.Role)
}

func (b Base) ResumePrompt(flow.TaskState, agent.Turn) (string, error) { return "", nil }

func (b Base) AskSession(t *HostTurn) (func() flow.Result, error) {
	return nil, errors.New("the session has no part in this run")
}

func (b Base) HearsStop(flow.Task) bool              { return false }
func (b Base) Progress(flow.TaskState) int           { return 0 }
func (b Base) Ended(flow.TaskState)                  {}
func (b Base) TakeReply(flow.Task, agent.Reply)      {}
func (b Base) Settle(flow.TaskState, *flow.Result)   {}
func (b Base) IsWhole(_ flow.Task, data []byte) bool { return marker.IsComplete(data) }

// Measure takes a text for usable that says something.
func (b Base) Measure(_ flow.Task, data []byte) loop.Artefact {
	a := NewArtefact(data)
	a.Usable, a.Complete = len(strings.TrimSpace(string(data))) > 0, marker.IsComplete(data)
	return a
}

func (b Base) Publishes(flow.Task) bool                         { return true }
func (b Base) Publish(_ flow.Task, data []byte) ([]byte, error) { return data, nil }

func (b Base) Told(flow.Event)                           {}
func (b Base) Entered() error                            { return nil }
func (b Base) WriteState()                               {}
func (b Base) Overdue(time.Time) (e flow.Event, is bool) { return e, false }
func (b Base) Unheard() bool {
	return b.Now.Status != flow.Cancelled && (b.Setup.Unwoken || b.Host().Alive())
}
func (b Base) Note(workspace.Note) {}
