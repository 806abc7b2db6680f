package logs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATurnIsKnownByItsFolder(t *testing.T) {
	for name, want := range map[string]seatTurn{
		"research.1-claude-2":              {"research", "1", "claude", "2"},
		"research.12-librarian-official-3": {"research", "12", "librarian-official", "3"},
		"collection.1-claude.A1-1":         {"collection", "1", "claude", "1"},
		"inspect.4-my-seat.bug-hunter-2":   {"inspect", "4", "my-seat", "2"},
		"devils_advocate.1-codex-1":        {"devils_advocate", "1", "codex", "1"},
		"suite-F001.log":                   {},
		"research.1-claude":                {},
		"":                                 {},
		"research.x-claude-1":              {},
		"research.1-claude.A1.B2-1":        {},
		"../research.1-claude-1":           {},
	} {
		require.Equal(t, want, turnOf(name), name)
	}
}
