package seats_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/test/cli"
	"github.com/research-council/research-council/test/loopback"
)

// hosting is a command line that has `council mcp` among its own MCP servers, in a person's
// project.
type hosting struct {
	seat
	council, project, home string
	approves               bool // the person has allowed all its tools, else those that only read
	answers                bool // the person says yes when they are asked: where the command line lets a hook do so
}

// args are the command line's, and what it takes from files is written.
func (h hosting) args(t *testing.T, server *loopback.Server) []string {
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(h.home, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(h.home, name), []byte(text), 0o600))
	}
	switch h.Name {
	case "claude":
		allowed := "mcp__council"
		if !h.approves {
			allowed = "mcp__council__status,mcp__council__plan_council"
		}
		settings := "{}"
		if h.answers {
			settings = `{"hooks":{"Elicitation":[{"hooks":[{"type":"command","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"Elicitation\",\"action\":\"accept\",\"content\":{\"yes\":true}}}'"}]}]}}`
		}
		return []string{
			"-p", "--setting-sources", "", "--settings", settings, "--strict-mcp-config", "--mcp-config", fmt.Sprintf(`{"mcpServers":{"council":{"command":%q,"args":["mcp"]}}}`, h.council), "--tools", "",
			"--permission-mode", "dontAsk", "--allowedTools", allowed, "--output-format", "stream-json", "--verbose", "--model", h.model,
		}
	case "codex":
		mode := ""
		if h.approves {
			mode = `default_tools_approval_mode = "approve"` + "\n"
		}
		write(".codex/config.toml", fmt.Sprintf("[mcp_servers.council]\ncommand = %q\nargs = [\"mcp\"]\nrequired = true\n%s", h.council, mode))
		return append(server.Args(), "exec", "--json", "--skip-git-repo-check", "--disable", "plugins", "--disable", "unbounded_connection_retries", "-s", "read-only", "-C", h.project, "-m", h.model, "-c", "analytics.enabled=false", "-")
	}
	write(".gemini/settings.json", fmt.Sprintf(`{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},
"mcpServers":{"council":{"command":%q,"args":["mcp"],"trust":%v}}}`, h.council, h.approves))
	return []string{"-e", "none", "-m", h.model, "--approval-mode=auto_edit", "--skip-trust", "-o", "stream-json"}
}

// run gives the command line a prompt.
func (h hosting) run(t *testing.T, server *loopback.Server) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, cli.Path(t, h.Name), h.args(t, server)...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = h.project, strings.NewReader("When does the kettle rest? Ask the council."), time.Second
	cmd.Env = append(server.Env(), "PATH="+os.Getenv("PATH"), "HOME="+h.home, "TERM=xterm", "TMPDIR="+t.TempDir())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%.8000s", out.String())
		}
	})
	require.NoError(t, err)
}

func newHosting(t *testing.T, s seat, approves bool) hosting {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	h := hosting{seat: s, council: council(t), project: filepath.Join(root, "a project's é"), home: filepath.Join(root, "home"), approves: approves}
	for _, dir := range []string{filepath.Join(h.project, "docs"), h.home} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(h.project, "docs", "kettle.md"), []byte("# The kettle\n\nThe kettle rests while it is empty.\n"), 0o600))
	t.Cleanup(func() {
		ids, _ := workspace.List(h.project)
		for _, id := range ids {
			_ = supervisor.Cancel(context.Background(), supervisor.Options{Project: h.project, ID: id}, "the test is over") // it may have ended
		}
	})
	return h
}

func asked(tool string, input map[string]any) loopback.Step {
	return loopback.Step{Tool: &loopback.Call{Server: "council", Name: tool, Input: input}}
}

// planned is what a model says back of a plan it was given.
var planned = map[string]string{"plan": `plan[\\": ]+(\d{8}-\d{6}-[0-9a-f]{6})`, "code": `code[\\": ]+([A-Z2-7]{26})`}

