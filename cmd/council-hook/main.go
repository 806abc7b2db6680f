// Council-hook is every hook of every CLI in one small program.
//
// A hook must never trap its user: whatever goes wrong ends with status 0,
// nothing on standard output and a line on standard error. With nothing to do
// it ends in about the time an empty program takes. What is more than a look
// at a few files is handed to the council program.
package main

import (
	"io"
	"os"
	"strings"

	"research-council/internal/hook"
	"research-council/internal/mark"
)

var version = "dev" // set by the linker

func main() { os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr)) }

const usage = `council-hook: the hooks of the research council

Hooks of the plugin in Claude Code; they read the host's JSON on standard input:
  council-hook stop | stop-wait | session-start | pre-compact
  council-hook user-prompt-expansion | session-end | stop-failure

The loop of a seat; loop speaks Claude Code's and Codex's dialect, after-agent Gemini CLI's:
  council-hook loop --report FILE --state FILE --max N [--open FILE]
  council-hook after-agent --report FILE --state FILE --max N [--open FILE]
What is not given is taken from RESEARCH_REPORT_PATH, RESEARCH_STATE_PATH and RESEARCH_MAX_ITERS.

  council-hook version
`

// run is the whole program. A panic, too, lets the user go: the runtime's own
// exit status 2 would mean "block" to a host.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (status int) {
	defer func() {
		if fault := recover(); fault != nil {
			complain(stderr, "fault in the hook; the session is let go")
			status = 0
		}
	}()
	if len(args) < 2 {
		complain(stderr, "which hook? try council-hook --help")
		return 0
	}
	switch args[1] {
	case "--help", "-h", "help":
		_, _ = io.WriteString(stdout, usage)
	case "version", "--version":
		_, _ = io.WriteString(stdout, version+"\n")
	case "loop", "after-agent":
		loopHook(args, stdin, stdout, stderr)
	default:
		if os.Getenv(mark.Child) == "" {
			pluginHook(args[1], stdin, stdout, stderr)
		}
	}
	return 0
}

func complain(stderr io.Writer, words string) {
	_, _ = io.WriteString(stderr, "council-hook: "+words+"\n") // there is nobody else to tell
}

// pluginHook is a hook of the plugin, in the session of a person.
func pluginHook(name string, stdin io.Reader, stdout, stderr io.Writer) {
	if name == "user-prompt-expansion" {
		handOver(stdout, stderr, "hook", "begin")
		_, _ = io.WriteString(stdout, `{"decision":"block","reason":"Research council: its program is missing; run make build in the plugin's folder"}`+"\n")
		return
	}
	root := os.Getenv("CLAUDE_PROJECT_DIR")
	if root != "" && len(stateFiles(root)) == 0 {
		return
	}
	call, _ := hook.Decode(stdin)
	if root == "" {
		root = call.Dir
	}
	s, ok := owned(root, call.Session)
	if !ok {
		return
	}
	s.stdout, s.stderr = stdout, stderr
	s.serve(name, call)
}

// session is the session of a run's owner, in one hook.
type session struct {
	hook.State
	root, file, dir string // the project, the state file, the run's folder
	stdout, stderr  io.Writer
}

func (s session) serve(name string, call hook.Call) {
	switch name {
	case "stop":
		s.stop(call)
	case "stop-wait":
		s.handOver("wait")
	case "session-start":
		s.handOver("session-start", "--source", call.Source)
	case "pre-compact":
		s.note("pre-compact", call.Trigger)
	case "session-end":
		s.note("session-ended", call.Reason)
	case "stop-failure":
		s.note("stop-failure", call.Fault)
	default:
		complain(s.stderr, "no hook is called "+strings.ToValidUTF8(name, "?"))
	}
}

func (s session) handOver(name string, more ...string) {
	args := append([]string{"hook", name, "--root", s.root, "--run", s.Run, "--session", s.Session}, more...)
	handOver(s.stdout, s.stderr, args...)
}
