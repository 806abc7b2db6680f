package codex

import (
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
)

// calls are the items that are calls of tools. Not all that complete have
// started, so that both ends tell the name.
func calls(line []byte) []agent.Call {
	event := gjson.GetBytes(line, "type").Str
	if event != "item.started" && event != "item.completed" {
		return nil
	}
	item := gjson.GetBytes(line, "item")
	name := item.Get("type").Str
	switch name {
	case "command_execution", "web_search", "file_change":
	case "mcp_tool_call":
		name = item.Get("server").Str + "." + item.Get("tool").Str
	default:
		return nil
	}
	return []agent.Call{{ID: item.Get("id").Str, Name: name, Ended: event == "item.completed", Failed: item.Get("status").Str == "failed"}}
}
