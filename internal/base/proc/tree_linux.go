package proc

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// hasSubreaper tells that a process without children has no descendants: what they
// let go comes to the keeper.
const hasSubreaper = true

const rssUnit = 1 << 10 // ru_maxrss counts KiB

// becomeSubreaper makes this process the parent of what its descendants let go.
func becomeSubreaper() error {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER, linux/prctl.h
	if _, _, fault := syscall.RawSyscall6(syscall.SYS_PRCTL, setChildSubreaper, 1, 0, 0, 0, 0); fault != 0 {
		return fault
	}
	return nil
}

// closeOnExecAll keeps from children every descriptor but the standard three, ours and
// those we have inherited without knowing.
func closeOnExecAll() {
	const (
		closeRange = 436    // SYS_close_range where system calls have the numbers all architectures share
		onExec     = 1 << 2 // CLOSE_RANGE_CLOEXEC, linux/close_range.h
	)
	if _, _, fault := syscall.RawSyscall(closeRange, 3, uintptr(^uint32(0)), onExec); fault != 0 { // kernels before 5.11
		for fd := 3; fd < 1<<10; fd++ {
			syscall.CloseOnExec(fd)
		}
	}
}

// childAttr puts a child into a group of its own and lets it die with the
// keeper, should that be killed.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// readProcess reads /proc/PID/stat, proc_pid_stat(5).
func readProcess(pid int) (processState, error) {
	boot, err := bootID()
	if err != nil {
		return processState{}, err
	}
	return readStat(pid, boot)
}

func readStat(pid int, boot string) (processState, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return processState{}, err
	}
	s, err := parseStat(data)
	s.PID, s.Start = pid, boot+"/"+s.Start
	return s, err
}

// parseStat reads when a process has started, whose child it is, and whether
// it has ended.
func parseStat(data []byte) (processState, error) {
	// The name stands in parentheses and may hold anything, parentheses too.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	const code, parent, threads, start, pages = 0, 1, 17, 19, 21
	if len(fields) <= pages {
		return processState{}, errors.New("what the system says of a process cannot be read: " + strconv.Quote(string(data)))
	}
	s := processState{Identity: Identity{Start: string(fields[start])}}
	// A process whose first thread has ended while others run looks like one
	// that waits to be reaped.
	s.ended = bytes.ContainsAny(fields[code], "ZX") && len(fields[threads]) == 1 && fields[threads][0] <= '1'
	var err error
	if s.parent, err = strconv.Atoi(string(fields[parent])); err != nil {
		return s, err
	}
	held, err := strconv.ParseInt(string(fields[pages]), 10, 64)
	s.resident = held * int64(os.Getpagesize())
	return s, err
}

func bootID() (string, error) {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrHidden
	}
	if err != nil {
		return "", err
	}
	boot, _, _ := strings.Cut(string(data), "-") // 32 random bits tell one boot from another
	return boot, nil
}

// processes lists every process we may see.
func processes() ([]processState, error) {
	boot, err := bootID()
	if err != nil {
		return nil, err
	}
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var list []processState
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		s, err := readStat(pid, boot)
		switch {
		case err == nil:
			list = append(list, s)
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH), errors.Is(err, fs.ErrPermission): // it has ended in the meantime, or is another user's
		default:
			return nil, err
		}
	}
	return list, nil
}

// hasMark tells whether a process was started with a mark. What we may not
// read is another user's.
func hasMark(pid int, mark string) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && containsMark(string(environ), mark)
}
