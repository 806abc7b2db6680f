package relation_test

import (
	"syscall"
	"time"
)

// spent is the processor time of this process up to now.
func spent() time.Duration {
	var begun, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(^syscall.Handle(0), &begun, &ended, &kernel, &user); err != nil { // this process
		panic(err)
	}
	ticks := func(f syscall.Filetime) time.Duration {
		return time.Duration(f.HighDateTime)<<32 + time.Duration(f.LowDateTime)
	}
	return (ticks(kernel) + ticks(user)) * 100 // of 100 ns
}
