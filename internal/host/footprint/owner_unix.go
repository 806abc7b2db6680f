//go:build unix

package footprint

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// ownerOf is whose a file is, where that is somebody else.
func ownerOf(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	st, is := info.Sys().(*syscall.Stat_t)
	if !is || int(st.Uid) == os.Geteuid() {
		return ""
	}
	id := strconv.Itoa(int(st.Uid))
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return "user " + id
}
