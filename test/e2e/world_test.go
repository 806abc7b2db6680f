// Package e2e_test drives the real council, council-hook and plugin with the
// real command lines of claude, codex and gemini against scripted models on
// loopback.
package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/test/cli"
)

// plugin is the folder of the plugin under test, as it is shipped.
var plugin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if name := filepath.Base(os.Args[0]); asRalph(name) || asAgent(name, os.Args[1:]) {
		return 0
	}
	cli.OnDisk()
	dir, err := os.MkdirTemp("", "council e2e-") // with a space: paths are never words of a shell
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	plugin = filepath.Join(dir, "plugin")
	if err := lay(plugin); err != nil {
		fmt.Fprintln(os.Stderr, "lay the plugin down:", err)
		return 1
	}
	return m.Run()
}

func lay(plugin string) error {
	root := filepath.Join("..", "..")
	for _, name := range []string{".claude-plugin", "commands", "hooks", "agents", "skills"} {
		if err := os.CopyFS(filepath.Join(plugin, name), os.DirFS(filepath.Join(root, name))); err != nil {
			return err
		}
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-s -w", "-o", filepath.Join(plugin, "bin")+"/", "./cmd/council", "./cmd/council-hook")
	build.Dir, build.Stderr = root, os.Stderr
	return build.Run()
}

// world is a user's machine: a home and a project of their own, the CLIs in
// the PATH, and scripted models behind them.
type world struct {
	*testing.T
	*models
	root, home, project string
	environ             []string
}

func newWorld(t *testing.T, script ...rule) *world {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &world{T: t, models: serve(t, append(script, planned())...), root: root, home: filepath.Join(root, "home"), project: filepath.Join(root, "a project's é")}
	bin := filepath.Join(root, "bin")
	for _, dir := range []string{w.home, w.project, bin} {
		require.NoError(t, os.Mkdir(dir, 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(w.project, "notes.md"), []byte(pacing), 0o600))
	for _, name := range []string{"claude", "codex", "gemini"} {
		require.NoError(t, os.Symlink(cli.Path(t, name), filepath.Join(bin, name)))
	}
	node, err := exec.LookPath("node")
	require.NoError(t, err)
	w.environ = append([]string{
		"PATH=" + bin + ":" + filepath.Dir(node) + ":/usr/bin:/bin", "HOME=" + w.home, "TERM=xterm-256color", "LANG=C.UTF-8",
		"TMPDIR=" + w.temp(), // apart from the home: codex's sandbox starts nothing from below a temporary folder
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}, w.env()...)
	t.Cleanup(func() { w.end(); w.tell() })
	return w
}

// result is how a program ended.
type result struct {
	out, errs string
	code      int
}

// program is a program in the project, not yet started.
func (w *world) program(within time.Duration, argv ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(w.Context(), within)
	w.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = w.project, w.environ, 5*time.Second
	cmd.Stdout, cmd.Stderr = new(bytes.Buffer), new(bytes.Buffer)
	return cmd
}

func (w *world) council(args ...string) *exec.Cmd {
	return w.program(patience, append([]string{filepath.Join(plugin, "bin", "council")}, args...)...)
}

// session is a session of the user's with the plugin, told one thing.
func (w *world) session(prompt string, args ...string) *exec.Cmd {
	return w.program(patience, append([]string{filepath.Join(w.root, "bin", "claude"), "-p", prompt, "--plugin-dir", plugin, "--permission-mode", "acceptEdits"}, args...)...)
}

func (w *world) done(cmd *exec.Cmd) result {
	return w.ended(cmd, cmd.Run())
}

// ended is how a program has ended, by what Run or Wait has returned.
func (w *world) ended(cmd *exec.Cmd, err error) result {
	w.Helper()
	r := result{out: fmt.Sprint(cmd.Stdout), errs: fmt.Sprint(cmd.Stderr)}
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		r.code = failed.ExitCode()
	} else {
		require.NoError(w, err, r.errs)
	}
	return r
}

// run is the folder of the project's only run.
func (w *world) run() string {
	w.Helper()
	list := w.runs()
	require.Len(w, list, 1)
	return list[0]
}

func (w *world) runs() []string {
	list, err := filepath.Glob(filepath.Join(w.project, "research", "*-*-*"))
	require.NoError(w, err)
	return list
}

func content(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return string(data)
}

func (w *world) status(run string) status.Status {
	var st status.Status
	require.NoError(w, json.Unmarshal([]byte(content(w.T, run, "status.json")), &st))
	return st
}

// processes are those that bear a run's mark.
func processes(t *testing.T, mark string) []int {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	var list []int
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(env, []byte(mark)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// nothingRuns waits for every process of this world to be gone.
func (w *world) nothingRuns() {
	w.Helper()
	until(w.T, "nothing of the run is left running", 30*time.Second, func() bool { return len(processes(w.T, "HOME="+w.home)) == 0 })
}

// end ends whatever a failed test has left running.
func (w *world) end() {
	for _, pid := range processes(w.T, "HOME="+w.home) {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended
		}
	}
}

// tell shows what there is to know of a failed test.
func (w *world) tell() {
	if !w.Failed() {
		return
	}
	for i, r := range w.asked("", "") {
		w.Logf("request %d: %s %s %s: … %.200q", i, r.vendor, r.model, r.session, r.last)
	}
	for _, run := range w.runs() {
		for _, name := range []string{"progress.log", "supervisor.log"} {
			data, _ := os.ReadFile(filepath.Join(run, name)) // it may not be there
			w.Logf("%s:\n%s", name, data)
		}
	}
}

// patience is how long something may take that is to happen: a bound on a
// machine with other work, not a measure.
const patience = 10 * time.Minute

// until waits for something to hold.
func until(t *testing.T, what string, within time.Duration, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	over := time.After(within)
	for !holds() {
		select {
		case <-tick.C:
		case <-over:
			require.FailNow(t, "it never happened: "+what)
		}
	}
}

// lacks lists which of these files a run lacks, or has only empty.
func lacks(run string, names ...string) (missing []string) {
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(run, name)); err != nil || info.Size() == 0 {
			missing = append(missing, name)
		}
	}
	return missing
}

var prose = strings.Repeat("The collector starts a cycle when the heap has grown to its goal, and paces itself by what the program allocates. ", 5)

// temp is the temporary folder of all programs of this world.
func (w world) temp() string {
	dir := filepath.Join(w.root, "temp")
	require.NoError(w, os.MkdirAll(dir, 0o700))
	return dir
}
