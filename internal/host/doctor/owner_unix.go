//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// owned reports whether we may change a file's mode.
func owned(info fs.FileInfo) bool {
	st, is := info.Sys().(*syscall.Stat_t)
	return is && (os.Geteuid() == 0 || int(st.Uid) == os.Geteuid())
}

func ownerName(info fs.FileInfo) string {
	st, is := info.Sys().(*syscall.Stat_t)
	if !is {
		return "somebody else"
	}
	id := strconv.Itoa(int(st.Uid))
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return "user " + id
}
