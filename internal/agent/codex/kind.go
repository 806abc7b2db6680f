package codex

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
)

//go:embed defaults.yaml
var defaults []byte

// Kind is OpenAI's Codex command line.
func Kind() agent.Kind {
	return agent.Kind{
		Name: "codex", Adapter: Adapter{}, Desk: true, Usage: agent.UsageAtEnd,
		Inherits: func(map[string]string) []string {
			return []string{"OPENAI_*", "CODEX_API_KEY", "CODEX_HOME", "CODEX_CA_CERTIFICATE"}
		},
		Marks: "CODEX_SANDBOX", Calls: calls, Defaults: defaults,
		Program: &agent.Program{
			Tested: "0.169.0", Oldest: "0.146.0", Help: []string{"exec", "--help"},
			Flags:   []string{"--json", "--skip-git-repo-check", "--ignore-user-config", "--disable", "--sandbox", "--cd", "--model", "--config", "resume"},
			Install: "npm install -g @openai/codex",
			Native:  native, Login: login, Checks: checks,
		},
	}
}

// native is where the executable lies that codex's npm package wraps in a
// script: a wrapper that is killed leaves it running. The packages are named
// @openai/codex-OS-ARCH and hold vendor/TARGET/bin/codex.
func native(script, system, arch string) []string {
	if filepath.Ext(script) != ".js" {
		return nil
	}
	if arch == "amd64" {
		arch = "x64"
	}
	pkg := filepath.Dir(filepath.Dir(script)) // …/@openai/codex
	inner := filepath.Join("vendor", "*", "bin", "codex")
	platform := "codex-" + system + "-" + arch
	return []string{
		filepath.Join(pkg, "node_modules", "@openai", platform, inner),
		filepath.Join(filepath.Dir(pkg), platform, inner),
		filepath.Join(pkg, inner),
	}
}

// login prefers a key: it goes before the stored login.
func login(i agent.Installation) agent.Finding {
	for _, variable := range []string{"CODEX_API_KEY", "OPENAI_API_KEY"} {
		if i.Getenv(variable) != "" {
			return agent.KeyLogin(variable)
		}
	}
	out := i.Run("login", "status")
	said := bytes.ToLower(append(out.Stdout, out.Stderr...)) // it may hold a part of a key and is not shown
	switch {
	case !out.OK:
		return agent.NoLogin("run `codex login`, or set OPENAI_API_KEY")
	case bytes.Contains(said, []byte("chatgpt")):
		return agent.Finding{Level: agent.LevelOK, Text: "login: ChatGPT; that subscription pays"}
	case bytes.Contains(said, []byte("api key")):
		return agent.Finding{Level: agent.LevelOK, Text: "login: a stored API key; its owner pays by use"}
	}
	return agent.Finding{Level: agent.LevelOK, Text: "login: the one of codex"}
}

func checks(i agent.Installation) []agent.Finding {
	return []agent.Finding{checkSandbox(i), checkModels(i)}
}

// checkSandbox tries the sandbox codex runs an agent's commands in: where it
// does not work they all fail, in silence.
func checkSandbox(i agent.Installation) agent.Finding {
	if !i.Run("-c", `sandbox_mode="workspace-write"`, "sandbox", "--", "sh", "-c", "true").OK {
		return agent.Finding{
			Level: agent.LevelWarning, Text: "its sandbox does not work here: commands of this seat would fail",
			Remedy: "allow user namespaces on this machine, or leave the seat out",
		}
	}
	return agent.Finding{Level: agent.LevelOK, Text: "its sandbox works"}
}

// checkModels looks for the configured models in codex's own catalogue, which
// it gives without a login or a network.
func checkModels(i agent.Installation) agent.Finding {
	out := i.Run("debug", "models")
	var known []string
	for _, m := range gjson.GetBytes(out.Stdout, "models.#.slug").Array() {
		known = append(known, m.String())
	}
	if !out.OK || len(known) == 0 {
		return agent.Finding{Level: agent.LevelNote, Text: "its catalogue of models cannot be read"}
	}
	unknown := slices.DeleteFunc(slices.Clone(i.Models), func(m string) bool { return slices.Contains(known, m) })
	if len(unknown) > 0 {
		return agent.Finding{
			Level: agent.LevelWarning, Text: "it does not know the configured " + strings.Join(unknown, ", "),
			Remedy: "choose from " + strings.Join(known, ", ") + " in the configuration",
		}
	}
	return agent.Finding{Level: agent.LevelOK, Text: "it knows the configured models"}
}
