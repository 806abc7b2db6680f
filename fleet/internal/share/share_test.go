package share_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/bucket"
	"github.com/research-council/research-council/fleet/internal/share"
	"github.com/research-council/research-council/fleet/internal/store"
)

func aStore(t *testing.T) *store.Store {
	b, err := bucket.Open(t.Context(), "file://"+t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Close() })
	return store.New(b, make([]byte, 32))
}

func unheard(string) {}

// Three workers with more turns than fit: no minute's worth of places holds more than the
// limit, hardly one stays empty, and no two begin at one place.
func TestTurnsOfAllWorkersComeAtTheLimit(t *testing.T) {
	const turns, all = 1200, 60
	s := aStore(t)
	require.NoError(t, s.SetLimit(t.Context(), "anthropic", store.Limit{Turns: turns}))
	var mu sync.Mutex
	var began []time.Time
	var group sync.WaitGroup
	first := time.Now()
	for w := range 3 {
		mine := share.New(s, fmt.Sprint("w", w))
		for range all / 3 {
			group.Go(func() {
				if mine.Await(t.Context(), "anthropic", unheard) == nil {
					mu.Lock()
					defer mu.Unlock()
					began = append(began, time.Now())
				}
			})
		}
	}
	group.Wait()
	require.Len(t, began, all)
	slices.SortFunc(began, time.Time.Compare)
	for i, at := range began {
		require.GreaterOrEqual(t, at.Sub(first), time.Duration(i)*share.Distance(turns)-5*time.Millisecond, "turn %d began before its place", i)
	}
}

func TestAVendorWithoutALimitWaitsForNothing(t *testing.T) {
	s := aStore(t)
	require.NoError(t, s.SetLimit(t.Context(), "openai", store.Limit{Turns: 1}))
	mine := share.New(s, "w")
	for range 50 {
		require.NoError(t, mine.Await(t.Context(), "anthropic", func(why string) { t.Error(why) }))
	}
}

// What a limit of money holds back says so, goes on when the limit is raised, and ends with
// its context.
func TestMoneyOfADayIsOfAllWorkers(t *testing.T) {
	s := aStore(t)
	require.NoError(t, s.SetLimit(t.Context(), "anthropic", store.Limit{USD: 1}))
	one, other := share.New(s, "host:/a"), share.New(s, "host:/b")
	for _, usd := range []float64{0.25, 0.5} {
		require.NoError(t, one.Spent(t.Context(), "anthropic", usd))
	}
	require.NoError(t, other.Await(t.Context(), "anthropic", unheard))
	require.NoError(t, other.Spent(t.Context(), "anthropic", 0.25))
	require.NoError(t, share.New(s, "host:/a").Spent(t.Context(), "anthropic", 0.125), "a worker that comes back goes on counting")

	ctx, cancel := context.WithCancel(t.Context())
	var said string
	err := one.Await(ctx, "anthropic", func(why string) { said = why; cancel() })
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "waits for a new day: $1.12 of $1.00 that the fleet may spend on anthropic are spent", said)

	require.NoError(t, s.SetLimit(t.Context(), "anthropic", store.Limit{USD: 2}))
	require.NoError(t, one.Await(t.Context(), "anthropic", unheard))
	require.NoError(t, s.SetLimit(t.Context(), "anthropic", store.Limit{}))
	names, err := s.Limited(t.Context())
	require.NoError(t, err)
	require.Empty(t, names)
}

// Places that are over are deleted, and nobody takes one that is over.
func TestPlacesThatAreOverAreForgotten(t *testing.T) {
	s := aStore(t)
	d := share.Distance(60)
	old := time.Now().Add(-time.Hour).UnixMilli() / d.Milliseconds()
	for n := old; n < old+5; n++ {
		mine, err := s.TakeSlot(t.Context(), "openai", d, n)
		require.NoError(t, err)
		require.True(t, mine)
	}
	require.NoError(t, s.SetLimit(t.Context(), "openai", store.Limit{Turns: 60}))
	require.NoError(t, share.New(s, "w").Await(t.Context(), "openai", unheard))
	for n := old; n < old+5; n++ {
		mine, err := s.TakeSlot(t.Context(), "openai", d, n)
		require.NoError(t, err)
		require.True(t, mine, "it was deleted")
	}
}
