package supervisor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// onSmallDisk puts a council's project on a disk of its own.
func onSmallDisk(t *testing.T, c *councilRun, how string) {
	if err := syscall.Mount("tmpfs", c.project, "tmpfs", 0, how); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(c.project, syscall.MNT_DETACH)) })
}

// events are the facts of a run.
func (c *councilRun) events() []flow.Event {
	facts, err := journal.Read(c.folder())
	require.NoError(c, err)
	var events []flow.Event
	for _, fact := range facts {
		var e flow.Event
		require.NoError(c, json.Unmarshal(fact, &e))
		events = append(events, e)
	}
	return events
}

// Whoever meets the full disk first: the run says why it is paused, and goes on
// by itself once there is room. No seat is blamed, and what was done stays done.
func TestAFullDiskPausesARunUntilThereIsRoom(t *testing.T) {
	t.Parallel()
	const (
		small = "size=24m"
		head  = `PROJECT="${RESEARCH_REPORT_PATH%/research/*}"` + "\n"
		once  = `if [ $ROLE = research ] && [ ! -e "$CALLS/filled" ]; then : > "$CALLS/filled"; `
		bytes = `dd if=/dev/zero of="$PROJECT/filler" bs=64k status=none; `
		files = `mkdir "$PROJECT/filler"; i=0; while echo > "$PROJECT/filler/$i"; do i=$((i+1)); done; `
	)
	for _, c := range []struct{ name, disk, script string }{
		{"a seat writes its report", small, once + bytes + "exit 1; fi\n" + good},
		{"a seat's report is cut short, and it does not notice", small, once + bytes + `yes | head -c 100000 > "$RESEARCH_REPORT_PATH"; exit 0; fi` + "\n" + good},
		{"the supervisor appends a fact", small, good + once + bytes + "fi\nexit 0\n"},
		{"the disk takes no more files", small + ",nr_inodes=400", once + files + "exit 1; fi\n" + good},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := newCouncil(t, map[string]string{"ada": head + c.script})
			run.setup.Workflow = "alone"
			onSmallDisk(t, run, c.disk)
			run.begin()
			f, err := workspace.Open(run.project, run.setup.ID)
			require.NoError(t, err)
			defer f.Close()
			done := make(chan error, 1)
			go func() {
				_, err := supervisor.Supervise(t.Context(), run.options())
				done <- err
			}()
			until(t, "it says why it is paused", func() bool { return f.PausedReason() != "" })
			require.Contains(t, f.PausedReason(), syscall.ENOSPC.Error())
			_, alive := supervisor.Alive(run.project, run.setup.ID)
			require.True(t, alive)
			require.NoError(t, os.RemoveAll(filepath.Join(run.project, "filler")))
			require.NoError(t, <-done)
			r, err := supervisor.Read(run.project, run.setup.ID)
			require.NoError(t, err)
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			require.Empty(t, f.PausedReason())
			require.Equal(t, 1, run.turns("ada", "research"))
			for _, e := range run.events() {
				require.False(t, e.Result != nil && e.Result.Fault != nil && !e.Result.Stopped, "nobody is to blame: %+v", e.Result)
			}
		})
	}
}
