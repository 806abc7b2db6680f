package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A council of three has a turn of comparing for each batch of pairs.
func TestSeatsThatDidTheSameShareALine(t *testing.T) {
	done := func(name, role string, iterations int) SeatLine {
		return SeatLine{Name: name, Role: role, Outcome: "complete", Iterations: iterations}
	}
	seats := []SeatLine{done("ann", "research", 2), done("bob", "research", 1), done("cem", "research", 1), {Name: "cem", Role: "refinement", Outcome: "failed", Reason: "throttled"}}
	for range 3 {
		seats = append(seats, done("ann", "comparison", 1), done("bob", "comparison", 1), done("cem", "comparison", 1))
	}
	seats = append(seats, done("ann", "support", 1), done("ann", "support", 1))
	lines := seatLines(seats)
	require.Len(t, lines, 5)
	require.Equal(t, "ann, research: complete after 2 iterations.", lines[0])
	require.Equal(t, "bob and cem, research: complete after 1 iteration.", lines[1])
	require.Contains(t, lines[2], "cem, refinement: failed")
	require.Equal(t, "ann, bob and cem, comparison, 3 times each: complete after 1 iteration.", lines[3])
	require.Equal(t, "ann, support, 2 times: complete after 1 iteration.", lines[4])
}
