//go:build !linux

package stage

import "time"

// CPU is the time by the clock, where the system's own is not asked for.
func CPU() time.Duration { return time.Duration(time.Now().UnixNano()) }

func watch(int) func() int64 { return func() int64 { return 0 } }
