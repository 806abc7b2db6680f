package supervisor_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// shared lets turns begin once it is opened.
type shared struct {
	open  chan struct{}
	mu    sync.Mutex
	asked map[string]int
	spent map[string]float64
}

func newShared() *shared {
	return &shared{open: make(chan struct{}), asked: map[string]int{}, spent: map[string]float64{}}
}

func (s *shared) Await(ctx context.Context, vendor string, told func(string)) error {
	s.mu.Lock()
	s.asked[vendor]++
	s.mu.Unlock()
	told("waits for " + vendor)
	select {
	case <-s.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *shared) Spent(_ context.Context, vendor string, usd float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent[vendor] += usd
	return nil
}

// rationed supervises a run whose turns have to wait, until all of its seats do.
func (c *councilRun) rationed(s *shared) <-chan flow.Run {
	c.begin()
	o := c.options()
	o.Allowance = s
	ended := make(chan flow.Run, 1)
	go func() {
		r, err := supervisor.Supervise(c.Context(), o)
		c.Log(err)
		ended <- r
	}()
	until(c.T, "both wait, and it is shown", func() bool {
		return c.has(workspace.Status) && strings.Contains(c.file(workspace.Status), "waits for ada") && strings.Contains(c.file(workspace.Status), "waits for bea")
	})
	return ended
}

const paid = good + `printf '{"text":"done","usd":0.25}\n'` + "\n"

func TestTurnsBeginWhenWhatRunsShareAllowsIt(t *testing.T) {
	t.Parallel()
	c, s := newCouncil(t, map[string]string{"ada": paid, "bea": good}), newShared()
	ended := c.rationed(s)
	time.Sleep(100 * time.Millisecond)
	require.Zero(t, c.turns("ada", "research")+c.turns("bea", "research"), "nothing is begun")
	close(s.open)
	r := <-ended
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.InDelta(t, r.Spent.USD, s.spent["ada"], 1e-9)
	require.NotZero(t, s.spent["ada"])
	require.Zero(t, s.spent["bea"])
}

func TestARunThatWaitsForItsTurnsEndsAtOnce(t *testing.T) {
	t.Parallel()
	c, s := newCouncil(t, map[string]string{"ada": good, "bea": good}), newShared()
	ended := c.rationed(s)
	f, err := workspace.Open(c.project, c.setup.ID)
	require.NoError(t, err)
	require.NoError(t, f.Write(workspace.Tombstone, []byte("the user cancelled it")))
	require.NoError(t, f.Close())
	r := <-ended
	require.Equal(t, flow.Cancelled, r.Status, r.Reason)
	require.Zero(t, c.turns("ada", "research")+c.turns("bea", "research"))
}

// Who asks for the report now gets what there is: turns that wait are not begun, and the
// synthesis is allowed its turn.
func TestARunThatWaitsForItsTurnsCanBeFinished(t *testing.T) {
	t.Parallel()
	c, s := newCouncil(t, map[string]string{"ada": good, "bea": good}), newShared()
	ended := c.rationed(s)
	c.drop(workspace.Note{Kind: workspace.FinishAsked, Detail: "finished early"})
	until(t, "research is over", func() bool { return !strings.Contains(c.file(workspace.Status), "waits for bea") })
	close(s.open)
	r := <-ended
	require.NotEmpty(t, r.Status)
	require.Zero(t, c.turns("ada", "research")+c.turns("bea", "research"))
}
