package gemini

import (
	_ "embed"
	"path/filepath"

	"github.com/research-council/research-council/internal/agent"
)

//go:embed defaults.yaml
var defaults []byte

// Kind is Google's Gemini command line.
func Kind() agent.Kind {
	return agent.Kind{
		Name: "gemini", Title: "Gemini CLI", Adapter: Adapter{}, ChoosesSession: true, Desk: true, Usage: agent.UsageAtEnd,
		Inherits: func(map[string]string) []string {
			return []string{"GEMINI_API_KEY", "GEMINI_API_KEY_AUTH_MECHANISM", "GEMINI_CLI_HOME", "GOOGLE_*", "CLOUDSDK_CONFIG"}
		},
		Marks: "GEMINI_CLI", Calls: calls, Defaults: defaults,
		Program: &agent.Program{
			Tested: "0.61.0", Oldest: "0.50.0", Help: []string{"--help"},
			Flags:   []string{"--extensions", "--output-format", "--approval-mode", "--policy", "--model", "--include-directories", "--resume", "--session-id"},
			Install: "npm install -g @google/gemini-cli",
			Quiet:   []string{"GEMINI_CLI_NO_RELAUNCH=true"},
			Login:   login,
		},
	}
}

func login(i agent.Installation) agent.Finding {
	switch {
	case i.Getenv("GEMINI_API_KEY") != "":
		return agent.KeyLogin("GEMINI_API_KEY")
	case agent.IsSet(i.Getenv("GOOGLE_GENAI_USE_VERTEXAI")):
		return agent.Finding{Level: agent.LevelOK, Text: "login: Vertex AI; that cloud project pays"}
	case i.Exists(filepath.Join(i.Folder("GEMINI_CLI_HOME", ""), ".gemini", "oauth_creds.json")):
		return agent.Finding{Level: agent.LevelNote, Text: "login: a Google account; that plan pays (personal plans are no longer served)"}
	}
	return agent.NoLogin("set GEMINI_API_KEY, or run `gemini` and log in")
}
