package proc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/research-council/research-council/internal/base/proc/proctest"
)

// The test binary is also the keeper, the supervisor that is killed, and the
// fugitive that will not be caught: real processes all of them.
func TestMain(m *testing.M) {
	runtime.LockOSThread()
	if code, mine := Main(os.Args); mine {
		os.Exit(code)
	}
	roles := map[string]func(string){
		"fugitive": fugitive, "writer": writeEvents, "supervisor": supervise, "host": host, "sweeper": sweeper, "within": within,
	}
	if len(os.Args) > 2 && roles[os.Args[1]] != nil {
		roles[os.Args[1]](os.Args[2])
		os.Exit(0)
	}
	runtime.UnlockOSThread()
	os.Exit(m.Run())
}

const markName = "PROC_TEST_MARK"

// markOf is a test's own mark; it ends so that no mark begins another.
func markOf(t testing.TB) string { return markName + "=" + t.Name() + "/" }

// ownMark is the mark of a test that has started this process.
func ownMark() string { return markName + "=" + os.Getenv(markName) }

func self() string {
	path, err := os.Executable()
	must(err)
	return path
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// supervise is a supervisor: it starts a fugitive, and ends it in good order
// when it is asked to end by a signal it can hear, or when its test is gone.
func supervise(kind string) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends when the test does
		asked <- syscall.SIGHUP
	}()
	p, err := NewStarter(self(), "").Start(Spec{
		Argv: []string{self(), "fugitive", kind}, Env: []string{"PATH=" + os.Getenv("PATH")}, Grace: 100 * time.Millisecond,
		Stdout: "out", Stderr: "err", Mark: ownMark(),
	})
	must(err)
	select {
	case <-asked:
	case <-p.Done():
	}
	p.End()
	p.Wait()
}

// host runs a hook as a host does that ends all that comes of it: it starts a
// daemon, says who that is, and stays.
func host(log string) {
	id, err := NewStarter(self(), "").Daemon([]string{"sh", "-c", "echo here; exec sleep 3600"}, []string{ownMark(), "PATH=" + os.Getenv("PATH")}, "", log)
	must(err)
	must(json.NewEncoder(os.Stdout).Encode(id))
	linger()
}

// sweeper bears the mark it sweeps for, and would end by it if it could.
func sweeper(string) {
	c := exec.Command("sleep", "3600")
	must(c.Start())
	ended, err := EndMarked(ownMark())
	must(err)
	fmt.Println(len(ended), "ended")
}

// within says whether it stands within a mark that it does not bear itself.
func within(mark string) { fmt.Println(Within(mark)) }

func spawn(attr *syscall.SysProcAttr, kind string) {
	c := exec.Command(self(), "fugitive", kind)
	c.Stdout, c.SysProcAttr = os.Stdout, attr
	if err := c.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// linger tells the test that it is there, and stays until it is ended.
func linger() {
	appear()
	r, w, err := os.Pipe()
	must(err)
	_, _ = r.Read(make([]byte, 1)) // nobody ever writes
	runtime.KeepAlive(w)
}

func appear() { must(os.WriteFile("grown-"+strconv.Itoa(os.Getpid()), nil, 0o600)) }

func countGrown(dir string) int {
	names, _ := filepath.Glob(filepath.Join(dir, "grown-*")) // the pattern is right
	return len(names)
}

// fugitives are the kinds there are, and how many processes each comes to. A
// kind may be followed by a colon and how deep it stands.
var fugitives = map[string]int{
	"ignores-term": 1, "deep-tree": 7, "setsid": 2, "double-fork": 2, "holds-stdout": 1,
	"spawns-on": 20, "stopped": 2, "floods": 1, "clears-env": 2, "headless": 1, "relays": 5,
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
		if depth != "" {
			spawn(&syscall.SysProcAttr{Setsid: true}, "ignores-term")
			return
		}
		spawn(&syscall.SysProcAttr{Setsid: true}, "double-fork:2")
	case "holds-stdout":
		spawn(nil, "ignores-term")
		awaitGrown()
		return
	case "spawns-on":
		pace := time.NewTicker(2 * time.Millisecond)
		for range 400 {
			spawn(&syscall.SysProcAttr{Setsid: true}, "lingers")
			<-pace.C
		}
	case "stopped":
		spawn(nil, "ignores-term")
		appear()
		must(syscall.Kill(os.Getpid(), syscall.SIGSTOP))
	case "relays":
		n, _ := strconv.Atoi(depth)
		if n < 2000 {
			spawn(&syscall.SysProcAttr{Setsid: true}, fmt.Sprintf("relays:%d", n+1))
		}
		if n > 0 && n < 2000 {
			appear()
			return
		}
	case "floods":
		appear()
		flood(64 << 20)
	case "clears-env":
		os.Clearenv()
		spawn(&syscall.SysProcAttr{Setsid: true}, "ignores-term")
	case "headless":
		loseHead()
	}
	linger()
}

