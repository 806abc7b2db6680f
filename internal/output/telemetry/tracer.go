package telemetry

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
)

// Spans makes spans of a run's facts, from its first one: those that have
// ended in the order of their ends, a part before its whole, then those under
// way, the run first. What people and models wrote is not in them.
func Spans(events []flow.Event) []Span {
	var t tracer
	var spans []Span
	for _, e := range events {
		spans = append(spans, t.apply(e)...)
	}
	return append(spans, t.openSpans()...)
}

// tracer folds facts into spans. The zero tracer waits for the beginning of a
// run. Facts may be missing and may be told again: a span that was begun ends
// once, and within its parent.
type tracer struct {
	content bool // tell what people and models wrote too
	setup   flow.Setup
	seq     int       // of the last fact; one that is told again says nothing
	now     time.Time // never goes back, also where the clock did
	began   int       // how often the run was begun or reopened
	epoch   int       // how often a supervisor has taken it up
	run     *openSpan
	stage   *openSpan
	tasks   []*openSpan // of the stage, in their order
	ended   []Span      // by the fact under way
}

// openSpan is a span under way.
type openSpan struct {
	Span
	task  flow.Task
	model string
	turn  *openSpan // under way, of a task
	turns int       // begun; of a turn its number
	epoch int
	usage flow.Cost
}

// apply folds one fact and returns the spans that it has ended.
func (t *tracer) apply(e flow.Event) []Span {
	if e.Seq <= t.seq {
		return nil
	}
	t.seq = e.Seq
	if e.At.After(t.now) {
		t.now = e.At
	}
	t.ended = nil
	switch e.Kind {
	case flow.RunBegun, flow.RunReopened:
		t.beginRun(e)
	case flow.StageEntered:
		t.enterStage(e)
	case flow.TurnStarted:
		t.startTurn(e)
	case flow.TurnEnded:
		t.endTurn(e)
	case flow.TaskEnded:
		t.endTask(e)
	case flow.StageJudged:
		t.noteGate(e)
	case flow.RunEnded:
		t.endRun(e)
	default:
		t.addEvent(e)
	}
	return t.ended
}

// openSpans lists the spans under way, as they stand.
func (t *tracer) openSpans() []Span {
	var spans []Span
	for _, w := range append([]*openSpan{t.run, t.stage}, t.tasks...) {
		if w == nil {
			continue
		}
		spans = append(spans, w.Span)
		if w.turn != nil {
			spans = append(spans, w.turn.Span)
		}
	}
	return spans
}

// start begins a span.
func (t *tracer) start(level, name, id string, parent *openSpan) *openSpan {
	w := &openSpan{Span: Span{Trace: traceID(t.setup.ID), ID: id, Name: name, Kind: Internal, Start: t.now, Status: Unset}, epoch: t.epoch}
	w.Attributes = Attributes{levelKey: level, "research_council.run.id": t.setup.ID}
	if parent != nil {
		w.Parent = parent.ID
	}
	return w
}

// finish ends a span.
func (t *tracer) finish(w *openSpan) {
	w.End = t.now
	t.ended = append(t.ended, w.Span)
}

// setError says of what kind a failure was.
func (w *openSpan) setError(kind string) {
	w.Status = Error
	w.Attributes.set("error.type", cmp.Or(kind, "_OTHER"))
}

// beginRun opens the run's span. A run that is reopened gets a further one in the
// same trace: the first has been told already.
func (t *tracer) beginRun(e flow.Event) {
	if t.run != nil || e.Kind == flow.RunReopened && t.setup.ID == "" {
		return
	}
	if e.Setup != nil {
		t.noteSettings(e)
	}
	if t.setup.ID == "" {
		return
	}
	t.began++
	t.run = t.start(levelRun, "invoke_workflow "+t.setup.Workflow, spanID(t.setup.ID, "run", strconv.Itoa(t.began)), nil)
	a := t.run.Attributes
	a["gen_ai.operation.name"] = "invoke_workflow"
	a.set("gen_ai.workflow.name", t.setup.Workflow)
	a.set("research_council.workflow", t.setup.Workflow)
	a.set("research_council.tier", t.setup.Tier)
	a["research_council.seats"] = int64(len(t.setup.Seats))
	a.set("research_council.seats.missing", int64(len(t.setup.Missing)))
	a.set("research_council.run.reopened", int64(t.began-1))
	if t.content {
		a.set("research_council.topic", t.setup.Topic)
	}
}

// noteSettings keeps what a run was asked for; a reopened one is asked for less anew.
func (t *tracer) noteSettings(e flow.Event) {
	if e.Kind == flow.RunBegun {
		t.setup = *e.Setup
		return
	}
	t.setup.Seats, t.setup.Tier = e.Setup.Seats, e.Setup.Tier
}

