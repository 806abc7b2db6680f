package main

import (
	"io"
	"os"
	"time"

	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/sessionloop"
	"github.com/research-council/research-council/internal/project/top"
)

// events are what the events of Codex and Gemini CLI are called here.
var events = map[string]string{
	"Stop": "stop", "AfterAgent": "stop", "UserPromptSubmit": "user-prompt-submit", "BeforeAgent": "user-prompt-submit",
	"SessionStart": "session-start", "SessionEnd": "session-end", "Interrupt": "interrupt",
}

// hostDeadline is how long a host that does not end what it tells, or a disk that
// hangs, can hold a hook: Gemini CLI waits for one as long as it lives.
const hostDeadline = 5 * time.Second

// hostHook is every hook of a person's session in Codex or Gemini CLI. What a person
// has typed as a command of ours is handed to the council program, which runs
// outside of the box that the model's own commands are in.
func hostHook(host string, stdin io.Reader, stdout, stderr io.Writer) {
	defer time.AfterFunc(hostDeadline, func() { os.Exit(0) }).Stop()
	loops := loopsOf(host, stderr)
	call, whole := hook.DecodeAnswer(stdin, loops.has)
	if isInSeat() {
		return
	}
	if !whole {
		warn(stderr, "the host's input is no JSON object; the session is let go")
		return
	}
	event := events[call.Event]
	if event == "user-prompt-submit" {
		if name, args, ok := call.TypedCommand(); ok && hook.ValidSession(call.Session) {
			execCouncil(stderr, "hook", "typed", "--host", host, "--dir", call.Dir, "--session", call.Session, "--command", name, "--args", args, "--prompt", call.Prompt)
			return
		}
	}
	said := loops.hear(event, call)
	if run := unheard(top.Of(call.Dir), call.Session); run != "" && (event == "stop" || event == "user-prompt-submit" || event == "session-start" && host == sessionloop.Codex) {
		execCouncil(stderr, "hook", "hand-back", "--host", host, "--event", call.Event, "--root", top.Of(call.Dir), "--run", run, "--session", call.Session,
			"--reason", said.reason, "--context", said.context, "--words", said.words)
	}
	said.answerHost(host, call.Event, stdout)
}

// answerHost writes what there is to say in the host's own dialect.
func (x loopSaid) answerHost(host, event string, stdout io.Writer) {
	if host == sessionloop.Gemini && event == "SessionStart" {
		x.context = "" // it would stand before the prompt, and a command there would be none
	}
	switch {
	case x.reason != "" && host == sessionloop.Gemini:
		_, _ = stdout.Write(hook.Deny(x.reason, x.words))
	case x.reason != "":
		_, _ = stdout.Write(hook.Block(x.reason, x.words))
	case x.context != "":
		_, _ = stdout.Write(hook.Context(event, x.context, x.words))
	case x.words != "":
		_, _ = stdout.Write(hook.Object("systemMessage", x.words))
	}
}
