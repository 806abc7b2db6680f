package supervisor_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product"
)

// fullDisk names the variable that tells a supervisor how many bytes a file
// may have: beyond them writing fails, as on a full disk.
const fullDisk = "TEST_FULL_DISK"

func fill(size string) {
	n, err := strconv.ParseUint(size, 10, 64)
	if err != nil {
		return // the disk is not full
	}
	_ = proctest.LimitFileSize(n) // to the end of this process
}

// Wherever a run is when the disk is full, it ends with one error, leaves no
// half-written artefact, and goes on once there is room.
func TestAFullDiskIsOneErrorAndNoHalfState(t *testing.T) {
	t.Parallel()
	whole := newCrash(t)
	require.True(t, whole.supervised(0))
	want := whole.findings()
	for _, size := range []string{"900", "1500", "2500", "4000", "6000", "8000", "10000", "12000"} {
		t.Run(size+" bytes", func(t *testing.T) {
			c := newCrash(t)
			cmd := exec.Command(self(), "supervise", "--project", c.project, c.setup.ID)
			cmd.Env = append(os.Environ(), fullDisk+"="+size)
			said, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			require.Equal(t, 1, exit.ExitCode())
			require.Contains(t, string(said), syscall.EFBIG.Error())
			require.Equal(t, 1, strings.Count(string(said), "\n"), string(said))
			for name, text := range c.findings() {
				if name == "registry.json" {
					require.True(t, json.Valid([]byte(text)), "it grows with the run, and is always whole")
					continue
				}
				require.Equal(t, want[name], text, name)
			}
			beside, err := filepath.Glob(filepath.Join(c.folder(), "*.new"))
			require.NoError(t, err)
			require.Empty(t, beside)

			require.True(t, c.supervised(0))
			r, err := supervisor.Read(c.project, c.setup.ID)
			require.NoError(t, err)
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			require.Equal(t, want, c.findings())
		})
	}
}

func TestARunThatCannotBeLaidDownLeavesNothing(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for name, lay := range map[string]func(project string) error{
		"a full disk": func(string) error { return nil },
		"no place for the state file": func(project string) error {
			return os.Symlink(outside, filepath.Join(project, ".claude"))
		},
		"a file where the runs go": func(project string) error {
			return os.WriteFile(filepath.Join(project, "research"), nil, 0o600)
		},
		"runs that lie elsewhere": func(project string) error {
			return os.Symlink(outside, filepath.Join(project, "research"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCouncil(t, map[string]string{"ada": good})
			c.setup.Session = "s1"
			require.NoError(t, lay(c.project))
			var err error
			if name == "a full disk" {
				err = beginFull(t, c.setup, "300")
			} else {
				_, err = product.Begin(c.setup, time.Now())
			}
			require.Error(t, err)
			require.NotContains(t, err.Error(), "\n")
			require.False(t, c.has("."))
			require.Empty(t, workspace.SessionRun(c.project, "s1"))
			left, err := os.ReadDir(outside)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// beginFull lays a run down in a process none of whose files may grow beyond a
// size. It cannot be this process: the test harness writes files of its own.
func beginFull(t *testing.T, s flow.Setup, size string) error {
	data, err := json.Marshal(s)
	require.NoError(t, err)
	setup := filepath.Join(t.TempDir(), "setup.json")
	require.NoError(t, os.WriteFile(setup, data, 0o600))
	cmd := exec.Command(self(), "begin", setup)
	cmd.Env = append(os.Environ(), fullDisk+"="+size)
	said, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimSpace(string(said)))
}

// A run whose folder is taken away under it ends with an error too.
func TestARunFolderThatVanishesEndsTheRun(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": `echo > "$CALLS/waits"; while [ ! -e "$CALLS/go" ]; do sleep 0.05; done` + "\n" + good})
	c.begin()
	done := make(chan error, 1)
	go func() {
		_, err := supervisor.Supervise(t.Context(), c.options())
		done <- err
	}()
	until(t, "it is under way", func() bool { return c.waits() == 1 })
	until(t, "it is removed, whatever is written meanwhile", func() bool { return os.RemoveAll(c.folder()) == nil })
	require.Error(t, <-done)
	require.False(t, c.has("."), "what a person removed is not made again")
}

// A state file that a person deletes in mid-run stays deleted and holds up
// neither the run nor its end.
func TestADeletedStateFileHoldsUpNothing(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": `if [ $ROLE = research ]; then echo > "$CALLS/waits"; while [ ! -e "$CALLS/go" ]; do sleep 0.05; done; fi` + "\n" + good})
	c.setup.Session, c.setup.Workflow = "s1", "alone"
	c.begin()
	require.Equal(t, c.setup.ID, workspace.SessionRun(c.project, "s1"))
	done := make(chan error, 1)
	go func() {
		_, err := supervisor.Supervise(t.Context(), c.options())
		done <- err
	}()
	until(t, "it is under way", func() bool { return c.waits() == 1 })
	state := filepath.Join(c.project, ".claude", "deep-research.local.md")
	require.NoError(t, os.Remove(state))
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "go"), nil, 0o600))
	require.NoError(t, <-done)
	require.NoFileExists(t, state)
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.NoError(t, supervisor.Cancel(t.Context(), c.options(), "too late"))
	_, err = workspace.ReadState(c.project, c.setup.ID)
	require.True(t, errors.Is(err, workspace.ErrNoState))
}

// A session that cannot be asked is like one that is gone: a seat takes its
// place.
func TestASessionThatCannotBeAskedIsReplaced(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good})
	c.setup.Session = "s1"
	c.begin()
	prompts := filepath.Join(c.folder(), workspace.Prompts)
	require.NoError(t, os.Remove(prompts))
	require.NoError(t, os.WriteFile(prompts, nil, 0o600))
	r, err := supervisor.Supervise(t.Context(), c.options())
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Contains(t, c.file("progress.log"), "wrote no synthesis")
	require.True(t, c.has("synthesis.md"))
}
