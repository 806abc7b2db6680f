package claude_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/claude"
)

// working is a turn that works in a project.
func working() agent.Turn {
	t := turn()
	t.Project, t.Council, t.Role = "/home/u/a project", "/opt/bin/council", agent.Code
	t.Dir = t.Project + "/research/20260101-120000-abcdef/seats/claude"
	t.Report, t.State = t.Dir+"/code-1.md", t.Dir+"/state.txt"
	t.Env = map[string]string{"PATH": "/usr/bin"}
	t.Desk = []string{"/opt/bin/council", "desk"}
	t.Allow = []string{"Bash(go test ./...)"}
	t.Agents = map[string]agent.Helper{
		"researcher": {Description: "Finds.", Prompt: "You 'find'.", Tools: []string{"Read", "mcp__desk"}, Model: "sonnet"},
		"coder":      {Description: "Codes.", Prompt: "You code."},
	}
	return t
}

// after is the argument that follows a flag.
func after(t *testing.T, argv []string, flag string) string {
	i := slices.Index(argv, flag)
	require.GreaterOrEqual(t, i, 0, flag)
	return argv[i+1]
}

// rules are the permissions in a turn's settings file.
func rules(t *testing.T, spec agent.Spec) (allow, deny []string) {
	var settings struct {
		Permissions struct{ Allow, Deny []string }
	}
	require.NoError(t, json.Unmarshal(spec.Files[0].Data, &settings))
	return settings.Permissions.Allow, settings.Permissions.Deny
}

func TestAWorkerStartsInItsProject(t *testing.T) {
	ask := working()
	spec, err := claude.Kind().Spec(ask)
	require.NoError(t, err)
	require.Equal(t, ask.Project, spec.Dir)
	require.Equal(t, ask.Dir+"/claude-settings.json", spec.Files[0].Path, "what is laid down for it lies in its own folder")
	require.Equal(t, "WebSearch,WebFetch,Read,Edit,Write,Glob,Grep,Bash,Agent", after(t, spec.Argv, "--tools"))
	require.Equal(t, "dontAsk", after(t, spec.Argv, "--permission-mode"))
	require.NotContains(t, spec.Argv, "--add-dir", "its folder lies in the project")
	require.JSONEq(t, `{"coder":{"description":"Codes.","prompt":"You code."},
		"researcher":{"description":"Finds.","prompt":"You 'find'.","tools":["Read","mcp__desk"],"model":"sonnet"}}`, after(t, spec.Argv, "--agents"))
	require.Contains(t, spec.Env, "PATH=/opt/bin:/usr/bin", "the program is found by its name")
	require.Contains(t, spec.Env, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", "its agents work in the foreground")
	require.Contains(t, spec.Env, "BASH_MAX_TIMEOUT_MS=3600000")
}

func TestOnlyWhoCodesWritesInTheProject(t *testing.T) {
	const own = "Edit(./research/20260101-120000-abcdef/seats/claude/**)"
	for role, want := range map[string]string{
		agent.Code: "WebSearch,WebFetch,Agent,Edit(./**)," + own + ",mcp__desk", agent.Explore: "WebSearch,WebFetch,Agent," + own + ",mcp__desk",
		agent.Conclude: "WebSearch,WebFetch,Agent," + own + ",mcp__desk", agent.Design: "WebSearch,WebFetch,Agent," + own + ",mcp__desk",
		agent.Breakdown: "WebSearch,WebFetch,Agent," + own + ",mcp__desk",
	} {
		ask := working()
		ask.Role = role
		spec, err := claude.Kind().Spec(ask)
		require.NoError(t, err)
		require.Equal(t, want, after(t, spec.Argv, "--allowedTools"), role)
	}
}

func TestAWorkersRules(t *testing.T) {
	spec, err := claude.Kind().Spec(working())
	require.NoError(t, err)
	allow, deny := rules(t, spec)
	require.Subset(t, allow, []string{
		"Bash(council campaign record:*)", "Bash(/opt/bin/council campaign end:*)", "Bash('/opt/bin/council' campaign feature:*)", "Bash(council pdf:*)", "Bash(go test ./...)",
	})
	for _, rule := range allow {
		require.NotRegexp(t, `campaign(:| run| resume| begin)`, rule, "what it reads must not begin another campaign")
	}
	for _, rule := range []string{
		"Edit(./research/20260101-120000-abcdef/seats/claude/claude-settings.json)", "Edit(./research/20260101-120000-abcdef/seats/claude/state.txt)",
		"Edit(./.git/**)", "Edit(./.claude/**)", "Edit(./research/*/*.*)", "Edit(./docs/research-*/feature-list.json)", "Edit(./docs/research-*/*-state.md)",
		"Bash(git push*)", "Bash(git commit*)", "Bash(git stash*)", "Bash(git -*)",
	} {
		require.Contains(t, deny, rule)
	}
}

func TestAFolderOutsideTheProjectIsAdded(t *testing.T) {
	ask := working()
	ask.Dir = "/elsewhere/seats/claude"
	ask.Report, ask.State, ask.Scope = ask.Dir+"/code-1.md", ask.Dir+"/state.txt", "/src"
	spec, err := claude.Kind().Spec(ask)
	require.NoError(t, err)
	require.Contains(t, strings.Join(spec.Argv, " "), "--add-dir /src --add-dir /elsewhere/seats/claude")
	require.Contains(t, after(t, spec.Argv, "--allowedTools"), "Edit(//elsewhere/seats/claude/**)")
	_, deny := rules(t, spec)
	require.Contains(t, deny, "Edit(//elsewhere/seats/claude/state.txt)")
}

func TestASeatWithoutAProjectHasNoShell(t *testing.T) {
	ask := turn()
	ask.Allow, ask.Council = []string{"Bash(*)"}, "/opt/bin/council"
	spec, err := claude.Kind().Spec(ask)
	require.NoError(t, err)
	require.NotContains(t, after(t, spec.Argv, "--tools"), "Bash")
	allow, _ := rules(t, spec)
	require.Empty(t, allow, "rules of a project mean nothing without one")
}
