package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// panelists are the configuration of staged research without any model.
const panelists = "seats: [ada, bea]\n" +
	"commands: {ada: {program: fake-panelist, args: [ada], brand: one}, bea: {program: fake-panelist, args: [bea], brand: two}}\n" +
	"staged: {reviewers: [ada, bea], agents: 2}\n"

// newStudy is a project for staged research, begun from no session or from
// those of Claude Code.
func newStudy(t *testing.T) room {
	r := newRoom(t)
	answers := pipelineAnswers()
	for name, text := range map[string]string{"config.yaml": panelists, "notes.md": "The collector paces itself by the heap goal and by what the mutators allocate.\n", "answers.json": answers} {
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600))
	}
	t.Cleanup(r.sweep)
	return r
}

func pipelineAnswers() string {
	given := map[string]string{}
	for _, q := range tenQuestions().Questions {
		given[q.ID] = "whatever"
	}
	return asJSONText(given)
}

// sweep ends what a failed test has left.
func (r room) sweep() {
	ids, err := workspace.List(r.dir)
	if err != nil {
		return
	}
	for _, id := range ids {
		_, _ = proc.EndMarked(supervisor.ProcessMark(id)) // there may be nothing
		if h, alive := supervisor.Alive(r.dir, id); alive {
			_ = proc.EndIdentity(proc.Identity{PID: h.PID, Start: h.Start}, time.Second) // it may have ended
		}
	}
}

// came is how a call of the program came out.
type came struct {
	code      int
	out, errs string
}

