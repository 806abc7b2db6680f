package journal

import (
	"os"
	"syscall"
)

// datasync waits until the file's bytes and its length are on disk; times of
// access and change may come later.
func datasync(f *os.File) error {
	fd := int(f.Fd())
	return retryInterrupted(func() error { return syscall.Fdatasync(fd) })
}

// retryInterrupted makes a call again that a signal has cut off, as os does with
// its own: file systems over a network answer so, and nothing was lost.
func retryInterrupted(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR {
			return err
		}
	}
}
