package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/research-council/research-council/internal/agent/chat/openai"
	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/base/job"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/project/confine"
)

// patience is how long a program may take to say something of itself; the
// slowest we know takes two seconds on a slow machine.
const patience = 30 * time.Second

// maxOutput bounds what is kept of a program's output, in bytes.
const maxOutput = 1 << 20

// Real is the machine we run on. The hook's executable is started as a keeper,
// or the council's where the hook is "" or none; find gives the path of a
// program.
func Real(council, hook string, find func(string) (string, error)) Machine {
	return Machine{
		Find: find, Read: os.ReadFile, Run: runCommand, Free: freeSpace, Write: tryWriting, Share: trySharing, Temp: tempDir,
		Confine: func(ctx context.Context) error {
			_, err := confine.Find(ctx)
			return err
		},
		Models: func(ctx context.Context, base, key string) error {
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			_, err := openai.Models(ctx, base, key)
			return err
		},
		Keep: func(ctx context.Context) error { return tryKeeper(ctx, council, hook) },
		Exists: func(path string) bool {
			_, err := os.Stat(path)
			return err == nil
		},
	}
}

// runCommand runs a process in a group of its own, which is ended whole when
// its time is up.
func runCommand(ctx context.Context, c Command) Result {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	var stdout, stderr boundedBuffer
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = c.Env, c.Dir, &stdout, &stderr
	cmd.Stdin = bytes.NewReader(c.Stdin)
	held, err := job.New()
	if err != nil {
		return Result{Err: err}
	}
	defer held.Close()
	cmd.SysProcAttr = held.Attr()
	cmd.Cancel = func() error { return held.Kill(cmd.Process) }
	cmd.WaitDelay = time.Second // something it started may hold its output open
	began := time.Now()
	if err = cmd.Start(); err == nil {
		err = errors.Join(held.Take(cmd.Process), cmd.Wait())
	}
	r := Result{Stdout: stdout.kept, Stderr: stderr.kept, Took: time.Since(began)}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.Err = fmt.Errorf("no answer within %s", patience)
	case errors.As(err, &exit):
		r.Code = exit.ExitCode()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		r.Err = err
	}
	return r
}

// boundedBuffer keeps the beginning of what is written to it.
type boundedBuffer struct{ kept []byte }

func (b *boundedBuffer) Write(p []byte) (int, error) {
	b.kept = append(b.kept, p[:min(len(p), maxOutput-len(b.kept))]...)
	return len(p), nil
}

// tryKeeper starts a process under a keeper and waits for it.
func tryKeeper(ctx context.Context, council, hook string) error {
	dir, remove, err := tempDir()
	if err != nil {
		return err
	}
	defer remove()
	out := filepath.Join(dir, "out")
	p, err := proc.Starter{Keepers: []string{hook, council}}.Start(proc.Spec{
		Argv: []string{council, "version"}, Env: []string{"PATH=" + os.Getenv("PATH")}, Dir: dir, Stdout: out, Stderr: out,
	})
	if err != nil {
		return err
	}
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case <-p.Done():
	case <-timeout.C:
		p.End()
		return fmt.Errorf("no answer within %s", patience)
	case <-ctx.Done():
		p.End()
		return ctx.Err()
	}
	if exit := p.Wait(); exit.Err != nil || exit.Code != 0 {
		return errors.Join(exit.Err, fmt.Errorf("its child ended with status %d", exit.Code))
	}
	return nil
}

func tryWriting(dir string) error {
	f, err := os.CreateTemp(dir, ".council-*")
	if err != nil {
		return systemError(err)
	}
	_, err = f.WriteString("x")
	return errors.Join(systemError(err), f.Close(), os.Remove(f.Name()))
}

// trySharing does in a folder what programs do that work on one run: one has a
// file's lock and another is told so, and a file is replaced whole.
func trySharing(dir string) (err error) {
	f, err := os.CreateTemp(dir, ".council-*")
	if err != nil {
		return systemError(err)
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	if err := disk.TryLock(f); err != nil {
		return fmt.Errorf("a file is not locked: %w", systemError(err))
	}
	other, err := os.Open(f.Name())
	if err != nil {
		return systemError(err)
	}
	defer other.Close()
	switch err := disk.TryLock(other); {
	case err == nil:
		return errors.New("two have the lock of one file")
	case !errors.Is(err, disk.ErrBusy):
		return fmt.Errorf("a file's lock is not told of: %w", systemError(err))
	}
	return tryReplacing(f.Name() + ".too")
}

func tryReplacing(name string) (err error) {
	defer func() {
		if gone := os.Remove(name); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}()
	const older, newer = "older", "newer"
	for _, text := range []string{older, newer} {
		if err := durable.ReplaceFile(name, []byte(text), 0o600); err != nil {
			return fmt.Errorf("a file is not replaced: %w", systemError(err))
		}
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != newer {
		return errors.Join(errors.New("a file that was replaced is the old one"), systemError(err))
	}
	return nil
}

// systemError is what the system says, without the name of a file that never was.
func systemError(err error) error {
	var p *os.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

func tempDir() (string, func(), error) {
	dir, err := os.MkdirTemp("", "council-doctor-")
	if err != nil {
		return "", nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil // the system clears what is left
}

func freeSpace(dir string) (uint64, error) {
	s, err := disk.SpaceOf(dir)
	return s.Bytes, err
}
