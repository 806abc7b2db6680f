package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/test/cli"
)

// terminal is a session of the user's at a terminal, in a tmux of its own.
type terminal struct {
	*world
	tmux, socket string
}

func (w *world) terminal() terminal {
	settled, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "lastOnboardingVersion": "2.1.329",
		"customApiKeyResponses": map[string]any{"approved": []string{key}, "rejected": []string{}},
		"projects":              map[string]any{w.project: map[string]any{"hasTrustDialogAccepted": true}},
	})
	require.NoError(w, err)
	require.NoError(w, os.WriteFile(filepath.Join(w.home, ".claude.json"), settled, 0o600))
	return w.window(filepath.Join(w.root, "bin", "claude"), "--plugin-dir", plugin, "--permission-mode", "acceptEdits")
}

// shell is a terminal at which the user types command lines.
func (w *world) shell() terminal {
	w.environ[0] += ":" + filepath.Join(plugin, "bin") // PATH
	return w.window("/bin/sh")
}

// window is a terminal with a program in it.
func (w *world) window(program ...string) terminal {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		w.Skip("tmux is not installed: a terminal cannot be driven")
	}
	term := terminal{w, tmux, filepath.Join(w.root, "tmux")}
	term.keys(append([]string{"new-session", "-d", "-x", "160", "-y", "50"}, program...)...)
	w.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(w.Context()), 5*time.Second) // the test's own has ended
		defer cancel()
		server := func(order ...string) *exec.Cmd {
			return exec.CommandContext(ctx, tmux, append([]string{"-S", term.socket}, order...)...)
		}
		if w.Failed() {
			screen, err := server("capture-pane", "-p").Output()
			w.Logf("the screen (%v):\n%s", err, screen)
		}
		_ = server("kill-server").Run() // it may have ended
	})
	return term
}

func (x terminal) keys(args ...string) string {
	x.Helper()
	r := x.done(x.program(10*time.Second, append([]string{x.tmux, "-S", x.socket}, args...)...))
	require.Zero(x, r.code, r.errs)
	return r.out
}

func (x terminal) screen() string {
	cmd := x.program(5*time.Second, x.tmux, "-S", x.socket, "capture-pane", "-p")
	if cmd.Run() != nil {
		return ""
	}
	return strings.ReplaceAll(x.ended(cmd, nil).out, "\u00a0", " ")
}

func (x terminal) shows(text string) {
	x.Helper()
	until(x.T, "the screen shows "+text, 30*time.Second, func() bool { return strings.Contains(x.screen(), text) })
}

// leaves waits until a command that says so has left the terminal to its shell: what
// is typed before that is the command's to read.
func (x terminal) leaves() {
	x.Helper()
	until(x.T, "the command ends", 30*time.Second, func() bool { return left.MatchString(x.screen()) })
}

var left = regexp.MustCompile(`(?m)left [0-9]+$`)

// enter types a line and sends it once it stands on the screen.
func (x terminal) enter(line, seen string) {
	x.Helper()
	x.keys("send-keys", "-l", line)
	x.shows(seen)
	x.keys("send-keys", "Enter")
}

func TestAnAttendedSessionIsWokenForItsSynthesis(t *testing.T) {
	cli.InMatrix(t)
	let := make(chan struct{})
	held := []rule{
		{said: research, once: true, steps: []step{{hold: let, say: "I begin."}}},
		{last: "Say hello.", steps: []step{{say: "Good morning to you."}}},
	}
	w := newWorld(t, append(held, diligent()...)...)
	x := w.terminal()
	x.shows("❯")
	x.enter(command+`"Why?" --seats codex --test --scope . --debate off`, "--seats codex --test --scope . --debate off")
	until(t, "the seat is at work", patience, func() bool { return len(w.asked("openai", research)) == 1 })
	x.enter("Say hello.", "Say hello.")
	x.shows("Good morning to you.")
	close(let)
	x.shows("The report is written.")
	until(t, "the report is there", patience, func() bool { runs := w.runs(); return len(lacks(runs[0], "final-report.md")) == 0 })
	run := w.run()
	until(t, "the run has ended", patience, func() bool { return w.status(run).Status == "completed" })
	require.Contains(t, content(t, run, "progress.log"), "Session synthesis complete")
	until(t, "the state file is gone", 10*time.Second, func() bool { return len(w.stateFiles()) == 0 })
	x.shows("The answer is shown.")
	told := w.asked("anthropic", "has ended: completed")
	require.Contains(t, fmt.Sprint(told), "Report: ")
	require.Len(t, sessions(w.asked("anthropic", "")), 1, "one session, and no seat in its place")
}

// TestAPaneShowsTheRunUntilItsEnd has a run go on beside a session until it is
// cancelled there.
func TestAPaneShowsTheRunUntilItsEnd(t *testing.T) {
	w := newWorld(t, hanging()...)
	x := w.terminal()
	x.keys("resize-window", "-x", "100", "-y", "40") // the host draws no pane there that nobody has asked for
	x.shows("❯")
	x.enter(command+`"Why?" --seats codex --test --scope . --debate off`, "--debate off")
	x.shows("codex 1/2")
	x.enter("/research-council:cancel-research", "/research-council:cancel-research")
	x.shows("is cancelled and nothing of it")
	until(t, "the pane is closed", 30*time.Second, func() bool { return !strings.Contains(x.screen(), "codex 1/2") })
}
