package claude

import (
	"bytes"
	"path/filepath"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
)

// Note says which tool the agent has just called, that it was sent back to
// its report, or that the provider keeps it waiting.
func (a Adapter) Note(line []byte) string { return plain.Line(a.Words(line), agent.NoteLimit) }

// Words is Note at its full length, as it came: foreign text.
func (Adapter) Words(line []byte) string {
	if len(line) > agent.NoteLine {
		return ""
	}
	switch gjson.GetBytes(line, "type").Str {
	case "assistant":
		return describeContent(gjson.GetBytes(line, "message.content"))
	case "user":
		// Whole pages come in these lines. In a string the quote would be escaped.
		if bytes.Contains(line, []byte(`isSynthetic":true`)) {
			return "iteration feedback"
		}
	case "system":
		return event(gjson.ParseBytes(line))
	}
	return ""
}

// describeContent describes the last tool called, or the last words said.
func describeContent(content gjson.Result) string {
	note := ""
	for _, block := range content.Array() {
		switch block.Get("type").Str {
		case "text":
			note = block.Get("text").Str
		case "tool_use":
			note = tool(block.Get("name").Str, block.Get("input"))
		}
	}
	return note
}

func tool(name string, input gjson.Result) string {
	file := filepath.Base(input.Get("file_path").Str)
	switch name {
	case "WebSearch":
		return "searching: " + input.Get("query").Str
	case "WebFetch":
		return "reading " + input.Get("url").Str
	case "Read":
		return "reading " + file
	case "Write", "Edit":
		return "writing " + file
	case "Glob", "Grep":
		return "looking for " + input.Get("pattern").Str
	}
	return "calling " + name
}

func event(e gjson.Result) string {
	switch e.Get("subtype").Str {
	case "init":
		return "started with " + e.Get("model").Str
	case "api_retry":
		return "waiting for the provider: " + e.Get("error").Str + " " + e.Get("error_status").Raw
	case "compact_boundary":
		return "context compacted"
	}
	return ""
}
