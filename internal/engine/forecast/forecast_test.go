package forecast_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/engine/forecast"
)

const kind = "council"

func claude() forecast.Seat { return forecast.Seat{Name: "claude", Model: "m", Thinks: true} }

func priced(name string) forecast.Seat {
	return forecast.Seat{Name: name, Model: "m-" + name, Thinks: true, Price: &forecast.Price{Input: 1, Cached: 0.1, Output: 5}}
}

// asked is a run that has two iterations of research by each of some seats, and
// may have ten.
func asked(tier string, seats ...forecast.Seat) forecast.Demand {
	a := forecast.Demand{Kind: kind, Tier: tier}
	for _, s := range seats {
		a.Parts = append(a.Parts, forecast.Part{Seat: s, Roles: []string{"research"}, Likely: 2, Max: 10})
	}
	return a
}

// cost is a finished run in which claude has researched once for an amount.
func cost(tier string, usd float64) forecast.FinishedRun {
	return forecast.FinishedRun{Kind: kind, Tier: tier, Uses: []forecast.Use{{Seat: "claude", Model: "m", Role: "research", Iterations: 1, Tokens: 20_000, Input: 15_000, Cached: 10_000, Output: 5_000, USD: usd, Priced: true}}}
}

func costs(tier string, list ...float64) (past []forecast.FinishedRun) {
	for _, usd := range list {
		past = append(past, cost(tier, usd))
	}
	return past
}

