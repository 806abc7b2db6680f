package gemini

import (
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
)

// Note says which tool the agent has just called, or that the hook sent it
// back to its report.
func (Adapter) Note(line []byte) string {
	if len(line) > agent.NoteLine {
		return ""
	}
	e := func(path string) gjson.Result { return gjson.GetBytes(line, path) }
	switch e("type").Str {
	case "init":
		return plain.Line("started with "+e("model").Str, agent.NoteLimit)
	case "tool_use":
		return plain.Line(tool(e("tool_name").Str, e("parameters")), agent.NoteLimit)
	case "error":
		return plain.Line(warning(e("message").Str), agent.NoteLimit)
	}
	return ""
}

func tool(name string, p gjson.Result) string {
	switch name {
	case "google_web_search":
		return "searching: " + p.Get("query").Str
	case "web_fetch":
		return "reading " + p.Get("prompt").Str
	case "read_file":
		return "reading " + filepath.Base(p.Get("file_path").Str)
	case "write_file", "replace":
		return "writing " + filepath.Base(p.Get("file_path").Str)
	}
	return "calling " + name
}

func warning(message string) string {
	if strings.HasPrefix(message, "Agent execution blocked") {
		return "iteration feedback"
	}
	return "warning: " + message
}
