// Council-hook is every hook of every CLI in one small program, and the keeper
// every process of a run lives under.
//
// A hook must never trap its user: whatever goes wrong ends with status 0,
// nothing on standard output and a line on standard error. With nothing to do
// it ends in about the time an empty program takes. What is more than a look
// at a few files is handed to the council program.
package main

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/sessionloop"
	"github.com/research-council/research-council/internal/project/top"
)

// release is raised with every release, together with the plugin's manifest.
const release = "0.5.0"

// A keeper is no hook: it says how it ends, and lives within seats too.
func main() {
	if code, mine := proc.Main(os.Args); mine {
		os.Exit(code)
	}
	disk.NameHome()
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

const usage = `council-hook: the hooks of the research council

Hooks of the plugin in Claude Code; they read the host's JSON on standard input:
  council-hook stop | stop-wait | session-start | pre-compact
  council-hook answer (of a slash command, in words) | user-prompt-expansion | user-prompt-submit | session-end | stop-failure | permission-request

Hooks of a person's session in Codex and Gemini CLI, whatever the event:
  council-hook codex | gemini

The loop of a seat; loop speaks Claude Code's and Codex's dialect, after-agent Gemini CLI's:
  council-hook loop --report FILE --state FILE --max N [--open FILE]
  council-hook after-agent --report FILE --state FILE --max N [--open FILE]
What is not given is taken from RESEARCH_REPORT_PATH, RESEARCH_STATE_PATH and RESEARCH_MAX_ITERS.

What the council program starts, to keep its processes:
  council-hook keeper | daemon

  council-hook version
`

// run is the whole program. A panic, too, lets the user go: the runtime's own
// exit status 2 would mean "block" to a host.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (status int) {
	defer func() {
		if recover() != nil {
			warn(stderr, "fault in the hook; the session is let go")
			status = 0
		}
	}()
	if len(args) < 2 {
		warn(stderr, "which hook? try council-hook --help")
		return 0
	}
	switch name := args[1]; name {
	case "--help", "-h", "help":
		_, _ = io.WriteString(stdout, usage)
	case "version", "--version":
		_, _ = io.WriteString(stdout, "council-hook "+release+"\n")
	case "loop", "after-agent":
		loopHook(args, stdin, stdout, stderr)
	case "stop", "stop-wait", "session-start", "pre-compact", "session-end", "stop-failure", "permission-request", "user-prompt-submit":
		pluginHook(name, stdin, stdout, stderr)
	case "codex", "gemini":
		hostHook(name, stdin, stdout, stderr)
	case "user-prompt-expansion":
		slashCommandHook(stdin, stdout, stderr)
	case "answer":
		answerCommand(stdin, stderr)
	default:
		warn(stderr, "no hook is called "+strings.ToValidUTF8(name, "?")+"; try council-hook --help")
	}
	return 0
}

func warn(stderr io.Writer, words string) {
	_, _ = io.WriteString(stderr, "council-hook: "+words+"\n") // there is nobody else to tell
}

// isInSeat tells a process that belongs to a seat, where the plugin is silent.
func isInSeat() bool { return os.Getenv(marker.ChildVariable) != "" }

// slashCommandHook is the hook of our slash commands. The council program reads the
// host's input; without it the command must not reach the model, which would
// go on as if a run had begun.
func slashCommandHook(stdin io.Reader, stdout, stderr io.Writer) {
	if isInSeat() {
		hook.Decode(stdin)
		return
	}
	execCouncil(stderr, "hook", "begin")
	_, _ = stdout.Write(hook.Stop("Research council: its program is missing; run make build in the plugin's folder"))
}

// answerCommand has the council program answer a slash command in words alone. Where
// it cannot, nothing is said, and the command goes its usual way. The host tells a
// hook of its process and not what a mod starts, whose parent it is; what it was
// itself started with may name another's.
func answerCommand(stdin io.Reader, stderr io.Writer) {
	if isInSeat() {
		hook.Decode(stdin)
		return
	}
	if err := os.Setenv("CLAUDE_PID", strconv.Itoa(os.Getppid())); err != nil {
		return
	}
	execCouncil(stderr, "hook", "answer")
}

