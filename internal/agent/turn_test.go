package agent_test

import (
	"io"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
)

func turn() agent.Turn {
	return agent.Turn{
		Run: "20260101-120000-abcdef", Program: "claude", Hook: "/bin/council-hook",
		Dir: "/r/seats/claude", Report: "/r/seats/claude/report.md", State: "/r/seats/claude/state.txt",
		MaxIterations: 3, Env: map[string]string{"PATH": "/bin"},
	}
}

func TestValid(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*agent.Turn)
		want string // "" for a valid turn
	}{
		{"as it is", func(*agent.Turn) {}, ""},
		{"no program", func(t *agent.Turn) { t.Program = "" }, "no program"},
		{"no iterations", func(t *agent.Turn) { t.MaxIterations = 0 }, "at least 1"},
		{"resume of nothing", func(t *agent.Turn) { t.Resume = "go on" }, "no session"},
		{"session like a flag", func(t *agent.Turn) { t.Session = "--last" }, "no session id"},
		{"folder relative", func(t *agent.Turn) { t.Dir = "seats" }, "folder"},
		{"hook unknown", func(t *agent.Turn) { t.Hook = "" }, "hook"},
		{"scope relative", func(t *agent.Turn) { t.Scope = "src" }, "scope"},
		{"project relative", func(t *agent.Turn) { t.Project = "." }, "project"},
		{"a NUL in a rule", func(t *agent.Turn) { t.Allow = []string{"Bash(a\x00)"} }, "NUL"},
		{"report elsewhere", func(t *agent.Turn) { t.Report = "/r/report.md" }, "inside"},
		{"report in a folder of the same beginning", func(t *agent.Turn) { t.Report = "/r/seats/claude2/report.md" }, "inside"},
		{"report by way of ..", func(t *agent.Turn) { t.Report = "/r/seats/claude/../report.md" }, "inside"},
		{"state elsewhere", func(t *agent.Turn) { t.State = "/tmp/state" }, "inside"},
		{"a desk", func(t *agent.Turn) { t.Desk = []string{"/bin/council", "desk"} }, ""},
		{"a desk to be looked for", func(t *agent.Turn) { t.Desk = []string{"council", "desk"} }, "desk"},
		{"NUL in the desk", func(t *agent.Turn) { t.Desk = []string{"/bin/council", "a\x00"} }, "NUL"},
		{"NUL in the model", func(t *agent.Turn) { t.Model = "a\x00b" }, "NUL"},
		{"NUL in the environment", func(t *agent.Turn) { t.Env["A"] = "\x00" }, "NUL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := turn()
			c.edit(&turn)
			if c.want == "" {
				require.NoError(t, turn.Check())
				return
			}
			require.ErrorContains(t, turn.Check(), c.want)
		})
	}
}

func TestEnvironmentMarksTheChild(t *testing.T) {
	given := turn()
	require.Equal(t, []string{
		"PATH=/other", "RESEARCH_COUNCIL_CHILD=20260101-120000-abcdef", "RESEARCH_MAX_ITERS=3",
		"RESEARCH_REPORT_PATH=/r/seats/claude/report.md", "RESEARCH_STATE_PATH=/r/seats/claude/state.txt",
	}, given.Environment(map[string]string{"PATH": "/other"}))
	require.Equal(t, "/bin", given.Env["PATH"], "what was given stays as it was")
}

func TestTheDeskIsToldWhereProxiesAre(t *testing.T) {
	given := turn()
	given.Env = map[string]string{"PATH": "/bin", "HTTPS_PROXY": "http://u:p@proxy", "LC_ALL": "C", "OPENAI_API_KEY": "k"}
	require.Equal(t, []string{"HTTPS_PROXY", "LC_ALL", "PATH", "RESEARCH_COUNCIL_CHILD", "RESEARCH_COUNCIL_TURN"}, given.DeskNames())
}

