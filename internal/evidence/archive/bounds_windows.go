package archive

import (
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/research-council/research-council/internal/base/job"
)

// BoundPoppler bounds this process and what it starts, and runs the program: here
// no process becomes another one.
func BoundPoppler(argv []string) error {
	if err := boundSelf(popplerMemory, popplerSeconds*time.Second); err != nil {
		return fmt.Errorf("bound %s: %w", argv[0], err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = []string{}, os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run %s: %w", argv[0], err)
	}
	return nil
}

// boundReader has the system bound a reader of sources, whose own look bounds it,
// too.
func boundReader() { _ = boundSelf(hardMemory, maxSeconds*time.Second) }

// boundSelf bounds this process for the rest of its life, and all it starts. The job
// that does so stays open until then.
func boundSelf(memory uint64, computing time.Duration) error {
	j, err := job.New()
	if err != nil {
		return err
	}
	if err := j.Bound(memory, computing); err != nil {
		return err
	}
	return j.Enter()
}