func awaitGrown() {
	pace := time.NewTicker(time.Millisecond)
	defer pace.Stop()
	for countGrown(".") == 0 {
		<-pace.C
	}
}

func flood(most int) {
	line := bytes.Repeat([]byte("x"), 1<<10)
	for range most >> 10 {
		if _, err := os.Stdout.Write(line); err != nil {
			return
		}
	}
}

// loseHead ends the first thread of the process, on which TestMain keeps us,
// while others go on. The system then shows the process as one that has ended.
func loseHead() {
	if unix.Gettid() != os.Getpid() { // the runtime had moved us before we could tell it not to
		must(syscall.Exec(self(), os.Args, os.Environ()))
	}
	signal.Ignore(syscall.SIGTERM)
	go func() {
		pace := time.NewTicker(time.Millisecond)
		for stat := ""; !strings.Contains(stat, ") Z "); <-pace.C {
			data, err := os.ReadFile("/proc/self/stat")
			must(err)
			stat = string(data)
		}
		linger()
	}()
	_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
}

// living lists who lives and bears a mark.
func living(t testing.TB, mark string) []Identity {
	t.Helper()
	list, _, err := newTree(mark).refresh()
	require.NoError(t, err)
	return list
}

// until looks again and again, up to a bound that only a failure reaches.
func until(t testing.TB, what string, holds func() bool) {
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

// play starts this program in a role, with the test's mark and in a folder of
// its own; it ends with the test.
func play(t *testing.T, dir string, role ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	mark := markOf(t)
	c := exec.Command(self(), role...)
	c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH"), mark}
	stdin, err := c.StdinPipe()
	require.NoError(t, err)
	stdout, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_, err := EndMarked(mark)
		require.NoError(t, err)
		_ = stdin.Close()
	})
	return c, bufio.NewReader(stdout)
}

func TestNoFugitiveIsLeft(t *testing.T) {
	signals := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}
	for kind, many := range fugitives {
		for name, sig := range signals {
			t.Run(kind+"/"+name, func(t *testing.T) {
				dir, mark := t.TempDir(), markOf(t)
				c, _ := play(t, dir, "supervisor", kind)
				until(t, "the tree has grown", func() bool { return countGrown(dir) >= many })
				everybody := grownIn(t, dir)
				t.Cleanup(func() { endAll(everybody) })
				require.NoError(t, c.Process.Signal(sig))
				_ = c.Wait() // a killed supervisor ends with an error, as it should
				until(t, "no process is left", func() bool { return len(living(t, mark)) == 0 })
				for _, id := range everybody {
					require.False(t, id.Alive())
				}
			})
		}
	}
}

// endAll ends whom a failure has left.
func endAll(list []Identity) {
	for _, id := range list {
		_ = EndIdentity(id, 0) // the test has failed already
	}
}

