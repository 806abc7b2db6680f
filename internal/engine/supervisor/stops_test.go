package supervisor

import (
	"errors"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product/council"
)

// asked is a run whose session is asked for the synthesis. Its folder, journal,
// inbox and lease are the real ones, and so is whatever is done to them; drawn is
// only who does the next thing, and where a supervisor is killed.
type asked struct {
	*rapid.T
	options Options
	folder  *workspace.Folder
	now     *supervisor // nil while none works
	at      time.Time   // of the last note
	steps   []string
}

func newAsked(t *rapid.T, project string) *asked {
	setup := flow.Setup{
		ID: "20260222-143000-a1b2c3", Workflow: council.Workflow().Name, Topic: "How?", Root: project, Session: "s1", Turn: time.Hour,
		Loop: loop.Rule{Iterations: 1, Retries: 1, Stuck: 1}, Limits: budget.Limits{Turns: 1000},
	}
	f, err := Begin(TestProducts, setup, time.Now())
	require.NoError(t, err)
	a := &asked{T: t, options: Options{Project: project, ID: setup.ID, Council: "/bin/true", Hook: "/bin/true", Products: TestProducts}, folder: f, at: time.Now()}
	task := flow.Task{ID: "synthesis.1/" + flow.Host, Seat: flow.Host, Role: council.Synthesis, Rule: setup.Loop, Reads: []string{claim.RegistryFile}, Writes: council.SynthesisFile, Reserved: true}
	a.start()
	require.NoError(t, a.now.recordFacts(flow.Event{Kind: flow.StageEntered, Stage: council.Synthesis, Visit: 1, Tasks: []flow.Task{task}}))
	return a
}

// start is a supervisor that takes the run up, and looks what has come meanwhile.
func (a *asked) start() {
	s, err := open(a.options, false)
	require.NoError(a, err)
	a.now = s
	require.NoError(a, s.recover())
	a.look()
}

// turn starts what ought to be under way.
func (a *asked) turn() {
	_, _, err := a.now.reconcile()
	require.NoError(a, err)
}

func (a *asked) look() {
	_, err := a.now.checkInbox()
	require.NoError(a, err)
}

// said is what the session's turn says, which it is about to.
func (a *asked) said() signal {
	select {
	case sig := <-a.now.signals:
		require.NoError(a, sig.err)
		return sig
	case <-time.After(time.Minute):
		require.Fail(a, "somebody waits for ever", "%q", a.steps)
		return signal{}
	}
}

func (a *asked) hear() { require.NoError(a, a.now.handleSignal(a.said())) }

// forget is a supervisor that is killed when the end of the turn is a fact, and
// the notes of it are not yet removed.
func (a *asked) forget() {
	sig := a.said()
	delete(a.now.turns, sig.task)
	require.NoError(a, a.now.recordTurnEnd(*sig.event))
	a.kill()
}

// kill ends the supervisor as kill -9 does: the system gives back what it held,
// and nothing more is written.
func (a *asked) kill() {
	s := a.now
	a.now = nil
	for _, t := range s.turns {
		t.end(true)
		<-s.signals // which nobody heard
	}
	s.cancelLife()
	require.NoError(a, errors.Join(s.journal.Close(), s.lease.Release(), s.Folder.Close()))
}

// end is a supervisor that is asked to go.
func (a *asked) end() {
	s := a.now
	a.now = nil
	require.NoError(a, s.suspendTurns())
	s.close()
}

func (a *asked) leave(kind, session, detail string) {
	a.at = a.at.Add(time.Millisecond)
	require.NoError(a, a.folder.DropNote(workspace.Note{Kind: kind, Session: session, Detail: detail, At: a.at}))
}

const someDraft = "# Synthesis\n\nIt paces itself.\n\n<!-- RESEARCH_COMPLETE -->\n"

func (a *asked) write() {
	require.NoError(a, a.folder.Write(council.SynthesisFile, []byte(someDraft)))
}

// stop is the session's Stop hook, once its draft is there.
func (a *asked) stop() { a.leave(workspace.SessionStopped, "s1", workspace.Sum([]byte(someDraft))) }

// told reports whether the turn under way was told of the session's stop.
func (a *asked) told() bool {
	stops := func(n workspace.Note) bool { return n.Kind == workspace.SessionStopped }
	for _, t := range a.now.turns {
		if slices.ContainsFunc(t.given, stops) {
			return true
		}
	}
	return false
}

