// Package claude speaks with Claude Code's command line (`claude -p`).
//
// A seat is a hermetic child: it loads no settings, plugins, memory, skills
// or servers of the user's, keeps the user's login and endpoint, and has the
// web, its own folder and the scope, no shell and no further agents. Its own
// Stop hook, from a settings file in its folder, makes it go on until the
// report is marked complete or its iterations are spent.
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

	"research-council/internal/agent"
)

// Adapter makes processes of `claude -p` out of turns. Sessions have ids of
// our own choice, which must be UUIDs.
type Adapter struct{}

// New is the adapter; it holds nothing.
func New() Adapter { return Adapter{} }

const (
	// tools are all a seat can see; the web ones are deferred, and so
	// invisible, unless they are named.
	tools = "WebSearch,WebFetch,Read,Edit,Write,Glob,Grep"
	// maxTurns bounds the model calls of one process; continuations by the
	// hook count too.
	maxTurns = 200
	// hookSeconds is what the loop hook may take; it needs milliseconds.
	hookSeconds = 120
)

// Spec is the first or a continued turn. All flags are passed again for a
// continued session, since it inherits none.
func (Adapter) Spec(t agent.Turn) (agent.Spec, error) {
	if err := t.Valid(); err != nil {
		return agent.Spec{}, fmt.Errorf("claude seat: %w", err)
	}
	path := filepath.Join(t.Dir, "claude-settings.json")
	settings, err := settings(t)
	if err != nil {
		return agent.Spec{}, fmt.Errorf("claude seat: write settings: %w", err)
	}
	return agent.Spec{
		Argv:  argv(t, path),
		Env:   environment(t),
		Dir:   t.Dir,
		Stdin: []byte(t.Ask()),
		Files: []agent.File{{Path: path, Data: settings}},
	}, nil
}

func argv(t agent.Turn, settings string) []string {
	argv := []string{
		t.Program, "-p",
		"--setting-sources", "", "--settings", settings,
		"--strict-mcp-config", "--disable-slash-commands",
		"--tools", tools,
		"--max-turns", strconv.Itoa(maxTurns),
		"--output-format", "stream-json", "--verbose",
	}
	if t.Budget > 0 {
		argv = append(argv, "--max-budget-usd", strconv.FormatFloat(t.Budget, 'f', 4, 64))
	}
	if t.Bypass {
		argv = append(argv, "--dangerously-skip-permissions")
	} else {
		argv = append(argv, "--permission-mode", "dontAsk", "--allowedTools", "WebSearch,WebFetch,Edit(./**)")
	}
	if t.Scope != "" {
		argv = append(argv, "--add-dir", t.Scope)
	}
	if t.Model != "" {
		argv = append(argv, "--model", t.Model)
	}
	if e := effort(t.Effort); e != "" {
		argv = append(argv, "--effort", e)
	}
	return append(argv, session(t)...)
}

func session(t agent.Turn) []string {
	switch {
	case t.Resume != "":
		return []string{"--resume", t.Session}
	case t.Session != "":
		return []string{"--session-id", t.Session}
	}
	return nil
}

// effort is the nearest level the CLI knows: its lowest is "low".
func effort(e string) string {
	if e == "minimal" {
		return "low"
	}
	return e
}

// environment lets the loop go past the host's eight continuations in a row:
// our own maximum is the bound.
func environment(t agent.Turn) []string {
	return t.Environment(map[string]string{
		"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":          strconv.Itoa(t.MaxIterations + 10),
		"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS":     "1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
	})
}

// settings hold the loop hook. An agent that reads hostile pages must not
// rewrite them, nor the count of its own iterations.
func settings(t agent.Turn) ([]byte, error) {
	loop := t.Loop("loop")
	hook := map[string]any{"type": "command", "command": loop[0], "args": loop[1:], "timeout": hookSeconds}
	return json.MarshalIndent(map[string]any{
		"hooks": map[string]any{
			"Stop": []any{map[string]any{"hooks": []any{hook}}},
		},
		"permissions": map[string]any{
			"deny": []string{"Edit(./claude-settings.json)", "Edit(/" + t.State + ")"},
		},
	}, "", "  ")
}
