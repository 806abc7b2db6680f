package standing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/base/plain"
)

// Here is this system, for the person whose environment it is.
func Here(getenv func(string) string) System {
	s := System{GOOS: runtime.GOOS, Home: getenv("HOME"), UID: os.Getuid()}
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		s.Config = dir
	}
	return s
}

// Timer is the timer of a standing question, which starts council by its path.
func (k Keeper) Timer(system System, s Standing, council string) (Timer, error) {
	times, err := Cron(s.Cron)
	if err != nil {
		return Timer{}, fmt.Errorf("%s: %q: %w", s.Name, s.Cron, err)
	}
	return system.Timer(Job{Name: s.Name, Program: council, Folder: k.Folder(s.Name), Times: times}, time.Now())
}

// Remove takes a standing question away with its timer, whatever the system says to
// that; its runs stay.
func (k Keeper) Remove(ctx context.Context, system System, s Standing) error {
	timer, err := k.Timer(system, s, "council") // its files and commands are the same for any program
	if errors.Is(err, ErrSystem) {
		err = nil
	}
	if timer.IsInstalled() {
		err = errors.Join(err, timer.TakeAway(ctx))
	}
	return errors.Join(err, k.Forget(s.Name))
}

// IsInstalled reports whether the files of a timer lie where the system reads them.
func (t Timer) IsInstalled() bool {
	for _, f := range t.Files {
		if _, err := os.Lstat(f.Path); err != nil {
			return false
		}
	}
	return len(t.Files) > 0
}

// Put lays down the files and has the system read them.
func (t Timer) Put(ctx context.Context) error {
	for _, f := range t.Files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
			return fmt.Errorf("install the timer: %w", err)
		}
		if err := durable.ReplaceFile(f.Path, f.bytes(), 0o600); err != nil {
			return fmt.Errorf("install the timer: %w", err)
		}
	}
	return run(ctx, t.Install)
}

// TakeAway has the system forget the timer, and removes its files, whatever the system
// says to that.
func (t Timer) TakeAway(ctx context.Context) error {
	err := run(ctx, t.Remove)
	for _, f := range t.Files {
		if rmErr := os.Remove(f.Path); rmErr != nil && !errors.Is(rmErr, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("remove the timer: %w", rmErr))
		}
	}
	return errors.Join(err, run(ctx, t.After))
}

func run(ctx context.Context, commands [][]string) error {
	for _, argv := range commands {
		out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, plain.Line(string(out), 300))
		}
	}
	return nil
}
