package staged_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/product/staged"
)

func TestFactsKeepTheirSubtopics(t *testing.T) {
	r := staged.FactCheckResult{
		Verified:   []staged.CheckedFact{{Fact: staged.Fact{Statement: "It is fast."}}},
		Unverified: []staged.CheckedFact{{Fact: staged.Fact{Statement: "It is cheap."}}, {Fact: staged.Fact{Statement: "Nobody said so."}}},
	}
	got := r.WithSubtopics([]staged.AgentAnswer{
		{Facts: []staged.Fact{{Statement: " It is  fast.", Subtopic: "T1"}}},
		{Facts: []staged.Fact{{Statement: "It is cheap.", Subtopic: "T2"}}},
	})
	require.Equal(t, "T1", got.Verified[0].Subtopic)
	require.Equal(t, "T2", got.Unverified[0].Subtopic)
	require.Empty(t, got.Unverified[1].Subtopic)
}
