package councilwork

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

func TestWhatWasRefusedStandsInALineThatThereIs(t *testing.T) {
	require.Equal(t, "claims.jsonl line 3", placeOf("claims.jsonl", claim.Refusal{Line: 3}))
	require.Equal(t, "claims.jsonl", placeOf("claims.jsonl", claim.Refusal{}))
}
