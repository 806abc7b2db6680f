// Package codex speaks with OpenAI's Codex command line (`codex exec`).
//
// A seat runs in the sandbox of its own folder, and of the project where it
// builds a feature there, with live web search and without the user's
// configuration, plugins or project documents. Its own
// Stop hook is given on the command line together with the hash that makes
// codex trust it; an untrusted hook would be skipped in silence. Hooks fail
// open there, so whether the report is complete must be asked of the report.
//
// The package promises that a fault is judged by the exit status and codex's
// own error fields, never by words an agent wrote. Measured with codex
// 0.169.0. Where the executable lies is left to others: it must be the native
// one, since the wrapper around it leaves it running when killed.
package codex

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/agent"
)

// Adapter makes processes of `codex exec` out of turns. Codex chooses the
// session ids, which it calls threads.
type Adapter struct{}

// hookSeconds is what the loop hook may take; it needs milliseconds.
const hookSeconds = 120

// What the desk may take to start and for one call, in seconds; codex's own
// bound of a call is a minute, and a slow page with its retries needs more.
const (
	deskStartSeconds = 30
	deskCallSeconds  = 180
	commandSeconds   = 1200 // of a call that runs a command, which may take 900
)

// Spec is the first or a continued turn. A continued thread inherits nothing,
// not even the sandbox, so that all flags are passed again before the word
// resume.
func (Adapter) Spec(t agent.Turn) (agent.Spec, error) {
	if err := t.Check(); err != nil {
		return agent.Spec{}, fmt.Errorf("codex seat: %w", err)
	}
	argv := []string{
		t.Program, "exec", "--json", "--skip-git-repo-check", "--ignore-user-config",
		"--disable", "plugins", "--disable", "unbounded_connection_retries",
	}
	if !fenced(t) && !builds(t) { // -s would undo the profile
		argv = append(argv, "-s", sandbox(t))
	}
	argv = append(argv, "-C", t.Dir)

	if t.RunsInBox() {
		argv = append(argv, "--disable", "shell_tool", "--disable", "unified_exec")
	}
	if t.Model != "" {
		argv = append(argv, "-m", t.Model)
	}
	for _, setting := range configFlags(t) {
		argv = append(argv, "-c", setting)
	}
	if t.Resume != "" {
		argv = append(argv, "resume", t.Session)
	}
	return agent.Spec{
		Argv:  append(argv, "-"),
		Env:   environment(t),
		Dir:   t.Dir,
		Stdin: []byte(t.PromptText()),
	}, nil
}

// sandbox leaves the seat its own folder to write in; it may read everywhere,
// the scope included.
func sandbox(t agent.Turn) string {
	if t.Bypass {
		return "danger-full-access"
	}
	return "workspace-write"
}

// fenced reports whether a seat sees nothing but its own folder and its scope.
// What reads strangers' code off line may not take anything else in: codex has
// a shell, since it reads files with nothing else.
func fenced(t agent.Turn) bool {
	return t.Offline && !t.Bypass && t.Scope != "" && home(t) != ""
}

// home is where codex keeps its own; "" where that is not known.
func home(t agent.Turn) string {
	if dir := t.Env["CODEX_HOME"]; dir != "" || t.Env["HOME"] == "" {
		return dir
	}
	return filepath.Join(t.Env["HOME"], ".codex")
}

// fence is the profile of such a seat: what programs need of the system, the
// scope, its own folder to write in, and the folders from which codex starts
// the sandbox itself. No network.
func fence(t agent.Turn) []string {
	return profile("reader", []string{":minimal", t.Scope, filepath.Join(home(t), "tmp"), installFolder(t.Program)}, []string{t.Dir})
}

// builds reports whether a seat writes in a project, by the tool that patches
// files. A profile takes some signs in a path for those of a pattern, and a
// pattern for none that may be written: in such a project the desk's commands
// alone write.
func builds(t agent.Turn) bool {
	return t.Role == agent.Code && t.Project != "" && !t.Bypass && !strings.ContainsAny(t.Project, "*?[]")
}

// site is the profile of such a seat: it may write the project, but for the
// runs in it, and its own folder. Codex itself keeps it from git's. No network.
func site(t agent.Turn) []string {
	return profile("builder", []string{":root", filepath.Join(t.Project, "research")}, []string{t.Project, t.Dir})
}

