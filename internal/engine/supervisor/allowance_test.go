package supervisor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/allowance/allowancetest"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// rationed supervises a run whose turns have to wait, until all of its seats do.
func (c *councilRun) rationed(s *allowancetest.Shared) <-chan flow.Run {
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
	c, s := newCouncil(t, map[string]string{"ada": paid, "bea": good}), allowancetest.New()
	ended := c.rationed(s)
	require.Zero(t, c.turns("ada", "research")+c.turns("bea", "research"), "nothing is begun")
	s.Open()
	r := <-ended
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.InDelta(t, r.Spent.USD, s.Cost("ada"), 1e-9)
	require.NotZero(t, s.Cost("ada"))
	require.Zero(t, s.Cost("bea"))
}

func TestARunThatWaitsForItsTurnsEndsAtOnce(t *testing.T) {
	t.Parallel()
	c, s := newCouncil(t, map[string]string{"ada": good, "bea": good}), allowancetest.New()
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
	c, s := newCouncil(t, map[string]string{"ada": good, "bea": good}), allowancetest.New()
	ended := c.rationed(s)
	c.drop(workspace.Note{Kind: workspace.FinishAsked, Detail: "finished early"})
	until(t, "research is over", func() bool { return !strings.Contains(c.file(workspace.Status), "waits for bea") })
	s.Open()
	r := <-ended
	require.NotEmpty(t, r.Status)
	require.Zero(t, c.turns("ada", "research")+c.turns("bea", "research"))
}
