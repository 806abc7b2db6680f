package footprint

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/proc"
)

// Running is a process of ours that works on a run.
type Running struct {
	Run     string `json:"run"` // "" where its words do not tell
	Project string `json:"project,omitempty"`
	Process int    `json:"process"`
	Command string `json:"command"`

	id proc.Identity
}

// workers are the commands that work on a run until it ends.
func workers() []string {
	return []string{"supervise", "run", "staged", "review", "campaign", "resume", "seat"}
}

// worker reads a process's words; false for any other.
func worker(pid int, argv []string) (Running, bool) {
	if len(argv) < 2 || !slices.Contains(workers(), argv[1]) {
		return Running{}, false
	}
	name := strings.TrimSuffix(filepath.Base(argv[0]), disk.ProgramEnding)
	if name != "council" && (!strings.HasPrefix(name, "council-") || strings.HasPrefix(name, "council-hook")) {
		return Running{}, false
	}
	id, err := proc.Identify(pid)
	if err != nil {
		return Running{}, false // it has ended
	}
	r := Running{Process: pid, Command: "council " + argv[1], id: id}
	if argv[1] == "supervise" && len(argv) > 4 {
		r.Project, r.Run = argv[3], argv[4]
	}
	return r, true
}

func (r Running) text() string {
	if r.Run == "" {
		return fmt.Sprintf("%s is still going (process %d)", r.Command, r.Process)
	}
	return fmt.Sprintf("run %s is still going (process %d, %s)", r.Run, r.Process, r.Project)
}

// Stop asks the processes that work on runs to stop, as Ctrl-C does: the runs can be
// resumed by a later installation.
func (f *Footprint) Stop(ctx context.Context) error {
	const patience = 15 * time.Second
	for _, r := range f.Running {
		if err := askToStop(r.id); err != nil {
			return fmt.Errorf("stop %s: %w", r.text(), err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for slices.ContainsFunc(f.Running, func(r Running) bool { return r.id.Alive() }) {
		select {
		case <-ctx.Done():
			return errors.New("not every run has stopped; nothing was removed")
		case <-look.C:
		}
	}
	f.Running = []Running{}
	return nil
}
