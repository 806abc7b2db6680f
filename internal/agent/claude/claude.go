// Package claude speaks with Claude Code's command line (`claude -p`).
//
// A seat is a hermetic child: it loads no settings, plugins, memory, skills
// or servers of the user's, keeps the user's login and endpoint, and has the
// web, its own folder, the scope and the desk, no shell and no further agents. Its own
// Stop hook, from a settings file in its folder, makes it go on until the
// report is marked complete or its iterations are spent.
//
// A seat that works in a project starts there instead, with a shell and the
// agents it is given; what it may run and write is a list, and what belongs to
// the program (the journal, the state, git's history) is on none.
//
// The package promises that a fault is judged by the exit status and the
// typed fields of the stream, never by words an agent wrote.
// Measured with claude 2.1.329. Whether the report is any good is left to
// others.
package claude

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/agent"
)

// Adapter makes processes of `claude -p` out of turns. Sessions have ids of
// our own choice, which must be UUIDs.
type Adapter struct{}

const (
	// tools are all a seat can see; the web ones are deferred, and so
	// invisible, unless they are named.
	tools    = "Read,Edit,Write,Glob,Grep"
	webTools = "WebSearch,WebFetch"
	// maxTurns bounds the model calls of one process; continuations by the
	// hook count too.
	maxTurns = 200
	// hookSeconds is what the loop hook may take; it needs milliseconds.
	hookSeconds = 120
)

// Spec is the first or a continued turn. All flags are passed again for a
// continued session, since it inherits none.
func (Adapter) Spec(t agent.Turn) (agent.Spec, error) {
	if err := t.Check(); err != nil {
		return agent.Spec{}, fmt.Errorf("claude seat: %w", err)
	}
	path := filepath.Join(t.Dir, settingsFile)
	settings, err := settings(t)
	if err != nil {
		return agent.Spec{}, fmt.Errorf("claude seat: write settings: %w", err)
	}
	argv, err := argv(t, path)
	if err != nil {
		return agent.Spec{}, fmt.Errorf("claude seat: describe the desk: %w", err)
	}
	return agent.Spec{
		Argv:  argv,
		Env:   environment(t),
		Dir:   workingDir(t),
		Stdin: []byte(t.PromptText()),
		Files: []agent.File{{Path: path, Data: settings}},
	}, nil
}

func argv(t agent.Turn, settings string) ([]string, error) {
	argv := []string{
		t.Program, "-p",
		"--setting-sources", "", "--settings", settings,
	}
	if len(t.Desk) > 0 {
		servers, err := servers(t)
		if err != nil {
			return nil, err
		}
		argv = append(argv, "--mcp-config", servers)
	}
	argv = append(
		argv, "--strict-mcp-config", "--disable-slash-commands",
		"--tools", visibleTools(t),
		"--max-turns", strconv.Itoa(turns(t)),
		"--output-format", "stream-json", "--verbose",
	)
	if len(t.Agents) > 0 {
		helpers, err := helpers(t)
		if err != nil {
			return nil, err
		}
		argv = append(argv, "--agents", helpers)
	}
	if t.Budget > 0 {
		argv = append(argv, "--max-budget-usd", strconv.FormatFloat(t.Budget, 'f', 4, 64))
	}
	if t.Bypass {
		argv = append(argv, "--dangerously-skip-permissions")
	} else {
		argv = append(argv, "--permission-mode", "dontAsk", "--allowedTools", strings.Join(allowRules(t), ","))
	}
	for _, dir := range extraFolders(t) {
		argv = append(argv, "--add-dir", dir)
	}
	if t.Model != "" {
		argv = append(argv, "--model", t.Model)
	}
	if e := t.LeastEffort(); e != "" {
		argv = append(argv, "--effort", e)
	}
	return append(argv, session(t)...), nil
}

// servers are the MCP servers the seat has, as JSON: an argument, since a file
// could be rewritten by the seat. The CLI fills in ${NAME} in it, so that a
// dollar before a brace is itself filled in.
func servers(t agent.Turn) (string, error) {
	argv := make([]string, len(t.Desk))
	for i, a := range t.Desk {
		argv[i] = strings.ReplaceAll(a, "${", "${"+dollar+"}{")
	}
	data, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"desk": map[string]any{"command": argv[0], "args": argv[1:], "alwaysLoad": true},
	}})
	return string(data), err
}

// dollar names a variable that holds a dollar sign.
const dollar = "RESEARCH_COUNCIL_DOLLAR"

func session(t agent.Turn) []string {
	switch {
	case t.Resume != "":
		return []string{"--resume", t.Session}
	case t.Session != "":
		return []string{"--session-id", t.Session}
	}
	return nil
}

// environment lets the loop go past the host's eight continuations in a row:
// our own maximum is the bound.
func environment(t agent.Turn) []string {
	return t.Environment(withProjectVariables(t, map[string]string{
		dollar:                                     "$",
		"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":          strconv.Itoa(t.MaxIterations + 10),
		"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS":     "1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
	}))
}

// settingsFile is the name of the settings in the seat's folder.
const settingsFile = "claude-settings.json"

// settings hold the loop hook and the rules that are no arguments.
func settings(t agent.Turn) ([]byte, error) {
	loop := t.LoopCommand("loop")
	hook := map[string]any{"type": "command", "command": loop[0], "args": loop[1:], "timeout": hookSeconds}
	permissions := map[string]any{"deny": denyRules(t)}
	if rules := settingRules(t); rules != nil {
		permissions["allow"] = rules
	}
	return json.MarshalIndent(map[string]any{
		"hooks": map[string]any{
			"Stop": []any{map[string]any{"hooks": []any{hook}}},
		},
		"permissions": permissions,
	}, "", "  ")
}
