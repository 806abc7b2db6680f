package librarian_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/librarian"
)

// Brackets that may be a citation are round in a sentence of ours; those of code stay.
func TestBracketsOfASentence(t *testing.T) {
	require.Equal(t, `Keys are handed over as \[\]byte, not as a string (1)`, librarian.Sentence("Keys are handed over as []byte, not as a string [1]."))
}
