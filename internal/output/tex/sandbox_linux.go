package tex

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights over files, as the kernel names them. Each version of Landlock knows
// more of them, and refuses those it does not know.
const (
	readRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	firstFS    = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1
	ofFiles    = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// version is that of the kernel's Landlock; 0 where there is none.
func version() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// canSandbox reports whether the system can hold a process to a jail.
func canSandbox() bool { return version() > 0 }

// start starts a command in a jail. The kernel gives a new process the bounds
// of the thread that makes it: this one is given them and ends with its
// goroutine, for it stays locked. No other thread of ours is bound.
func start(cmd *exec.Cmd, j sandbox) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if err := j.restrictThread(version()); err != nil {
			done <- fmt.Errorf("confine %s: %w", cmd.Path, err)
			return
		}
		done <- cmd.Start()
	}()
	return <-done
}

// handled are the rights a version of Landlock rules over.
func handled(version int) uint64 {
	rights := uint64(firstFS)
	if version >= 2 {
		rights |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		rights |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 5 {
		rights |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return rights
}

// restrictThread bounds this thread and what it will start.
func (j sandbox) restrictThread(version int) error {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled(version)}
	if version >= 4 && !j.network {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("make rules: %w", errno)
	}
	defer unix.Close(int(fd))
	for _, path := range j.read {
		if err := grantRights(int(fd), path, readRights); err != nil {
			return err
		}
	}
	for _, path := range j.write {
		if err := grantRights(int(fd), path, attr.Handled_access_fs&^unix.LANDLOCK_ACCESS_FS_MAKE_CHAR&^unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK&^unix.LANDLOCK_ACCESS_FS_MAKE_SYM); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("enter the rules: %w", errno)
	}
	return nil
}

// grantRights grants rights over what lies at or below a path; what is not there
// needs none.
func grantRights(rules int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofFiles
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("allow %s: %w", path, errno)
	}
	return nil
}
