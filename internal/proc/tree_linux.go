package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const rssUnit = 1 << 10 // ru_maxrss counts KiB

// adopt makes this process the parent of what its descendants let go.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } // always granted

// shut keeps from children every descriptor but the standard three, ours and
// those we have inherited without knowing.
func shut() { _ = unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) } // kernels before 5.11 refuse; ours are marked by the runtime

// childAttr puts a child into a group of its own and lets it die with the
// keeper, should that be killed.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// stat is what we read of /proc/PID/stat, proc_pid_stat(5).
type stat struct {
	pid, ppid int
	state     byte
	start     string
}

func readStat(pid int) (stat, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, err
	}
	// The name stands in parentheses and may hold anything, parentheses too.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	const state, ppid, start = 0, 1, 19
	if len(fields) <= start {
		return stat{}, fmt.Errorf("the state of process %d cannot be read", pid)
	}
	parent, err := strconv.Atoi(fields[ppid])
	return stat{pid: pid, ppid: parent, state: fields[state][0], start: fields[start]}, err
}

func bootID() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(data) < 8 {
		return "boot"
	}
	return string(data[:8])
}

// Identify names the process that has a pid now.
func Identify(pid int) (Identity, error) {
	s, err := readStat(pid)
	if err != nil {
		return Identity{}, fmt.Errorf("identify process %d: %w", pid, err)
	}
	return Identity{PID: pid, Start: bootID() + "/" + s.start}, nil
}

// Alive reports whether the process is still there; one that has ended and
// only waits to be reaped is not.
func (id Identity) Alive() bool {
	s, err := readStat(id.PID)
	return err == nil && id.PID > 0 && s.state != 'Z' && s.state != 'X' && bootID()+"/"+s.start == id.Start
}

func processes() []stat {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var list []stat
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, err := readStat(pid); err == nil {
			list = append(list, s)
		}
	}
	return list
}

// descendants lists every process below one that has not ended.
func descendants(root int) []int {
	children := map[int][]stat{}
	for _, s := range processes() {
		children[s.ppid] = append(children[s.ppid], s)
	}
	var list []int
	for next := []int{root}; len(next) > 0; next = next[1:] {
		for _, c := range children[next[0]] {
			next = append(next, c.pid)
			if c.state != 'Z' && c.state != 'X' {
				list = append(list, c.pid)
			}
		}
	}
	return list
}

func signalAll(pids []int, s syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, s) // it may have ended in the meantime
	}
}

// terminate asks every descendant to end; a stopped one is woken to hear it.
func terminate(root int) {
	pids := descendants(root)
	signalAll(pids, syscall.SIGTERM)
	signalAll(pids, syscall.SIGCONT)
}

// killOnce stops every descendant until no new one turns up, so that none can
// bear another, and kills them all.
func killOnce(root int) int {
	known := 0
	for {
		pids := descendants(root)
		signalAll(pids, syscall.SIGSTOP)
		if len(pids) <= known {
			signalAll(pids, syscall.SIGKILL)
			return len(pids)
		}
		known = len(pids)
	}
}

// endTree ends every descendant of this process and reaps them.
func endTree(root int, grace time.Duration) {
	if grace > 0 {
		terminate(root)
		leave(grace)
	}
	for {
		reapAll()
		if killOnce(root) == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// EndIdentity ends a process and its tree, if it is still that process: TERM
// and grace first, unless grace is 0, then KILL until it is gone.
func EndIdentity(id Identity, grace time.Duration) error {
	if !id.Alive() {
		return nil
	}
	if grace > 0 {
		tree := append(descendants(id.PID), id.PID)
		signalAll(tree, syscall.SIGTERM)
		signalAll(tree, syscall.SIGCONT)
		for until := time.Now().Add(grace); id.Alive() && time.Now().Before(until); {
			time.Sleep(5 * time.Millisecond)
		}
	}
	const patience = 5 * time.Second // a killed process that does not go hangs in the system
	for until := time.Now().Add(patience); id.Alive(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			return fmt.Errorf("process %d does not end", id.PID)
		}
		_ = syscall.Kill(id.PID, syscall.SIGSTOP)
		killOnce(id.PID)
		_ = syscall.Kill(id.PID, syscall.SIGKILL)
	}
	return nil
}

// Sweep ends every process of this user that carries a mark: an entry of the
// environment it was started with that begins so. It returns those it ended.
func Sweep(mark string) ([]Identity, error) {
	if mark == "" {
		return nil, errors.New("sweep: no mark is given")
	}
	var ended []Identity
	const patience = 5 * time.Second
	for until := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		found := carriers(mark)
		if len(found) == 0 {
			return ended, nil
		}
		if time.Now().After(until) {
			return ended, fmt.Errorf("sweep: %d processes do not end", len(found))
		}
		for _, id := range found {
			_ = syscall.Kill(id.PID, syscall.SIGSTOP)
		}
		for _, id := range found {
			if err := EndIdentity(id, 0); err != nil {
				return ended, err
			}
			ended = append(ended, id)
		}
	}
}

func carriers(mark string) []Identity {
	var list []Identity
	boot := bootID()
	for _, s := range processes() {
		if s.pid == os.Getpid() || s.state == 'Z' || s.state == 'X' {
			continue
		}
		env, err := os.ReadFile("/proc/" + strconv.Itoa(s.pid) + "/environ")
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ESRCH) {
				continue
			}
			continue
		}
		if bytes.HasPrefix(env, []byte(mark)) || bytes.Contains(env, []byte("\x00"+mark)) {
			list = append(list, Identity{PID: s.pid, Start: boot + "/" + s.start})
		}
	}
	return list
}