// enterStage opens the span of a stage's visit and those of its tasks, which begin
// with it: what a task waits for its turn is a part of it.
func (t *tracer) enterStage(e flow.Event) {
	if t.run == nil {
		return
	}
	t.leaveStage()
	t.stage = t.start(levelStage, "stage "+e.Stage, spanID(t.setup.ID, "stage", e.Stage, strconv.Itoa(e.Visit)), t.run)
	t.stage.Attributes.set("research_council.stage", e.Stage).set("research_council.visit", int64(e.Visit))
	t.stage.Attributes["research_council.tasks"] = int64(len(e.Tasks))
	for _, task := range e.Tasks {
		if t.findTask(task.ID) == nil {
			t.tasks = append(t.tasks, t.beginTask(task))
		}
	}
}

func (t *tracer) beginTask(task flow.Task) *openSpan {
	w := t.start(levelTask, task.Role+" "+task.Seat, spanID(t.setup.ID, "task", task.ID), t.stage)
	w.task = task
	for _, seat := range slices.Concat(t.setup.Panel, t.setup.Seats) {
		if seat.Name == task.Seat {
			w.model = seat.Model
		}
	}
	w.describe(t.stage)
	return w
}

// describe says whose work a span is, and in which stage.
func (w *openSpan) describe(stage *openSpan) {
	for _, name := range []string{"research_council.stage", "research_council.visit"} {
		if v, ok := stage.Attributes[name]; ok {
			w.Attributes[name] = v
		}
	}
	w.Attributes.set("research_council.task", w.task.ID).
		set("research_council.seat", w.task.Seat).
		set("research_council.brand", w.task.Brand).
		set("research_council.role", w.task.Role).
		set("research_council.agent", w.task.Agent).
		set("research_council.shard", w.task.Shard)
}

func (t *tracer) findTask(task string) *openSpan {
	for _, w := range t.tasks {
		if w.task.ID == task {
			return w
		}
	}
	return nil
}

func (t *tracer) startTurn(e flow.Event) {
	w := t.findTask(e.Task)
	if w == nil || e.Turn <= w.turns {
		return
	}
	t.dropTurn(w)
	w.turns = e.Turn
	turn := t.start(levelTurn, "invoke_agent "+w.task.Seat, turnID(t.setup.ID, e.Task, e.Turn), w)
	turn.task, turn.model, turn.turns = w.task, w.model, e.Turn
	turn.describe(t.stage)
	turn.Attributes["research_council.turn"] = int64(e.Turn)
	if w.task.Seat == flow.Program {
		turn.Name = "work " + w.task.Role
	} else {
		turn.describeCall(e.Session)
	}
	w.turn = turn
}

// describeCall describes a turn as the call of an agent.
func (w *openSpan) describeCall(session string) {
	w.Kind = Client
	w.Attributes["gen_ai.operation.name"] = "invoke_agent"
	w.Attributes.set("gen_ai.agent.name", w.task.Seat).
		set("gen_ai.provider.name", provider(w.task.Brand)).
		set("gen_ai.request.model", w.model).
		set("gen_ai.conversation.id", session)
}

// provider is what the conventions call the maker of a family of models.
func provider(brand string) string {
	if brand == "google" {
		return "gcp.gen_ai"
	}
	return brand
}

func (t *tracer) endTurn(e flow.Event) {
	w := t.findTask(e.Task)
	if w == nil || w.turn == nil || e.Result == nil || e.Turn != 0 && e.Turn != w.turn.turns {
		return
	}
	turn := w.turn
	w.turn = nil
	w.usage = w.usage.Plus(e.Result.Cost())
	turn.result(*e.Result)
	turn.Attributes.set("research_council.turn.taken_up", turn.epoch != t.epoch)
	if f := e.Result.Fault; f != nil && t.content {
		turn.Attributes.set("research_council.message", f.Message)
	}
	t.finish(turn)
}

// result tells what a turn came to.
func (w *openSpan) result(r flow.Result) {
	a := w.Attributes
	a["research_council.outcome"] = outcome(r)
	a["research_council.iterations"] = int64(r.Iterations)
	a.set("research_council.artefact.bytes", r.Artefact.Bytes)
	a.set("research_council.artefact.complete", r.Artefact.Complete)
	a.set("research_council.artefact.usable", r.Artefact.Usable)
	a.set("research_council.artefact.problems", int64(len(r.Artefact.Problems)))
	a.set("gen_ai.conversation.id", r.Session)
	a.set("research_council.models", r.Models)
	if len(r.Models) > 0 && w.Kind == Client {
		a["gen_ai.response.model"] = answering(r.Models, w.model)
	}
	a.addCost(r.Cost())
	if w.Kind == Client && r.Input+r.Output > 0 {
		a["gen_ai.usage.input_tokens"], a["gen_ai.usage.output_tokens"] = r.Input, r.Output
		a.set("gen_ai.usage.cache_read.input_tokens", r.Cached)
	}
	switch {
	case r.Stopped:
	case r.Fault != nil:
		w.setError(string(r.Fault.Class))
	default:
		w.Status = OK
	}
}

// outcome is a turn's in one word: ok, stopped, or the class of its fault.
func outcome(r flow.Result) string {
	switch {
	case r.Stopped:
		return "stopped"
	case r.Fault != nil:
		return string(r.Fault.Class)
	}
	return "ok"
}

// answering is the model that stands for those that answered: the one asked
// for, else the first.
func answering(models []string, asked string) string {
	if slices.Contains(models, asked) {
		return asked
	}
	return models[0]
}

