package loopback_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/test/cli"
	"github.com/research-council/research-council/test/loopback"
)

// TestMain makes the test binary a fake MCP server as well.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "fake-desk" {
		fakeDesk()
		return
	}
	cli.OnDisk()
	os.Exit(m.Run())
}

// fakeDesk is an MCP server on stdio with one tool, which greets.
func fakeDesk() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var result any
		switch ask := gjson.ParseBytes(in.Bytes()); ask.Get("method").Str {
		case "initialize":
			result = map[string]any{
				"protocolVersion": ask.Get("params.protocolVersion").Str, "capabilities": map[string]any{"tools": map[string]any{}},
				"serverInfo": map[string]any{"name": "desk", "version": "1"},
			}
		case "tools/list":
			schema := map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}
			result = map[string]any{"tools": []any{map[string]any{"name": "greet", "description": "Greets", "inputSchema": schema}}}
		case "tools/call":
			text := "Greetings to " + ask.Get("params.arguments.name").Str
			result = map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
		default:
			if !ask.Get("id").Exists() {
				continue
			}
			result = map[string]any{}
		}
		line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": gjson.GetBytes(in.Bytes(), "id").Value(), "result": result})
		fmt.Printf("%s\n", line)
	}
}

// seat is a real command line in a folder and a home of its own.
type seat struct {
	name, dir, home string
	server          *loopback.Server
	program         string
}

// seats runs a test with each command line that is installed.
func seats(t *testing.T, scenario string, test func(t *testing.T, s seat)) {
	serve := map[string]func(testing.TB, loopback.Scenario) *loopback.Server{
		"claude": loopback.Anthropic, "codex": loopback.OpenAI, "gemini": loopback.Gemini,
	}
	for _, name := range []string{"claude", "codex", "gemini"} {
		t.Run(name, func(t *testing.T) {
			s := seat{name: name, program: cli.Path(t, name), dir: filepath.Join(t.TempDir(), "a seat's é"), home: t.TempDir()}
			require.NoError(t, os.Mkdir(s.dir, 0o700))
			parsed, err := loopback.Parse([]byte(scenario))
			require.NoError(t, err)
			s.server = serve[name](t, parsed)
			test(t, s)
		})
	}
}

// args are a run with everything a research seat has.
func (s seat) args(t *testing.T) []string {
	self, err := os.Executable()
	require.NoError(t, err)
	switch s.name {
	case "claude":
		desk := fmt.Sprintf(`{"mcpServers":{"desk":{"command":%q,"args":["fake-desk"]}}}`, self)
		return []string{
			"-p", "--setting-sources", "", "--strict-mcp-config", "--mcp-config", desk, "--tools", "WebSearch,Read,Edit,Write,Bash",
			"--permission-mode", "dontAsk", "--allowedTools", "WebSearch,Read,Bash,Edit(./**),mcp__desk",
			"--output-format", "stream-json", "--verbose", "--model", "claude-haiku-5-5", "--autocompact", "100000",
		}
	case "codex":
		desk := fmt.Sprintf(`mcp_servers.desk={command=%q,args=["fake-desk"],default_tools_approval_mode="approve",required=true}`, self)
		return append(s.server.Args(), "exec", "--json", "--skip-git-repo-check", "--ignore-user-config", "--disable", "plugins",
			"--disable", "unbounded_connection_retries", "-s", "workspace-write", "-C", s.dir, "-m", "gpt-6-luna",
			"-c", `web_search="live"`, "-c", "analytics.enabled=false", "-c", desk, "-")
	}
	return []string{"-e", "none", "-m", "gemini-2.5-pro", "--approval-mode=yolo", "-o", "stream-json"}
}

// settings are what gemini takes from a file alone.
func (s seat) settings(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	text := fmt.Sprintf(`{
		"security":{"auth":{"selectedType":"gemini-api-key"}},
		"general":{"enableAutoUpdate":false,"maxAttempts":3},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},
		"mcpServers":{"desk":{"command":%q,"args":["fake-desk"],"trust":true}}}`, self)
	require.NoError(t, os.MkdirAll(filepath.Join(s.home, ".gemini"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(s.home, ".gemini", "settings.json"), []byte(text), 0o600))
}

// run gives the command line a prompt and returns what it printed.
func (s seat) run(t *testing.T, prompt string) (string, error) {
	s.settings(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.program, s.args(t)...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = s.dir, strings.NewReader(prompt), time.Second
	cmd.Env = append(s.server.Env(), "PATH="+os.Getenv("PATH"), "HOME="+s.home, "TERM=xterm-256color",
		"TMPDIR="+t.TempDir()) // apart from the home: codex lays the helper of its sandbox in no folder for temporary files
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	require.NoError(t, ctx.Err())
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		for line := range strings.Lines(out.String() + errs.String()) {
			t.Logf("%.400s", line)
		}
		for _, q := range s.server.Requests() {
			t.Logf("%d %s %s inner=%q rule=%q hit=%d status=%d %s", q.N, q.Method, q.Path, q.Inner, q.Rule, q.Hit, q.Status, q.Problem)
		}
	})
	return out.String(), err
}

