package claude

import (
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
)

// calls are the blocks of messages that begin and end calls of tools.
func calls(line []byte) (list []agent.Call) {
	kind := gjson.GetBytes(line, "type").Str
	if kind != "assistant" && kind != "user" {
		return nil
	}
	for _, b := range gjson.GetBytes(line, "message.content").Array() {
		switch b.Get("type").Str {
		case "tool_use":
			list = append(list, agent.Call{ID: b.Get("id").Str, Name: b.Get("name").Str})
		case "tool_result":
			list = append(list, agent.Call{ID: b.Get("tool_use_id").Str, Ended: true, Failed: b.Get("is_error").Bool()})
		}
	}
	return list
}
