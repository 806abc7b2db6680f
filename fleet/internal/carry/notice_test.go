package carry

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A comparison that failed is no change.
func TestOnlyWhatDiffersIsTold(t *testing.T) {
	for _, row := range []struct {
		said   string
		code   int
		differ bool
		failed bool
	}{
		{"Nothing has changed.\n", 0, false, false},
		{"1 gained, 0 lost, 0 changed, 0 sources drifted\n", 1, true, false},
		{"", 1, false, true},
		{"", 2, false, true},
		{"", -1, false, true},
	} {
		differ, err := saysDifferent(row.said, row.code)
		require.Equal(t, row.differ, differ, row)
		require.Equal(t, row.failed, err != nil, row)
	}
}
