//go:build unix && !linux

package proc

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Without subreapers and /proc a keeper knows its child's process group alone:
// what has left the group and whose parent has died is not found. The start
// time comes from ps, to the second.

const rssUnit = 1 // ru_maxrss counts bytes

func adopt() {}

func shut() {
	for fd := lifelineFD; fd < 256; fd++ {
		syscall.CloseOnExec(fd)
	}
}

func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Identify names the process that has a pid now.
func Identify(pid int) (Identity, error) {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return Identity{}, fmt.Errorf("identify process %d: %w", pid, err)
	}
	return Identity{PID: pid, Start: strings.Join(strings.Fields(string(out)), " ")}, nil
}

// Alive reports whether the process is still there.
func (id Identity) Alive() bool {
	now, err := Identify(id.PID)
	return err == nil && id.PID > 0 && now.Start == id.Start
}

func descendants(root int) []int {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,stat=").Output()
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 3 || strings.HasPrefix(f[2], "Z") {
			continue
		}
		pid, _ := strconv.Atoi(f[0])
		ppid, _ := strconv.Atoi(f[1])
		children[ppid] = append(children[ppid], pid)
	}
	var list []int
	for next := []int{root}; len(next) > 0; next = next[1:] {
		list = append(list, children[next[0]]...)
		next = append(next, children[next[0]]...)
	}
	return list
}

func signalAll(pids []int, s syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, s)  // it may have ended in the meantime
		_ = syscall.Kill(-pid, s) // and its group, where it leads one
	}
}

func terminate(root int) {
	pids := descendants(root)
	signalAll(pids, syscall.SIGTERM)
	signalAll(pids, syscall.SIGCONT)
}

func killOnce(root int) int {
	pids := descendants(root)
	signalAll(pids, syscall.SIGKILL)
	return len(pids)
}

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
		time.Sleep(10 * time.Millisecond)
	}
}

// EndIdentity ends a process and its tree, if it is still that process.
func EndIdentity(id Identity, grace time.Duration) error {
	if !id.Alive() {
		return nil
	}
	tree := append(descendants(id.PID), id.PID)
	if grace > 0 {
		signalAll(tree, syscall.SIGTERM)
		for until := time.Now().Add(grace); id.Alive() && time.Now().Before(until); {
			time.Sleep(20 * time.Millisecond)
		}
	}
	signalAll(tree, syscall.SIGKILL)
	return nil
}

// Sweep needs to read other processes' environments, which this system does
// not let us: what the journal names is ended by EndIdentity instead.
func Sweep(mark string) ([]Identity, error) {
	if mark == "" {
		return nil, errors.New("sweep: no mark is given")
	}
	return nil, nil
}
