package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/flow"
)

// environment is where seats are resolved in these tests: no program is there.
func environment(pairs map[string]string) config.Resolver {
	return config.Resolver{
		Find:   func(string) (string, error) { return "", errors.New("no program is there") },
		Getenv: func(name string) string { return pairs[name] },
	}
}

const servers = `
chat:
  ollama:
    brand: local
    base_url: http://127.0.0.1:11434/v1
    max: {model: small}
    standard: {model: small, effort: low}
    input_kib: 24
    free: true
  groq: {brand: qwen, cheap: {model: tiny}}
prices: {small: {input: 1, output: 2}}
`

func TestServersAreSeats(t *testing.T) {
	c, err := config.Parse([]byte(servers))
	require.NoError(t, err)
	require.Equal(t, []string{"groq", "ollama", "openai"}, c.Chats())
	names, err := c.Expand([]string{"claude", "openai", "ollama", "openai"})
	require.NoError(t, err)
	require.Equal(t, []string{"claude", "openai", "ollama"}, names)
	require.NotContains(t, c.Seats, "openai", "they do not research unless they are named")

	seats, missing := c.Roster([]string{"ollama", "groq"}, "standard", environment(map[string]string{"GROQ_API_KEY": "k"}))
	require.Empty(t, missing)
	require.Equal(t, []flow.Seat{
		{
			Name: "ollama", Kind: "chat", Brand: "local", Model: "small", Effort: "low", Free: true, Price: flow.Price{Input: 1, Output: 2},
			Server: agent.Server{BaseURL: "http://127.0.0.1:11434/v1", Input: 24 << 10},
		},
		{
			Name: "groq", Kind: "chat", Brand: "qwen", Model: c.Chat["groq"].Standard.Model, Inherit: []string{"GROQ_API_KEY"},
			Server: agent.Server{BaseURL: "https://api.groq.com/openai/v1", KeyEnv: "GROQ_API_KEY"},
		},
	}, seats, "what is left out keeps its default")
}

func TestAnAddressOfTheEnvironmentGoesFirst(t *testing.T) {
	c := defaults(t)
	for given, want := range map[string]string{"": "https://api.openai.com/v1", "http://127.0.0.1:8080/v1": "http://127.0.0.1:8080/v1"} {
		seats, missing := c.Roster([]string{"openai"}, "max", environment(map[string]string{"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": given}))
		require.Empty(t, missing)
		require.Equal(t, want, seats[0].Server.BaseURL)
	}
}

func TestAServerThatCannotBeAskedIsMissing(t *testing.T) {
	home := t.TempDir()
	key := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(home, name)
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	key("seen", "sk-s3cret", 0o644)
	key("empty", "\n", 0o600)
	key("two", "sk-s3cret\nsk-other", 0o600)
	require.NoError(t, os.Mkdir(filepath.Join(home, "folder"), 0o700))
	for name, c := range map[string]struct{ own, tier, reason string }{
		"no key":                   {"openai: {}", "max", "OPENAI_API_KEY is not set"},
		"no model":                 {"mine: {base_url: http://127.0.0.1/v1, max: {model: m}}", "cheap", "no model is configured for this tier"},
		"a key all can read":       {"openai: {key_file: ~/seen}", "max", "OPENAI_API_KEY is not set, and its key file " + home + "/seen can be read by others: chmod 600 it"},
		"a key file that is empty": {"openai: {key_file: ~/empty}", "max", "is empty"},
		"a folder for a key":       {"openai: {key_file: ~/folder}", "max", "its key file"},
		"no such file":             {"mine: {base_url: http://127.0.0.1/v1, max: {model: m}, key_file: ~/none}", "max", "its key file cannot be read"},
		"two keys":                 {"openai: {key_file: ~/two}", "max", "holds more than a key"},
		"a key with a line feed":   {"openai: {key_env: ODD}", "max", "ODD holds more than a key"},
		"a password in an address": {"openai: {base_url_env: LOGIN, key_env: GOOD}", "max", "LOGIN cannot hold a user"},
	} {
		t.Run(name, func(t *testing.T) {
			conf, err := config.Parse([]byte("chat:\n  " + c.own + "\n"))
			require.NoError(t, err)
			names := []string{"openai"}
			if _, mine := conf.Chat["mine"]; mine {
				names = []string{"mine"}
			}
			seats, missing := conf.Roster(names, c.tier, environment(map[string]string{
				"HOME": home, "ODD": "sk-s3cret\nsk-other", "GOOD": "k", "LOGIN": "https://ada:s3cret@models.invalid/v1",
			}))
			require.Empty(t, seats)
			require.Contains(t, missing[0].Reason, c.reason)
			require.NotContains(t, missing[0].Reason, "s3cret")
		})
	}
}

func TestAKeyIsFoundInItsVariableFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(path, []byte(" from-file\n"), 0o600))
	getenv := environment(map[string]string{"K": " from-variable\n"}).Getenv
	for want, s := range map[string]agent.Server{
		"":              {},
		"from-variable": {KeyEnv: "K", KeyFile: path},
		"from-file":     {KeyEnv: "OTHER", KeyFile: path},
	} {
		key, err := config.ServerKey(s, getenv)
		require.NoError(t, err)
		require.Equal(t, want, key)
	}
}

func TestServersThatAreNone(t *testing.T) {
	for own, want := range map[string]string{
		"chat: {claude: {base_url: 'https://models.invalid'}}":                             "cannot be a seat's name",
		"chat: {librarian: {base_url: 'https://models.invalid'}}":                          "cannot be a seat's name",
		"chat: {Own: {base_url: 'https://models.invalid'}}":                                "cannot be a seat's name",
		"chat: {own: {base_url: 'https://models.invalid'}}\ncommands: {own: {program: x}}": "cannot be a seat's name",
		"chat: {own: {}}":                                                            "base_url has to be an http or https address",
		"chat: {own: {base_url: 'models'}}":                                          "base_url has to be an http or https address",
		"chat: {own: {base_url: 'ftp://m/v1'}}":                                      "base_url has to be an http or https address",
		"chat: {own: {base_url: 'https://ada:s3cret@models.invalid'}}":               "cannot hold a user",
		"chat: {own: {base_url: 'https://models.invalid?key=s3cret'}}":               "cannot hold a user",
		"chat: {own: {base_url: 'https://models.invalid', key_env: 'sk-s3cret'}}":    "name of a variable",
		"chat: {own: {base_url: 'https://models.invalid', key_file: 'keys/s3cret'}}": "absolute path",
		"chat: {own: {base_url: 'https://models.invalid', input_kib: -1}}":           "input_kib",
		"chat: {own: {base_url: 'https://models.invalid', max: {modle: m}}}":         "modle",
	} {
		_, err := config.Parse([]byte(own))
		require.ErrorContains(t, err, want, own)
		require.NotContains(t, err.Error(), "s3cret")
	}
}
