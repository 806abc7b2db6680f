package claude

import (
	_ "embed"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/agent"
)

//go:embed defaults.yaml
var defaults []byte

// Kind is Claude Code.
func Kind() agent.Kind {
	return agent.Kind{
		Name: "claude", Title: "Claude Code", Adapter: Adapter{},
		ChoosesSession: true, Desk: true, Host: true, Subagents: true, TellsCost: true,
		Inherits: inherits, Marks: "CLAUDECODE", Calls: calls, Defaults: defaults,
		Permit: func(command string) string { return "Bash(" + command + ")" },
		Program: &agent.Program{
			Tested: "2.1.329", Oldest: "2.1.240", Help: []string{"--help"},
			Flags: []string{ // --max-turns is hidden
				"--print", "--setting-sources", "--settings", "--strict-mcp-config", "--disable-slash-commands", "--tools", "--output-format",
				"--verbose", "--permission-mode", "--allowedTools", "--add-dir", "--model", "--effort", "--resume", "--session-id",
			},
			Install: "npm install -g @anthropic-ai/claude-code",
			Quiet:   []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
			Login:   login, Checks: checks,
		},
	}
}

// variables are Anthropic's keys, endpoints and logins, and the switches of the
// clouds Claude can be served from.
const variables = "ANTHROPIC_* CLAUDE_CONFIG_DIR CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_API_KEY_HELPER_TTL_MS " +
	"CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_VERTEX CLAUDE_CODE_USE_FOUNDRY " +
	"CLAUDE_CODE_SKIP_BEDROCK_AUTH CLAUDE_CODE_SKIP_VERTEX_AUTH CLAUDE_CODE_SKIP_FOUNDRY_AUTH " +
	"CLAUDE_CODE_CLIENT_CERT CLAUDE_CODE_CLIENT_KEY CLAUDE_CODE_CLIENT_KEY_PASSPHRASE " +
	"CLAUDE_CODE_MAX_RETRIES API_TIMEOUT_MS IS_SANDBOX"

// clouds are those Claude can be served from, by the switch that turns one on:
// what it is called, and its own logins, which are inherited only there.
var clouds = map[string]struct{ name, variables string }{
	"CLAUDE_CODE_USE_BEDROCK": {"Bedrock", "AWS_*"},
	"CLAUDE_CODE_USE_VERTEX": {"Vertex AI", "CLOUD_ML_REGION VERTEX_REGION_* CLOUDSDK_CONFIG " +
		"GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_QUOTA_PROJECT"},
	"CLAUDE_CODE_USE_FOUNDRY": {"Foundry", "AZURE_*"},
}

func inherits(given map[string]string) []string {
	names := strings.Fields(variables)
	for use, cloud := range clouds {
		if agent.IsSet(given[use]) {
			names = append(names, strings.Fields(cloud.variables)...)
		}
	}
	return names
}

func login(i agent.Installation) agent.Finding {
	for use, cloud := range clouds {
		if agent.IsSet(i.Getenv(use)) {
			return agent.Finding{Level: agent.LevelOK, Text: "login: " + cloud.name + "; that cloud account pays"}
		}
	}
	switch {
	case i.Getenv("ANTHROPIC_AUTH_TOKEN") != "":
		return agent.Finding{Level: agent.LevelOK, Text: "login: ANTHROPIC_AUTH_TOKEN; whoever runs that gateway pays"}
	case i.Getenv("ANTHROPIC_API_KEY") != "":
		return agent.KeyLogin("ANTHROPIC_API_KEY")
	case i.Getenv("CLAUDE_CODE_OAUTH_TOKEN") != "":
		return agent.Finding{Level: agent.LevelOK, Text: "login: CLAUDE_CODE_OAUTH_TOKEN; that subscription pays"}
	case i.Exists(filepath.Join(i.Folder("CLAUDE_CONFIG_DIR", ".claude"), ".credentials.json")):
		return agent.Finding{Level: agent.LevelOK, Text: "login: the one of Claude Code; that account or subscription pays"}
	case i.System == "darwin":
		return agent.Finding{Level: agent.LevelNote, Text: "login: no key is set; one in the keychain cannot be seen from here"}
	}
	return agent.NoLogin("run `claude` and log in, or set ANTHROPIC_API_KEY")
}

func checks(i agent.Installation) []agent.Finding {
	if i.Root && i.Getenv("IS_SANDBOX") == "" {
		return []agent.Finding{{
			Level: agent.LevelNote, Text: "this is the superuser: it refuses --skip-permissions",
			Remedy: "work as another user, or set IS_SANDBOX=1 where this is a container",
		}}
	}
	return nil
}