func TestTheEstimateComesFromRunsOfItsKindAndTier(t *testing.T) {
	five := costs("cheap", 0.20, 0.25, 0.30, 0.22, 0.90)
	unknown := cost("cheap", 0)
	unknown.Uses[0].Priced = false

	t.Run("without runs the tier's table stands in, and is named", func(t *testing.T) {
		f := forecast.Of(asked("standard", priced("a"), priced("b"), priced("c")), nil)
		require.Positive(t, f.USD.Likely)
		require.Greater(t, f.USD.Worst, f.USD.Likely)
		require.Equal(t, []forecast.Basis{{Seat: "a", From: forecast.Table}, {Seat: "b", From: forecast.Table}, {Seat: "c", From: forecast.Table}}, f.Basis)
	})
	t.Run("five runs: the middle is likely, the dearest may come again", func(t *testing.T) {
		f := forecast.Of(asked("cheap", claude()), five)
		require.InDelta(t, 0.25, f.USD.Likely, 0.001)
		require.GreaterOrEqual(t, f.USD.Worst, 0.90)
		require.Equal(t, []forecast.Basis{{Seat: "claude", From: forecast.Own, Runs: 5}}, f.Basis)
	})
	t.Run("cheap runs say nothing of max", func(t *testing.T) {
		f := forecast.Of(asked("max", claude()), five)
		require.Equal(t, forecast.Table, f.Basis[0].From)
		require.Zero(t, f.USD.Likely, "its price is not known")
		require.Equal(t, []string{"claude"}, f.Unpriced)
		require.Positive(t, f.Tokens.Likely)
	})
	t.Run("nor do runs of another kind", func(t *testing.T) {
		a := asked("cheap", claude())
		a.Kind = "staged"
		require.Equal(t, forecast.Table, forecast.Of(a, five).Basis[0].From)
	})
	t.Run("each tier has figures of its own", func(t *testing.T) {
		var last forecast.Forecast
		for _, tier := range []string{"cheap", "standard", "max"} {
			f := forecast.Of(asked(tier, priced("a")), nil)
			require.Greater(t, f.USD.Likely, last.USD.Likely, tier)
			require.Greater(t, f.USD.Worst, last.USD.Worst, tier)
			require.Greater(t, f.Tokens.Likely, last.Tokens.Likely, tier)
			last = f
		}
	})
	t.Run("a run whose cost is not known is not one that cost nothing", func(t *testing.T) {
		f := forecast.Of(asked("cheap", claude()), append([]forecast.FinishedRun{unknown, unknown, unknown}, five...))
		require.InDelta(t, 0.25, f.USD.Likely, 0.001)
		f = forecast.Of(asked("cheap", claude()), []forecast.FinishedRun{unknown})
		require.Equal(t, []string{"claude"}, f.Unpriced)
		require.Equal(t, 20_000.0, f.Tokens.Likely, "its tokens are known all the same")
	})
	t.Run("runs of one seat, and now there are three", func(t *testing.T) {
		three := asked("cheap", priced("a"), priced("b"), priced("c"))
		ran := costs("cheap", 0.10, 0.10, 0.10)
		for i := range ran {
			ran[i].Uses[0].Tokens, ran[i].Uses[0].Input, ran[i].Uses[0].Cached, ran[i].Uses[0].Output = 0, 0, 0, 0
		}
		f := forecast.Of(three, ran)
		require.InDelta(t, 0.30, f.USD.Likely, 0.001)
		require.Equal(t, forecast.Basis{Seat: "b", From: forecast.Others, Runs: 3}, f.Basis[1])
	})
	t.Run("a seat without a model teaches nothing of those that have one", func(t *testing.T) {
		librarian := forecast.FinishedRun{Kind: kind, Tier: "max", Uses: []forecast.Use{{Seat: "librarian", Kind: "librarian", Role: "research", Iterations: 10}}}
		taught := forecast.Of(asked("max", priced("a")), []forecast.FinishedRun{librarian, librarian})
		require.Equal(t, forecast.Of(asked("max", priced("a")), nil), taught)
		require.Equal(t, 10.0, forecast.Of(asked("max", forecast.Seat{Name: "books", Kind: "librarian", Free: true}), []forecast.FinishedRun{librarian}).Iterations.Likely, "but of its like it does")
	})
	t.Run("seats of its kind are asked before others", func(t *testing.T) {
		ran := costs("cheap", 0.10)
		ran[0].Uses[0].Kind = "claude"
		dear := costs("cheap", 9)
		dear[0].Uses[0].Seat, dear[0].Uses[0].Kind, dear[0].Uses[0].Tokens = "codex", "codex", 900_000
		a := asked("cheap", forecast.Seat{Name: "ada", Kind: "claude", Model: "other", Thinks: true})
		f := forecast.Of(a, append(ran, dear...))
		require.Equal(t, []forecast.Basis{{Seat: "ada", From: forecast.Alike, Runs: 1}}, f.Basis)
		require.Equal(t, 20_000.0, f.Tokens.Likely)
	})
	t.Run("what is likely is a range", func(t *testing.T) {
		f := forecast.Of(asked("cheap", claude()), five)
		require.Less(t, f.Between.USD.Low, f.USD.Likely)
		require.Greater(t, f.Between.USD.High, f.USD.Likely)
		assumed := forecast.Of(asked("cheap", priced("a")), nil)
		require.InDelta(t, assumed.Tokens.Likely/2, assumed.Between.Tokens.Low, 1000)
		require.InDelta(t, assumed.Tokens.Likely*2, assumed.Between.Tokens.High, 1000)
	})
	t.Run("tokens that others have used cost here what they cost here", func(t *testing.T) {
		f := forecast.Of(asked("cheap", priced("a")), costs("cheap", 7))
		require.InDelta(t, 0.03, f.USD.Likely, 0.001) // 5,000 at 1, 10,000 at 0.1, 5,000 at 5 for a million: 0.031
	})
	t.Run("a limit below what such a run takes", func(t *testing.T) {
		a := asked("cheap", claude())
		a.USD = 1
		f := forecast.Of(a, costs("cheap", 4))
		require.Equal(t, forecast.Estimate{Likely: 1, Worst: 1}, f.USD)
		require.True(t, f.Capped)
		require.Equal(t, &forecast.Shortfall{USD: 4}, f.Short)
	})
	t.Run("a limit in tokens does the same", func(t *testing.T) {
		a := asked("cheap", claude())
		a.Tokens = 10_000
		f := forecast.Of(a, costs("cheap", 4))
		require.Equal(t, forecast.Estimate{Likely: 10_000, Worst: 10_000}, f.Tokens)
		require.Equal(t, &forecast.Shortfall{Tokens: 20_000}, f.Short)
	})
	t.Run("the librarian alone calls no model", func(t *testing.T) {
		f := forecast.Of(asked("cheap", forecast.Seat{Name: "librarian", Free: true}), five)
		require.Equal(t, forecast.Estimate{}, f.USD)
		require.Equal(t, forecast.Estimate{}, f.Tokens)
		require.Equal(t, 10.0, f.Iterations.Worst)
		require.Empty(t, append(f.Priced, append(f.Unpriced, f.Costless...)...))
		require.Empty(t, f.Basis)
	})
	t.Run("a model of this machine costs tokens and no money", func(t *testing.T) {
		for _, s := range []forecast.Seat{{Name: "own", Thinks: true, Free: true}, {Name: "own", Thinks: true, Price: &forecast.Price{}}} {
			f := forecast.Of(asked("cheap", s), nil)
			require.Equal(t, []string{"own"}, f.Costless)
			require.Empty(t, f.Priced)
			require.Zero(t, f.USD)
			require.Positive(t, f.Tokens.Likely)
		}
	})
	t.Run("a seat without a price is not hidden by the sum of the others", func(t *testing.T) {
		f := forecast.Of(asked("cheap", claude(), forecast.Seat{Name: "codex", Model: "x", Thinks: true}), five)
		require.Equal(t, []string{"claude"}, f.Priced)
		require.Equal(t, []string{"codex"}, f.Unpriced)
		require.Equal(t, 40_000.0, f.Tokens.Likely)
	})
}

