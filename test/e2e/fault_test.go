package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/test/cli"
)

// phases are where a run can be hit: while its seats research, and while they
// refine.
var phases = map[string]string{"research": research, "refinement": refinement}

// caught is a council whose seats each hang once in a phase, after they have
// written a first draft, and go on when they are asked again.
func caught(phase string) []rule {
	hangs := append(looping("Report")[:2:2], step{hang: true})
	return append([]rule{{said: phase, once: true, vendor: "anthropic", steps: hangs}}, diligent()...)
}

// midway starts a run and waits for its claude seat to hang in a phase, and
// for the other seats to have finished theirs.
func (w *world) midway(phase string) string {
	w.Helper()
	cmd := w.council("run", "--detach", "--seats", "claude,codex,gemini", "--test", "--scope", ".", "--debate", "off", "Why?")
	require.Zero(w, w.done(cmd).code, cmd.Stderr)
	run := w.run()
	until(w.T, "one seat hangs and the others have finished", patience, func() bool {
		log, err := os.ReadFile(filepath.Join(run, "progress.log"))
		return err == nil && len(w.asked("anthropic", phases[phase])) == 3 &&
			strings.Contains(string(log), "Codex "+phase+" complete") && strings.Contains(string(log), "Gemini "+phase+" complete")
	})
	return run
}

// afterwards checks that a run has ended well and that no finished turn was
// taken twice.
func (w *world) afterwards(run string) {
	w.Helper()
	until(w.T, "the run ends", patience, func() bool { return w.status(run).Status != "running" })
	require.Equal(w, "completed", w.status(run).Status)
	w.complete(run)
	for _, vendor := range []string{"openai", "google"} {
		for _, role := range phases {
			require.Len(w, w.asked(vendor, role), 5, "%s is asked nothing twice", vendor)
		}
	}
	w.nothingRuns()
}

func (w *world) pids(run, seat string) (supervisor, child int) {
	st := w.status(run)
	for _, s := range st.Seats {
		if s.Name == seat {
			return st.Supervisor, s.PID
		}
	}
	require.Fail(w, "no such seat: "+seat)
	return 0, 0
}

func TestAKilledSupervisorIsTakenUpAgain(t *testing.T) {
	for phase := range phases {
		t.Run(phase, func(t *testing.T) {
			if phase != "refinement" {
				cli.InMatrix(t)
			}
			w := newWorld(t, caught(phases[phase])...)
			run := w.midway(phase)
			supervisor, _ := w.pids(run, "claude")
			proctest.Kill(t, supervisor)
			until(t, "its seats have ended with it", 10*time.Second, func() bool { return len(processes(t, "RESEARCH_COUNCIL_TURN="+filepath.Base(run))) == 0 })
			r := w.done(w.council("resume", filepath.Base(run)))
			require.Zero(t, r.code, r.errs)
			w.afterwards(run)
			require.Len(t, sessions(w.asked("anthropic", phases[phase])), 1, "the session is gone on with")
		})
	}
}

// TestASessionTakesItsRunUpAgain kills the supervisor of a session's run: the
// waiting hook starts another one.
func TestASessionTakesItsRunUpAgain(t *testing.T) {
	cli.InMatrix(t)
	w := newWorld(t, caught(refinement)...)
	owner := w.session(command + `"Why?" --seats claude,codex,gemini --test --scope . --debate off`)
	require.NoError(t, owner.Start())
	until(t, "a seat hangs", patience, func() bool { return len(w.asked("anthropic", refinement)) == 3 })
	supervisor, _ := w.pids(w.run(), "claude")
	proctest.Kill(t, supervisor)
	r := w.ended(owner, owner.Wait())
	require.Zero(t, r.code, r.errs)
	run := w.run()
	require.Equal(t, "completed", w.status(run).Status)
	w.complete(run)
	require.Contains(t, content(t, run, "progress.log"), "Taken up again")
	require.Contains(t, content(t, run, "progress.log"), "Session synthesis complete")
	for _, vendor := range vendors {
		require.Len(t, w.asked(vendor, research), 5, "what was finished is not done again")
	}
	require.Empty(t, w.stateFiles())
	w.nothingRuns()
}

