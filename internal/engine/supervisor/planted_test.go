package supervisor_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// madeAnew lays a run's files down as an archive that is unpacked, or a commit that is
// checked out: whole, with the times they had, and begun so long before.
func (c *councilRun) madeAnew(before time.Duration) {
	c.Helper()
	run := filepath.Join(c.project, "research", c.setup.ID)
	require.NoError(c, os.Rename(run, run+".old"))
	require.NoError(c, os.CopyFS(run, os.DirFS(run+".old")))
	require.NoError(c, os.RemoveAll(run+".old"))
	c.editFacts(func(e *flow.Event) { e.At = e.At.Add(-before) })
}

// A seat of a run is any program: one that came with a project starts none, until the
// person says so.
func TestARunThatCameFromElsewhereIsNotWorkedOn(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good})
	c.begin()
	c.madeAnew(2 * time.Hour)
	before := c.journal()
	_, err := supervisor.Supervise(t.Context(), c.options())
	require.ErrorIs(t, err, supervisor.ErrForeign)
	_, err = supervisor.Detach(c.options())
	require.ErrorIs(t, err, supervisor.ErrForeign)
	require.ErrorIs(t, supervisor.Reopen(c.options(), c.setup, ""), supervisor.ErrForeign)
	require.Equal(t, before, c.journal())
	require.NoError(t, supervisor.Cancel(t.Context(), c.options(), "not mine"), "it can be ended")
}

// A copy of a fleet's run is a copy even where it lies here as early as one begun here.
func TestACopyOfAFleetsRunIsNotWorkedOn(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good})
	c.begin()
	require.NoError(t, workspace.MarkMirrored(c.project, c.setup.ID, workspace.Mirrored{Run: "council-e0f9", Store: "file:///srv/runs"}))
	before := c.journal()
	_, err := supervisor.Supervise(t.Context(), c.options())
	require.ErrorIs(t, err, supervisor.ErrMirrored)
	_, err = supervisor.Detach(c.options())
	require.ErrorIs(t, err, supervisor.ErrMirrored)
	require.ErrorIs(t, supervisor.Reopen(c.options(), c.setup, ""), supervisor.ErrMirrored)
	require.ErrorIs(t, supervisor.Amend(c.options(), func(supervisor.Amendment) error { return nil }), supervisor.ErrMirrored)
	require.Equal(t, before, c.journal())
	require.NoError(t, supervisor.TakeOver(c.project, c.setup.ID))
	require.NoError(t, supervisor.CheckBegunHere(c.project, c.setup.ID))
}

func TestARunFromElsewhereIsTrustedForWhatItStarts(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good})
	c.begin()
	c.madeAnew(2 * time.Hour)
	for range 2 {
		require.NoError(t, supervisor.Trust(c.project, c.setup.ID))
	}
	require.NoError(t, supervisor.CheckBegunHere(c.project, c.setup.ID))
	c.editFacts(func(e *flow.Event) {
		if e.Setup != nil {
			e.Setup.Seats[0].Program = "/tmp/another"
		}
	})
	require.ErrorIs(t, supervisor.CheckBegunHere(c.project, c.setup.ID), supervisor.ErrForeign, "it starts another program now")
	require.NoError(t, supervisor.Trust(c.project, c.setup.ID))
	require.NoError(t, supervisor.CheckBegunHere(c.project, c.setup.ID))
	moved := filepath.Join(t.TempDir(), "moved")
	require.NoError(t, os.CopyFS(moved, os.DirFS(c.project)))
	require.ErrorIs(t, supervisor.CheckBegunHere(moved, c.setup.ID), supervisor.ErrForeign, "the same in another place")
}

// Whoever commits everything while a run is under way, or moves its project, does not
// stop it.
func TestARunOfThisMachineGoesOn(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good})
	c.begin()
	c.git("init", "-q")
	c.git("add", "-A")
	entries, err := os.ReadDir(c.folder())
	require.NoError(t, err)
	for _, e := range entries { // whatever their times were set to
		at := time.Now().Add(-2 * time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(c.folder(), e.Name()), at, at))
	}
	r, err := supervisor.Supervise(t.Context(), c.options())
	require.NoError(t, err)
	require.NotEmpty(t, r.Status)
}
