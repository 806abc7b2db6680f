package carry_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/carry"
	"github.com/research-council/research-council/fleet/internal/mirror"
	"github.com/research-council/research-council/fleet/internal/store/storetest"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// fakeServer hands on what is said to a run to the one worker there is.
type fakeServer struct {
	*testing.T
	worker *carry.Worker
	said   []string
}

func (s *fakeServer) Say(ctx context.Context, run, kind string, words []byte) error {
	s.said = append(s.said, kind+" "+string(words))
	if kind == carry.Finish {
		return s.worker.Deliver(ctx, run, carry.Said{Kind: kind})
	}
	return nil
}

func (s *fakeServer) Cancel(_ context.Context, run string) error {
	s.said = append(s.said, "cancel "+run)
	return nil
}

// status is what council itself says of a run.
func (f *fleet) status(project, id string) (s struct {
	Status     string
	Supervisor int
},
) {
	c := exec.Command(filepath.Join(programs, "council"), "status", "--json", "--project", project, id)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + project}
	out, err := c.Output()
	require.NoError(f, err)
	require.NoError(f, json.Unmarshal(out, &s))
	return s
}

// What the store has of a run is shown here as one of this machine's own: fact by fact,
// with somebody who works on it, and in the end to the byte; and what is said to it
// here reaches who works on it.
func TestAMirrorShowsARunAsItIs(t *testing.T) {
	f := newFleet(t)
	job := f.question()
	w := f.worker("a")
	server := &fakeServer{T: t, worker: w}
	me, err := proc.Identify(os.Getpid())
	require.NoError(t, err)
	m := &mirror.Mirror{Store: f.store, Fleet: server, Dir: t.TempDir(), Holds: func() (proc.Identity, error) { return me, nil }}
	looks, spoken := 0, false
	end, err := w.Carry(t.Context(), job, func(facts int) {
		_, err := m.Look(t.Context(), job.Run)
		require.NoError(t, err)
		dir, id := m.Folder(job.Run)
		require.NotEmpty(t, dir)
		lines, err := journal.Read(dir)
		require.NoError(t, err)
		require.Len(t, lines, facts)
		if looks++; looks == 1 {
			require.Equal(t, me.PID, f.status(m.Dir, id).Supervisor, "somebody works on it")
		}
		if facts > 20 && !spoken {
			spoken = true
			here, err := workspace.Open(m.Dir, id)
			require.NoError(t, err)
			require.NoError(t, here.DropNote(workspace.Note{Kind: workspace.FinishAsked, At: time.Now()}))
			require.NoError(t, here.Close())
			_, err = m.Look(t.Context(), job.Run)
			require.NoError(t, err)
		}
	})
	require.NoError(t, err)
	require.Equal(t, "completed", end.Status)
	require.True(t, spoken)
	require.Equal(t, []string{"finish "}, server.said)

	_, err = m.Look(t.Context(), job.Run)
	require.NoError(t, err)
	dir, id := m.Folder(job.Run)
	st := f.status(m.Dir, id)
	require.Equal(t, "completed", st.Status)
	require.Zero(t, st.Supervisor)
	require.NoFileExists(t, filepath.Join(dir, "lease.json"))
	whole := filepath.Join(t.TempDir(), id)
	_, err = f.store.Fetch(t.Context(), job.Run, whole)
	require.NoError(t, err)
	require.Equal(t, storetest.Files(t, whole), storetest.Files(t, dir))

	changed, err := m.Look(t.Context(), job.Run)
	require.NoError(t, err)
	require.False(t, changed)
}

// Whoever cancels a run where it is shown cancels it in the fleet; what was made of it
// here gives way to what the store has.
func TestACancelOfWhatIsShownReachesTheFleet(t *testing.T) {
	f := newFleet(t)
	job := f.question()
	w := f.worker("a")
	server := &fakeServer{T: t, worker: w}
	m := &mirror.Mirror{Store: f.store, Fleet: server, Dir: t.TempDir()}
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	_, err := w.Carry(ctx, job, func(facts int) {
		_, err := m.Look(t.Context(), job.Run)
		require.NoError(t, err)
		if dir, id := m.Folder(job.Run); facts > 6 && len(server.said) == 0 {
			here, err := workspace.Open(m.Dir, id)
			require.NoError(t, err)
			require.NoError(t, here.Write(workspace.Tombstone, []byte("the user cancelled it")))
			require.NoError(t, here.Close())
			journal, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = journal.WriteString("a fact of this machine alone\n")
			require.NoError(t, err)
			require.NoError(t, journal.Close())
			_, err = m.Look(t.Context(), job.Run)
			require.NoError(t, err)
			stop(carry.ErrCancelled)
		}
	})
	require.NoError(t, err)
	require.Equal(t, []string{"cancel " + job.Run}, server.said)
	_, err = m.Look(t.Context(), job.Run)
	require.NoError(t, err)
	_, id := m.Folder(job.Run)
	require.Equal(t, "cancelled", f.status(m.Dir, id).Status)
	require.Len(t, server.said, 1)
}