// addCost tells a cost as far as it is known.
func (a Attributes) addCost(c flow.Cost) {
	a.set("research_council.tokens", c.Tokens)
	a.set("research_council.tokens.unpriced", c.Unpriced)
	if c.USD > 0 || c.Reported || c.Estimated {
		a["research_council.cost.usd"] = c.USD
		a["research_council.cost.estimated"] = c.Estimated
	}
}

// dropTurn ends a turn whose end was never told.
func (t *tracer) dropTurn(w *openSpan) {
	if w.turn != nil {
		w.turn.Attributes["research_council.outcome"] = "unknown"
		t.finish(w.turn)
		w.turn = nil
	}
}

func (t *tracer) endTask(e flow.Event) {
	w := t.findTask(e.Task)
	if w == nil {
		return
	}
	w.Attributes.set("research_council.outcome", string(e.Outcome)).set("research_council.limited", e.Limit)
	if t.content {
		w.Attributes.set("research_council.reason", e.Reason)
	}
	switch {
	case e.Outcome.Good():
		w.Status = OK
	case e.Outcome == loop.Failed || e.Outcome == loop.Refused:
		w.setError(string(e.Outcome))
	}
	t.closeTask(w)
}

// closeTask ends a task's span.
func (t *tracer) closeTask(w *openSpan) {
	t.dropTurn(w)
	t.tasks = slices.DeleteFunc(t.tasks, func(o *openSpan) bool { return o == w })
	w.Attributes["research_council.turns"] = int64(w.turns)
	w.Attributes.addCost(w.usage)
	t.stage.turns += w.turns
	t.stage.usage = t.stage.usage.Plus(w.usage)
	t.finish(w)
}

// noteGate notes the gate's word. The stage goes on until the run is elsewhere: a
// gate that asks a person judges again.
func (t *tracer) noteGate(e flow.Event) {
	if t.stage == nil || e.Verdict == nil {
		return
	}
	v := *e.Verdict
	a := Attributes{"research_council.gate.move": string(v.Move)}
	a.set("research_council.gate.to", v.To)
	for name, value := range a {
		t.stage.Attributes[name] = value
	}
	if v.Move != flow.Jump {
		delete(t.stage.Attributes, "research_council.gate.to")
	}
	if t.content {
		a.set("research_council.reason", v.Reason)
	}
	t.stage.Events = append(t.stage.Events, Event{Name: "gate", At: t.now, Attributes: a})
	t.stage.Status = OK
	if v.Move == flow.Fail {
		t.stage.setError("gate")
	} else {
		delete(t.stage.Attributes, "error.type")
	}
}

// leaveStage ends the span of the stage, and what of its tasks nobody has ended.
func (t *tracer) leaveStage() {
	if t.stage == nil {
		return
	}
	for len(t.tasks) > 0 {
		t.closeTask(t.tasks[0])
	}
	t.stage.Attributes["research_council.turns"] = int64(t.stage.turns)
	t.stage.Attributes.addCost(t.stage.usage)
	t.run.turns += t.stage.turns
	t.run.usage = t.run.usage.Plus(t.stage.usage)
	t.finish(t.stage)
	t.stage = nil
}

func (t *tracer) endRun(e flow.Event) {
	if t.run == nil {
		return
	}
	t.leaveStage()
	t.run.Attributes.set("research_council.status", string(e.Status))
	t.run.Attributes["research_council.turns"] = int64(t.run.turns)
	t.run.Attributes.addCost(t.run.usage)
	if t.content {
		t.run.Attributes.set("research_council.reason", e.Reason)
	}
	switch e.Status {
	case flow.Completed:
		t.run.Status = OK
	case flow.Failed:
		t.run.setError(string(flow.Failed))
	}
	t.finish(t.run)
	t.run = nil
}

// addEvent tells what else has happened as an event of the stage, or of the run
// where there is none.
func (t *tracer) addEvent(e flow.Event) {
	a := Attributes{}
	switch e.Kind {
	case flow.SupervisorStarted:
		t.epoch++
		a["research_council.epoch"] = int64(t.epoch)
	case flow.IssueMet:
		if e.Issue == nil {
			return
		}
		a.set("research_council.issue.code", e.Issue.Code).set("research_council.stage", e.Issue.Stage).set("research_council.seat", e.Issue.Seat)
		if t.content {
			a.set("research_council.issue.detail", e.Issue.Detail)
		}
	case flow.InputGiven:
		if e.Input != nil {
			a["research_council.input.confirmed"] = e.Input.Confirmed
		}
	case flow.Edited:
		a.set("research_council.edit.by", e.Reason)
	case flow.NoteGiven:
		if e.Note != nil {
			a.set("research_council.note.by", e.Note.By)
		}
	case flow.TimeUp, flow.CancelAsked, flow.FinishAsked, flow.SessionMoved, flow.SessionCompacted:
	default:
		return
	}
	if w := cmp.Or(t.stage, t.run); w != nil {
		w.Events = append(w.Events, Event{Name: string(e.Kind), At: t.now, Attributes: a})
	}
}
