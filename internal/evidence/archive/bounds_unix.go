//go:build unix

package archive

import (
	"fmt"
	"syscall"
)

// BoundPoppler bounds this process, which then becomes the program: it returns
// only where that cannot be.
func BoundPoppler(argv []string) error {
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: popplerSeconds, Max: popplerSeconds})
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: popplerMemory, Max: popplerMemory}); err != nil {
		return fmt.Errorf("bound %s: %w", argv[0], err)
	}
	return fmt.Errorf("start %s: %w", argv[0], syscall.Exec(argv[0], argv, []string{}))
}

// boundReader has the system bound a reader of sources, whose own look bounds it,
// too.
func boundReader() {
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: hardMemory, Max: hardMemory})
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: maxSeconds, Max: maxSeconds})
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // nothing of a page stays on disk
}
