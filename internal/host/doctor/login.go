package doctor

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"research-council/internal/agent"
)

// isSet reports whether a switch of the environment is set.
func (x exam) isSet(name string) bool {
	switch strings.ToLower(x.env[name]) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

// configFolder is a program's own folder: where a variable says, or in the home.
func (x exam) configFolder(variable, inHome string) string {
	if dir := x.env[variable]; dir != "" {
		return dir
	}
	return filepath.Join(x.Home, inHome)
}

// keyLogin says that the owner of a key pays.
func keyLogin(area, variable string) Check {
	return okCheck(area, "login: %s; the owner of that key pays by use", variable)
}

func (x exam) claudeLogin(context.Context, string) Check {
	const area = "claude"
	clouds := map[string]string{"CLAUDE_CODE_USE_BEDROCK": "Bedrock", "CLAUDE_CODE_USE_VERTEX": "Vertex AI", "CLAUDE_CODE_USE_FOUNDRY": "Foundry"}
	for variable, cloud := range clouds {
		if x.isSet(variable) {
			return okCheck(area, "login: %s; that cloud account pays", cloud)
		}
	}
	switch {
	case x.env["ANTHROPIC_AUTH_TOKEN"] != "":
		return okCheck(area, "login: ANTHROPIC_AUTH_TOKEN; whoever runs that gateway pays")
	case x.env["ANTHROPIC_API_KEY"] != "":
		return keyLogin(area, "ANTHROPIC_API_KEY")
	case x.env["CLAUDE_CODE_OAUTH_TOKEN"] != "":
		return okCheck(area, "login: CLAUDE_CODE_OAUTH_TOKEN; that subscription pays")
	case x.Exists(filepath.Join(x.configFolder("CLAUDE_CONFIG_DIR", ".claude"), ".credentials.json")):
		return okCheck(area, "login: the one of Claude Code; that account or subscription pays")
	case x.OS == "darwin":
		return Check{area, Note, "login: no key is set; one in the keychain cannot be seen from here", ""}
	}
	return Check{area, Warning, "login: none", "run `claude` and log in, or set ANTHROPIC_API_KEY"}
}

// codexLogin prefers a key: it goes before the stored login.
func (x exam) codexLogin(ctx context.Context, path string) Check {
	const area = "codex"
	for _, variable := range []string{"CODEX_API_KEY", "OPENAI_API_KEY"} {
		if x.env[variable] != "" {
			return keyLogin(area, variable)
		}
	}
	r := x.runSeatProgram(ctx, agent.OpenAI, path, "login", "status")
	said := bytes.ToLower(append(r.Stdout, r.Stderr...)) // it may hold a part of a key and is not shown
	switch {
	case r.Err != nil || r.Code != 0:
		return Check{area, Warning, "login: none", "run `codex login`, or set OPENAI_API_KEY"}
	case bytes.Contains(said, []byte("chatgpt")):
		return okCheck(area, "login: ChatGPT; that subscription pays")
	case bytes.Contains(said, []byte("api key")):
		return okCheck(area, "login: a stored API key; its owner pays by use")
	}
	return okCheck(area, "login: the one of codex")
}

func (x exam) geminiLogin(context.Context, string) Check {
	const area = "gemini"
	home := x.configFolder("GEMINI_CLI_HOME", "")
	switch {
	case x.env["GEMINI_API_KEY"] != "":
		return keyLogin(area, "GEMINI_API_KEY")
	case x.isSet("GOOGLE_GENAI_USE_VERTEXAI"):
		return okCheck(area, "login: Vertex AI; that cloud project pays")
	case x.Exists(filepath.Join(home, ".gemini", "oauth_creds.json")):
		return Check{area, Note, "login: a Google account; that plan pays (personal plans are no longer served)", ""}
	}
	return Check{area, Warning, "login: none", "set GEMINI_API_KEY, or run `gemini` and log in"}
}
