package campaign_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/forecast/forecasttest"
	"github.com/research-council/research-council/internal/product/campaign"
)

var claude = flow.Seat{Name: "claude", Kind: "claude", Brand: "anthropic", Model: "m", Price: flow.Price{Input: 3, Cached: 0.3, Output: 15}}

func TestWhatACampaignWillAskOfItsSeats(t *testing.T) {
	build := flow.Setup{Workflow: "full-auto", Tier: "cheap", Seats: []flow.Seat{claude}, Own: campaign.Own(&campaign.Setup{Mode: campaign.FullAuto, Iterations: 100})}
	inSession := flow.Setup{Workflow: "research", Session: "s", Own: campaign.Own(&campaign.Setup{Mode: campaign.Research, Iterations: 30})}
	for _, c := range []struct {
		name, seat, role string
		setup            flow.Setup
		likely, most     int
	}{
		{"a campaign's worker has the iterations", "claude", "code", build, 50, 100},
		{"and where nobody else is there its word on its own plan", "claude", "critique", build, 25, 100},
		{"a session works as a seat does", flow.Host, "explore", inSession, 15, 30},
	} {
		p, ok := forecasttest.Part(campaign.Demand(c.setup), c.seat, c.role)
		require.True(t, ok, c.name)
		require.Equal(t, []int{c.likely, c.most}, []int{p.Likely, p.Max}, c.name)
	}
	_, ok := forecasttest.Part(campaign.Demand(inSession), flow.Host, "critique")
	require.False(t, ok, "research without a plan has no critics")
}

func TestACampaignWithoutBoundsIsEndless(t *testing.T) {
	s := flow.Setup{Workflow: "research", Tier: "cheap", Seats: []flow.Seat{claude}, Own: campaign.Own(&campaign.Setup{Mode: campaign.Research, Iterations: campaign.Unlimited})}
	f := forecast.Of(campaign.Demand(s), nil)
	require.True(t, f.Endless)
	require.Positive(t, f.USD.Likely)
	require.Zero(t, f.USD.Worst)
	s.Limits.USD = 50
	require.Equal(t, 50.0, forecast.Of(campaign.Demand(s), nil).USD.Worst)
}

func TestACampaignIsDearerByTier(t *testing.T) {
	var last forecast.Forecast
	for _, tier := range []string{"cheap", "standard", "max"} {
		s := flow.Setup{Workflow: "full-auto", Tier: tier, Seats: []flow.Seat{claude}, Own: campaign.Own(&campaign.Setup{Mode: campaign.FullAuto, Iterations: 100})}
		f := forecast.Of(campaign.Demand(s), nil)
		require.Greater(t, f.USD.Likely, last.USD.Likely, tier)
		require.Greater(t, f.USD.Worst, last.USD.Worst, tier)
		last = f
	}
}
