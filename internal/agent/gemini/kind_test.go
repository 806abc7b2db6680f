package gemini_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/gemini"
)

func TestWhoPaysForGemini(t *testing.T) {
	const stored = "/home/ada/.gemini/oauth_creds.json"
	for name, c := range map[string]struct {
		set   map[string]string
		file  string
		want  string
		level agent.Level
	}{
		"a key":                    {map[string]string{"GEMINI_API_KEY": "k", "GOOGLE_GENAI_USE_VERTEXAI": "true"}, stored, "GEMINI_API_KEY; the owner", agent.LevelOK},
		"a cloud":                  {map[string]string{"GOOGLE_GENAI_USE_VERTEXAI": "true"}, "", "that cloud project pays", agent.LevelOK},
		"a cloud that is off":      {map[string]string{"GOOGLE_GENAI_USE_VERTEXAI": "false"}, "", "login: none", agent.LevelWarning},
		"a plan":                   {nil, stored, "a Google account", agent.LevelNote},
		"a plan, stored elsewhere": {map[string]string{"GEMINI_CLI_HOME": "/g"}, "/g/.gemini/oauth_creds.json", "a Google account", agent.LevelNote},
		"none":                     {nil, "", "login: none", agent.LevelWarning},
	} {
		f := gemini.Kind().Program.Login(agent.Installation{
			Home: "/home/ada", Getenv: func(name string) string { return c.set[name] },
			Exists: func(path string) bool { return path == c.file },
		})
		require.Contains(t, f.Text, c.want, name)
		require.Equal(t, c.level, f.Level, name)
	}
}

func TestUseIsReckonedUntilTheResultTellsIt(t *testing.T) {
	m := gemini.Adapter{}.Meter(agent.Turn{Asked: 400})
	require.Equal(t, []agent.Usage{{Input: 100, Reckoned: true}}, m.Used())
	m.Add([]byte("no event"))
	require.Equal(t, []agent.Usage{{Input: 100, Reckoned: true}}, m.Used())
}