func TestAskRepeatsNoTopicInAContinuedSession(t *testing.T) {
	turn := turn()
	turn.Prompt, turn.Topic = "Research.", "why?"
	require.Contains(t, turn.PromptText(), "Research.\n\n")
	require.Contains(t, turn.PromptText(), "\nwhy?\n")
	turn.Resume = "Go on."
	require.Equal(t, "Go on.", turn.PromptText())
}

func TestAShellReadsQuotedArgumentsAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOf(rapid.SampledFrom([]rune("a '\"\\$`{}()!*~;&|<>\n#-é")))
		argv := rapid.SliceOfN(word, 1, 4).Draw(t, "argv")
		line := agent.Shell(argv)
		require.NotRegexp(t, `\$[A-Za-z_{]`, line)
		out, err := exec.Command("sh", "-c", `printf '%s\0' `+line).Output()
		require.NoError(t, err)
		require.Equal(t, strings.Join(argv, "\x00")+"\x00", string(out))
	})
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		name string
		exit agent.Exit
		want agent.Class
	}{
		{"ended by itself", agent.Exit{}, ""},
		{"failed by itself", agent.Exit{Code: 1}, ""},
		{"our deadline, seen as a signal", agent.Exit{Code: -1, Signal: "SIGTERM", TimedOut: true}, agent.TimedOut},
		{"stopped by us", agent.Exit{Stopped: true}, agent.Lost},
		{"killed", agent.Exit{Code: -1, Signal: "SIGKILL"}, agent.Lost},
		{"caught TERM", agent.Exit{Code: 143}, agent.Lost},
	} {
		t.Run(c.name, func(t *testing.T) {
			fault := c.exit.Interruption()
			if c.want == "" {
				require.Nil(t, fault)
				return
			}
			require.Equal(t, c.want, fault.Class)
		})
	}
}

func TestLastWords(t *testing.T) {
	require.Equal(t, "error: bad flag", agent.Exit{Stderr: []byte("noise\n\x1b[31merror: bad flag\x1b[0m\n\n \n")}.LastErrorLine())
	require.Equal(t, "nothing on stderr", agent.Exit{}.LastErrorLine())
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", agent.LineLimit)
	var got []string
	for line := range agent.Lines(strings.NewReader("a\r\n\n" + long + "\nb\n " + long[:100_000] + "\nlast")) {
		got = append(got, string(line))
	}
	require.Equal(t, []string{"a", "b", long[:100_000], "last"}, got)
}

func TestEvent(t *testing.T) {
	require.True(t, agent.Event([]byte(`{"type":"x"}`)))
	for _, line := range []string{"", "{", "[]", `{"a":1} x`, `{"a":"` + "\x00" + `"}`, "text", strings.Repeat(`{"a":`, 1<<20)} {
		require.False(t, agent.Event([]byte(line)), "%.20q", line)
	}
}

func TestSessionID(t *testing.T) {
	for id, good := range map[string]bool{
		"01a1fd42-c038-7351-a4a7-b5470de0f286": true, "abc_1": true, "": false, "-x": false, "../x": false,
		"a b": false, "a\n": false, "ä": false, strings.Repeat("a", 129): false,
	} {
		require.Equal(t, good, agent.SessionID(id) != "", id)
	}
}

func TestAnEndlessLineIsNotHeld(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := 0
	for range agent.Lines(io.LimitReader(zeros{}, 32*agent.LineLimit)) {
		got++
	}
	runtime.ReadMemStats(&after)
	require.Zero(t, got)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16*agent.LineLimit), "a buffer that grows to the limit, and no further")
}

// zeros is a line that never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestStatusClass(t *testing.T) {
	for status, want := range map[int]agent.Class{
		400: agent.Terminal, 401: agent.Terminal, 403: agent.Terminal, 404: agent.Terminal, 413: agent.Terminal,
		408: agent.Retryable, 429: agent.Retryable, 500: agent.Retryable, 503: agent.Retryable, 529: agent.Retryable,
	} {
		require.Equal(t, want, agent.StatusClass(status), status)
	}
}
