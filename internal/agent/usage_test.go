package agent_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
)

func TestNoFigureIsBeyondWhatCanBe(t *testing.T) {
	for told, want := range map[float64]int64{
		0: 0, 12: 12, 12.9: 12, -1: 0, 1 << 40: agent.MaxTokens, 1<<40 + 1: agent.MaxTokens,
		math.MaxInt64: agent.MaxTokens, math.MinInt64: 0, math.MaxFloat64: agent.MaxTokens, math.Inf(1): agent.MaxTokens, math.Inf(-1): 0,
	} {
		require.Equal(t, want, agent.TokenCount(told), told)
	}
	require.Zero(t, agent.TokenCount(math.NaN()))
	require.Zero(t, agent.USD(math.NaN()))
	require.Zero(t, agent.USD(-0.01))
	require.Equal(t, agent.MaxUSD, agent.USD(math.Inf(1)))
	require.InDelta(t, 1.25, agent.USD(1.25), 0)
}

func TestSumsOfFiguresStayWithinWhatCanBe(t *testing.T) {
	most := agent.Usage{Input: math.MaxInt64, Output: math.MaxInt64, CachedInput: math.MaxInt64, USD: math.Inf(1), Model: "m", Reported: true}
	bounded := agent.Usage{Input: agent.MaxTokens, Output: agent.MaxTokens, CachedInput: agent.MaxTokens, USD: agent.MaxUSD, Model: "m", Reported: true}
	below := agent.Usage{Input: math.MinInt64, Output: -1, CachedInput: -5, USD: math.NaN()}
	for _, c := range []struct {
		name       string
		u, v, want agent.Usage
	}{
		{"ordinary", agent.Usage{Input: 3, Output: 2, CachedInput: 1}, agent.Usage{Input: 30, Output: 20, CachedInput: 10}, agent.Usage{Input: 33, Output: 22, CachedInput: 11}},
		{"the largest twice", most, most, bounded},
		{"the largest and one", most, agent.Usage{Input: 1, Output: 1, CachedInput: 1}, bounded},
		{"nothing is given back", agent.Usage{Input: 5}, below, agent.Usage{Input: 5}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, c.u.Plus(c.v)) })
	}
}
