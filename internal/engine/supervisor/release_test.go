package supervisor_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// A run that another release goes on with says so in its journal, its log and
// its state file; the hook of a third one is told of once.
func TestAnotherReleaseOnARunIsTold(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good})
	c.setup.Release, c.setup.Session = "0.0.8", "s1"
	c.setup.Turn = time.Hour
	c.begin()
	st, err := workspace.ReadState(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, "0.0.8", st.Release)
	f, err := workspace.Open(c.project, c.setup.ID)
	require.NoError(t, err)
	defer f.Close()
	for range 2 {
		require.NoError(t, f.DropNote(workspace.Note{Kind: workspace.PreCompact, Session: "s1", Release: "0.0.7", At: time.Now()}))
	}
	o := c.options()
	o.Release = "0.0.9 (abcdef0)"
	ctx, cancel := context.WithCancel(c.Context())
	ended := make(chan error)
	go func() {
		_, err := supervisor.Supervise(ctx, o)
		ended <- err
	}()
	var r flow.Run
	until(t, "the notes are facts", func() bool {
		r, err = supervisor.Read(c.project, c.setup.ID)
		return err == nil && len(r.Issues) > 0 && len(notes(t, f)) == 0
	})
	cancel()
	require.NoError(t, <-ended)
	require.Equal(t, "0.0.9", r.Release)
	require.Equal(t, "0.0.8", r.Setup.Release)
	facts, err := supervisor.Facts(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, flow.SupervisorStarted, facts[1].Kind)
	require.Equal(t, "release 0.0.9 goes on with what release 0.0.8 did", facts[1].Reason)
	require.Contains(t, c.file(workspace.Progress), "Taken up: release 0.0.9 goes on with what release 0.0.8 did\n")
	var told []string
	for _, is := range r.Issues {
		if is.Code == flow.OtherRelease {
			told = append(told, is.Detail)
		}
	}
	require.Equal(t, []string{"the session's hook is of release 0.0.7, the supervisor of release 0.0.9"}, told)
	st, err = workspace.ReadState(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, "0.0.9", st.Release)
}

func notes(t *testing.T, f *workspace.Folder) []workspace.Note {
	t.Helper()
	list, err := f.Notes()
	require.NoError(t, err)
	return list
}

// A journal that may not be written is a reason that people are shown, and the
// run goes on once it may.
func TestAJournalThatMayNotBeWrittenIsAReason(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write everything")
	}
	c := newCouncil(t, map[string]string{"ada": good})
	c.begin()
	path := filepath.Join(c.folder(), journal.Name)
	before := c.file(journal.Name)
	require.NoError(t, os.Chmod(path, 0o400))
	_, err := supervisor.Supervise(c.Context(), c.options())
	require.ErrorIs(t, err, fs.ErrPermission)
	f, err := workspace.Open(c.project, c.setup.ID)
	require.NoError(t, err)
	defer f.Close()
	require.Contains(t, f.PausedReason(), "permission denied; once it may be written, `council resume "+c.setup.ID+"` goes on")
	require.Equal(t, before, c.file(journal.Name))
	require.NoError(t, os.Chmod(path, 0o600))
	r, err := supervisor.Supervise(c.Context(), c.options())
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Empty(t, f.PausedReason())
}