// TestAHostBeginsACouncil has each command line that can plan, begin, await and read a
// council, as any MCP client does: claude asks the person, gemini cannot.
func TestAHostBeginsACouncil(t *testing.T) {
	cli.InMatrix(t)
	each(t, func(t *testing.T, s seat) {
		if s.Name == "codex" {
			t.Skip("without a terminal it answers for the person, with no")
		}
		h := newHosting(t, s, true)
		h.answers = true
		server := vendors[s.Name](t, loopback.Scenario{Find: planned, Rules: []loopback.Rule{{Steps: []loopback.Step{
			asked("plan_council", map[string]any{"question": "When does the kettle rest?", "seats": []any{"librarian"}, "scope": "docs"}),
			asked("start_council", map[string]any{"plan": "${plan}", "code": "${code}"}),
			asked("wait", map[string]any{"seconds": 50}),
			asked("claims", map[string]any{"state": "located"}),
			asked("report", map[string]any{}),
			{Text: "done"},
		}}}})
		h.run(t, server)
		turns := server.Turns()
		require.Len(t, turns, 6)
		heard := func(n int) string { return plainly(turns[n].Body) }
		require.Contains(t, heard(2), "When does the kettle rest?")
		ids, err := workspace.List(h.project)
		require.NoError(t, err)
		require.Len(t, ids, 1)
		require.Contains(t, heard(2), ids[0])
		require.Contains(t, heard(3), "completed")
		require.Contains(t, heard(5), "The kettle rests while it is empty.")
		require.Contains(t, heard(5), "kettle.md")
	})
}

// TestNobodyIsThereToSayYes shows that nothing begins where a command line says that it can
// ask the person, and nobody is there.
func TestNobodyIsThereToSayYes(t *testing.T) {
	cli.InMatrix(t)
	each(t, func(t *testing.T, s seat) {
		if s.Name == "gemini" {
			t.Skip("it asks nobody, and says so")
		}
		h := newHosting(t, s, true)
		server := vendors[s.Name](t, loopback.Scenario{Find: planned, Rules: []loopback.Rule{{Steps: []loopback.Step{
			asked("plan_council", map[string]any{"question": "When does the kettle rest?", "seats": []any{"librarian"}, "scope": "docs"}),
			asked("start_council", map[string]any{"plan": "${plan}", "code": "${code}"}),
			{Text: "done"},
		}}}})
		h.run(t, server)
		turns := server.Turns()
		require.Len(t, turns, 3)
		require.Contains(t, plainly(turns[2].Body), "and nothing began")
		require.NoDirExists(t, filepath.Join(h.project, workspace.Runs))
	})
}

// TestAHostAsksBeforeItBegins shows that nothing begins where the person has not allowed it:
// what only reads is answered, or what is not trusted is not there.
func TestAHostAsksBeforeItBegins(t *testing.T) {
	cli.InMatrix(t)
	each(t, func(t *testing.T, s seat) {
		h := newHosting(t, s, false)
		server := vendors[s.Name](t, loopback.Scenario{Find: planned, Rules: []loopback.Rule{{Steps: []loopback.Step{
			asked("status", map[string]any{}),
			asked("plan_council", map[string]any{"question": "When does the kettle rest?", "seats": []any{"librarian"}, "scope": "docs"}),
			asked("start_council", map[string]any{"plan": "20260221-090000-00ff00", "code": "AAAAAAAAAAAAAAAAAAAAAAAAAA"}),
			{Text: "done"},
		}}}})
		h.run(t, server)
		turns := server.Turns()
		require.Len(t, turns, 4)
		if s.Name != "gemini" {
			require.Contains(t, plainly(turns[1].Body), "no run in ")
			require.Contains(t, plainly(turns[2].Body), "Nothing has begun and nothing is spent")
		}
		require.NotContains(t, plainly(turns[3].Body), "there is no such plan", "the call does not reach the server")
		require.NoDirExists(t, filepath.Join(h.project, workspace.Runs))
	})
}
