package status_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/status/statustest"
)

func TestAStatusHoldsWhatEachSeatHasUsed(t *testing.T) {
	p := begin()
	p.Ask("research", 1, "claude", "codex")
	first := statustest.Good(2)
	first.Input, first.Cached, first.Output, first.Reported = 80, 50, 20, true
	p.Turn("research", "claude", first)
	p.Turn("research", "claude", statustest.Good(1))
	p.Turn("research", "codex", flow.Result{Tokens: 70, Unpriced: 70, Fault: &agent.Fault{Class: agent.Retryable, Message: "too many requests"}})
	s := p.Status()
	require.Equal(t, []status.Use{
		{Seat: "claude", Model: "opus", Role: "research", Iterations: 3, Cost: flow.Cost{USD: 0.5, Reported: true, Tokens: 200, Input: 80, Cached: 50, Output: 20}},
		{Seat: "codex", Role: "research", Iterations: 1, Cost: flow.Cost{Tokens: 70, Unpriced: 70}},
	}, s.Uses)

	_, finished := s.Past()
	require.False(t, finished, "it is under way")
	s.Status = "cancelled"
	_, finished = s.Past()
	require.False(t, finished, "it was cancelled after the first seconds")
	s.Status = "completed"
	data, err := json.Marshal(s)
	require.NoError(t, err)
	var read status.Status
	require.NoError(t, json.Unmarshal(data, &read))
	past, finished := read.Past()
	require.True(t, finished)
	require.Equal(t, "council", past.Kind)
	require.Equal(t, []forecast.Use{
		{Seat: "claude", Model: "opus", Role: "research", Iterations: 3, Tokens: 200, Input: 80, Cached: 50, Output: 20, USD: 0.5, Priced: true},
		{Seat: "codex", Role: "research", Iterations: 1, Tokens: 70},
	}, past.Uses)
}
