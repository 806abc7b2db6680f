package proc

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopts: this system has no subreapers. What leaves the tree is found by its
// mark, where the system shows us its environment, and not at all without.
const adopts = false

const rssUnit = 1 // ru_maxrss counts bytes

func adopt() error { return nil }

func shut() {
	for fd := 3; fd < 1<<10; fd++ {
		syscall.CloseOnExec(fd)
	}
}

// childAttr puts a child into a group of its own. Nothing here lets it die
// with a keeper that is killed.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func look(pid int) (state, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return state{}, err
	}
	return stateOf(k), nil
}

func stateOf(k *unix.KinfoProc) state {
	const zombie = 5 // SZOMB, sys/proc.h
	start := k.Proc.P_starttime
	return state{
		Identity: Identity{PID: int(k.Proc.P_pid), Start: fmt.Sprintf("%d.%06d", start.Sec, start.Usec)},
		parent:   int(k.Eproc.Ppid), gone: k.Proc.P_stat == zombie,
	}
}

// processes lists every process we may see.
func processes() ([]state, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	list := make([]state, len(all))
	for i := range all {
		list[i] = stateOf(&all[i])
	}
	return list, nil
}

// carries tells whether a process was started with a mark: the arguments the
// system keeps of it end with its environment.
func carries(pid int, mark string) bool {
	args, err := unix.SysctlRaw("kern.procargs2", pid)
	return err == nil && bears(string(args), mark)
}