// grownIn names those who have told that they are there; who is gone again is
// left out.
func grownIn(t *testing.T, dir string) []Identity {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "grown-*"))
	require.NoError(t, err)
	var list []Identity
	for _, name := range names {
		_, number, _ := strings.Cut(filepath.Base(name), "-")
		pid, err := strconv.Atoi(number)
		require.NoError(t, err)
		if id, err := Identify(pid); err == nil {
			list = append(list, id)
		}
	}
	return list
}

func start(t *testing.T, spec Spec) (*Process, error) {
	t.Helper()
	if spec.Dir == "" {
		spec.Dir = t.TempDir()
	}
	spec.Mark = markOf(t)
	spec.Env = append(spec.Env, "PATH="+os.Getenv("PATH"))
	t.Cleanup(func() { _, _ = EndMarked(spec.Mark) })
	return NewStarter(self(), "").Start(spec)
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
			require.Empty(t, living(t, markOf(t)))
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

// What a folder of programs lacks, or an installation half replaced has, keeps
// nothing from starting as long as one of the programs is fit.
func TestAProgramThatIsNoKeeperIsPassedOver(t *testing.T) {
	dir := t.TempDir()
	unfit := map[string]string{"not there": filepath.Join(dir, "none"), "a folder": dir, "not named": ""}
	for name, script := range map[string]string{"ends well": "exit 0", "reads and ends well": "cat >/dev/null", "knows no keeper": "echo $0: no hook is called $1 >&2"} {
		unfit[name] = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(unfit[name], []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	}
	unfit["of another build"] = filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(unfit["of another build"], []byte("\x7fELF of another machine"), 0o700))
	for name, program := range unfit {
		t.Run(name, func(t *testing.T) {
			out, env := filepath.Join(t.TempDir(), "out"), []string{"PATH=" + os.Getenv("PATH")}
			p, err := NewStarter(self(), program).Start(Spec{Argv: []string{"echo", "kept"}, Env: env, Stdout: out, Mark: markOf(t)})
			require.NoError(t, err)
			require.Zero(t, p.Wait().Code)
			id, err := NewStarter(self(), program).Daemon([]string{"sh", "-c", "echo let go"}, env, "", out)
			require.NoError(t, err)
			until(t, "both have written", func() bool {
				data, err := os.ReadFile(out)
				return err == nil && string(data) == "kept\nlet go\n"
			})
			until(t, "it has ended", func() bool { return !id.Alive() })

			alone := Starter{Keepers: []string{program}}
			_, err = alone.Start(Spec{Argv: []string{"true"}, Env: env})
			require.ErrorIs(t, err, errNoKeeper)
			_, err = alone.Daemon([]string{"true"}, env, "", "")
			require.ErrorIs(t, err, errNoKeeper)
		})
	}
	_, err := Starter{}.Start(Spec{Argv: []string{"true"}})
	require.ErrorContains(t, err, "no program is named")
}

// A keeper that fails may have started the process; nobody starts it again.
func TestAKeeperThatFailsIsNotPassedOver(t *testing.T) {
	program := filepath.Join(t.TempDir(), "fails")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nkill -9 $$\n"), 0o700))
	_, err := NewStarter(self(), program).Start(Spec{Argv: []string{"true"}})
	require.Error(t, err)
	require.NotErrorIs(t, err, errNoKeeper)
}

func TestASignalIsNamedAsTheSystemDoes(t *testing.T) {
	for s := syscall.Signal(1); s < 32; s++ {
		if name := signalName(s); !strings.HasPrefix(name, "signal ") {
			require.Equal(t, unix.SignalName(s), name)
		}
	}
	require.Equal(t, "SIGKILL", signalName(syscall.SIGKILL))
	require.Equal(t, "signal 40", signalName(40))
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
	until(t, "the tree has grown", func() bool { return len(living(t, mark)) > 3 })
	proctest.Kill(t, p.Keeper().PID)
	p.Wait()
	_, err = EndMarked(mark)
	require.NoError(t, err)
	require.Empty(t, living(t, mark))
}

func TestASweepFindsThroughAStoppedKeeperWhoBearsNoMark(t *testing.T) {
	dir := t.TempDir()
	p, err := start(t, Spec{Argv: []string{self(), "fugitive", "clears-env"}, Dir: dir})
	require.NoError(t, err)
	until(t, "the tree has grown", func() bool { return countGrown(dir) == 2 })
	everybody := grownIn(t, dir)
	everybody = append(everybody, p.Keeper())
	t.Cleanup(func() { endAll(everybody) })
	require.Len(t, everybody, 3)
	require.NoError(t, syscall.Kill(p.Keeper().PID, syscall.SIGSTOP))
	_, err = EndMarked(markOf(t))
	require.NoError(t, err)
	p.Wait()
	for _, id := range everybody {
		require.False(t, id.Alive())
	}
}

func TestAKeeperThatIsAskedToEndEndsItsTree(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			p, err := start(t, Spec{Argv: []string{self(), "fugitive", "setsid"}, Dir: dir, Grace: 50 * time.Millisecond})
			require.NoError(t, err)
			until(t, "the tree has grown", func() bool { return countGrown(dir) == 2 })
			require.NoError(t, syscall.Kill(p.Keeper().PID, sig))
			exit := p.Wait()
			require.True(t, exit.Ended)
			require.Equal(t, "SIGTERM", exit.Signal)
			require.NoError(t, exit.Err)
			require.Empty(t, living(t, markOf(t)))
		})
	}
}

