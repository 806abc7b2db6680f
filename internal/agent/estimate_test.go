package agent_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
)

func TestUseNobodyToldIsEstimatedCallByCall(t *testing.T) {
	for size, tokens := range map[int]int64{0: 0, 1: 1, 4: 1, 5: 2, 400: 100} {
		require.Equal(t, tokens, agent.EstimateTokens(size), size)
	}
	asked := agent.Turn{Prompt: strings.Repeat("a", 4000), Topic: "caches"}
	framed := agent.EstimateTokens(len(asked.PromptText()))
	e := agent.NewEstimate(asked)
	require.Equal(t, agent.Usage{Input: framed, Reckoned: true}, e.Used(), "the first call reads what is asked, and nothing of it from a cache")

	e = agent.NewEstimate(agent.Turn{Prompt: "in a file", Asked: 4000})
	e.AddOutput(300)
	e.AddOutput(100)
	require.Equal(t, agent.Usage{Input: 1000, Output: 100, Reckoned: true}, e.Used())
	e.AddInput(800)
	require.Equal(t, agent.Usage{Input: 1000 + 1000 + 100 + 200, CachedInput: 1000, Output: 100, Reckoned: true}, e.Used(),
		"the second call reads again what the first read, and for the first time what was said and shown since")
	e.AddOutput(40)
	e.AddInput(0)
	require.Equal(t, agent.Usage{Input: 1000 + 1300 + 1310, CachedInput: 1000 + 1300, Output: 110, Reckoned: true}, e.Used())
}

func TestACostIsReckonedFromSharesWhereThereAreAny(t *testing.T) {
	whole := agent.Usage{Input: 3, Model: "large"}
	require.Equal(t, []agent.Usage{whole}, agent.Reply{Usage: whole}.Usages())
	shares := []agent.Usage{{Input: 1, Model: "small"}, {Input: 2, Model: "large"}}
	require.Equal(t, shares, agent.Reply{Usage: whole, Shares: shares}.Usages())
}
