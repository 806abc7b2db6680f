// Package seats_test starts the real command lines of claude, codex and
// gemini as their adapters say, against scripted models on loopback.
package seats_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/claude"
	"github.com/research-council/research-council/internal/agent/codex"
	"github.com/research-council/research-council/internal/agent/gemini"
	"github.com/research-council/research-council/test/cli"
)

// TestMain makes the test binary a fake loop hook as well: the least one that
// counts, reads the report and answers.
func TestMain(m *testing.M) {
	if len(os.Args) == 8 && (os.Args[1] == "loop" || os.Args[1] == "after-agent") {
		fakeHook(os.Args[1], os.Args[3], os.Args[5], os.Args[7])
		return
	}
	cli.OnDisk()
	os.Exit(run(m))
}

// built is the path of the real program, which is built once.
var built func() (string, error)

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "seats-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	built = sync.OnceValues(func() (string, error) {
		out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-s -w", "-o", dir+"/", "../../cmd/council").CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("%w: %s", err, out)
		}
		return filepath.Join(dir, "council"), nil
	})
	return m.Run()
}

func fakeHook(call, report, state, most string) {
	_, _ = io.Copy(io.Discard, os.Stdin)
	text, _ := os.ReadFile(report) // a report that is not there is not complete
	count, _ := os.ReadFile(state)
	n, limit := max(1, number(string(count))), number(most)
	if n >= limit || strings.HasSuffix(strings.TrimSpace(string(text)), "\n"+agent.Marker) {
		if call == "after-agent" {
			fmt.Println(`{"decision":"allow"}`)
		}
		return
	}
	if os.WriteFile(state, []byte(strconv.Itoa(n+1)), 0o600) != nil {
		return
	}
	decision := map[string]string{"loop": "block", "after-agent": "deny"}[call]
	_ = json.NewEncoder(os.Stdout).Encode(map[string]string{"decision": decision, "reason": "Deepen " + report, "systemMessage": "iteration"})
}

func number(s string) int {
	n, _ := strconv.Atoi(strings.TrimSpace(s)) // what is no number counts as none
	return n
}

// seat is a real CLI and how it meets its scripted model.
type seat struct {
	agent.Kind
	program string // a pattern below the folder the CLIs are installed in
	model   string
	speak   wire
	env     func(url string) []string
	session string // where we choose it
}

const chosen = "5b8fb1b0-7c0e-4a52-9d39-1f3f6f4f1c11"

var seats = []seat{
	{
		Kind: claude.Kind(), model: "claude-haiku-5-5",
		speak: messages, session: chosen,
		env: func(url string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-test", "CLAUDE_CODE_MAX_RETRIES=1"}
		},
	},
	{
		Kind: codex.Kind(), model: "gpt-6-luna",
		speak: responses,
		env:   func(url string) []string { return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=sk-test"} },
	},
	{
		Kind: gemini.Kind(), model: "gemini-2.5-pro",
		speak: generate, session: chosen,
		env: func(url string) []string { return []string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=test"} },
	},
}

// each runs a test for every seat whose CLI is installed, beside others: a command line
// waits much.
func each(t *testing.T, test func(t *testing.T, s seat)) {
	t.Parallel()
	for _, s := range seats {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			s.program = cli.Path(t, s.Name)
			test(t, s)
		})
	}
}

// turn is a first turn in a folder of its own, with a home of its own. So is the
// temporary folder: codex makes the programs that its sandbox starts in its home,
// and not where that is in a temporary folder.
func (s seat) turn(t *testing.T, m *model) agent.Turn {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir, home, temp := filepath.Join(root, "a seat's é"), filepath.Join(root, "home"), filepath.Join(root, "temp")
	for _, d := range []string{dir, home, temp} {
		require.NoError(t, os.Mkdir(d, 0o700))
	}
	self, err := os.Executable()
	require.NoError(t, err)
	env := append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm", "TMPDIR=" + temp}, s.env(m.url)...)
	return agent.Turn{
		Run: "20260101-120000-abcdef", Seat: s.Name, Dir: dir, Report: filepath.Join(dir, "report.md"), State: filepath.Join(dir, "state.txt"),
		Prompt: "Do the research.", Topic: "Why is the sky `blue`? $(touch pwned)", Session: s.session, MaxIterations: 4,
		Model: s.model, Effort: "low", Program: s.program, Hook: self, Env: s.Environ(env),
	}
}