func TestAKilledSeatGoesOn(t *testing.T) {
	cli.InMatrix(t)
	for phase := range phases {
		t.Run(phase, func(t *testing.T) {
			w := newWorld(t, caught(phases[phase])...)
			run := w.midway(phase)
			_, child := w.pids(run, "claude")
			proctest.Kill(t, child)
			w.afterwards(run)
			require.Len(t, sessions(w.asked("anthropic", phases[phase])), 1, "the seat goes on in its session")
		})
	}
}

// TestAKilledSessionLosesNothing kills the user's own session while the seats
// work, or when it has been asked for the synthesis; the run goes on, and a
// seat writes the synthesis.
func TestAKilledSessionLosesNothing(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	for when, c := range map[string]struct {
		script []rule
		asked  string
		seats  int
	}{
		"in research":  {diligent(), research, 3},
		"in synthesis": {append([]rule{{last: "Phase 3/3", steps: []step{{hang: true}}}}, diligent()...), "Phase 3/3", 1},
	} {
		t.Run(when, func(t *testing.T) {
			t.Parallel() // most of it is waiting for the session to come back
			w := newWorld(t, c.script...)
			owner := w.session(command + `"Why?" --seats claude,codex,gemini --test --scope . --debate off`)
			require.NoError(t, owner.Start())
			until(t, "it is "+when, patience, func() bool { return len(sessions(w.asked("", c.asked))) == c.seats })
			require.NoError(t, owner.Process.Kill())
			_ = owner.Wait() // it was killed
			w.afterwards(w.run())
			require.Len(t, sessions(w.asked("", synthesis)), 1, "a seat writes it")
			require.Empty(t, w.stateFiles())
		})
	}
}

// TestASessionThatIsOpenedAgainKeepsItsRun kills the session in research and
// opens it again; it then writes longer than a session may be gone.
func TestASessionThatIsOpenedAgainKeepsItsRun(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	let, written := make(chan struct{}), make(chan struct{})
	script := []rule{
		{said: research, once: true, steps: []step{{hold: let, say: "I begin."}}},
		{last: "synthesis", vendor: "anthropic", steps: []step{{hold: written, write: "{report}", content: draft()}, {say: "The report is written."}}},
	}
	w := newWorld(t, append(script, diligent()...)...)
	owner := w.session(command + `"Why?" --seats codex --test --scope . --debate off`)
	require.NoError(t, owner.Start())
	until(t, "session and seat are at work", patience, func() bool { return len(w.asked("openai", research)) == 1 && len(w.asked("anthropic", "")) == 1 })
	id := w.asked("anthropic", "")[0].session
	require.NoError(t, owner.Process.Kill())
	_ = owner.Wait() // it was killed
	again := w.session("Go on.", "--resume", id)
	require.NoError(t, again.Start())
	until(t, "it is there again", patience, func() bool { return len(w.asked("anthropic", "Go on.")) == 1 })
	close(let)
	until(t, "it is asked for the synthesis", patience, func() bool { return len(w.asked("anthropic", "Phase 3/3")) == 1 })
	time.AfterFunc(23*time.Second, func() { close(written) }) // a session that is away for 20 s counts as gone
	r := w.ended(again, again.Wait())
	require.Zero(t, r.code, r.errs)
	run := w.run()
	require.Equal(t, "completed", w.status(run).Status)
	require.Contains(t, content(t, run, "progress.log"), "Session synthesis complete")
	require.Len(t, sessions(w.asked("openai", synthesis)), 0, "no seat takes its place")
	w.nothingRuns()
}

