package supervisor

import (
	"slices"

	"research-council/internal/agent"
	"research-council/internal/agent/chat"
	"research-council/internal/agent/claude"
	"research-council/internal/agent/codex"
	"research-council/internal/agent/command"
	"research-council/internal/agent/gemini"
	"research-council/internal/agent/librarian"
	"research-council/internal/engine/flow"
)

// adapterKind is an adapter and what the driver has to know of it.
type adapterKind struct {
	agent.Adapter
	choosesSession bool // we choose the session id; otherwise the seat tells it
	hidesEnd       bool // its stream does not tell whether it came to its end
	desk           bool // its CLI can be given the desk
	vendor         string
}

func adapters() map[string]adapterKind {
	return map[string]adapterKind{
		"claude":    {Adapter: claude.New(), choosesSession: true, desk: true, vendor: "anthropic"},
		"codex":     {Adapter: codex.New(), desk: true, vendor: "openai"},
		"gemini":    {Adapter: gemini.New(), choosesSession: true, desk: true, vendor: "google"},
		"command":   {Adapter: command.New(), choosesSession: true, hidesEnd: true},
		"chat":      {Adapter: chat.New(), choosesSession: true},
		"librarian": {Adapter: librarian.New()},
	}
}

// Note is what a line of a seat's stream says to a person; "" when nothing.
func Note(kind string, line []byte) string {
	if k, ok := adapters()[kind]; ok {
		return k.Note(line)
	}
	return ""
}

// seatEnviron is what a seat may see of our environment: the basics, what belongs
// to its vendor, and what the user has named for it.
func seatEnviron(environ []string, seat flow.Seat) map[string]string {
	env := agent.Environ(environ, adapters()[seat.Kind].vendor)
	for _, entry := range environ {
		for i := range entry {
			if entry[i] == '=' && slices.Contains(seat.Inherit, entry[:i]) {
				env[entry[:i]] = entry[i+1:]
			}
		}
	}
	return env
}
