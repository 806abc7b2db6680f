package stage

import (
	"os"
	"syscall"
)

func rss(p *os.ProcessState) int64 {
	if p == nil {
		return 0
	}
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss << 10 // Linux tells KiB
	}
	return 0
}
