package gemini

import (
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
)

// calls are the events that begin and end calls of tools.
func calls(line []byte) []agent.Call {
	id := gjson.GetBytes(line, "tool_id").Str
	switch gjson.GetBytes(line, "type").Str {
	case "tool_use":
		return []agent.Call{{ID: id, Name: gjson.GetBytes(line, "tool_name").Str}}
	case "tool_result":
		return []agent.Call{{ID: id, Ended: true, Failed: gjson.GetBytes(line, "status").Str == "error"}}
	}
	return nil
}