// ends counts how often the end of the session's turn is a fact, and those that
// say nothing of it.
func (a *asked) ends() (heard, cut int) {
	facts, err := Facts(a.options.Project, a.options.ID)
	require.NoError(a, err)
	for _, e := range facts {
		switch {
		case e.Kind != flow.TurnEnded:
		case e.Result.Stopped:
			cut++
		default:
			heard++
		}
	}
	return heard, cut
}

// step does one of the things that can be done now.
func (a *asked) step() {
	noise := map[string]func(){
		"another session stops": func() { a.leave(workspace.SessionStopped, "s2", "x") },
		"a note is torn":        func() { require.NoError(a, a.folder.Write(workspace.Inbox+"/1.json", []byte(`{"kind":"session-st`))) },
		"the session packs, and packs": func() {
			for range 20 {
				a.leave(workspace.PreCompact, "s1", "auto")
			}
		},
	}
	over, _ := a.ends()
	can := map[string]func(){"something else happens": func() { a.pick(noise) }}
	switch {
	case a.folder.Filled(council.SynthesisFile):
		can["the session stops"] = a.stop
	case a.folder.Filled(workspace.Prompts + "/synthesis.md"):
		can["the session writes its draft"] = a.write
	}
	switch {
	case a.now == nil:
		can["a supervisor takes it up"] = a.start
	default:
		can["the supervisor is killed"], can["the supervisor is asked to go"], can["the inbox is looked at"] = a.kill, a.end, a.look
	}
	if a.now != nil && over == 0 {
		can["a turn is started"] = a.turn
	}
	if a.now != nil && a.told() {
		can["the end of the turn is heard"], can["it is killed once that is a fact"] = a.hear, a.forget
	}
	a.pick(can)
}

func (a *asked) pick(can map[string]func()) {
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(can))).Draw(a.T, "step")
	a.steps = append(a.steps, name)
	can[name]()
}

// In whatever order a session stops, and supervisors are killed, go and take the
// run up again: the session's stop is heard once, no note is left, and nobody
// waits for ever.
func TestTheSessionsStopIsHeardOnceInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		project, err := os.MkdirTemp("", "asked")
		require.NoError(t, err)
		defer os.RemoveAll(project)
		a := newAsked(t, project)
		defer a.folder.Close()
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			a.step()
		}
		if a.now == nil {
			a.start()
		}
		stopped := slices.Contains(a.steps, "the session stops")
		for tries := 0; ; tries++ {
			if heard, _ := a.ends(); heard > 0 {
				break
			}
			require.Less(t, tries, 5, "somebody waits for ever: %q", a.steps)
			a.turn()
			if !stopped {
				a.write()
				a.stop()
				stopped = true
			}
			a.look()
			if a.told() {
				a.hear()
			}
		}
		require.NoError(t, a.now.recordDecisions())
		a.look()
		heard, _ := a.ends()
		require.Equal(t, 1, heard, "%q", a.steps)
		left, err := a.folder.Notes()
		require.NoError(t, err)
		require.Empty(t, left, "%q", a.steps)
		a.kill()
	})
}

// A note for which the turn has no room just now is handed to it later.
func TestANoteThatFindsNoRoomIsHeardLater(t *testing.T) {
	t.Parallel()
	under := &turn{notes: make(chan workspace.Note, 1)}
	task := flow.TaskState{Task: flow.Task{ID: "synthesis.1/" + flow.Host, Seat: flow.Host, Role: council.Synthesis}}
	s := &supervisor{
		asker: &asker{&ledger{Run: &Run{Now: flow.Run{Setup: flow.Setup{Session: "s1"}, Tasks: []flow.TaskState{task}}}, work: hearing{}}},
		turns: map[string]*turn{task.ID: under},
	}
	under.notify(workspace.Note{Kind: workspace.PreCompact, Session: "s1"})
	stop := workspace.Note{Kind: workspace.SessionStopped, Session: "s1"}
	require.True(t, s.staysInInbox(stop), "it stays in the inbox")
	require.Empty(t, under.given)
	require.Equal(t, workspace.PreCompact, (<-under.notes).Kind)
	require.True(t, s.staysInInbox(stop))
	require.Equal(t, workspace.SessionStopped, (<-under.notes).Kind)
	require.Len(t, under.given, 1)
	require.True(t, s.staysInInbox(stop))
	require.Empty(t, under.notes, "it was heard")
}

// hearing is work in which a session's task is over when the session stops.
type hearing struct{ Base }

func (hearing) HearsStop(flow.Task) bool { return true }
