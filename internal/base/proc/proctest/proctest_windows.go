package proctest

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

// NamedPipe makes a folder: files have no named pipes among them here.
func NamedPipe(path string) error { return os.Mkdir(path, 0o700) }

// Spent is the processor time of this process up to now.
func Spent() time.Duration {
	var begun, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(^syscall.Handle(0), &begun, &ended, &kernel, &user); err != nil { // this process
		panic(err)
	}
	ticks := func(f syscall.Filetime) time.Duration {
		return time.Duration(f.HighDateTime)<<32 + time.Duration(f.LowDateTime)
	}
	return (ticks(kernel) + ticks(user)) * 100 // of 100 ns
}

// SpentWithChildren is Spent: no child's time is kept once it has ended.
func SpentWithChildren() time.Duration { return Spent() }

// As changes nothing: nobody is another user by a number here.
func As(uint32) *syscall.SysProcAttr { return nil }

// Owner is 0: users have no numbers here.
func Owner(fs.FileInfo) uint32 { return 0 }

// Links is 1: what a file is called besides is not told here.
func Links(fs.FileInfo) uint64 { return 1 }

// LimitFileSize limits nothing.
func LimitFileSize(uint64) (undo func()) { return func() {} }