func TestEverybodyHasTheirGrace(t *testing.T) {
	const grandchild = "(trap 'echo grandchild; exit' TERM; echo up; while :; do sleep 0.05; done) &\n"
	cases := map[string]struct {
		script string
		end    bool
		want   Exit
		says   []string
	}{
		"a child and its own": {"trap 'echo child; exit 7' TERM\n" + grandchild + "wait", true, Exit{Code: 7, Ended: true}, []string{"child", "grandchild"}},
		"whom a child leaves": {grandchild + "while ! grep -q up out; do sleep 0.05; done; exit 3", false, Exit{Code: 3}, []string{"grandchild"}},
		"a stopped child":     {"trap 'echo child; exit 7' TERM\necho up; kill -STOP $$", true, Exit{Code: 7, Ended: true}, []string{"child"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			said := func() []string {
				data, err := os.ReadFile(filepath.Join(dir, "out"))
				require.NoError(t, err)
				return strings.Fields(string(data))
			}
			p, err := start(t, Spec{Argv: []string{"bash", "-c", c.script}, Dir: dir, Stdout: filepath.Join(dir, "out"), Grace: 15 * time.Second})
			require.NoError(t, err)
			until(t, "it listens", func() bool { return len(said()) > 0 })
			if c.end {
				p.End()
				p.End() // asking twice is asking once
			}
			exit := p.Wait()
			require.Equal(t, c.want, Exit{Code: exit.Code, Signal: exit.Signal, Ended: exit.Ended, Err: exit.Err})
			require.ElementsMatch(t, append(c.says, "up"), said())
		})
	}
}

func TestAFloodIsEnded(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	before := bytes.Repeat([]byte("x"), 2<<20) // what was there does not count
	require.NoError(t, os.WriteFile(out, before, 0o600))
	p, err := start(t, Spec{Argv: []string{self(), "fugitive", "floods"}, Dir: dir, Stdout: out, MaxOutput: 1 << 20})
	require.NoError(t, err)
	exit := p.Wait()
	require.ErrorIs(t, exit.Err, ErrFlood)
	require.False(t, exit.Ended, "nobody asked")
	require.Empty(t, living(t, markOf(t)))
	info, err := os.Stat(out)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(3<<20))

	p, err = start(t, Spec{Argv: []string{"true"}, Dir: dir, Stdout: out, MaxOutput: 1 << 20})
	require.NoError(t, err)
	require.NoError(t, p.Wait().Err)
}

func TestPathsAreRelativeToOurFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.Mkdir("seat", 0o700))
	require.NoError(t, os.WriteFile("in", []byte("hello\n"), 0o600))
	require.NoError(t, os.WriteFile("seat/tool", []byte("#!/bin/sh\npwd\ncat\necho $0 >&2\n"), 0o700))
	p, err := start(t, Spec{Argv: []string{"./tool"}, Dir: "seat", Stdin: "in", Stdout: "out", Stderr: "err"})
	require.NoError(t, err)
	require.Zero(t, p.Wait().Code)
	got, err := os.ReadFile("out")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "seat")+"\nhello\n", string(got))
	info, err := os.Stat("err")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
}

func TestNobodyOutsideThePathIsRun(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\n"), 0o700))
	_, err := NewStarter(self(), "").Start(Spec{Argv: []string{"tool"}, Dir: dir, Env: []string{"PATH=.::" + t.TempDir()}})
	require.ErrorContains(t, err, "not found in its PATH")
}

func TestAPidAloneIsNoIdentity(t *testing.T) {
	me, err := Self()
	require.NoError(t, err)
	require.True(t, me.Alive())
	require.False(t, Identity{PID: me.PID, Start: "another/1"}.Alive())
	require.False(t, Identity{}.Alive())
	require.NoError(t, EndIdentity(Identity{PID: me.PID, Start: "another/1"}, 0), "ending a stranger ends nobody")
}

func TestWhoIsAlive(t *testing.T) {
	c := exec.Command("sleep", "3600")
	require.NoError(t, c.Start())
	id, err := Identify(c.Process.Pid)
	require.NoError(t, err)
	require.True(t, id.Alive())
	require.NoError(t, c.Process.Signal(syscall.SIGSTOP))
	until(t, "it is stopped", func() bool { return letter(t, id.PID) == 'T' })
	require.True(t, id.Alive(), "a stopped process can go on")
	require.NoError(t, c.Process.Kill())
	until(t, "it waits to be reaped", func() bool { return letter(t, id.PID) == 'Z' })
	require.False(t, id.Alive(), "a process that only waits to be reaped has ended")
	_ = c.Wait() // it was killed
	require.False(t, id.Alive())
	_, err = Identify(id.PID)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// letter is the state of a process as the system abbreviates it.
func letter(t *testing.T, pid int) byte {
	t.Helper()
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	require.NoError(t, err)
	return data[bytes.LastIndexByte(data, ')')+2]
}

func TestEndingAnIdentityEndsAllThatComesOfIt(t *testing.T) {
	cases := map[string]time.Duration{
		"setsid":    50 * time.Millisecond, // the parent heeds TERM, its child does not
		"spawns-on": 0,
		"deep-tree": 0,
	}
	for kind, grace := range cases {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			c, _ := play(t, dir, "fugitive", kind)
			until(t, "the tree has grown", func() bool { return countGrown(dir) >= fugitives[kind] })
			id, err := Identify(c.Process.Pid)
			require.NoError(t, err)
			require.NoError(t, EndIdentity(id, grace))
			_ = c.Wait() // it was ended by a signal
			require.Empty(t, living(t, markOf(t)))
		})
	}
}

func TestSweepSparesTheSweeper(t *testing.T) {
	c, out := play(t, t.TempDir(), "sweeper", "")
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "1 ended\n", line)
	require.NoError(t, c.Wait())
	_, err = EndMarked("")
	require.ErrorContains(t, err, "no mark")
}

