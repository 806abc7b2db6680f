package agent_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
)

func TestNoTopicClosesItsFence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topic := rapid.StringOf(rapid.SampledFrom([]rune("`\n ab\x00'\"$"))).Draw(t, "topic")
		lines := strings.Split(agent.FenceTopic(topic), "\n")
		var fence string
		for _, line := range lines {
			if word, ok := strings.CutSuffix(line, "question"); ok && strings.Trim(word, "`") == "" && word != "" {
				fence = word
				break
			}
		}
		require.GreaterOrEqual(t, len(fence), 3)
		require.NotContains(t, topic, fence)
		require.Contains(t, agent.FenceTopic(topic), fence+"question\n"+topic+"\n"+fence+"\n")
	})
}

func TestAFramedTopicIsWholeAndUTF8(t *testing.T) {
	long := strings.Repeat("a \u202e$(touch x) ---\n", 12_000)
	require.Contains(t, agent.FenceTopic(long), long)
	require.True(t, utf8.ValidString(agent.FenceTopic("caf\xe9")))
}
