package prepare

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/product/campaign"
)

// ran lays down what the supervisor of a run leaves in the end.
func ran(t *testing.T, project string, n int, s status.Status) {
	t.Helper()
	s.ID = fmt.Sprintf("20260222-143000-a1b2c%d", n)
	folder := filepath.Join(project, "research", s.ID)
	require.NoError(t, os.MkdirAll(folder, 0o755))
	data, err := json.Marshal(s)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, workspace.Status), data, 0o644))
}

// researched is such a run, with claude's research alone.
func researched(kind, tier, model string, usd float64) status.Status {
	return status.Status{Workflow: kind, Tier: tier, Status: "completed", Uses: []status.Use{
		{Seat: "claude", Model: model, Role: "research", Iterations: 1, Cost: flow.Cost{USD: usd, Reported: true, Tokens: 40_000}},
	}}
}

func TestARunsEstimateRestsOnTheProjectsOwnRuns(t *testing.T) {
	e, project := house(t, "", "claude")
	ask := request.Request{Topic: "How does the Go scheduler steal work?", Tier: "cheap", Seats: []string{"claude"}, NoPlan: true}
	s, err := Council(e, project, ask)
	require.NoError(t, err)
	require.Equal(t, []forecast.Basis{{Seat: "claude", From: forecast.Table}}, runs.Forecast(s).Basis)

	for i, usd := range []float64{0.20, 0.25, 0.30, 0.22, 0.90} {
		ran(t, project, i, researched("council", "cheap", s.Seats[0].Model, usd))
	}
	cancelled := researched("council", "cheap", s.Seats[0].Model, 0.01)
	cancelled.Status = "cancelled"
	ran(t, project, 6, cancelled)
	broken := filepath.Join(project, "research", "20260222-143000-a1b2c7")
	require.NoError(t, os.MkdirAll(broken, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(broken, workspace.Status), []byte(`{"status": "comp`), 0o644))

	f := runs.Forecast(s)
	require.Equal(t, []forecast.Basis{{Seat: "claude", From: forecast.Own, Runs: 5}}, f.Basis)
	require.InDelta(t, 0.25, f.USD.Likely, 0.001)
	require.GreaterOrEqual(t, f.USD.Worst, 0.90)

	ask.Tier = "max"
	s, err = Council(e, project, ask)
	require.NoError(t, err)
	require.Equal(t, forecast.Table, runs.Forecast(s).Basis[0].From, "cheap runs say nothing of the tier max")
}

func TestACampaignsEstimateComesFromTierAndMeasuredUse(t *testing.T) {
	for _, session := range []string{"", "5c9e2f0a-0000-4000-8000-000000000000"} {
		e, project := house(t, "", "claude")
		ahead := func(mode campaign.Mode, tier string) flow.Setup {
			t.Helper()
			s, err := Campaign(e, project, session, mode, request.Request{Topic: "A parser of JSON", Campaign: request.Campaign{Name: "parser"}, Tier: tier})
			require.NoError(t, err)
			return s
		}
		cheap, dear := runs.Forecast(ahead(campaign.ResearchAndPlan, "cheap")), runs.Forecast(ahead(campaign.ResearchAndPlan, "max"))
		require.Greater(t, dear.Tokens.Likely, cheap.Tokens.Likely)
		require.Greater(t, dear.Tokens.Worst, cheap.Tokens.Worst)
		require.Greater(t, cheap.Tokens.Worst, cheap.Tokens.Likely)

		research := ahead(campaign.Research, "cheap")
		text := CampaignPlan(research)
		require.Contains(t, text, "estimate likely ")
		require.Contains(t, text, "assumed figures of the tier cheap: no run of this kind and tier has finished here yet")
		ran(t, project, 1, status.Status{Workflow: string(campaign.Research), Tier: "cheap", Status: "completed", Uses: []status.Use{
			{Seat: "claude", Model: "m", Role: "explore", Iterations: 4, Cost: flow.Cost{USD: 2, Reported: true, Tokens: 400_000}},
			{Seat: "claude", Model: "m", Role: "conclude", Iterations: 2, Cost: flow.Cost{USD: 1, Reported: true, Tokens: 300_000}},
		}})
		f := runs.Forecast(research)
		require.Equal(t, forecast.Estimate{Likely: 6, Worst: 30}, f.Iterations)
		require.Equal(t, forecast.Estimate{Likely: 700_000, Worst: 30 * 150_000}, f.Tokens)
		require.Contains(t, CampaignPlan(research), "by what other seats took in 1 finished run of this kind and tier (cheap)")
	}
}
