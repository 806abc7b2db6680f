package repo

import (
	"io/fs"
	"syscall"
	"time"
)

// changedAt is when a file was changed, in what it holds or says of itself.
func changedAt(_ string, info fs.FileInfo) (time.Time, bool) {
	st, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return time.Time{}, false
	}
	return time.Unix(st.Ctimespec.Unix()), true
}
