package pairs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/test/eval/pairs"
)

// The rules say little, and what they say holds: of short sentences, and of claims of
// real reports.
func TestTheRulesAloneSayNothingWrong(t *testing.T) {
	short, err := pairs.ReadShort()
	require.NoError(t, err)
	require.Len(t, short, 150)
	real, err := pairs.Read()
	require.NoError(t, err)
	for _, list := range [][]pairs.Pair{short, append(real, short...)} {
		said := pairs.Rules(list)
		require.GreaterOrEqual(t, said.Same.Precision(), .97, said.Same)
		require.GreaterOrEqual(t, said.Contradicts.Precision(), .9, said.Contradicts)
	}
	said := pairs.Rules(short)
	require.GreaterOrEqual(t, said.Contradicts.Recall(), .8, said.Contradicts)
}
