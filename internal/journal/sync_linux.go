package journal

import (
	"os"
	"syscall"
)

// datasync waits until the file's bytes and its length are on disk; times of
// access and change may come later.
func datasync(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
