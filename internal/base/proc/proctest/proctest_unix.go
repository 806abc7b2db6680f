//go:build unix

package proctest

import (
	"io/fs"
	"syscall"
	"time"
)

// NamedPipe makes a named pipe, which its owner may read and write.
func NamedPipe(path string) error { return syscall.Mkfifo(path, 0o600) }

// Spent is the processor time of this process up to now.
func Spent() time.Duration { return spent(syscall.RUSAGE_SELF) }

// SpentWithChildren is that of this process and of those it has waited for.
func SpentWithChildren() time.Duration {
	return spent(syscall.RUSAGE_SELF) + spent(syscall.RUSAGE_CHILDREN)
}

func spent(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// As starts a process as a user and the group of the same number.
func As(uid uint32) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
}

// Owner is the user whose file it is.
func Owner(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }

// Links is how many names a file has.
func Links(info fs.FileInfo) uint64 { return uint64(info.Sys().(*syscall.Stat_t).Nlink) }

// LimitFileSize keeps every file of this process below so many bytes, as a full
// disk does, until the function it returns is called.
func LimitFileSize(bytes uint64) (undo func()) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		panic(err)
	}
	set := func(limit syscall.Rlimit) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			panic(err)
		}
	}
	set(syscall.Rlimit{Cur: bytes, Max: old.Max})
	return func() { set(old) }
}
