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
	data, known := info.Sys().(*syscall.Win32FileAttributeData)
	if !known {
		return time.Time{}, false
	}
	return time.Unix(0, data.CreationTime.Nanoseconds()), true
}
