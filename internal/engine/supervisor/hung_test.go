package supervisor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/kinds"
)

func TestOnlyASeatThatTellsWhatItDoesIsHungWhenSilent(t *testing.T) {
	for name, hung := range map[string]bool{"claude": true, "codex": true, "gemini": true, "command": false} {
		k := kinds.Of(name)
		require.Equal(t, hung, isHung(k, 21*time.Minute), name)
		require.False(t, isHung(k, 19*time.Minute), name)
	}
}
