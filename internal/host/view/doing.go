package view

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
)

func shown(s string) string { return plain.Line(s, maxLineRunes) }

// says begins what a seat says in its own words.
const says = "says “"

// Doing says what a seat does without a command line: of its adapter's note
// what the words of a program are, is told by what they are for.
func Doing(note string) string {
	what, rest, _ := strings.Cut(note, " ")
	switch strings.TrimSuffix(what, ":") {
	case "":
		return ""
	case "running":
		return "runs a command"
	case "calling":
		return toolWords(rest)
	case "searching":
		return "searches: " + shown(rest)
	case "reading":
		if _, after, ok := strings.Cut(rest, "://"); ok {
			host, _, _ := strings.Cut(after, "/")
			_, name, ok := strings.Cut(host, "@")
			return "reads a page of " + shown(cmp.Or(map[bool]string{true: name, false: host}[ok], "the web"))
		}
		return "reads " + shown(filepath.Base(rest))
	case "writing":
		return "writes " + shown(filepath.Base(rest))
	case "looking":
		return "looks through files"
	case "started":
		return "begins"
	case "iteration":
		return "is sent back to its report"
	case "waiting":
		return "waits for the provider"
	case "warning", "context":
		return shown(note)
	}
	return says + shown(note) + "”"
}

// Called says a line of a stream that tells of the call of a tool by what the tool is
// for; any other line stays as it is.
func Called(line string) string {
	name, is := strings.CutPrefix(line, "calling ")
	if !is || name == "" || strings.ContainsRune(name, ' ') {
		return line
	}
	return toolWords(name)
}

// toolWords says what the call of a tool is for.
func toolWords(name string) string {
	at := strings.LastIndex(name, "__")
	if at >= 0 {
		name = name[at+2:]
	}
	name = strings.TrimPrefix(name, "mcp_desk_") // as one host writes it
	if said, ok := map[string]string{
		"record_claim": "records a claim", "fetch_source": "reads a source", "search_sources": "searches its sources",
		"list_claims": "looks through the claims", "run_experiment": "has an experiment run", "Bash": "runs a command", "Agent": "asks a helper", "Task": "asks a helper",
		"TodoWrite": "plans its work", "exec_command": "runs a command", "run_shell_command": "runs a command",
	}[name]; ok {
		return said
	}
	return "uses " + shown(strings.ReplaceAll(name, "_", " "))
}
