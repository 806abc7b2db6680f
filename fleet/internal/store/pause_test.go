package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/store"
	"github.com/research-council/research-council/fleet/internal/store/storetest"
)

func TestWhatIsPaused(t *testing.T) {
	ctx := t.Context()
	s := store.New(&storetest.Memory{}, key)
	covers := func(seats ...string) bool {
		p, err := s.Paused(ctx)
		require.NoError(t, err)
		return p.Covers(seats)
	}
	require.False(t, covers("one"))
	require.NoError(t, s.Pause(ctx, "all"))
	require.NoError(t, s.Pause(ctx, "two"))
	require.False(t, covers("one"), "a seat that is called all is a seat")
	require.True(t, covers("one", "two"))
	require.NoError(t, s.Pause(ctx, ""))
	require.NoError(t, s.Pause(ctx, ""))
	require.True(t, covers("one"))
	require.NoError(t, s.Resume(ctx, ""))
	require.NoError(t, s.Resume(ctx, ""))
	require.False(t, covers("one"))
	require.True(t, covers("two"))
	require.NoError(t, s.Resume(ctx, "two"))
	require.False(t, covers("two"))
}