func TestIterationsAreThoseThatSuchRunsHad(t *testing.T) {
	use := func(role string, n int) forecast.Use {
		return forecast.Use{Seat: "claude", Model: "m", Role: role, Iterations: n, Tokens: float64(n) * 1000, USD: float64(n), Priced: true}
	}
	run := func(uses ...forecast.Use) forecast.FinishedRun {
		return forecast.FinishedRun{Kind: kind, Tier: "cheap", Uses: uses}
	}
	a := forecast.Demand{Kind: kind, Tier: "cheap", Parts: []forecast.Part{
		{Seat: claude(), Roles: []string{"research"}, Likely: 2, Max: 10}, {Seat: claude(), Roles: []string{"debate"}, Max: 9},
	}}
	for _, c := range []struct {
		name          string
		past          []forecast.FinishedRun
		iterations    forecast.Estimate
		likely, worst float64 // USD
	}{
		{"the middle of three", []forecast.FinishedRun{run(use("research", 4)), run(use("research", 6)), run(use("research", 5))}, forecast.Estimate{Likely: 5, Worst: 19}, 5, 19},
		{"what came once in three is not likely", []forecast.FinishedRun{run(use("research", 4)), run(use("research", 4), use("debate", 9)), run(use("research", 4))}, forecast.Estimate{Likely: 4, Worst: 19}, 4, 19},
		{"fewer are allowed now", []forecast.FinishedRun{run(use("research", 40))}, forecast.Estimate{Likely: 10, Worst: 19}, 10, 19},
		{"a role that the plan does not name came before", []forecast.FinishedRun{run(use("research", 4), use("rescue", 3))}, forecast.Estimate{Likely: 7, Worst: 22}, 7, 22},
		{"one role twice in a run is one", []forecast.FinishedRun{run(use("research", 1), use("research", 3))}, forecast.Estimate{Likely: 4, Worst: 19}, 4, 19},
	} {
		f := forecast.Of(a, c.past)
		require.Equal(t, c.iterations, f.Iterations, c.name)
		require.InDelta(t, c.likely, f.USD.Likely, 0.001, c.name)
		require.InDelta(t, c.worst, f.USD.Worst, 0.001, c.name)
	}
	a.Parts[1].Likely, a.Parts[1].Certain = 3, true
	f := forecast.Of(a, []forecast.FinishedRun{run(use("research", 4))})
	require.Equal(t, 7.0, f.Iterations.Likely, "a debate that the person asks for comes")
}

func TestWhatNobodyCanHaveUsedIsNotBelieved(t *testing.T) {
	bad := cost("cheap", -5)
	none := cost("cheap", 3)
	none.Uses[0].Iterations = 0
	require.Equal(t, forecast.Table, forecast.Of(asked("cheap", claude()), []forecast.FinishedRun{bad, none}).Basis[0].From)
}

func TestAnEndlessRunHasNoWorstButItsLimit(t *testing.T) {
	a := asked("cheap", priced("a"))
	a.Parts[0].Max, a.Endless = 1<<31-1, true
	require.True(t, forecast.Of(a, nil).Endless)
	a.USD = 5
	f := forecast.Of(a, nil)
	require.Equal(t, 5.0, f.USD.Worst)
	require.True(t, f.Capped)
}

func TestLikelyIsNeverAboveTheWorst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var past []forecast.FinishedRun
		for i := range rapid.IntRange(0, 6).Draw(t, "runs") {
			p := cost("cheap", rapid.Float64Range(0, 50).Draw(t, fmt.Sprint("usd ", i)))
			p.Uses[0].Iterations = rapid.IntRange(1, 12).Draw(t, fmt.Sprint("iterations ", i))
			p.Uses[0].Role = rapid.SampledFrom([]string{"research", "debate"}).Draw(t, fmt.Sprint("role ", i))
			p.Uses[0].Priced = rapid.Bool().Draw(t, fmt.Sprint("priced ", i))
			past = append(past, p)
		}
		a := asked("cheap", claude(), priced("b"))
		a.USD = rapid.SampledFrom([]float64{0, 0.5, 20}).Draw(t, "limit")
		f := forecast.Of(a, past)
		require.LessOrEqual(t, f.USD.Likely, f.USD.Worst)
		require.LessOrEqual(t, f.Tokens.Likely, f.Tokens.Worst)
		require.LessOrEqual(t, f.Between.Tokens.Low, f.Tokens.Likely)
		require.GreaterOrEqual(t, f.Between.Tokens.High, f.Tokens.Likely)
		require.LessOrEqual(t, f.Between.USD.Low, f.USD.Likely+0.01)
		require.GreaterOrEqual(t, f.Between.USD.High, f.USD.Likely-0.01)
		require.LessOrEqual(t, f.Iterations.Likely, f.Iterations.Worst)
		if a.USD > 0 {
			require.LessOrEqual(t, f.USD.Worst, max(a.USD, f.USD.Likely))
		}
	})
}

func BenchmarkForecast(b *testing.B) {
	past := make([]forecast.FinishedRun, 10_000)
	for i := range past {
		past[i] = cost("cheap", float64(i%7))
	}
	a := asked("cheap", claude(), priced("b"), priced("c"))
	for b.Loop() {
		forecast.Of(a, past)
	}
}
