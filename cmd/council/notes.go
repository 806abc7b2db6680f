package main

import (
	"strings"

	"research-council/internal/agent/claude"
	"research-council/internal/agent/codex"
	"research-council/internal/agent/command"
	"research-council/internal/agent/gemini"
	"research-council/internal/view"
)

// note is what a line of a seat's stream says to a person; "" when nothing.
func note(kind string, line []byte) string {
	switch kind {
	case "claude":
		return claude.New().Note(line)
	case "codex":
		return codex.New().Note(line)
	case "gemini":
		return gemini.New().Note(line)
	case "command":
		return command.New().Note(line)
	}
	return string(line)
}

// cleanLines makes several lines safe for a terminal.
func cleanLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(view.Clean(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String()
}
