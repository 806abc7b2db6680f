// Package kinds lists the kinds of seats: one line each, and nothing more is
// known of any outside of its own room.
package kinds

import (
	"slices"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/internal/agent/claude"
	"github.com/research-council/research-council/internal/agent/codex"
	"github.com/research-council/research-council/internal/agent/command"
	"github.com/research-council/research-council/internal/agent/gemini"
	"github.com/research-council/research-council/internal/agent/librarian"
)

// All are the kinds, in the order in which command lines are asked where a
// person names none.
func All() []agent.Kind {
	return []agent.Kind{
		claude.Kind(),
		codex.Kind(),
		gemini.Kind(),
		command.Kind(),
		chat.Kind(),
		librarian.Kind(),
	}
}

// Of is the kind of a name; one without an adapter where there is none.
func Of(name string) agent.Kind {
	for _, k := range All() {
		if k.Name == name {
			return k
		}
	}
	return agent.Kind{}
}

// CommandLines are the kinds that drive a program of their own.
func CommandLines() []agent.Kind {
	return slices.DeleteFunc(All(), func(k agent.Kind) bool { return k.Program == nil })
}

// Host is the kind in whose sessions the plugin lives.
func Host() agent.Kind {
	all := All()
	return all[slices.IndexFunc(all, func(k agent.Kind) bool { return k.Host })]
}

// Note is what a line of a seat's stream says to a person; "" when nothing.
func Note(kind string, line []byte) string {
	if k := Of(kind); k.Adapter != nil {
		return k.Note(line)
	}
	return ""
}

// Words is the same at length where the kind has more to say than a note: foreign text
// of several lines, of at most agent.NoteLine bytes.
func Words(kind string, line []byte) string {
	if k, more := Of(kind).Adapter.(interface{ Words(line []byte) string }); more && len(line) <= agent.NoteLine {
		return k.Words(line)
	}
	return Note(kind, line)
}
