// Package proctest is what tests ask of the operating system that Go's library
// has no word for on every system: named pipes, signals, processor time, other
// users and a limit on the size of files.
package proctest

import (
	"os"
	"testing"
)

// Kill ends a process at once, as SIGKILL does. One that has ended is an error.
func Kill(t testing.TB, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}
