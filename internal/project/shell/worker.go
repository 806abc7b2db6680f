package shell

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// MaxWorkerTime is how long a command of a worker may take.
const MaxWorkerTime = 15 * time.Minute

// RunConfined runs a command line of a worker that has no desk, where it can be
// confined, and writes what it said when it has ended.
func (s *Shell) RunConfined(ctx context.Context, line string, out io.Writer) (Result, error) {
	if why := s.CheckConfined(); why != nil {
		return Result{}, fmt.Errorf("nothing was run: commands cannot be confined here: %w", why)
	}
	dir, err := os.MkdirTemp("", "council-said-*")
	if err != nil {
		return Result{}, fmt.Errorf("keep what is said: %w", err)
	}
	defer os.RemoveAll(dir)
	log := filepath.Join(dir, "log")
	r, err := s.Run(ctx, Command{Line: line, Log: log, Timeout: MaxWorkerTime})
	if err != nil {
		return r, err
	}
	said, err := os.Open(log)
	if err != nil {
		return r, fmt.Errorf("read what was said: %w", err)
	}
	defer said.Close()
	_, err = io.Copy(out, said)
	return r, err
}
