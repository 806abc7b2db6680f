package council_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/forecast/forecasttest"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/product/council"
)

func TestWhatACouncilWillAskOfItsSeats(t *testing.T) {
	claude := flow.Seat{Name: "claude", Kind: "claude", Brand: "anthropic", Model: "m", Price: flow.Price{Input: 3, Cached: 0.3, Output: 15}}
	codex := flow.Seat{Name: "codex", Kind: "codex", Brand: "openai", Model: "x"}
	setup := flow.Setup{Workflow: "council", Tier: "cheap", Seats: []flow.Seat{claude, codex, flow.LibrarianSeat()}, Loop: loop.Rule{Iterations: 10}, Plan: scope.Plan{Debate: scope.Auto}}
	forced, off, short, reviewed := setup, setup, setup, setup
	forced.Plan.Debate, off.Plan.Debate = scope.Force, scope.Off
	short.Loop.Iterations = 1
	reviewed.Panel = []flow.Seat{claude, claude, codex}
	for _, c := range []struct {
		name, seat, role string
		setup            flow.Setup
		likely, most     int
	}{
		{"research may take every iteration", "claude", "research", setup, 2, 10},
		{"research of one iteration", "claude", "research", short, 1, 1},
		{"the first with a model writes", "claude", "synthesis", setup, 1, 3},
		{"a debate may come", "codex", "debate", setup, 0, 9},
		{"a debate will come", "codex", "debate", forced, 1, 9},
		{"claims are voted on in batches, and those of a debate", "codex", "support", setup, 1, 12},
		{"without a debate in batches alone", "codex", "comparison", off, 1, 9},
		{"the panel may send the work back", "claude", "synthesis", reviewed, 1, 9},
		{"two reviewers of one seat", "claude", "review", reviewed, 2, 18},
	} {
		p, ok := forecasttest.Part(council.Demand(c.setup), c.seat, c.role)
		require.True(t, ok, c.name)
		require.Equal(t, c.likely, min(p.Likely, p.Max), c.name)
		require.Equal(t, c.most, p.Max, c.name)
	}
	for _, c := range []struct {
		name, seat, role string
		setup            flow.Setup
	}{
		{"no debate", "claude", "debate", off},
		{"the second writes no synthesis", "codex", "synthesis", setup},
		{"the librarian does not judge", "librarian", "support", setup},
	} {
		_, ok := forecasttest.Part(council.Demand(c.setup), c.seat, c.role)
		require.False(t, ok, c.name)
	}
	p, _ := forecasttest.Part(council.Demand(setup), "claude", "research")
	require.Equal(t, &forecast.Price{Input: 3, Cached: 0.3, Output: 15}, p.Seat.Price)
	p, _ = forecasttest.Part(council.Demand(setup), "codex", "research")
	require.Nil(t, p.Seat.Price)
}
