package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/base/proc/proctest"
)

// hookProgram builds the program as it is shipped.
func hookProgram(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "council-hook")
	build := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return bin
}

// child is the mark of what a test starts, by which the plugin's hooks are
// silent.
func child(t *testing.T) string { return marker.ChildVariable + "=" + t.Name() + "/" }

// supervise is a supervisor whose keeper is the program: it starts a tree, says
// who it is, and stays until it is killed or its test is gone.
func supervise(hook, dir string) int {
	p, err := proc.Starter{Keepers: []string{hook}}.Start(proc.Spec{
		Argv: []string{"sh", "-c", `sh -c 'echo $$ >left.new; mv left.new left; exec sleep 3600' & exec sleep 3600`},
		Env:  []string{"PATH=" + os.Getenv("PATH")}, Dir: dir, Grace: time.Second, Mark: marker.ChildVariable + "=" + os.Getenv(marker.ChildVariable),
	})
	if err != nil || json.NewEncoder(os.Stdout).Encode([]proc.Identity{p.Keeper(), p.Child()}) != nil {
		return 1
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // returns when the test is gone
	p.End()
	p.Wait()
	return 0
}

func gone(t *testing.T, list ...proc.Identity) {
	t.Helper()
	require.Eventually(t, func() bool {
		for _, id := range list {
			if id.Alive() {
				return false
			}
		}
		return true
	}, 20*time.Second, 5*time.Millisecond)
}

func TestTheProgramIsAKeeper(t *testing.T) {
	hook := hookProgram(t)
	t.Cleanup(func() { _, _ = proc.EndMarked(child(t)) })
	start := func(t *testing.T, script string) (*proc.Process, string) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte("asked\n"), 0o600))
		p, err := proc.Starter{Keepers: []string{hook}}.Start(proc.Spec{
			Argv: []string{"sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")}, Dir: dir, Grace: time.Second, Mark: child(t),
			Stdin: filepath.Join(dir, "in"), Stdout: filepath.Join(dir, "out"), Stderr: filepath.Join(dir, "err"),
		})
		require.NoError(t, err)
		return p, dir
	}
	t.Run("a child's streams are files, its end is told", func(t *testing.T) {
		p, dir := start(t, `cat; echo $`+marker.ChildVariable+` >&2; exit 75`)
		exit := p.Wait()
		require.Equal(t, 75, exit.Code)
		require.NoError(t, exit.Err)
		out, err := os.ReadFile(filepath.Join(dir, "out"))
		require.NoError(t, err)
		require.Equal(t, "asked\n", string(out))
		told, err := os.ReadFile(filepath.Join(dir, "err"))
		require.NoError(t, err)
		require.Equal(t, t.Name()+"/\n", string(told))
	})
	t.Run("who hears no request is killed", func(t *testing.T) {
		p, dir := start(t, `trap '' TERM; echo up; while :; do sleep 0.05; done`)
		require.Eventually(t, func() bool {
			out, err := os.ReadFile(filepath.Join(dir, "out"))
			return err == nil && len(out) > 0
		}, 20*time.Second, 5*time.Millisecond)
		p.End()
		exit := p.Wait()
		require.Equal(t, "SIGKILL", exit.Signal)
		require.True(t, exit.Ended)
	})
	t.Run("a keeper that is killed leaves nobody", func(t *testing.T) {
		p, _ := start(t, `sleep 3600 & exec sleep 3600`)
		proctest.Kill(t, p.Keeper().PID)
		p.Wait()
		_, err := proc.EndMarked(child(t))
		require.NoError(t, err)
		gone(t, p.Child())
	})
	t.Run("a daemon is nobody's child", func(t *testing.T) {
		id, err := proc.Starter{Keepers: []string{hook}}.Daemon([]string{"sleep", "3600"}, []string{"PATH=" + os.Getenv("PATH"), child(t)}, "", "")
		require.NoError(t, err)
		require.True(t, id.Alive())
		require.NoError(t, proc.EndIdentity(id, 0))
		gone(t, id)
	})
}

func TestTheProgramEndsTheTreeOfASupervisorThatIsKilled(t *testing.T) {
	hook, dir := hookProgram(t), t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(self)
	c.Env = []string{"COUNCIL_HOOK_SUPERVISES=" + hook, "COUNCIL_HOOK_IN=" + dir, "PATH=" + os.Getenv("PATH"), child(t), quickRace}
	stdin, err := c.StdinPipe()
	require.NoError(t, err)
	stdout, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		_, _ = proc.EndMarked(child(t))
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	require.NoError(t, err)
	var everybody []proc.Identity
	require.NoError(t, json.Unmarshal(bytes.TrimSpace(line), &everybody))
	var left []byte
	require.Eventually(t, func() bool {
		left, err = os.ReadFile(filepath.Join(dir, "left"))
		return err == nil
	}, 20*time.Second, 5*time.Millisecond)
	pid, err := strconv.Atoi(strings.TrimSpace(string(left)))
	require.NoError(t, err)
	id, err := proc.Identify(pid)
	require.NoError(t, err)
	require.NoError(t, c.Process.Kill())
	_ = c.Wait() // it was killed
	gone(t, append(everybody, id)...)
}
