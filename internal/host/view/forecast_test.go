package view_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/host/view"
)

func TestAForecastSaysWhatItRestsOn(t *testing.T) {
	table := []forecast.Basis{{Seat: "claude", From: forecast.Table}}
	guess := forecast.Estimate{Likely: 250_000, Worst: 2_500_000}
	wide := forecast.Ranges{Tokens: forecast.Range{Low: 125_000, High: 500_000}, USD: forecast.Range{Low: 0.1, High: 0.4}}
	for _, c := range []struct {
		name string
		f    forecast.Forecast
		says []string
		not  []string
	}{
		{"no model", forecast.Forecast{Iterations: forecast.Estimate{Likely: 2, Worst: 10}}, []string{"nothing: no model is called"}, []string{"$", "tokens", "providers"}},
		{
			"nothing measured",
			forecast.Forecast{Tier: "cheap", Tokens: guess, USD: forecast.Estimate{Likely: 0.2, Worst: 4}, Between: wide, Priced: []string{"claude"}, Basis: table, Minutes: &forecast.Minutes{Low: 3, High: 7.5}},
			[]string{"time: likely 3–8 min, assumed at 15 s for each step of a model", "likely 125–500 k tokens", "likely $0.10–$0.40", "no limit in money is set: --max-usd X ends it", "assumed figures of the tier cheap: no run of this kind and tier has finished here yet"},
			[]string{"finished run of", "worst", "2.5 M", "$4.00"},
		},
		{
			"measured",
			forecast.Forecast{Tier: "cheap", Tokens: guess, USD: forecast.Estimate{Likely: 0.2, Worst: 4}, Priced: []string{"claude"}, Minutes: &forecast.Minutes{Low: 25, High: 48, Runs: 5}, Basis: []forecast.Basis{{Seat: "claude", From: forecast.Own, Runs: 5}}},
			[]string{"by 5 finished runs of this kind and tier (cheap)", "time: likely 25–50 min, as 5 finished runs of this kind and tier (cheap) took"},
			[]string{"assumed"},
		},
		{
			"measured of one, of another not",
			forecast.Forecast{Tier: "cheap", Tokens: guess, Basis: []forecast.Basis{{Seat: "claude", From: forecast.Own, Runs: 1}, {Seat: "codex", From: forecast.Others, Runs: 1}, {Seat: "ada", From: forecast.Alike, Runs: 1}, {Seat: "gemini", From: forecast.Table}}, Unpriced: []string{"codex", "gemini"}, Priced: []string{"claude"}},
			[]string{"claude by 1 finished run of", "codex by what other seats took in 1 finished run", "ada by what other seats of that kind took in 1 finished run", "gemini by assumed figures", "(claude); in tokens alone, for no price of it is known: codex, gemini"},
			nil,
		},
		{
			"a limit below it",
			forecast.Forecast{Tokens: guess, USD: forecast.Estimate{Likely: 1, Worst: 1}, Priced: []string{"claude"}, Capped: true, Short: &forecast.Shortfall{USD: 4}, Basis: table},
			[]string{"likely $1.00", "likely to end out of budget: what it does takes $4.00; one call of a model for each seat may pass the limit"},
			nil,
		},
		{
			"a limit in tokens",
			forecast.Forecast{Tokens: forecast.Estimate{Likely: 1000, Worst: 1000}, Capped: true, Short: &forecast.Shortfall{Tokens: 400_000}, Unpriced: []string{"claude"}, Basis: table},
			[]string{"out of budget: what it does takes 400 k tokens"},
			[]string{"$"},
		},
		{
			"a limit above what is likely",
			forecast.Forecast{Tokens: guess, USD: forecast.Estimate{Likely: 1, Worst: 3}, Priced: []string{"claude"}, Capped: true, Basis: table},
			[]string{"likely $1.00", "the limit that is set ends it there at the latest"},
			[]string{"out of budget"},
		},
		{
			"a local model",
			forecast.Forecast{Tokens: guess, Costless: []string{"own"}, Basis: []forecast.Basis{{Seat: "own", From: forecast.Table}}},
			[]string{"likely 250 k tokens", "$0.00 by its configured price: own"},
			[]string{"providers"},
		},
		{
			"nothing bounds it",
			forecast.Forecast{Tokens: forecast.Estimate{Likely: 250_000}, USD: forecast.Estimate{Likely: 9}, Priced: []string{"claude"}, Endless: true, Basis: table},
			[]string{"likely 250 k tokens", "likely $9.00", "nothing bounds it: --max-usd X ends it"},
			[]string{"worst"},
		},
	} {
		text := strings.Join(view.Forecast(c.f), "\n")
		for _, words := range c.says {
			require.Contains(t, text, words, c.name)
		}
		for _, words := range c.not {
			require.NotContains(t, text, words, c.name)
		}
	}
}
