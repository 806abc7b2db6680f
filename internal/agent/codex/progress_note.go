package codex

import (
	"path/filepath"

	"github.com/tidwall/gjson"

	"research-council/internal/agent"
	"research-council/internal/base/plain"
)

// Note says what the agent has just begun or said. Continuations by the hook
// leave no trace in this stream.
func (Adapter) Note(line []byte) string {
	if len(line) > agent.NoteLine {
		return ""
	}
	e := func(path string) gjson.Result { return gjson.GetBytes(line, path) }
	switch e("type").Str {
	case "thread.started":
		return "started"
	case "item.started":
		return plain.Line(describeStart(e("item")), agent.NoteLimit)
	case "item.completed":
		return plain.Line(describeEnd(e("item")), agent.NoteLimit)
	case "error":
		return plain.Line(e("message").Str, agent.NoteLimit)
	}
	return ""
}

func describeStart(item gjson.Result) string {
	switch item.Get("type").Str {
	case "command_execution":
		return "running " + item.Get("command").Str
	case "mcp_tool_call":
		return "calling " + item.Get("tool").Str
	}
	return ""
}

// describeEnd describes items that tell more at their end, and those that have no
// beginning of their own.
func describeEnd(item gjson.Result) string {
	switch item.Get("type").Str {
	case "agent_message":
		return item.Get("text").Str
	case "web_search":
		return search(item)
	case "file_change":
		return "writing " + filepath.Base(item.Get("changes.0.path").Str)
	case "error":
		return "warning: " + item.Get("message").Str
	}
	return ""
}

func search(item gjson.Result) string {
	action := item.Get("action")
	if url := action.Get("url").Str; url != "" {
		return "reading " + url
	}
	if query := item.Get("query").Str; query != "" {
		return "searching: " + query
	}
	return "searching: " + action.Get("query").Str
}
