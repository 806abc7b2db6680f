//go:build unix

package userfile

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownership is whose a file is, and how many names it has.
func ownership(info fs.FileInfo) (uid, gid int, names uint64) {
	if st, is := info.Sys().(*syscall.Stat_t); is {
		return int(st.Uid), int(st.Gid), uint64(st.Nlink)
	}
	return -1, -1, 1
}

func mayMakeFiles(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

func lockFolder(dir *os.File) error { return unix.Flock(int(dir.Fd()), unix.LOCK_EX) }
