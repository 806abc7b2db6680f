package stage

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// CPU is the time this process has worked, user and system.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// watch looks at the most memory a process has had, every few milliseconds
// until it has ended: what the system tells at the end counts what the parent
// had when it forked.
func watch(pid int) func() int64 {
	done, most := make(chan struct{}), make(chan int64)
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		seen := int64(0)
		for {
			seen = max(seen, peak(pid))
			select {
			case <-tick.C:
			case <-done:
				most <- seen
				return
			}
		}
	}()
	return func() int64 { close(done); return <-most }
}

// peak is the most memory a running process has had, in bytes; 0 for none.
func peak(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, line, _ := strings.Cut(string(data), "\nVmHWM:")
	var kib int64
	if _, err := fmt.Sscanf(line, "%d kB", &kib); err != nil {
		return 0
	}
	return kib << 10
}