// run does one turn, as a driver would, and returns what it noted as well.
func (s seat) run(t *testing.T, turn agent.Turn) (agent.Reply, []string) {
	spec, err := s.Spec(turn)
	require.NoError(t, err)
	for _, f := range spec.Files {
		require.NoError(t, os.MkdirAll(filepath.Dir(f.Path), 0o700))
		require.NoError(t, os.WriteFile(f.Path, f.Data, 0o600))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, spec.Argv[0], spec.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = spec.Dir, spec.Env, bytes.NewReader(spec.Stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, time.Second
	err = cmd.Run()
	exit := agent.Exit{Stdout: bytes.NewReader(out.Bytes()), Stderr: errs.Bytes(), TimedOut: ctx.Err() != nil}
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		exit.Code = failed.ExitCode()
	} else {
		require.NoError(t, err)
	}
	var notes []string
	for line := range strings.Lines(out.String()) {
		if note := s.Note([]byte(line)); note != "" {
			notes = append(notes, note)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("stdout:\n%s\nstderr:\n%s", out.String(), errs.String())
		}
	})
	return s.Read(turn, exit), notes
}

func content(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestASeatLoopsUntilItsReportIsMarked(t *testing.T) {
	each(t, func(t *testing.T, s seat) {
		m := serve(t, s.speak)
		turn := s.turn(t, m)
		m.script = []step{
			{write: turn.Report, content: "# Draft\n"},
			{say: "first"},
			{write: turn.Report, content: "# Better\n\n" + agent.Marker + "\n"},
			{say: "second"},
		}
		reply, notes := s.run(t, turn)
		require.Nil(t, reply.Fault)
		require.Equal(t, "second", reply.Text)
		require.Equal(t, "# Better\n\n"+agent.Marker+"\n", content(t, turn.Report))
		require.Equal(t, "2", content(t, turn.State), "sent back once")
		require.Len(t, m.asked(), 4)
		require.NotEmpty(t, reply.Session)
		require.NotEmpty(t, notes)
		require.Positive(t, reply.Usage.Input)
		require.NoFileExists(t, filepath.Join(turn.Dir, "pwned"))
	})
}

func TestASeatEndsWhenItsIterationsAreSpent(t *testing.T) {
	cli.InMatrix(t)
	each(t, func(t *testing.T, s seat) {
		m := serve(t, s.speak)
		turn := s.turn(t, m)
		turn.MaxIterations = 11 // the host of one of them would stop at 8 in a row
		reply, _ := s.run(t, turn)
		require.Nil(t, reply.Fault)
		require.Equal(t, "11", content(t, turn.State))
		require.Len(t, m.asked(), 11)
	})
}

func TestASessionGoesOnWithAllItHad(t *testing.T) {
	cli.InMatrix(t)
	each(t, func(t *testing.T, s seat) {
		m := serve(t, s.speak)
		turn := s.turn(t, m)
		turn.MaxIterations = 1
		m.script = []step{{say: "heard"}}
		first, _ := s.run(t, turn)
		require.Nil(t, first.Fault)

		turn.Session, turn.Resume = first.Session, "Write the report now."
		m.script = []step{{write: turn.Report, content: "# Report\n"}, {say: "written"}}
		then, _ := s.run(t, turn)
		require.Nil(t, then.Fault)
		require.Equal(t, first.Session, then.Session)
		require.Equal(t, "# Report\n", content(t, turn.Report), "it may still write")
		last := m.asked()[2]
		require.Contains(t, last, "heard", "it remembers")
		require.Contains(t, last, "Write the report now.")
	})
}

func TestASessionThatIsGoneIsSaid(t *testing.T) {
	cli.InMatrix(t)
	each(t, func(t *testing.T, s seat) {
		turn := s.turn(t, serve(t, s.speak))
		turn.Session, turn.Resume = "0a1fd42c-0000-7351-a4a7-b5470de0f286", "Go on."
		reply, _ := s.run(t, turn)
		require.NotNil(t, reply.Fault)
		require.Equal(t, agent.NoSession, reply.Fault.Class, reply.Fault.Message)
		require.Empty(t, reply.Session)
	})
}

func TestASessionThatALostProcessLeftIsFoundAgain(t *testing.T) {
	cli.InMatrix(t)
	each(t, func(t *testing.T, s seat) {
		if s.session == "" {
			t.Skip("this seat names its sessions itself, so none can be there before it starts")
		}
		turn := s.turn(t, serve(t, s.speak))
		turn.MaxIterations = 1
		first, _ := s.run(t, turn)
		require.Nil(t, first.Fault)
		again, _ := s.run(t, turn)
		require.Equal(t, agent.Lost, again.Fault.Class, again.Fault.Message)
		require.Equal(t, turn.Session, again.Session)
	})
}

func TestFaultsHaveTheirClasses(t *testing.T) {
	cli.InMatrix(t)
	each(t, func(t *testing.T, s seat) {
		for name, c := range map[string]struct {
			status int
			want   agent.Class
			seats  string // which of them end soon enough
		}{
			"unknown model": {404, agent.Terminal, "claude codex gemini"},
			"bad request":   {400, agent.Terminal, "claude codex gemini"},
			"rate limit":    {429, agent.Retryable, "claude codex"},
			"overload":      {529, agent.Retryable, "claude"},
		} {
			t.Run(name, func(t *testing.T) {
				if !strings.Contains(c.seats, s.Name) {
					t.Skip("this CLI repeats such a request for minutes")
				}
				fail := make([]step, 20)
				for i := range fail {
					fail[i].status = c.status
				}
				turn := s.turn(t, serve(t, s.speak, fail...))
				reply, _ := s.run(t, turn)
				require.NotNil(t, reply.Fault)
				require.Equal(t, c.want, reply.Fault.Class, reply.Fault.Message)
				if c.status == 404 {
					require.Contains(t, reply.Fault.Message, s.model)
				}
			})
		}
	})
}

func TestASeatWritesInItsFolderAlone(t *testing.T) {
	cli.InMatrix(t)
	each(t, func(t *testing.T, s seat) {
		m := serve(t, s.speak)
		turn := s.turn(t, m)
		turn.MaxIterations = 1
		turn.Scope = filepath.Join(filepath.Dir(turn.Dir), "scope")
		require.NoError(t, os.Mkdir(turn.Scope, 0o700))
		outside := []string{
			filepath.Join(turn.Scope, "evil.md"), filepath.Join(filepath.Dir(turn.Dir), "evil.md"), filepath.Join(turn.Env["HOME"], "evil.md"),
		}
		for _, path := range outside {
			m.script = append(m.script, step{write: path, content: "x\n"})
		}
		m.script = append(m.script, step{write: turn.Report, content: "# Report\n"}, step{say: "done"})
		reply, _ := s.run(t, turn)
		require.Nil(t, reply.Fault)
		require.Equal(t, "# Report\n", content(t, turn.Report))
		for _, path := range outside {
			require.NoFileExists(t, path)
		}
	})
}

// TestASeatCannotGiveItselfMore has each seat write what a later turn of it
// would obey.
func TestASeatCannotGiveItselfMore(t *testing.T) {
	cli.InMatrix(t)
	each(t, func(t *testing.T, s seat) {
		m := serve(t, s.speak)
		turn := s.turn(t, m)
		turn.MaxIterations = 1
		guarded := map[string][]string{
			"claude": {"claude-settings.json", "state.txt"},
			"codex":  {".codex/config.toml"},
			"gemini": {"home/.gemini/policies/evil.toml", ".gemini/settings.json", "GEMINI.md", "policy.toml", "state.txt"},
		}[s.Name]
		for _, name := range guarded {
			m.script = append(m.script, step{write: filepath.Join(turn.Dir, name), content: "evil\n"})
		}
		reply, _ := s.run(t, turn)
		require.Nil(t, reply.Fault)
		for _, name := range guarded {
			data, err := os.ReadFile(filepath.Join(turn.Dir, name))
			if !errors.Is(err, os.ErrNotExist) {
				require.NoError(t, err)
			}
			require.NotContains(t, string(data), "evil", name)
		}
	})
}

func TestTheUsersOwnHooksStaySilentInASeat(t *testing.T) {
	cli.InMatrix(t)
	each(t, func(t *testing.T, s seat) {
		turn := s.turn(t, serve(t, s.speak))
		turn.MaxIterations = 1
		canary := filepath.Join(filepath.Dir(turn.Dir), "fired")
		hook := `{"hooks":[{"type":"command","command":"touch '` + canary + `'"}]}`
		for path, text := range map[string]string{
			".claude/settings.json": `{"hooks":{"Stop":[` + hook + `],"SessionStart":[` + hook + `]}}`,
			".gemini/settings.json": `{"hooks":{"AfterAgent":[` + hook + `],"SessionStart":[` + hook + `]}}`,
			".codex/hooks.json":     `{"hooks":{"Stop":[` + hook + `],"SessionStart":[` + hook + `]}}`,
		} {
			path = filepath.Join(turn.Env["HOME"], path)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
		reply, _ := s.run(t, turn)
		require.Nil(t, reply.Fault)
		require.NoFileExists(t, canary)
	})
}
