package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/budget"
	"research-council/internal/flow"
)

func TestALimitInMoneySaysWhatItCannotSee(t *testing.T) {
	claude, codex := flow.Seat{Name: "claude", Kind: "claude"}, flow.Seat{Name: "codex", Kind: "codex"}
	priced := flow.Seat{Name: "codex", Kind: "codex", Price: flow.Price{Input: 1, Output: 8}}
	limit := budget.Limits{USD: 1}
	require.Contains(t, unpriced(flow.Setup{Limits: limit, Seats: []flow.Seat{claude, codex}}), "codex")
	require.Empty(t, unpriced(flow.Setup{Limits: limit, Seats: []flow.Seat{claude, priced}}))
	require.Contains(t, unpriced(flow.Setup{Limits: limit, Seats: []flow.Seat{claude}, Panel: []flow.Seat{codex, codex}}), "what codex costs", "reviewers cost, too, and are named once")
	require.Empty(t, unpriced(flow.Setup{Seats: []flow.Seat{claude, codex}}))
}