const research = `
find: {report: "Write your report to <([^>]+)>"}
rules:
- name: research
  when: {first_user: 'Research (?P<topic>\w+)'}
  steps:
  - text: On it.
    write: {path: "${report}", content: "# On ${topic}\n\nFirst.\n"}
  - read: ${report}
  - write: {path: "${report}", content: "# On ${topic}\n\nNo line feed at the end, 'quoted' \\ ${n}"}
  - text: The report on ${topic} is written.
`

func TestACommandLineWritesItsReportAndAnswers(t *testing.T) {
	seats(t, research, func(t *testing.T, s seat) {
		report := filepath.Join(s.dir, "report.md")
		out, err := s.run(t, "Research colours. Write your report to <"+report+">.")
		require.NoError(t, err)
		text, err := os.ReadFile(report)
		require.NoError(t, err)
		require.Equal(t, `# On colours

No line feed at the end, 'quoted' \ 3`, string(text))
		require.Contains(t, out, "The report on colours is written.")
		turns := s.server.Turns()
		require.Len(t, turns, 4)
		for i, q := range turns {
			require.Equal(t, "research", q.Rule)
			require.Equal(t, i+1, q.Hit)
			require.NotEmpty(t, q.Session)
			require.Equal(t, turns[0].Session, q.Session)
			require.Equal(t, "Research colours. Write your report to <"+report+">.", q.FirstUser)
			require.Equal(t, q.FirstUser, q.LastUser)
		}
	})
}

func TestToolsAndSearchesComeBackToTheModel(t *testing.T) {
	cli.InMatrix(t)
	seats(t, `
rules:
- when: {inner: search}
  steps: [{results: [{url: "https://example.net/sky", title: Sky, text: "On ${query}: it scatters."}]}]
- when: {any: it scatters.*shell says 42.*Greetings to Ada}
  steps: [{text: "All came back."}]
- steps:
  - {search: why is the sky blue}
  - {shell: "printf 'shell says %s' 42"}
  - {tool: {server: desk, name: greet, input: {name: Ada}}}
  - {text: "Not all came back."}
`, func(t *testing.T, s seat) {
		out, err := s.run(t, "Look it up.")
		require.NoError(t, err)
		require.Contains(t, out, "All came back.")
		require.NotContains(t, out, "Not all")
		var searches []loopback.Request
		for _, q := range s.server.Requests() {
			if q.Inner == "search" {
				searches = append(searches, q)
			}
		}
		require.Len(t, searches, 1)
		require.Equal(t, "rule 1", searches[0].Rule)
		require.Len(t, s.server.Turns(), 4)
	})
}

func TestCommandLinesRecoverFromFaults(t *testing.T) {
	cli.InMatrix(t)
	for name, fault := range map[string]struct {
		step   string
		status int
		lost   string // the command line that does not recover
	}{
		"rate limit":         {`{status: 429, headers: {Retry-After: "1"}}`, 429, ""},
		"server error":       {`{status: 500}`, 500, ""},
		"dropped connection": {`{drop: true}`, 0, ""},
		"cut stream":         {`{text: "A long answer of which half is lost.", cut: true}`, 200, "gemini"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait more than they work
			seats(t, "rules: [{steps: ["+fault.step+", {text: Recovered.}]}]", func(t *testing.T, s seat) {
				out, err := s.run(t, "Go.")
				turns := s.server.Turns()
				require.Equal(t, fault.status, turns[0].Status)
				if fault.lost == s.name {
					require.Error(t, err)
					require.Len(t, turns, 1)
					return
				}
				require.NoError(t, err)
				require.Contains(t, out, "Recovered.")
				require.Len(t, turns, 2)
			})
		})
	}
}

func TestCompactionIsNoTurn(t *testing.T) {
	cli.InMatrix(t)
	seats(t, `
rules:
- steps:
  - {shell: echo one, usage: {input: 20000, output: 10}}
  - {shell: echo two, usage: {input: 400000, output: 10}}
  - {text: Done.}
`, func(t *testing.T, s seat) {
		if s.name == "gemini" {
			t.Skip("it counts for itself what a conversation weighs")
		}
		out, err := s.run(t, "Go.")
		require.NoError(t, err)
		require.Contains(t, out, "Done.")
		require.Len(t, s.server.Turns(), 3)
		var inner []string
		for _, q := range s.server.Requests() {
			if q.Inner != "" && q.Inner != "websocket" {
				inner = append(inner, q.Inner)
			}
		}
		require.Equal(t, []string{"compact"}, inner)
	})
}
