package share_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/bucket"
	"github.com/research-council/research-council/fleet/internal/share"
	"github.com/research-council/research-council/fleet/internal/store"
	"github.com/research-council/research-council/fleet/internal/store/storetest"
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
	one, other := share.New(s, "host:/a/b"), share.New(s, "host:/a_b") // two workers, however they are named
	for _, usd := range []float64{0.25, 0.5} {
		require.NoError(t, one.Spent(t.Context(), "anthropic", usd))
	}
	require.NoError(t, other.Await(t.Context(), "anthropic", unheard))
	require.NoError(t, other.Spent(t.Context(), "anthropic", 0.25))
	require.NoError(t, share.New(s, "host:/a/b").Spent(t.Context(), "anthropic", 0.125), "a worker that comes back goes on counting")

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

// bucketInMemory takes some time for each request, and counts them.
type bucketInMemory struct {
	takes time.Duration
	mu    sync.Mutex
	asked int
	held  map[string]map[string][]byte // by folder, with the name whole
}

func (b *bucketInMemory) all() (n int) {
	for _, folder := range b.held {
		n += len(folder)
	}
	return n
}

func (b *bucketInMemory) request() func() {
	time.Sleep(b.takes)
	b.mu.Lock()
	b.asked++
	return b.mu.Unlock
}

func (b *bucketInMemory) Get(_ context.Context, name string) ([]byte, error) {
	defer b.request()()
	if data, there := b.held[path.Dir(name)][name]; there {
		return data, nil
	}
	return nil, store.ErrNone
}

func (b *bucketInMemory) Put(_ context.Context, name string, data []byte, once bool) error {
	defer b.request()()
	folder := b.held[path.Dir(name)]
	if _, there := folder[name]; there && once {
		return store.ErrThere
	}
	if folder == nil {
		folder = map[string][]byte{}
		b.held[path.Dir(name)] = folder
	}
	folder[name] = data
	return nil
}

func (b *bucketInMemory) List(_ context.Context, prefix string) (names []string, err error) {
	defer b.request()()
	return slices.Collect(maps.Keys(b.held[path.Clean(prefix)])), nil // nobody here asks for an order
}

func (b *bucketInMemory) Delete(_ context.Context, name string) error {
	defer b.request()()
	delete(b.held[path.Dir(name)], name)
	return nil
}

// Many workers of which each has several runs all want their turns at once, in simulated time
// and with a store that answers in 20 ms: no minute has more turns than are allowed, hardly one
// fewer, a turn costs few requests, and places that are over do not pile up.
func TestManyWorkersKeepALimit(t *testing.T) {
	limit, workers, runs, each := 600, 300, 3, 4
	if os.Getenv("COUNCIL_FLEET_SIMULATED") != "" { // the figures of docs/SCALE.md
		limit, workers, runs, each = share.MostTurns, 10000, 1, 2
	}
	synctest.Test(t, func(t *testing.T) {
		b := &bucketInMemory{takes: 20 * time.Millisecond, held: map[string]map[string][]byte{}}
		s := store.New(b, make([]byte, 32))
		require.NoError(t, s.SetLimit(t.Context(), "anthropic", store.Limit{Turns: limit}))
		var mu sync.Mutex
		var began []time.Time
		var group sync.WaitGroup
		for w := range workers {
			mine := share.New(s, fmt.Sprint("w", w))
			for range runs {
				group.Go(func() {
					for range each {
						if mine.Await(t.Context(), "anthropic", unheard) != nil {
							return
						}
						mu.Lock()
						began = append(began, time.Now())
						mu.Unlock()
						time.Sleep(3 * time.Second)
					}
				})
			}
		}
		group.Wait()
		require.Len(t, began, workers*runs*each)
		most := 0
		for i, j := 0, 0; j < len(began); j++ { // in order, as time passes
			for began[j].Sub(began[i]) >= time.Minute {
				i++
			}
			most = max(most, j-i+1)
		}
		took := began[len(began)-1].Sub(began[0])
		used := float64(len(began)) / took.Minutes() / float64(limit)
		t.Logf("%d turns in %s: at most %d in a minute, %.1f %% of the limit used; %.1f requests a turn, %d objects at the end", len(began), took.Round(time.Second), most, 100*used, float64(b.asked)/float64(len(began)), b.all())
		require.LessOrEqual(t, most, limit)
		require.Greater(t, used, 0.95)
		require.Less(t, b.asked, 20*len(began))
		if runs*each > 4 { // a worker forgets several places at once
			require.Less(t, b.all(), len(began)*3/4)
		}
	})
}

// Whoever waits for a place hears within minutes that the limit is another: a mistaken one is
// not waited out, and one that was lowered holds for those too.
func TestALimitThatChangesHoldsForWhoWaits(t *testing.T) {
	for name, row := range map[string]struct {
		was, now    store.Limit
		least, most time.Duration // until eight turns have begun
	}{
		"raised":     {store.Limit{Turns: 1}, store.Limit{Turns: 60}, time.Minute, 4 * time.Minute},
		"taken back": {store.Limit{Turns: 1}, store.Limit{}, time.Minute, 3 * time.Minute},
		"lowered":    {store.Limit{Turns: 2}, store.Limit{Turns: 1}, 4 * time.Minute, 12 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := store.New(&storetest.Memory{}, make([]byte, 32))
				require.NoError(t, s.SetLimit(t.Context(), "anthropic", row.was))
				mine := share.New(s, "w")
				first := time.Now()
				var group sync.WaitGroup
				for range 8 {
					group.Go(func() { assert.NoError(t, mine.Await(t.Context(), "anthropic", unheard)) })
				}
				time.Sleep(80 * time.Second)
				require.NoError(t, s.SetLimit(t.Context(), "anthropic", row.now))
				group.Wait()
				took := time.Since(first)
				require.Greater(t, took, row.least)
				require.Less(t, took, row.most)
			})
		})
	}
}

// Money that others have spent while a turn waited for its place is looked at before it begins,
// though the store fails half of the calls.
func TestMoneyIsLookedAtAgainAfterALongWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dice, failing := rand.New(rand.NewPCG(1, 1)), false
		memory := &storetest.Memory{}
		memory.Fails = func() (bool, bool) { return failing && dice.IntN(2) == 0, false }
		s := store.New(memory, make([]byte, 32))
		require.NoError(t, s.SetLimit(t.Context(), "anthropic", store.Limit{Turns: 1, USD: 1}))
		mine := share.New(s, "w")
		var begun atomic.Int64
		var group sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for range 8 {
			group.Go(func() {
				if mine.Await(ctx, "anthropic", unheard) == nil {
					begun.Add(1)
				}
			})
		}
		time.Sleep(150 * time.Second)
		before := begun.Load()
		require.NoError(t, share.New(s, "other").Spent(t.Context(), "anthropic", 1.5))
		failing = true
		time.Sleep(10 * time.Minute)
		require.Less(t, before, int64(4))
		require.LessOrEqual(t, begun.Load(), before+1)
		cancel()
		group.Wait()
	})
}