// profile is a set of permissions: the folders that can be read, and those that
// can be written.
func profile(name string, read, write []string) []string {
	var rules []string
	for _, path := range read {
		rules = append(rules, agent.TOML(path)+`="read"`)
	}
	for _, path := range write {
		rules = append(rules, agent.TOML(path)+`="write"`)
	}
	return []string{
		"default_permissions=" + agent.TOML(name),
		"permissions." + name + ".filesystem={" + strings.Join(rules, ",") + "}",
	}
}

// installFolder is the folder that holds codex itself, behind links. npm lays a
// script in one package and the executable that the script starts in another
// of the same vendor.
func installFolder(program string) string {
	if file, err := filepath.EvalSymlinks(program); err == nil {
		program = file
	}
	dir := filepath.Dir(program)
	const script = "/@openai/codex/bin"
	if vendor, found := strings.CutSuffix(filepath.ToSlash(dir), script); found {
		return filepath.FromSlash(vendor + "/@openai")
	}
	return dir
}

// configFlags are the values of the -c flags, in TOML.
func configFlags(t agent.Turn) []string {
	hook := agent.Shell(t.LoopCommand("loop"))
	seconds := strconv.Itoa(hookSeconds)
	search := "live"
	if t.Offline {
		search = "disabled"
	}
	settings := []string{
		"web_search=" + agent.TOML(search),
		"analytics.enabled=false",
		"project_doc_max_bytes=0",
		"shell_environment_policy.ignore_default_excludes=false",
		"sandbox_workspace_write.exclude_slash_tmp=true",
		"sandbox_workspace_write.exclude_tmpdir_env_var=true",
		`hooks.Stop=[{hooks=[{type="command",command=` + agent.TOML(hook) + `,timeout=` + seconds + `}]}]`,
		`hooks.state={"/<session-flags>/config.toml:stop:0:0"={trusted_hash="` + TrustedHash("stop", hook, hookSeconds) + `"}}`,
	}
	switch {
	case fenced(t):
		settings = append(settings, fence(t)...)
	case builds(t):
		settings = append(settings, site(t)...)
	}
	if len(t.Desk) > 0 {
		settings = append(settings, desk(t))
	}
	if e := t.LeastEffort(); e != "" {
		settings = append(settings, "model_reasoning_effort="+agent.TOML(e))
	}
	if url := t.Env["OPENAI_BASE_URL"]; url != "" {
		settings = append(settings, "openai_base_url="+agent.TOML(url))
	}
	return settings
}

// desk describes the desk to codex, which runs it outside the sandbox and hands
// it no variable that is not named. Its tools need no approval; nobody could
// give one.
func desk(t agent.Turn) string {
	call := deskCallSeconds
	if t.RunsInBox() || t.Trials {
		call = commandSeconds
	}
	return "mcp_servers.desk={command=" + agent.TOML(t.Desk[0]) + ",args=" + tomlArray(t.Desk[1:]) + ",env_vars=" + tomlArray(t.DeskNames()) +
		",startup_timeout_sec=" + strconv.Itoa(deskStartSeconds) + ",tool_timeout_sec=" + strconv.Itoa(call) +
		`,default_tools_approval_mode="approve"}`
}

// tomlArray is an array of strings in TOML.
func tomlArray(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = agent.TOML(w)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}

// environment hands a bare OPENAI_API_KEY on under the only name codex reads.
func environment(t agent.Turn) []string {
	added := map[string]string{}
	if key := t.Env["OPENAI_API_KEY"]; key != "" && t.Env["CODEX_API_KEY"] == "" {
		added["CODEX_API_KEY"] = key
	}
	return t.Environment(added)
}

// TrustedHash is the hash codex knows a command hook without a matcher by:
// "sha256:" and the SHA-256, in hexadecimal, of its description as compact
// JSON with sorted keys. The event is in snake case, the timeout in seconds.
func TrustedHash(event, command string, timeout int) string {
	var description strings.Builder
	encoder := json.NewEncoder(&description)
	encoder.SetEscapeHTML(false)
	// Maps encode with sorted keys; none of these values can fail to encode.
	_ = encoder.Encode(map[string]any{
		"event_name": event,
		"hooks":      []any{map[string]any{"async": false, "command": command, "timeout": timeout, "type": "command"}},
	})
	sum := sha256.Sum256([]byte(strings.TrimSuffix(description.String(), "\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}