// pluginHook is a hook of the plugin, in the session of a person. The input is
// read in any case: a host may count a hook that leaves it as failed.
func pluginHook(name string, stdin io.Reader, stdout, stderr io.Writer) {
	loops := loopsOf(sessionloop.Claude, stderr)
	call, whole := hook.DecodeAnswer(stdin, func(session string) bool { return name == "stop" && loops.has(session) })
	if isInSeat() {
		return
	}
	if !whole {
		warn(stderr, "the host's input is no JSON object; the session is let go")
		return
	}
	if call.Turn != "" && name == "stop-wait" {
		return // Codex, which would wait for it
	}
	project := os.Getenv("CLAUDE_PROJECT_DIR")
	if project == "" {
		project = call.Dir
	}
	project = top.Of(project)
	s, ok := find(project, call.Session, stderr)
	s.stdout, s.stderr = stdout, stderr
	if s.Campaign == "" {
		s.loop = loops.hear(name, call)
	}
	if ok {
		s.serve(name, call)
		return
	}
	s.loop.answer(name, stdout)
	switch {
	case name == "session-start" && call.Source == "clear":
		adoptCleared(project, call, stderr)
	case name == "stop-wait":
		tell(project, call.Session, stderr)
	}
}

// adoptCleared hands a session over that begins where another of its process was
// cleared, if that one has left a run.
func adoptCleared(project string, call hook.Call, stderr io.Writer) {
	pid, err := strconv.Atoi(os.Getenv("CLAUDE_PID"))
	if err != nil || pid <= 0 || project == "" || !hook.ValidSession(call.Session) {
		return
	}
	if _, err := os.Lstat(project + "/" + hook.HandOverFile(pid)); err == nil {
		execCouncil(stderr, "hook", "adopt", "--root", project, "--session", call.Session)
	}
}

// tell hands a session over whose run has ended without its hearing of it.
func tell(project, id string, stderr io.Writer) {
	if run := unheard(project, id); run != "" {
		execCouncil(stderr, "hook", "wait", "--root", project, "--run", run, "--session", id)
	}
}

// unheard is the run of a session that has ended without its hearing of it; "" for
// none. There is no state file any more: the run's own folder names the session.
func unheard(project, id string) string {
	if project == "" || !hook.ValidSession(id) {
		return ""
	}
	run := pointed(project, id)
	if run == "" {
		return ""
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return ""
	}
	f, err := root.OpenFile("research/"+run+"/"+hook.Unheard, os.O_RDONLY|disk.NoLink, 0)
	_ = root.Close() // what was opened stays open
	if err != nil {
		return ""
	}
	owner := make([]byte, len(id)+1)
	n, err := io.ReadFull(f, owner)
	_ = f.Close() // it was only read
	if err != io.ErrUnexpectedEOF || string(owner[:n]) != id {
		return ""
	}
	return run
}

// execCouncil becomes the council program, which stands beside this one. It
// returns only when that cannot be.
func execCouncil(stderr io.Writer, args ...string) {
	path := os.Getenv("RESEARCH_COUNCIL_BIN")
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			warn(stderr, "the council program is not found")
			return
		}
		path = councilBeside(self)
	}
	_ = become(path, append([]string{path}, args...)) // it returns only where it could not
	warn(stderr, "the council program cannot be started; run make build in the plugin's folder")
}

// councilBeside is the council program of this one's build: council-hook-PLATFORM
// stands beside council-PLATFORM.
func councilBeside(self string) string {
	platform, ours := strings.CutPrefix(filepath.Base(self), "council-hook")
	if !ours {
		platform = disk.ProgramEnding
	}
	return filepath.Join(filepath.Dir(self), "council"+platform)
}
