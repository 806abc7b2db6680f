package chat

import (
	_ "embed"

	"github.com/research-council/research-council/internal/agent"
)

//go:embed defaults.yaml
var defaults []byte

// Kind is any server that speaks OpenAI's chat completions. Its defaults are
// servers by name.
func Kind() agent.Kind {
	return agent.Kind{Name: "chat", Adapter: Adapter{}, ChoosesSession: true, Desk: true, NoCommands: true, Calls: calls, Defaults: defaults}
}
