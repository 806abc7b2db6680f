package plural_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/plural"
)

func TestANumberHasItsNoun(t *testing.T) {
	require.Equal(t, "1 file", plural.Of(1, "file"))
	require.Equal(t, "0 files", plural.Of(0, "file"))
	require.Equal(t, "2 copies", plural.Of(2, "copy"))
	require.Equal(t, "2 days", plural.Of(2, "day"))
	require.Equal(t, "3 y", plural.Forms(3, "x", "y"))
	require.Equal(t, "1 issue is", plural.Forms(1, "issue is", "issues are"))
}
