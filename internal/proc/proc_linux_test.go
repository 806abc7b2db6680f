package proc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The test binary is also the keeper, the supervisor that is killed, and the
// fugitive that will not be caught: real processes all of them.
func TestMain(m *testing.M) {
	if code, mine := Main(os.Args); mine {
		os.Exit(code)
	}
	if len(os.Args) > 2 && os.Args[1] == "fugitive" {
		fugitive(os.Args[2])
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == "writer" {
		writeEvents(os.Args[2])
		os.Exit(0)
	}
	if len(os.Args) > 3 && os.Args[1] == "supervisor" {
		supervise(os.Args[2], os.Args[3])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// markOf is a test's own mark; it ends so that no mark begins another.
func markOf(t *testing.T) string { return "PROC_TEST_MARK=" + t.Name() + "/" }

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// supervise is a supervisor: it starts a fugitive, and ends it in good order
// when it is asked to end by a signal it can hear.
func supervise(kind, dir string) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	p, err := NewStarter(self()).Start(Spec{
		Argv: []string{self(), "fugitive", kind}, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH")}, Grace: 200 * time.Millisecond,
		Stdout: filepath.Join(dir, "out"), Stderr: filepath.Join(dir, "err"), Mark: os.Getenv("PROC_TEST_MARK_FOR"),
	})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ready")
	select {
	case <-asked:
	case <-p.Done():
	}
	p.End()
	p.Wait()
}

func spawn(attr *syscall.SysProcAttr, kind string) {
	c := exec.Command(self(), "fugitive", kind)
	c.Stdout, c.SysProcAttr = os.Stdout, attr
	if err := c.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// linger stays until it is ended, and tells the test that it is there.
func linger() {
	if err := os.WriteFile("grown-"+strconv.Itoa(os.Getpid()), nil, 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	for {
		time.Sleep(time.Hour)
	}
}

func fugitive(kind string) {
	name, depth, _ := strings.Cut(kind, ":")
	switch name {
	case "ignores-term":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	case "deep-tree":
		if n, _ := strconv.Atoi(depth); n < 6 {
			spawn(nil, fmt.Sprintf("deep-tree:%d", n+1))
		}
	case "setsid":
		spawn(&syscall.SysProcAttr{Setsid: true}, "ignores-term")
	case "double-fork":
		if depth == "" {
			spawn(&syscall.SysProcAttr{Setsid: true}, "double-fork:2")
		} else {
			spawn(&syscall.SysProcAttr{Setsid: true}, "ignores-term")
			return
		}
	case "holds-stdout":
		spawn(nil, "ignores-term")
		for grown, _ := filepath.Glob("grown-*"); len(grown) == 0; grown, _ = filepath.Glob("grown-*") {
			time.Sleep(time.Millisecond)
		}
		return
	case "spawns-on":
		for range 400 {
			spawn(&syscall.SysProcAttr{Setsid: true}, "lingers")
			time.Sleep(2 * time.Millisecond)
		}
	case "stopped":
		spawn(nil, "ignores-term")
		if err := os.WriteFile("grown-"+strconv.Itoa(os.Getpid()), nil, 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	case "floods":
		if err := os.WriteFile("grown-"+strconv.Itoa(os.Getpid()), nil, 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		line := bytes.Repeat([]byte("x"), 1<<10)
		for range 64 << 10 {
			if _, err := os.Stdout.Write(line); err != nil {
				break
			}
		}
	}
	linger()
}

// carriers lists who lives and bears a mark.
func carriers(t *testing.T, mark string) []Identity {
	living, _, err := newTree(mark).look()
	require.NoError(t, err)
	return living
}

// until looks again and again, up to a bound that only a failure reaches.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	bound := time.After(20 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-bound:
			require.FailNow(t, "it never happened: "+what)
		}
	}
}

func TestNoFugitiveIsLeft(t *testing.T) {
	signals := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}
	for _, kind := range []string{"ignores-term", "deep-tree", "setsid", "double-fork", "holds-stdout", "spawns-on", "stopped", "floods"} {
		for name, sig := range signals {
			t.Run(kind+"/"+name, func(t *testing.T) {
				mark := markOf(t)
				t.Cleanup(func() { _, _ = Sweep(mark) })
				dir := t.TempDir()
				c := exec.Command(self(), "supervisor", kind, dir)
				c.Env = []string{"PATH=" + os.Getenv("PATH"), "PROC_TEST_MARK_FOR=" + mark}
				out, err := c.StdoutPipe()
				require.NoError(t, err)
				require.NoError(t, c.Start())
				line, err := bufio.NewReader(out).ReadString('\n')
				require.NoError(t, err)
				require.Equal(t, "ready\n", line)
				until(t, "the tree has grown", func() bool {
					grown, _ := filepath.Glob(filepath.Join(dir, "grown-*"))
					return len(grown) > 0
				})
				require.NoError(t, c.Process.Signal(sig))
				_ = c.Wait() // a killed supervisor ends with an error, as it should
				until(t, "no process is left", func() bool { return len(carriers(t, mark)) == 0 })
			})
		}
	}
}

func start(t *testing.T, spec Spec) (*Process, error) {
	t.Helper()
	if spec.Dir == "" {
		spec.Dir = t.TempDir()
	}
	spec.Mark = markOf(t)
	spec.Env = append(spec.Env, "PATH="+os.Getenv("PATH"))
	t.Cleanup(func() { _, _ = Sweep(spec.Mark) })
	return NewStarter(self()).Start(spec)
}

func TestExitIsToldAsItWas(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	cases := map[string]struct {
		script string
		want   Exit
	}{
		"success":                {"echo done", Exit{}},
		"a status":               {"exit 75", Exit{Code: 75}},
		"a signal":               {"kill -9 $$", Exit{Code: -1, Signal: "SIGKILL"}},
		"a grandchild's leaving": {"sleep 3600 & exit 3", Exit{Code: 3}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p, err := start(t, Spec{Argv: []string{"sh", "-c", c.script}, Stdout: out})
			require.NoError(t, err)
			got := p.Wait()
			require.Equal(t, c.want, Exit{Code: got.Code, Signal: got.Signal, Err: got.Err, Ended: got.Ended})
			require.False(t, p.Child().Alive())
			require.Empty(t, carriers(t, markOf(t)))
		})
	}
}

func TestStdinIsFedWhole(t *testing.T) {
	dir := t.TempDir()
	big := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), big, 0o600))
	p, err := start(t, Spec{Argv: []string{"cat"}, Stdin: filepath.Join(dir, "in"), Stdout: filepath.Join(dir, "out")})
	require.NoError(t, err)
	require.Zero(t, p.Wait().Code)
	got, err := os.ReadFile(filepath.Join(dir, "out"))
	require.NoError(t, err)
	require.Equal(t, big, got)
}

