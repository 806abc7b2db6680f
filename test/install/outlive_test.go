package install_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc/proctest"
)

// programs builds council and council-hook as they are shipped, once.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "programs")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", dir+"/", "../../cmd/council", "../../cmd/council-hook")
	cmd.Env, cmd.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	return dir, errors.Join(cmd.Run(), os.Chmod(dir, 0o755)) // another user is to come by
})

// home is a user with a project and a plugin of their own.
type home struct {
	*testing.T
	root, plugin, project string
	env                   []string
}

// newHome lays a plugin down whose programs are found by the launchers, and a
// seat that writes nothing until a file named go stands in the home.
func newHome(t *testing.T) *home {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	h := &home{T: t, root: root, plugin: filepath.Join(root, "a plugin"), project: filepath.Join(root, "project")}
	for _, dir := range []string{filepath.Join(h.plugin, "bin"), h.project, filepath.Join(root, ".config", "research-council")} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	built, err := programs()
	require.NoError(t, err)
	for _, name := range []string{"council", "council-hook"} {
		h.copy(filepath.Join("../../bin", name), name)
		h.copy(filepath.Join(built, name), name+"-"+triple)
	}
	require.NoError(t, os.WriteFile(filepath.Join(h.project, "notes.md"), []byte("The kettle rests while it is empty. It boils when it is full.\n"), 0o600))
	slow := filepath.Join(root, "slow")
	require.NoError(t, os.WriteFile(slow, []byte(`#!/bin/sh
cat >/dev/null
while [ ! -e "$HOME/go" ]; do sleep 0.05; done
{ echo '# Executive Summary'; echo; echo 'The kettle rests while it is empty.'; echo; echo '# Key Findings'; echo
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do echo "A finding, the one of number $n, that says something of the kettle."; done
echo; echo '<!-- RESEARCH_COMPLETE -->'; } >"$RESEARCH_REPORT_PATH"
`), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".config", "research-council", "config.yaml"), []byte("commands: {slow: {program: "+slow+", brand: other}}\n"), 0o600))
	h.env = []string{"HOME=" + root, "PATH=/usr/bin:/bin", "CLAUDE_PLUGIN_ROOT=" + h.plugin, "CLAUDE_PLUGIN_DATA=" + filepath.Join(root, "data")}
	return h
}

func (h *home) copy(from, to string) {
	data, err := os.ReadFile(from)
	require.NoError(h, err)
	require.NoError(h, os.WriteFile(filepath.Join(h.plugin, "bin", to), data, 0o755))
}

func (h *home) council(program string, args ...string) string {
	h.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = h.project, h.env
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(h, err, "%s%s", out, errs.String())
	return string(out) + errs.String()
}

// run begins a run of the slow seat and of the librarian, and gives its folder.
func (h *home) run() string {
	h.Helper()
	h.council(filepath.Join(h.plugin, "bin", "council"), "run", "--detach", "--test", "--seats", "slow,librarian", "--scope", ".", "--debate", "off", "When does the kettle rest?")
	list, err := filepath.Glob(filepath.Join(h.project, "research", "*-*-*"))
	require.NoError(h, err)
	require.Len(h, list, 1)
	return list[0]
}

func (h *home) status(run string) (s struct{ Status string }) {
	if data, err := os.ReadFile(filepath.Join(run, "status.json")); err == nil {
		_ = json.Unmarshal(data, &s) // it is replaced whole; nothing yet is nothing
	}
	return s
}

// supervisor is the executable of the process that works on a run.
func (h *home) supervisor(run string) (exe string) {
	h.Helper()
	require.Eventually(h, func() bool {
		list, err := filepath.Glob("/proc/[0-9]*/cmdline")
		require.NoError(h, err)
		for _, file := range list {
			line, err := os.ReadFile(file)
			if words := strings.Split(string(line), "\x00"); err == nil && len(words) > 4 && words[1] == "supervise" && words[4] == filepath.Base(run) {
				exe, err = os.Readlink(filepath.Join(filepath.Dir(file), "exe"))
				return err == nil
			}
		}
		return false
	}, time.Minute, 5*time.Millisecond)
	return exe
}

func (h *home) ends(run string) {
	h.Helper()
	require.NoError(h, os.WriteFile(filepath.Join(h.root, "go"), nil, 0o600))
	require.Eventually(h, func() bool { return h.status(run).Status == "completed" }, 2*time.Minute, 10*time.Millisecond, "%s", run)
	require.FileExists(h, filepath.Join(run, "final-report.md"))
}