func TestASeatsTroubleIsNotTheRuns(t *testing.T) {
	cli.InMatrix(t)
	for name, c := range map[string]struct {
		vendor string
		step   step
	}{
		"claude is limited":      {"anthropic", step{status: 429, retryAfter: "1"}},
		"claude's server breaks": {"anthropic", step{status: 500}},
		"claude is overloaded":   {"anthropic", step{status: 529}},
		"claude's stream is cut": {"anthropic", step{cut: true}},
		"codex is limited":       {"openai", step{status: 429, retryAfter: "1"}},
		"codex's server breaks":  {"openai", step{status: 500}},
		"codex's stream is cut":  {"openai", step{cut: true}},
		"gemini is limited":      {"google", step{status: 429, retryAfter: "1"}},
		"gemini's stream is cut": {"google", step{cut: true}},
	} {
		t.Run(name, func(t *testing.T) {
			script := append([]rule{{vendor: c.vendor, said: research, once: true, steps: []step{c.step}}}, diligent()...)
			w := newWorld(t, script...)
			r := w.done(w.council("run", "--seats", name[:strings.IndexAny(name, " '")], "--test", "--scope", ".", "--debate", "off", "Why?"))
			require.Zero(t, r.code, r.errs)
			require.Equal(t, "completed", w.status(w.run()).Status)
			w.nothingRuns()
		})
	}
}

func TestASeatThatWritesNothingIsNamed(t *testing.T) {
	cli.InMatrix(t)
	script := append([]rule{{vendor: "openai", said: research, steps: talk()}}, diligent()...)
	w := newWorld(t, script...)
	r := w.done(w.council("run", "--seats", "claude,codex", "--test", "--scope", ".", "--debate", "off", "Why?"))
	require.Zero(t, r.code, r.errs)
	run := w.run()
	require.Empty(t, lacks(run, "claude-report.md", "claude-refined.md", "final-report.md"))
	require.Len(t, lacks(run, "codex-report.md"), 1)
	require.Contains(t, content(t, run, "final-report.md"), "codex")
	require.LessOrEqual(t, len(w.asked("openai", research)), 2*3, "two iterations a turn, and a retry or two")
}

// talk is many turns of words.
func talk() []step {
	steps := make([]step, 20)
	for i := range steps {
		steps[i].say = "I have done the research. " + agent.Marker
	}
	return steps
}

// TestTheMarkerInProseEndsNothing has a seat speak of the marker in its report
// and in its answers, and never set it.
func TestTheMarkerInProseEndsNothing(t *testing.T) {
	cli.InMatrix(t)
	prosaic := []step{
		{claim: found},
		{write: "{report}", content: "# Report\n\n## Key Findings\n\nI would end with " + agent.Marker + " here.\n\n" + prose + "\n"},
		{say: agent.Marker},
		{say: agent.Marker},
	}
	w := newWorld(t, append([]rule{{said: research, steps: prosaic}, {said: refinement, steps: prosaic}}, diligent()...)...)
	r := w.done(w.council("run", "--seats", "claude", "--test", "--scope", ".", "--debate", "off", "Why?"))
	require.Zero(t, r.code, r.errs)
	require.Equal(t, "2\n", content(t, w.run(), "seats", "claude", "claude-state.txt"), "it was sent back all the same")
	require.Len(t, w.asked("anthropic", research), 4)
}

// TestSeatsDoNotStartThePlugin installs the plugin for the user, where every
// session there is loads it: the seats' too, if they were let.
func TestSeatsDoNotStartThePlugin(t *testing.T) {
	cli.InMatrix(t)
	w := newWorld(t, diligent()...)
	claude := filepath.Join(w.root, "bin", "claude")
	for _, args := range [][]string{{"plugin", "marketplace", "add", plugin}, {"plugin", "install", installed(t)}} {
		r := w.done(w.program(patience, append([]string{claude}, args...)...))
		require.Zero(t, r.code, r.out+r.errs)
	}
	r := w.done(w.program(patience, claude, "-p", command+`"Why?" --seats claude,codex,gemini --test --scope . --debate off`, "--permission-mode", "acceptEdits"))
	require.Zero(t, r.code, r.errs)
	w.complete(w.run())
	require.Len(t, sessions(w.asked("anthropic", "")), 5, "the user's session, the planner, and the claude seat in two phases and at the votes")
	require.Len(t, w.asked("anthropic", research), 5)
	require.Len(t, w.runs(), 1)
	w.nothingRuns()
}
