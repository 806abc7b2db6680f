package stage

import (
	"os"
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

func rss(p *os.ProcessState) int64 {
	if p == nil {
		return 0
	}
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss << 10 // Linux tells KiB
	}
	return 0
}