func TestWhatCannotStartSaysWhy(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, []byte("x"), 0o600))
	cases := map[string]struct {
		spec Spec
		want string
	}{
		"no program":         {Spec{}, "no program is named"},
		"not found":          {Spec{Argv: []string{"no-such-program"}}, "not found in its PATH"},
		"no such path":       {Spec{Argv: []string{"/no/such/program"}}, "no such file"},
		"not executable":     {Spec{Argv: []string{plain}}, "is not executable"},
		"a folder":           {Spec{Argv: []string{"/"}}, "is a folder"},
		"no such folder":     {Spec{Argv: []string{"true"}, Dir: "/no/such/folder"}, "no such file"},
		"arguments too long": {Spec{Argv: []string{"true", strings.Repeat("x", 1<<20)}}, "argument list too long"},
		"no such input":      {Spec{Argv: []string{"true"}, Stdin: "/no/such/input"}, "no such file"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := start(t, c.spec)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestNoDescriptorLeaksIntoTheChild(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	p, err := start(t, Spec{Argv: []string{"ls", "/proc/self/fd"}, Stdout: out})
	require.NoError(t, err)
	p.Wait()
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, "0\n1\n2\n3\n", string(got), "the fourth is the folder it lists")
}

func TestAKilledKeeperLeavesNothing(t *testing.T) {
	p, err := start(t, Spec{Argv: []string{self(), "fugitive", "deep-tree"}})
	require.NoError(t, err)
	mark := markOf(t)
	until(t, "the tree has grown", func() bool { return len(carriers(t, mark)) > 3 })
	require.NoError(t, syscall.Kill(p.Keeper().PID, syscall.SIGKILL))
	p.Wait()
	_, err = Sweep(mark)
	require.NoError(t, err)
	require.Empty(t, carriers(t, mark))
}

func TestAPidAloneIsNoIdentity(t *testing.T) {
	me, err := Self()
	require.NoError(t, err)
	require.True(t, me.Alive())
	require.False(t, Identity{PID: me.PID, Start: "another/1"}.Alive())
	require.False(t, Identity{}.Alive())
	require.NoError(t, EndIdentity(Identity{PID: me.PID, Start: "another/1"}, 0), "ending a stranger ends nobody")
}

func TestADaemonOutlivesItsStarter(t *testing.T) {
	dir := t.TempDir()
	id, err := NewStarter(self()).Daemon([]string{"sh", "-c", "echo here; sleep 3600"}, []string{"PATH=" + os.Getenv("PATH")}, dir, filepath.Join(dir, "log"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = EndIdentity(id, 0) })
	until(t, "it has written", func() bool {
		data, err := os.ReadFile(filepath.Join(dir, "log"))
		return err == nil && string(data) == "here\n"
	})
	s, err := look(id.PID)
	require.NoError(t, err)
	require.NotEqual(t, os.Getpid(), s.parent, "it is nobody's child here")
	_, err = NewStarter(self()).Daemon([]string{"/no/such"}, nil, dir, filepath.Join(dir, "log"))
	require.ErrorContains(t, err, "no such file")
}

func TestTailGivesEachLineOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	tail := NewTail(path)
	defer tail.Close()
	lines := func() []string {
		got, err := tail.Next()
		require.NoError(t, err)
		list := []string{}
		for _, l := range got {
			list = append(list, string(l))
		}
		return list
	}
	require.Empty(t, lines(), "the file is not there yet")
	f, err := os.Create(path)
	require.NoError(t, err)
	add := func(s string) { _, err := f.WriteString(s); require.NoError(t, err) }
	add("one\ntw")
	require.Equal(t, []string{"one"}, lines())
	require.Empty(t, lines())
	add("o\n" + strings.Repeat("x", mostLine+10))
	require.Equal(t, []string{"two"}, lines())
	add("still too long\nthree\n")
	require.Equal(t, []string{"three"}, lines())
	last, err := LastBytes(path, 6)
	require.NoError(t, err)
	require.Equal(t, "three\n", string(last))
	_, err = LastBytes(path+"x", 6)
	require.True(t, errors.Is(err, os.ErrNotExist))
}
