package claude_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/claude"
)

func TestWhoPaysForClaude(t *testing.T) {
	const stored = "/home/ada/.claude/.credentials.json"
	for name, c := range map[string]struct {
		set    map[string]string
		file   string
		system string
		want   string
		level  agent.Level
	}{
		"a cloud goes before a key": {map[string]string{"CLAUDE_CODE_USE_BEDROCK": "1", "ANTHROPIC_API_KEY": "k"}, "", "linux", "Bedrock; that cloud account pays", agent.LevelOK},
		"a cloud that is off":       {map[string]string{"CLAUDE_CODE_USE_VERTEX": "0", "ANTHROPIC_API_KEY": "k"}, "", "linux", "ANTHROPIC_API_KEY; the owner", agent.LevelOK},
		"a gateway's token":         {map[string]string{"ANTHROPIC_AUTH_TOKEN": "k", "ANTHROPIC_API_KEY": "k"}, "", "linux", "whoever runs that gateway pays", agent.LevelOK},
		"a subscription's token":    {map[string]string{"CLAUDE_CODE_OAUTH_TOKEN": "k"}, stored, "linux", "that subscription pays", agent.LevelOK},
		"the login that is stored":  {nil, stored, "linux", "the one of Claude Code", agent.LevelOK},
		"stored elsewhere":          {map[string]string{"CLAUDE_CONFIG_DIR": "/c"}, "/c/.credentials.json", "linux", "the one of Claude Code", agent.LevelOK},
		"a keychain":                {nil, "", "darwin", "one in the keychain cannot be seen", agent.LevelNote},
		"none":                      {map[string]string{"CLAUDE_CONFIG_DIR": "/c"}, stored, "linux", "login: none", agent.LevelWarning},
	} {
		f := claude.Kind().Program.Login(agent.Installation{
			Home: "/home/ada", System: c.system, Getenv: func(name string) string { return c.set[name] },
			Exists: func(path string) bool { return path == c.file },
		})
		require.Contains(t, f.Text, c.want, name)
		require.Equal(t, c.level, f.Level, name)
	}
}

func TestTheSuperuserIsToldWhatClaudeRefuses(t *testing.T) {
	checks := claude.Kind().Program.Checks
	none := func(string) string { return "" }
	require.Empty(t, checks(agent.Installation{Getenv: none}))
	found := checks(agent.Installation{Getenv: none, Root: true})
	require.Len(t, found, 1)
	require.Contains(t, found[0].Remedy, "IS_SANDBOX=1")
	require.Empty(t, checks(agent.Installation{Root: true, Getenv: func(string) string { return "1" }}), "a container")
}

func TestACloudsLoginsAreInheritedWhereItServes(t *testing.T) {
	parent := []string{"AWS_PROFILE=p", "AZURE_KEY=a", "ANTHROPIC_API_KEY=k", "OPENAI_API_KEY=no"}
	kind := claude.Kind()
	require.NotContains(t, kind.Environ(parent), "AWS_PROFILE")
	served := kind.Environ(append(parent, "CLAUDE_CODE_USE_BEDROCK=1"))
	require.Equal(t, "p", served["AWS_PROFILE"])
	require.NotContains(t, served, "AZURE_KEY")
	require.NotContains(t, served, "OPENAI_API_KEY")
}

func TestMessagesAreMeteredUntilAResultComes(t *testing.T) {
	m := claude.Adapter{}.Meter(agent.Turn{})
	m.Add([]byte(`{"type":"assistant","message":{"id":"m1","model":"claude-x","usage":{"input_tokens":10,"output_tokens":4,"cache_read_input_tokens":90}}}`))
	var input, output int64
	for _, u := range m.Used() {
		input, output = input+u.Input, output+u.Output
	}
	require.Equal(t, int64(100), input, "what came from the cache is read too")
	require.Equal(t, int64(4), output)
}
