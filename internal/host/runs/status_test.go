package runs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/staged"
)

func TestWhatHasEndedIsBegunAnewByItsOwnCommand(t *testing.T) {
	for command, s := range map[string]status.Status{
		"run": {Workflow: council.Workflow().Name}, "staged": {Workflow: staged.Name}, "review": {Workflow: codereview.Name},
	} {
		s.ID, s.Status = "20260222-143000-a1b2c3", "cancelled"
		require.Equal(t, "run 20260222-143000-a1b2c3 has ended (cancelled); begin a new one with `council "+command+"`", WhyNotResumable(s))
	}
}

// A run that was begun a moment ago is not paused because its supervisor is on its way.
func TestARunThatWasJustBegunIsStarting(t *testing.T) {
	project := t.TempDir()
	now := time.Now()
	for id, began := range map[string]time.Time{"20260222-143000-a1b2c3": now, "20260222-143001-000000": now.Add(-time.Minute)} {
		f, err := product.Begin(flow.Setup{ID: id, Workflow: "council", Topic: "Why?", Root: project, Seats: []flow.Seat{flow.LibrarianSeat()}}, began)
		require.NoError(t, err)
		t.Cleanup(func() { _ = f.Close() })
		s, err := Status(project, id)
		require.NoError(t, err)
		require.Equal(t, began.Equal(now), s.Starting)
		require.Equal(t, !began.Equal(now), s.IsUnattended())
		me, err := proc.Self()
		require.NoError(t, err)
		lease, err := journal.TakeLease(f.Path, journal.Holder{PID: me.PID, Start: me.Start}, now)
		require.NoError(t, err)
		t.Cleanup(func() { _ = lease.Release() })
		s, err = Status(project, id)
		require.NoError(t, err)
		require.False(t, s.Starting || s.IsUnattended())
	}
}

// A supervisor takes a moment to put its things away. A run that has ended is no
// longer the one that is under way.
func TestARunThatHasEndedIsNotUnderWay(t *testing.T) {
	project := t.TempDir()
	const older, newer = "20260222-143000-a1b2c3", "20260222-143001-000000"
	me, err := proc.Self()
	require.NoError(t, err)
	for _, id := range []string{older, newer} {
		f, err := product.Begin(flow.Setup{ID: id, Workflow: "council", Topic: "Why?", Root: project, Seats: []flow.Seat{flow.LibrarianSeat()}}, time.Now())
		require.NoError(t, err)
		if id == older {
			lease, err := journal.TakeLease(f.Path, journal.Holder{PID: me.PID, Start: me.Start}, time.Now())
			require.NoError(t, err)
			t.Cleanup(func() { _ = lease.Release() })
		}
		require.NoError(t, f.Close())
	}
	require.Equal(t, []string{older}, Running(project, []string{older, newer}))
	ended, err := json.Marshal(status.Status{ID: older, Status: "completed"})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(project, "research", older, "status.json"), ended, 0o600))
	require.Empty(t, Running(project, []string{older, newer}))
}
