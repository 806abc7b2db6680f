//go:build !linux

package stage

import (
	"os"
	"time"
)

// CPU is the time by the clock, where the system's own is not asked for.
func CPU() time.Duration { return time.Duration(time.Now().UnixNano()) }

func rss(*os.ProcessState) int64 { return 0 }
