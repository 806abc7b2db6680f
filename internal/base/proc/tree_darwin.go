package proc

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// hasSubreaper: this system has no subreapers. What leaves the tree is found by its
// mark, where the system shows us its environment, and not at all without.
const hasSubreaper = false

const rssUnit = 1 // ru_maxrss counts bytes

func becomeSubreaper() error { return nil }

func closeOnExecAll() {
	for fd := 3; fd < 1<<10; fd++ {
		syscall.CloseOnExec(fd)
	}
}

// childAttr puts a child into a group of its own. Nothing here lets it die
// with a keeper that is killed.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func readProcess(pid int) (processState, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return processState{}, err
	}
	return stateOf(k), nil
}

func stateOf(k *unix.KinfoProc) processState {
	const zombie = 5 // SZOMB, sys/proc.h
	start := k.Proc.P_starttime
	return processState{
		Identity: Identity{PID: int(k.Proc.P_pid), Start: fmt.Sprintf("%d.%06d", start.Sec, start.Usec)},
		parent:   int(k.Eproc.Ppid), ended: k.Proc.P_stat == zombie,
	}
}

// processes lists every process we may see.
func processes() ([]processState, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	list := make([]processState, len(all))
	for i := range all {
		list[i] = stateOf(&all[i])
	}
	return list, nil
}

// hasMark tells whether a process was started with a mark: the arguments the
// system keeps of it end with its environment.
func hasMark(pid int, mark string) bool {
	args, err := unix.SysctlRaw("kern.procargs2", pid)
	return err == nil && containsMark(string(args), mark)
}
