//go:build unix

package repo

import (
	"io/fs"
	"syscall"
)

// readFile reads the beginning of a regular file into a buffer. A link is not
// followed, and a pipe is not waited for. It calls the system itself: package
// os would offer each file to the poller, which takes as long as reading it.
func readFile(name string, buffer []byte) (int64, fs.FileMode, []byte, error) {
	fd, err := retryInterrupted(func() (int, error) {
		return syscall.Open(name, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	})
	if err == syscall.ELOOP {
		err = errLink
	}
	if err != nil {
		return 0, 0, nil, err
	}
	defer syscall.Close(fd)
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil {
		return 0, 0, nil, err
	}
	mode := fs.FileMode(info.Mode & 0o777)
	switch info.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
	case syscall.S_IFDIR:
		return 0, fs.ModeDir, nil, errNoFile
	default:
		return 0, fs.ModeIrregular, nil, errNoFile
	}
	n := 0
	for n < len(buffer) && int64(n) < info.Size {
		more, err := retryInterrupted(func() (int, error) { return syscall.Read(fd, buffer[n:]) })
		if err != nil {
			return info.Size, mode, nil, err
		}
		if more == 0 {
			break
		}
		n += more
	}
	return info.Size, mode, buffer[:n], nil
}

// retryInterrupted repeats a call that a signal interrupted.
func retryInterrupted(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != syscall.EINTR {
			return n, err
		}
	}
}
