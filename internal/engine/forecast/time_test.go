package forecast_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/engine/forecast"
)

func TestATimeIsToldAsARange(t *testing.T) {
	for _, c := range []struct {
		low, high time.Duration
		want      string
	}{
		{0, 0, ""},
		{0, time.Minute, "about 2 min"},
		{0, 5 * time.Minute, "1–6 min"},
		{25 * time.Minute, 48 * time.Minute, "25–50 min"},
		{27 * time.Minute, 27 * time.Minute, "25–30 min"},
		{50 * time.Minute, 100 * time.Minute, "50 min–2 h"},
		{0, 100 * time.Minute, "1 min–2 h"},
		{3 * time.Hour, 7 * time.Hour, "3–8 h"},
	} {
		require.Equal(t, c.want, forecast.Span{Low: c.low, High: c.high}.String())
	}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.Int64Range(0, int64(500*time.Hour)), 1, 9).Draw(t, "took")
		var took []time.Duration
		for _, one := range d {
			took = append(took, time.Duration(one))
		}
		s := forecast.Pace(took)
		require.LessOrEqual(t, s.Low, s.High)
		require.NotContains(t, s.String(), "0–0")
	})
}

func TestTheTimeComesFromFinishedRuns(t *testing.T) {
	took := func(kind, tier string, tokens float64, minutes ...time.Duration) (past []forecast.FinishedRun) {
		for _, m := range minutes {
			past = append(past, forecast.FinishedRun{Kind: kind, Tier: tier, Elapsed: m * time.Minute, Uses: []forecast.Use{{Seat: "claude", Model: "m", Role: "research", Iterations: 2, Tokens: tokens}}})
		}
		return past
	}
	one, two := priced("a"), priced("b")
	assumed := forecast.Of(asked("cheap", one), nil).Minutes
	require.Equal(t, &forecast.Minutes{Low: 3, High: 7.5}, assumed, "two iterations of 6 to 15 steps, each 15 s")
	require.Equal(t, assumed, forecast.Of(asked("cheap", one, two), nil).Minutes, "seats work side by side")
	require.Greater(t, forecast.Of(asked("max", one), nil).Minutes.Low, assumed.Low)
	require.Equal(t, assumed, forecast.Of(asked("cheap", one), append(took(kind, "max", 9, 60), append(took("staged", "cheap", 9, 60), took(kind, "cheap", 0, 60)...)...)).Minutes, "of another tier, of another kind, without a model")
	require.Equal(t, &forecast.Minutes{Low: 20, High: 45, Runs: 1}, forecast.Of(asked("cheap", one), took(kind, "cheap", 9, 30)).Minutes, "one tells little")
	require.Equal(t, &forecast.Minutes{Low: 30, High: 50, Runs: 5}, forecast.Of(asked("cheap", one), took(kind, "cheap", 9, 40, 500, 30, 50, 20)).Minutes, "the middle half")
	beside := asked("cheap", one)
	beside.Parts[0].AtOnce = 2
	require.Equal(t, &forecast.Minutes{Low: 1.5, High: 3.8}, forecast.Of(beside, nil).Minutes, "both iterations at once")
	limited := asked("cheap", one)
	limited.Time = 25 * time.Minute
	require.Equal(t, &forecast.Minutes{Low: 20, High: 25, Runs: 1}, forecast.Of(limited, took(kind, "cheap", 9, 30)).Minutes, "the limit ends it")
	require.Nil(t, forecast.Of(asked("cheap", forecast.Seat{Name: "librarian"}), took(kind, "cheap", 9, 30)).Minutes, "no model is asked")
}