func TestWhoStandsWithinAMark(t *testing.T) {
	dir, mark := t.TempDir(), markOf(t)
	ask := func(script string) string {
		p, err := NewStarter(self(), "").Start(Spec{Argv: []string{"sh", "-c", script, self(), mark}, Env: os.Environ(), Dir: dir, Stdout: filepath.Join(dir, "said"), Mark: mark})
		require.NoError(t, err)
		require.Zero(t, p.Wait().Code)
		said, err := os.ReadFile(filepath.Join(dir, "said"))
		require.NoError(t, err)
		require.NoError(t, os.Remove(filepath.Join(dir, "said")))
		return string(said)
	}
	require.Equal(t, "true\n", ask(`exec "$0" within "$1"`))
	require.Equal(t, "true\n", ask(`exec env -i "$0" within "$1"`), "a cleared environment")
	require.Equal(t, "true\n", ask(`(setsid env -i sh -c '"$0" within "$1" >left; mv left gone' "$0" "$1" &); until [ -e gone ]; do :; done; cat gone`), "one that has left its parent")
	require.Equal(t, "false\n", ask(`exec "$0" within PROC_TEST_MARK=another`))
	me, err := Self()
	require.NoError(t, err)
	require.False(t, Within(mark))
	require.False(t, Within(""))
	require.True(t, Within("", me))
	me.Start = "another"
	require.False(t, Within(mark, me))
}

func TestWhatBearsAMark(t *testing.T) {
	cases := []struct {
		name, environ, mark string
		want                bool
	}{
		{"the mark itself", "A=1\x00TURN=run/ada/3\x00", "TURN=run/ada/3", true},
		{"the beginning up to a slash", "TURN=run/ada/3\x00", "TURN=run", true},
		{"the beginning with its slash", "TURN=run/ada/3\x00", "TURN=run/", true},
		{"another turn that begins alike", "TURN=run/ada/30\x00", "TURN=run/ada/3", false},
		{"another run that begins alike", "TURN=run2/ada\x00", "TURN=run", false},
		{"another variable that ends alike", "MYTURN=run\x00", "TURN=run", false},
		{"a value that holds it", "NOTE=see TURN=run\x00", "TURN=run", false},
		{"the second of two", "TURN=other\x00TURN=run\x00", "TURN=run", true},
		{"nothing", "", "TURN=run", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, containsMark(c.environ, c.mark)) })
	}
}

func FuzzStat(f *testing.F) {
	f.Add([]byte("42 (a) R (b) S 7 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 12345 0 0"))
	f.Add([]byte("42 (x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseStat(data)
		if err == nil {
			require.NotEmpty(t, s.Start)
		}
	})
}

func TestANameMayLookLikeAState(t *testing.T) {
	s, err := parseStat([]byte("42 (a) Z 1 (b) S 7 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 12345 0 0"))
	require.NoError(t, err)
	require.Equal(t, processState{Identity: Identity{Start: "12345"}, parent: 7}, s)
}

func TestADaemonOutlivesItsHost(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	c, out := play(t, dir, "host", log)
	line, err := out.ReadBytes('\n')
	require.NoError(t, err)
	var id Identity
	require.NoError(t, json.Unmarshal(line, &id))
	until(t, "it has written", func() bool {
		data, err := os.ReadFile(log)
		return err == nil && string(data) == "here\n"
	})
	session, err := unix.Getsid(id.PID)
	require.NoError(t, err)
	require.Equal(t, id.PID, session, "no terminal's end reaches it")
	hook, err := Identify(c.Process.Pid)
	require.NoError(t, err)
	require.NoError(t, EndIdentity(hook, 0), "all that comes of the hook, as a host ends it")
	_ = c.Wait() // it was killed
	require.True(t, id.Alive())
	require.NoError(t, EndIdentity(id, 0))
	require.False(t, id.Alive())
}

func TestADaemonThatCannotStartSaysWhy(t *testing.T) {
	_, err := NewStarter(self(), "").Daemon([]string{"/no/such"}, nil, "", "")
	require.ErrorContains(t, err, "no such file")
	_, err = NewStarter(self(), "").Daemon(nil, nil, "", "")
	require.ErrorContains(t, err, "no program is named")
}
