package staged_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
)

// fateWorld plays staged research in which much goes wrong. What a turn comes
// to depends on the world, the task and the turn alone, never on when it is
// taken: so a run that is cut off and taken up has to come to the same.
type fateWorld struct {
	fate   uint64
	dice   *rand.Rand // in which order things happen
	wf     flow.Workflow
	run    flow.Run
	facts  []flow.Event
	reopen int // times a failed run is taken up again by a person
}

func newFate(fate uint64, facts []flow.Event) *fateWorld {
	w := &fateWorld{fate: fate, dice: rand.New(rand.NewPCG(fate, uint64(len(facts)))), wf: staged.Workflow()}
	w.facts, w.run = slices.Clone(facts), flow.Replay(facts)
	return w
}

// draw is a number below n that is fixed by the world and these words.
func (w *fateWorld) draw(n int, words ...any) int {
	h := fnv.New64a()
	fmt.Fprint(h, w.fate, words)
	return int(h.Sum64() % uint64(n))
}

func (w *fateWorld) tell(e flow.Event) {
	e.Seq = w.run.Seq + 1
	if e.At = w.run.At.Add(time.Second); w.run.Seq == 0 {
		e.At = time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC)
	}
	w.facts = append(w.facts, e)
	w.run = flow.Evolve(w.run, e)
}

// result is what a turn comes to.
func (w *fateWorld) result(t flow.TaskState) flow.Result {
	res := flow.Result{Iterations: 1}
	if t.Seat == flow.Program {
		out := wellDone(t, 0)
		switch {
		case t.Role == panel.Verdict:
			out = panel.OwnCount(&panel.Count{Valid: 3, Score: 1, Verdict: []string{panel.Approved, panel.NeedsRevision, panel.NeedsRevision, panel.NoQuorum, panel.Rejected}[w.draw(5, t.ID)]})
		case t.Role == staged.Delivery && w.draw(3, t.ID, t.Loop.Turns) == 0:
			res.Fault = &agent.Fault{Class: agent.Retryable, Message: "503"}
			return res
		}
		res.Found, res.Artefact = &flow.Assessment{Own: out}, loop.Artefact{SHA256: t.ID, Usable: true, Complete: true}
		return res
	}
	switch luck := w.draw(20, t.ID, t.Loop.Turns); {
	case luck < 2:
		res.Fault = &agent.Fault{Class: agent.Retryable, Message: "429"}
	case luck == 2:
		res.Fault = &agent.Fault{Class: agent.Terminal, Message: "no login"}
	case luck < 6:
		res.Artefact = loop.Artefact{SHA256: fmt.Sprint(luck), Problems: []string{"it is no JSON"}}
	case luck == 6:
		res.Artefact, res.Found = loop.Artefact{SHA256: "thin", Usable: true, Complete: true}, &flow.Assessment{Own: staged.OwnOutput(&staged.Output{})}
	default:
		res.Artefact, res.Found = loop.Artefact{SHA256: t.ID, Usable: true, Complete: true}, &flow.Assessment{Own: wellDone(t, 0)}
	}
	return res
}

// recover does what a supervisor does that takes a run up: turns that were
// under way say nothing about their seats.
func (w *fateWorld) recover() {
	if w.run.Status != "" {
		return
	}
	w.tell(flow.Event{Kind: flow.SupervisorStarted})
	for _, t := range w.run.Tasks {
		if t.Running != nil {
			w.tell(flow.Event{Kind: flow.TurnEnded, Task: t.ID, Turn: t.Turn, Result: &flow.Result{Stopped: true}})
		}
	}
}

// ends plays to the end.
func (w *fateWorld) ends(t *testing.T) flow.Run {
	for range 20000 {
		if e, ok := flow.Decide(w.wf, w.run); ok {
			w.tell(e)
			continue
		}
		switch {
		case w.run.IsWaiting():
			w.tell(flow.Event{Kind: flow.InputGiven, Input: w.says()})
		case w.run.Status == flow.Failed && w.reopened() < w.reopen:
			s := w.run.Setup
			w.tell(flow.Event{Kind: flow.RunReopened, Stage: staged.ReopenStage(w.run), Setup: &s, Reason: "taken up again"})
		case w.run.Status != "":
			return w.run
		default:
			w.step()
		}
	}
	t.Fatal("the run does not end")
	return w.run
}

