package claim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

func TestAClaimThatPointsElsewhereIsKnown(t *testing.T) {
	for text, words := range map[string]string{
		"In the same run the ferry took 40 cars.":    "In the same run",
		"Before such a storm the crew is called.":    "Before such a storm",
		"It takes 40 cars.":                          "It",
		"These ferries take 40 cars.":                "These",
		"Italy has 40 ferries.":                      "",
		"In this century's first run 40 cars sank.":  "In this century",
		"Ferries of the same line share their crew.": "",
		"In a run of 2019 the ferry took 40 cars.":   "",
		"": "",
	} {
		require.Equal(t, words, claim.PointsElsewhere(text), text)
	}
}