// A run goes on from its own copy when the plugin is updated, which leaves and
// then removes the folder it was begun from.
func TestARunOutlivesItsPlugin(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("executables of processes are looked up in /proc")
	}
	h := newHome(t)
	run := h.run()
	exe := h.supervisor(run)
	require.Regexp(t, "^"+filepath.Join(h.root, "data", "bin")+"/[0-9a-f]{16}/council$", exe)
	require.NoError(t, os.RemoveAll(h.plugin))
	h.ends(run)
	log, err := os.ReadFile(filepath.Join(run, "supervisor.log"))
	require.NoError(t, err)
	require.NotContains(t, string(log), h.plugin)
	require.Contains(t, h.council(exe, "status"), "completed", "the copy is a whole program")
}

// Where no copy can be made the run works all the same, and says what that means.
func TestARunWithoutACopySaysSo(t *testing.T) {
	h := newHome(t)
	require.NoError(t, os.WriteFile(filepath.Join(h.root, "data"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(h.root, "go"), nil, 0o600))
	said := h.council(filepath.Join(h.plugin, "bin", "council"), "run", "--test", "--seats", "librarian", "--scope", ".", "--debate", "off", "When does the kettle rest?")
	require.Contains(t, said, "does not outlive its removal")
}

// A build that writes over the plugin's file harms no run: the copy shares
// nothing with it.
func TestARunOutlivesABuildInPlace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("executables of processes are looked up in /proc")
	}
	h := newHome(t)
	run := h.run()
	exe := h.supervisor(run)
	info, err := os.Lstat(exe)
	require.NoError(t, err)
	require.EqualValues(t, 1, proctest.Links(info))
	for _, name := range []string{"council", "council-hook"} { // in place, as cp does it
		require.NoError(t, os.WriteFile(filepath.Join(h.plugin, "bin", name+"-"+triple), []byte("half a build"), 0o755))
	}
	h.ends(run)
}

// The host deletes the data folder with the plugin unless it is told to keep
// it: the run ends, or stands still for another release to resume, and makes no
// data folder anew.
func TestARunWhoseCopyIsTakenAwayIsNotLost(t *testing.T) {
	h := newHome(t)
	run := h.run()
	require.NoError(t, os.RemoveAll(h.plugin))
	require.NoError(t, os.RemoveAll(filepath.Join(h.root, "data")))
	require.NoError(t, os.WriteFile(filepath.Join(h.root, "go"), nil, 0o600))
	built, err := programs()
	require.NoError(t, err)
	council := filepath.Join(built, "council")
	require.Eventually(t, func() bool {
		log, err := os.ReadFile(filepath.Join(run, "supervisor.log"))
		return h.status(run).Status == "completed" || err == nil && strings.Contains(string(log), "council resume "+filepath.Base(run))
	}, 2*time.Minute, 10*time.Millisecond)
	h.council(council, "resume", filepath.Base(run))
	h.ends(run)
	require.NoDirExists(t, filepath.Join(h.root, "data"))
}

// The next release works beside a run of the one before: each from its copy,
// and the older copy stays as long as it is used.
func TestTwoReleasesWorkSideBySide(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("executables of processes are looked up in /proc")
	}
	h := newHome(t)
	old := h.run()
	before := h.supervisor(old)
	next := filepath.Join(h.root, "next")
	require.NoError(t, os.Mkdir(next, 0o755))
	build := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w -buildid=next", "-o", next+"/", "../../cmd/council", "../../cmd/council-hook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, os.RemoveAll(h.plugin))
	require.NoError(t, os.Mkdir(h.plugin, 0o755))
	require.NoError(t, os.Rename(next, filepath.Join(h.plugin, "bin")))
	said := h.council(filepath.Join(h.plugin, "bin", "council"), "run", "--detach", "--test", "--seats", "librarian", "--scope", ".", "--debate", "off", "When does the kettle boil?")
	require.NotEmpty(t, said)
	runs, err := filepath.Glob(filepath.Join(h.project, "research", "*-*-*"))
	require.NoError(t, err)
	require.Len(t, runs, 2)
	young := runs[0]
	if young == old {
		young = runs[1]
	}
	h.ends(young)
	require.FileExists(t, before, "it is in use")
	h.ends(old)
	kept, err := filepath.Glob(filepath.Join(h.root, "data", "bin", "????????????????"))
	require.NoError(t, err)
	require.Len(t, kept, 2)
}