// step starts a turn that ought to be under way, or ends one that is.
func (w *fateWorld) step() {
	var running, waiting []flow.WantedTurn
	for _, work := range flow.WantedTurns(w.run) {
		if work.Task.Running != nil {
			running = append(running, work)
			continue
		}
		waiting = append(waiting, work)
	}
	if len(waiting) > 0 && (len(running) == 0 || w.dice.IntN(2) == 0) {
		one := waiting[w.dice.IntN(len(waiting))]
		w.tell(flow.Event{Kind: flow.TurnStarted, Task: one.Task.ID, Turn: one.Turn, Session: "s"})
		return
	}
	one := running[w.dice.IntN(len(running))]
	res := w.result(one.Task)
	w.tell(flow.Event{Kind: flow.TurnEnded, Task: one.Task.ID, Turn: one.Turn, Result: &res})
}

// says is what the person says next: answers, now and then more answers, and
// their word in the end.
func (w *fateWorld) says() *flow.Input {
	n := len(w.run.Given)
	if staged.AsksToConfirm(w.run) && (n > 3 || w.draw(3, "person", n) > 0) {
		return &flow.Input{Confirmed: true}
	}
	return &flow.Input{File: staged.AnswersFile(n + 1)}
}

func (w *fateWorld) reopened() int {
	n := 0
	for _, e := range w.facts {
		if e.Kind == flow.RunReopened {
			n++
		}
	}
	return n
}

// story is what came of a run, whatever the order of what happened at once: its
// stages with their verdicts, and of each task every turn that counted.
func (w *fateWorld) story() []string {
	var list []string
	turns := map[string]string{}
	stage := func(v flow.Visit) {
		line := fmt.Sprintf("%s %d: %s %s %q;", v.Stage, v.Visit, v.Verdict.Move, v.Verdict.To, v.Verdict.Reason)
		tasks := slices.Clone(v.Tasks)
		slices.SortFunc(tasks, func(a, b flow.TaskState) int { return slices.Compare([]byte(a.ID), []byte(b.ID)) })
		for _, t := range tasks {
			line += fmt.Sprintf(" %s (%s) reads %v writes %s: %s %q after%s;", t.ID, t.Role, t.Reads, t.Writes, t.Outcome, t.Reason, turns[t.ID])
		}
		list = append(list, line)
	}
	for _, e := range w.facts {
		if e.Kind == flow.TurnEnded && !e.Result.Stopped {
			turns[e.Task] += fmt.Sprintf(" [%v %v]", e.Result.Fault, e.Result.Artefact)
		}
	}
	for _, v := range w.run.History {
		stage(v)
	}
	last := flow.Visit{Stage: w.run.Stage, Visit: w.run.Visit, Tasks: w.run.Tasks}
	if w.run.Judged != nil {
		last.Verdict = *w.run.Judged
	}
	stage(last)
	return append(list, fmt.Sprintf("%s %q given %v outputs %v", w.run.Status, w.run.Reason, w.run.Given, staged.Outputs(w.run)))
}

// A run may be cut off behind any fact: taken up, it takes every turn that is
// missing and none that has ended, and comes to the same end. Some are cut off
// twice.
func TestAThousandCrashesChangeNothing(t *testing.T) {
	const worlds, crashes = 40, 25
	ends := map[flow.Status]int{}
	revised, paused, failed := 0, 0, 0
	for fate := range uint64(worlds) {
		whole := newFate(fate, nil)
		whole.reopen = int(fate % 3)
		setup := stagedSetup()
		whole.tell(flow.Event{Kind: flow.RunBegun, Setup: &setup})
		r := whole.ends(t)
		want := whole.story()
		ends[r.Status]++
		revised += panel.Revisions(r)
		paused += len(r.Given)
		failed += whole.reopened()
		dice := rand.New(rand.NewPCG(fate, 1))
		for crash := range crashes {
			cut := 1 + dice.IntN(len(whole.facts))
			w := newFate(fate, whole.facts[:cut])
			w.reopen = whole.reopen
			w.recover()
			for range dice.IntN(20) * (crash % 2) { // and again
				if _, ok := flow.Decide(w.wf, w.run); ok || len(flow.WantedTurns(w.run)) == 0 {
					break
				}
				w.step()
			}
			w.recover()
			w.ends(t)
			require.Equal(t, want, w.story(), "world %d cut off behind fact %d", fate, cut)
		}
	}
	require.Greater(t, ends[flow.Completed], 5, "of the worlds some end well")
	require.Greater(t, ends[flow.Failed], 5, "and some do not")
	require.Greater(t, revised, 20)
	require.Greater(t, paused, 80)
	require.Greater(t, failed, 10)
}
