package supervisor

import (
	"os"
	"syscall"
	"time"
)

// madeAt is when a file was made.
func madeAt(path string) (time.Time, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}, false
	}
	st, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return time.Time{}, false
	}
	return time.Unix(st.Birthtimespec.Unix()), true
}
