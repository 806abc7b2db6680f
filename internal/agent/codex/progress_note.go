package codex

import (
	"path/filepath"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
)

// Note says what the agent has just begun or said. Continuations by the hook
// leave no trace in this stream.
func (a Adapter) Note(line []byte) string { return plain.Line(a.Words(line), agent.NoteLimit) }

// Words is Note at its full length, as it came: foreign text.
func (Adapter) Words(line []byte) string {
	if len(line) > agent.NoteLine {
		return ""
	}
	e := func(path string) gjson.Result { return gjson.GetBytes(line, path) }
	switch e("type").Str {
	case "thread.started":
		return "started"
	case "item.started":
		return describeStart(e("item"))
	case "item.completed":
		return describeEnd(e("item"))
	case "error":
		return e("message").Str
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
