package product_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/engine/flow"
	"research-council/internal/engine/forecast"
	"research-council/internal/engine/loop"
	"research-council/internal/evidence/scope"
	"research-council/internal/product"
	"research-council/internal/product/campaign"
	"research-council/internal/product/codereview"
	"research-council/internal/product/staged"
)

var (
	worker       = flow.Seat{Name: "claude", Kind: "claude", Brand: "anthropic", Model: "m", Price: flow.Price{Input: 3, Cached: 0.3, Output: 15}}
	rival        = flow.Seat{Name: "codex", Kind: "codex", Brand: "openai", Model: "x"}
	readsNothing = flow.LibrarianSeat()
)

// part finds what is asked of a seat in a role.
func part(a forecast.Demand, seat, role string) (forecast.Part, bool) {
	at := slices.IndexFunc(a.Parts, func(p forecast.Part) bool { return p.Seat.Name == seat && slices.Contains(p.Roles, role) })
	if at < 0 {
		return forecast.Part{}, false
	}
	return a.Parts[at], true
}

func TestWhatARunWillAskOfItsSeats(t *testing.T) {
	council := flow.Setup{Workflow: "council", Tier: "cheap", Seats: []flow.Seat{worker, rival, readsNothing}, Loop: loop.Rule{Iterations: 10}, Plan: scope.Plan{Debate: scope.Auto}}
	forced := council
	forced.Plan.Debate = scope.Force
	off := council
	off.Plan.Debate = scope.Off
	short := council
	short.Loop.Iterations = 1
	reviewed := council
	reviewed.Panel = []flow.Seat{worker, worker, rival}
	build := flow.Setup{Workflow: "full-auto", Tier: "cheap", Seats: []flow.Seat{worker}, Own: campaign.Own(&campaign.Setup{Mode: campaign.FullAuto, Iterations: 100})}
	inSession := flow.Setup{Workflow: "research", Session: "s", Own: campaign.Own(&campaign.Setup{Mode: campaign.Research, Iterations: 30})}
	staged := flow.Setup{Workflow: "staged", Seats: []flow.Seat{worker, rival}, Own: staged.Own(&staged.Setup{Agents: 5, Revisions: 2}), Panel: []flow.Seat{worker, rival}}
	for _, c := range []struct {
		name, seat, role string
		ahead            forecast.Demand
		likely, most     int
	}{
		{"research may take every iteration", "claude", "research", product.Demand(council), 2, 10},
		{"research of one iteration", "claude", "research", product.Demand(short), 1, 1},
		{"the first with a model writes", "claude", "synthesis", product.Demand(council), 1, 3},
		{"a debate may come", "codex", "debate", product.Demand(council), 0, 9},
		{"a debate will come", "codex", "debate", product.Demand(forced), 1, 9},
		{"the panel may send the work back", "claude", "synthesis", product.Demand(reviewed), 1, 9},
		{"two reviewers of one seat", "claude", "review", product.Demand(reviewed), 2, 18},
		{"a campaign's worker has the iterations", "claude", "code", product.Demand(build), 50, 100},
		{"and where nobody else is there its word on its own plan", "claude", "critique", product.Demand(build), 25, 100},
		{"a session works as a seat does", flow.Host, "explore", product.Demand(inSession), 15, 30},
		{"the first answers", "claude", "brief", product.Demand(staged), 3, 9},
		{"another family speaks against it", "codex", "advocate", product.Demand(staged), 1, 9},
		{"agents are dealt out", "codex", "collection", product.Demand(staged), 3, 15},
		{"five readers of four batches, by two seats", "codex", "inspect", codereview.Demand(flow.Setup{Workflow: codereview.Name, Seats: []flow.Seat{worker, rival}, Own: codereview.Own(&codereview.Setup{})}, 4), 10, 40},
		{"rivals read everything", "codex", "inspect", codereview.Demand(flow.Setup{Workflow: codereview.Name, Seats: []flow.Seat{worker, rival}, Own: codereview.Own(&codereview.Setup{Rivals: true})}, 4), 20, 80},
	} {
		p, ok := part(c.ahead, c.seat, c.role)
		require.True(t, ok, c.name)
		require.Equal(t, c.likely, min(p.Likely, p.Max), c.name)
		require.Equal(t, c.most, p.Max, c.name)
	}
	for _, c := range []struct {
		name, seat, role string
		ahead            forecast.Demand
	}{
		{"no debate", "claude", "debate", product.Demand(off)},
		{"the second writes no synthesis", "codex", "synthesis", product.Demand(council)},
		{"the librarian does not judge", "librarian", "support", product.Demand(council)},
		{"research without a plan has no critics", flow.Host, "critique", product.Demand(inSession)},
	} {
		_, ok := part(c.ahead, c.seat, c.role)
		require.False(t, ok, c.name)
	}
	p, _ := part(product.Demand(council), "claude", "research")
	require.Equal(t, &forecast.Price{Input: 3, Cached: 0.3, Output: 15}, p.Seat.Price)
	p, _ = part(product.Demand(council), "codex", "research")
	require.Nil(t, p.Seat.Price)
}

func TestACampaignWithoutBoundsIsEndless(t *testing.T) {
	s := flow.Setup{Workflow: "research", Tier: "cheap", Seats: []flow.Seat{worker}, Own: campaign.Own(&campaign.Setup{Mode: campaign.Research, Iterations: campaign.Unlimited})}
	f := forecast.Of(product.Demand(s), nil)
	require.True(t, f.Endless)
	require.Positive(t, f.USD.Likely)
	require.Zero(t, f.USD.Worst)
	s.Limits.USD = 50
	require.Equal(t, 50.0, forecast.Of(product.Demand(s), nil).USD.Worst)
}

func TestACampaignIsDearerByTier(t *testing.T) {
	var last forecast.Forecast
	for _, tier := range []string{"cheap", "standard", "max"} {
		s := flow.Setup{Workflow: "full-auto", Tier: tier, Seats: []flow.Seat{worker}, Own: campaign.Own(&campaign.Setup{Mode: campaign.FullAuto, Iterations: 100})}
		f := forecast.Of(product.Demand(s), nil)
		require.Greater(t, f.USD.Likely, last.USD.Likely, tier)
		require.Greater(t, f.USD.Worst, last.USD.Worst, tier)
		last = f
	}
}