// call runs the program to its end, whatever it is.
func (r room) call(stdin string, args ...string) came {
	r.Helper()
	cmd := exec.CommandContext(r.Context(), "council", args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = r.dir, r.env, strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(r, err)
	}
	return came{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// typed is a slash command that the user types into a session.
func (r room) typed(session, command, args string) came {
	r.Helper()
	in, err := json.Marshal(map[string]string{"command_name": "research-council:" + command, "command_args": args, "session_id": session, "cwd": r.dir})
	require.NoError(r, err)
	o := r.call(string(in), "hook", "begin")
	require.Zero(r, o.code, o.errs)
	return o
}

func (o came) context() string {
	return gjson.Get(o.out, "hookSpecificOutput.additionalContext").Str
}

func (o came) words() string { return gjson.Get(o.out, "stopReason").Str }

func (r room) hook(name string) came {
	r.Helper()
	return r.call("", "hook", name, "--root", r.dir, "--run", filepath.Base(r.run()), "--session", "mine")
}

// until waits for the run to ask for something, or to be over.
func (r room) until(status, what string) {
	r.Helper()
	require.Eventually(r, func() bool {
		data, err := os.ReadFile(filepath.Join(r.run(), workspace.Status))
		return err == nil && gjson.GetBytes(data, "status").Str == status && strings.Contains(gjson.GetBytes(data, "asking.reason").Str, what)
	}, time.Minute, 20*time.Millisecond)
}

// startedByAnAgent is a process whose environment is that of a program which
// Claude Code has started.
func (r room) startedByAnAgent() int {
	cmd := exec.CommandContext(r.Context(), "council", "resume", "--input", "-")
	cmd.Dir, cmd.Env = r.dir, append([]string{"CLAUDECODE=1"}, r.env...)
	open, err := cmd.StdinPipe() // it reads until the test is over
	require.NoError(r, err)
	require.NoError(r, cmd.Start())
	r.Cleanup(func() {
		_ = open.Close()
		_ = cmd.Wait() // what it gives comes too late
	})
	return cmd.Process.Pid
}

func TestASessionIsToldOnceForEachThingItsRunAsks(t *testing.T) {
	r := newStudy(t)
	begun := r.typed("mine", "staged-research", `"How does 'it' pace $(itself)?" --scope .`)
	require.Contains(t, begun.context(), "Reviewers: ada, bea, ada.")
	id := filepath.Base(r.run())
	require.Contains(t, begun.context(), id)
	r.until("paused_for_input", "10 questions")

	for _, c := range []struct{ session, command, args, said string }{
		{"mine", "staged-research", `"Another?"`, "is under way; wait for it"},
		{"mine", "confirm-brief", "", "shows no brief that waits for your word"},
		{"other", "confirm-brief", "", "shows no brief that waits for your word"},
		{"other", "confirm-brief", "../..", "is no run id"},
		{"other", "confirm-brief", "20200101-000000-abcdef", "20200101-000000-abcdef"},
		{"other", "status", "", "10 questions wait for answers"},
	} {
		require.Contains(t, r.typed(c.session, c.command, c.args).words(), c.said, c)
	}

	// The waiter wakes once; then nothing is left for it to do, and it starts
	// no supervisor.
	woken := r.hook("wait")
	require.Equal(t, wakeCode, woken.code, woken.errs)
	require.Contains(t, woken.errs, "asks the user these questions")
	require.Contains(t, woken.errs, "Q10      What matters most, number 10?")
	require.Contains(t, woken.errs, filepath.Join(r.run(), "answers.json"))
	require.NotContains(t, woken.errs, "\x1b")
	require.Equal(t, came{}, r.hook("wait"))
	opened := r.hook("session-start")
	require.Contains(t, opened.context(), "It waits for the user's answers to its questions")
	_, alive := supervisor.Alive(r.dir, id)
	require.False(t, alive)

	require.Zero(t, r.call("", "resume", id, "--input", "answers.json", "--detach").code)
	woken = r.hook("wait") // it waits for what comes
	require.Equal(t, wakeCode, woken.code, woken.errs)
	require.Contains(t, woken.errs, "Show it to the user word for word")
	require.Contains(t, woken.errs, "goal     To decide on its settings")
	require.Equal(t, came{}, r.hook("wait"))
	require.Contains(t, r.hook("session-start").context(), "confirm it by typing /research-council:confirm-brief")

	r.env = append(r.env, "RESEARCH_COUNCIL_CHILD="+id)
	require.Contains(t, r.typed("mine", "confirm-brief", "").words(), "only a person can confirm")
	r.env = r.env[:len(r.env)-1]
	r.env = append(r.env, fmt.Sprintf("CLAUDE_PID=%d", r.startedByAnAgent()))
	require.Contains(t, r.typed("mine", "confirm-brief", "").words(), "this session was started by Claude Code")
	r.env = r.env[:len(r.env)-1]
	require.Contains(t, r.typed("mine", "confirm-brief", "").context(), "the brief of run "+id+" is confirmed")
	woken = r.hook("wait")
	require.Equal(t, wakeCode, woken.code, woken.errs)
	require.Contains(t, woken.errs, "has ended: completed")
	require.Contains(t, r.typed("mine", "status", id).words(), "review   approved")
}

// All seats may fail before the session has stopped for the first time.
func TestASessionHearsOfARunThatFailedBeforeItsFirstStop(t *testing.T) {
	left := func(r room) []string {
		r.Helper()
		found, err := filepath.Glob(filepath.Join(r.dir, ".claude", "*"))
		require.NoError(r, err)
		return found
	}
	for name, living := range map[string]bool{"the session lives": true, "the session is gone": false} {
		t.Run(name, func(t *testing.T) {
			r := newStudy(t)
			failing, err := exec.LookPath("false")
			require.NoError(t, err)
			conf := "seats: [ada]\ncommands: {ada: {program: \"" + failing + "\"}}\n"
			require.NoError(t, os.WriteFile(filepath.Join(r.dir, "config.yaml"), []byte(conf), 0o600))
			if living {
				r.env = append(r.env, fmt.Sprintf("CLAUDE_PID=%d", os.Getpid()))
			}
			require.Contains(t, r.typed("mine", "deep-research", `"Why?"`).context(), "has started")
			r.until("failed", "")
			id := filepath.Base(r.run())
			require.Eventually(t, func() bool { _, alive := supervisor.Alive(r.dir, id); return !alive }, time.Minute, 20*time.Millisecond)
			if !living {
				require.Empty(t, left(r))
				return
			}
			require.Equal(t, []string{filepath.Join(r.dir, hook.PointerFile("mine"))}, left(r), "there is no state file any more")
			owner, err := os.ReadFile(filepath.Join(r.run(), hook.Unheard))
			require.NoError(t, err)
			require.Equal(t, "mine", string(owner))

			woken := r.hook("wait")
			require.Equal(t, wakeCode, woken.code, woken.errs)
			require.Contains(t, woken.errs, "the run ended failed: no seat left a report (ada: status 1")
			require.Empty(t, left(r))
			require.Equal(t, came{}, r.hook("wait"), "it is said once")
		})
	}
}

func TestAnotherSessionConfirmsAtNoCost(t *testing.T) {
	r := newStudy(t)
	require.NotEmpty(t, r.typed("mine", "staged-research", `"Why?" --scope .`).context())
	r.until("paused_for_input", "10 questions")
	require.Equal(t, codePaused, r.call("", "resume", "--input", "answers.json").code)
	require.Contains(t, r.typed("other", "confirm-brief", "").words(), "is confirmed; planning begins")
	r.until("completed", "")
	require.Contains(t, r.typed("other", "confirm-brief", "").words(), "no run waits for your word here")
	require.Contains(t, r.typed("other", "confirm-brief", filepath.Base(r.run())).words(), "shows no brief")
}

func TestARunThatWaitsIsCancelledInASession(t *testing.T) {
	for _, session := range []string{"mine", "other"} {
		r := newStudy(t)
		require.NotEmpty(t, r.typed("mine", "staged-research", `"Why?" --scope .`).context())
		r.until("paused_for_input", "10 questions")
		require.Contains(t, r.typed(session, "cancel-research", "").words(), "is cancelled")
		r.until("cancelled", "")
		left, err := filepath.Glob(filepath.Join(r.dir, ".claude", "*"))
		require.NoError(t, err)
		require.Empty(t, left)
		require.Equal(t, 1, r.call("", "resume", "--confirm").code)
	}
}

func TestWhatCannotBeStagedResearchCostsNothing(t *testing.T) {
	r := newStudy(t)
	for args, said := range map[string]string{
		"":                            "question",
		`"Why?" --reviewers parrot`:   "parrot",
		`"Why?" --fast`:               "--fast",
		`"Why?" --collectors 6`:       "from 1 to 5",
		`"Why?" --reviewers ada,gone`: "gone",
	} {
		require.Contains(t, r.typed("mine", "staged-research", args).words(), said, args)
	}
	require.Contains(t, r.typed("mine", "staged-research", `"Why?" --dry-run`).words(), "stages   discovery")
	require.NoDirExists(t, filepath.Join(r.dir, "research"))
}

func TestOfTwoWordsAtOnceOneIsHeard(t *testing.T) {
	r := newStudy(t)
	require.Equal(t, codePaused, r.call("", "staged", "--quiet", "--scope", ".", "Why?").code)
	answers := make([]came, 3)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = r.call("", "resume", "--quiet", "--input", "answers.json", "--detach") })
	}
	all.Wait()
	heard := 0
	for _, o := range answers {
		if o.code == 0 {
			heard++
			continue
		}
		require.Equal(t, 1, strings.Count(o.errs, "\n"), o.errs)
	}
	require.GreaterOrEqual(t, heard, 1, fmt.Sprint(answers))
	r.until("paused_for_input", "brief")
	given, err := filepath.Glob(filepath.Join(r.run(), "answers-*.json"))
	require.NoError(t, err)
	require.Len(t, given, 1)
}
