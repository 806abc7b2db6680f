package codex_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/codex"
)

// installed is a codex that answers each command, by its first argument, in set
// words; what it is not told to answer fails.
func installed(answers map[string]string, set map[string]string) agent.Installation {
	return agent.Installation{
		Getenv: func(name string) string { return set[name] },
		Run: func(args ...string) agent.Output {
			said, ok := answers[args[0]]
			return agent.Output{Stdout: []byte(said), OK: ok}
		},
		Models: []string{"gpt-5", "gpt-5-mini"},
	}
}

func TestWhoPaysForCodex(t *testing.T) {
	for name, c := range map[string]struct {
		answers, set map[string]string
		want         string
	}{
		"a key goes before a login":     {map[string]string{"login": "Logged in using ChatGPT"}, map[string]string{"OPENAI_API_KEY": "k"}, "OPENAI_API_KEY; the owner"},
		"codex's own key before OpenAI": {nil, map[string]string{"OPENAI_API_KEY": "k", "CODEX_API_KEY": "k"}, "CODEX_API_KEY; the owner"},
		"a subscription":                {map[string]string{"login": "Logged in using ChatGPT"}, nil, "that subscription pays"},
		"a key that is stored":          {map[string]string{"login": "Logged in using an API key - sk-abc***"}, nil, "a stored API key"},
		"a login of another kind":       {map[string]string{"login": "Logged in"}, nil, "the one of codex"},
		"none":                          {nil, nil, "login: none"},
	} {
		f := codex.Kind().Program.Login(installed(c.answers, c.set))
		require.Contains(t, f.Text, c.want, name)
		require.NotContains(t, f.Text, "sk-abc", "no part of a key is shown")
		require.Equal(t, c.want == "login: none", f.Level == agent.LevelWarning, name)
		require.Equal(t, c.want == "login: none", f.Remedy != "", name)
	}
}

func TestWhatElseIsWrongWithCodex(t *testing.T) {
	for name, c := range map[string]struct {
		answers map[string]string
		sandbox string
		models  string
		level   agent.Level
	}{
		"nothing":                  {map[string]string{"-c": "", "debug": `{"models":[{"slug":"gpt-5"},{"slug":"gpt-5-mini"}]}`}, "its sandbox works", "it knows the configured models", agent.LevelOK},
		"a model it does not know": {map[string]string{"-c": "", "debug": `{"models":[{"slug":"gpt-5"},{"slug":"o9"}]}`}, "its sandbox works", "it does not know the configured gpt-5-mini", agent.LevelWarning},
		"no sandbox, no catalogue": {nil, "its sandbox does not work here", "its catalogue of models cannot be read", agent.LevelNote},
		"a catalogue that is none": {map[string]string{"-c": "", "debug": "Error: no such command"}, "its sandbox works", "its catalogue of models cannot be read", agent.LevelNote},
	} {
		found := codex.Kind().Program.Checks(installed(c.answers, nil))
		require.Len(t, found, 2, name)
		require.Contains(t, found[0].Text, c.sandbox, name)
		require.Contains(t, found[1].Text, c.models, name)
		require.Equal(t, c.level, found[1].Level, name)
		if c.level == agent.LevelWarning {
			require.Contains(t, found[1].Remedy, "choose from gpt-5, o9")
		}
	}
}

func TestTheExecutableThatCodexsScriptWraps(t *testing.T) {
	native := codex.Kind().Program.Native
	require.Empty(t, native("/usr/bin/codex", "linux", "amd64"), "no script wraps it")
	found := native("/n/node_modules/@openai/codex/bin/codex.js", "linux", "amd64")
	require.Contains(t, found, filepath.FromSlash("/n/node_modules/@openai/codex-linux-x64/vendor/*/bin/codex"))
	require.Contains(t, found, filepath.FromSlash("/n/node_modules/@openai/codex/node_modules/@openai/codex-linux-x64/vendor/*/bin/codex"))
	require.Contains(t, native("/n/@openai/codex/bin/codex.js", "darwin", "arm64"), filepath.FromSlash("/n/@openai/codex-darwin-arm64/vendor/*/bin/codex"))
}

func TestWhatASeatUsesIsMeteredWhileItWorks(t *testing.T) {
	m := codex.Adapter{}.Meter(agent.Turn{Asked: 400})
	require.Equal(t, int64(100), m.Used()[0].Input, "what is asked is reckoned")
	m.Add([]byte(`{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":500,"cached_input_tokens":200,"output_tokens":30}}}}`))
	used := m.Used()[0]
	require.Equal(t, []int64{500, 200, 30}, []int64{used.Input, used.CachedInput, used.Output})
	m.Add([]byte(`no event`))
	require.Equal(t, used, m.Used()[0])
}
