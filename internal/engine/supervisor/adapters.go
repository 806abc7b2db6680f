package supervisor

import (
	"research-council/internal/agent"
	"research-council/internal/agent/kinds"
	"research-council/internal/engine/flow"
)

// Note is what a line of a seat's stream says to a person; "" when nothing.
func Note(kind string, line []byte) string {
	if k := kinds.Of(kind); k.Adapter != nil {
		return k.Note(line)
	}
	return ""
}

// KindOf is what is known of a seat's kind.
func KindOf(seat flow.Seat) agent.Kind { return kinds.Of(seat.Kind) }
