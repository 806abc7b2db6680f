package supervisor_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/supervisor"
)

// A seat of a run is any program: one that came with a repository starts none.
func TestARunThatCameWithARepositoryIsNotWorkedOn(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good})
	c.begin()
	run := filepath.Join(c.project, "research", c.setup.ID)
	c.git("init", "-q")
	checkOut := func() { // git gives files the time at which it writes them
		entries, err := os.ReadDir(run)
		require.NoError(t, err)
		for _, e := range entries {
			at := time.Now().Add(-2 * time.Hour)
			require.NoError(t, os.Chtimes(filepath.Join(run, e.Name()), at, at))
		}
	}
	before, err := os.ReadFile(filepath.Join(run, journal.Name))
	require.NoError(t, err)
	c.git("add", "-A")
	checkOut()
	_, err = supervisor.Supervise(t.Context(), c.options())
	require.ErrorContains(t, err, "was not begun here")
	_, err = supervisor.Detach(c.options())
	require.ErrorContains(t, err, "was not begun here")
	after, err := os.ReadFile(filepath.Join(run, journal.Name))
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	c.git("rm", "-r", "-q", "--cached", "research")
	r, err := supervisor.Supervise(t.Context(), c.options())
	require.NoError(t, err)
	require.NotEmpty(t, r.Status, "its owner may take it over")
}

// Whoever commits everything while a run is under way does not stop it.
func TestARunOfThisMachineThatWasCommittedGoesOn(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good})
	c.begin()
	c.git("init", "-q")
	c.git("add", "-A")
	r, err := supervisor.Supervise(t.Context(), c.options())
	require.NoError(t, err)
	require.NotEmpty(t, r.Status)
}
