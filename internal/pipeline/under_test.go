package pipeline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/pipeline"
)

func TestFactsKeepTheirSubtopics(t *testing.T) {
	r := pipeline.FactCheckResult{
		Verified:   []pipeline.CheckedFact{{Fact: pipeline.Fact{Statement: "It is fast."}}},
		Unverified: []pipeline.CheckedFact{{Fact: pipeline.Fact{Statement: "It is cheap."}}, {Fact: pipeline.Fact{Statement: "Nobody said so."}}},
	}
	got := r.WithSubtopics([]pipeline.AgentAnswer{
		{Facts: []pipeline.Fact{{Statement: " It is  fast.", Subtopic: "T1"}}},
		{Facts: []pipeline.Fact{{Statement: "It is cheap.", Subtopic: "T2"}}},
	})
	require.Equal(t, "T1", got.Verified[0].Subtopic)
	require.Equal(t, "T2", got.Unverified[0].Subtopic)
	require.Empty(t, got.Unverified[1].Subtopic)
}
