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
	"slices"
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

// Remove takes a standing question away with its timer, whatever the system says to that,
// and whether or not it can be read; its runs stay. While a run of it is under way nothing
// is taken away: [ErrBusy].
func (k Keeper) Remove(ctx context.Context, system System, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	letGo, err := k.Hold(name)
	if err != nil {
		return err
	}
	timer, err := system.Timer(Job{Name: name, Program: "council", Folder: k.Folder(name)}, time.Now()) // its files and commands are the same for any program and time
	if errors.Is(err, ErrSystem) {
		err = nil
	}
	if slices.ContainsFunc(timer.Files, File.isThere) {
		err = errors.Join(err, timer.TakeAway(ctx))
	}
	return errors.Join(err, k.forget(name, letGo))
}

// IsInstalled reports whether the files of a timer lie where the system reads them.
func (t Timer) IsInstalled() bool {
	return len(t.Files) > 0 && !slices.ContainsFunc(t.Files, func(f File) bool { return !f.isThere() })
}

func (f File) isThere() bool {
	_, err := os.Lstat(f.Path)
	return err == nil
}

// Put lays down the files and has the system read them. Where the system does not, and had
// none before, no file stays: a timer that nobody has is not to look like one.
func (t Timer) Put(ctx context.Context) error {
	before := t.IsInstalled()
	err := t.layDown()
	if err == nil && before {
		_ = run(ctx, t.Again) // it may know of none
	}
	if err == nil {
		err = run(ctx, t.Install)
	}
	if err != nil && !before {
		err = errors.Join(err, t.removeFiles())
	}
	return err
}

func (t Timer) layDown() error {
	for _, f := range t.Files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
			return fmt.Errorf("install the timer: %w", err)
		}
		if err := durable.ReplaceFile(f.Path, f.bytes(), 0o600); err != nil {
			return fmt.Errorf("install the timer: %w", err)
		}
	}
	return nil
}

func (t Timer) removeFiles() (err error) {
	for _, f := range t.Files {
		if rmErr := os.Remove(f.Path); rmErr != nil && !errors.Is(rmErr, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("remove the timer: %w", rmErr))
		}
	}
	return err
}

// TakeAway has the system forget the timer, and removes its files, whatever the system says
// to that.
func (t Timer) TakeAway(ctx context.Context) error {
	return errors.Join(run(ctx, t.Remove), t.removeFiles(), run(ctx, t.After))
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
