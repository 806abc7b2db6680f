// Package lab runs what a seat has written: a command, and files that lie in a
// folder of its own before it begins. It runs in a box, without network, within
// bounds, and where there is no box not at all.
//
// A seat's words are bytes from outside: which commands and files can be taken is
// said here, too. What a run is for, who may have how many, and where it is
// recorded are left to others.
package lab

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gofrs/flock"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/evidence/experiment"
	"github.com/research-council/research-council/internal/evidence/trial"
	"github.com/research-council/research-council/internal/project/repo"
	"github.com/research-council/research-council/internal/project/shell"
)

// Intake bounds what is taken of a seat.
type Intake struct {
	Files   int // laid before
	Bytes   int // of all of them
	Command int // bytes of it
}

// maxName bounds a path, in bytes.
const maxName = 200

// Check refuses a command or files that cannot be taken, and gives the files as
// they are recorded.
func (in Intake) Check(command []string, files []trial.File) ([]trial.File, error) {
	line := strings.Join(command, " ")
	switch {
	case len(command) == 0 || strings.TrimSpace(command[0]) == "":
		return nil, errors.New("there is no command")
	case strings.ContainsRune(line, 0) || len(line) > in.Command:
		return nil, fmt.Errorf("the command is no text of %d bytes at most; put what is longer into a file", in.Command)
	case len(command) == 1 && strings.ContainsFunc(strings.TrimSpace(line), unicode.IsSpace):
		return nil, errors.New(`the command is one word with blanks in it: give the program and its arguments one by one, or ["sh", "-c", "…"] for what a shell is to read`)
	case len(files) > in.Files:
		return nil, fmt.Errorf("more than %d files", in.Files)
	}
	var list []trial.File
	size := 0
	for _, f := range files {
		if size += len(f.Text); size > in.Bytes {
			return nil, fmt.Errorf("the files have more than %d KiB together", in.Bytes>>10)
		}
		if err := checkName(f.Path, list); err != nil {
			return nil, err
		}
		sum := sha256.Sum256([]byte(f.Text))
		list = append(list, trial.File{Path: f.Path, SHA256: hex.EncodeToString(sum[:]), Text: f.Text})
	}
	return list, nil
}

// checkName refuses a path that does not lead to a file inside, that git would take
// for its own, or that another of the files stands in the way of.
func checkName(name string, others []trial.File) error {
	odd := func(r rune) bool { return !unicode.IsPrint(r) || r == '\\' || r == unicode.ReplacementChar }
	if !filepath.IsLocal(name) || path.Clean(name) != name || name == "." || len(name) > maxName || repo.OfGit(name) ||
		strings.ContainsFunc(name, odd) || slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.TrimSpace(part) != part }) {
		return fmt.Errorf("%.100q is no path of a file inside the folder", name)
	}
	for _, o := range others {
		if strings.EqualFold(o.Path, name) || isAbove(o.Path, name) || isAbove(name, o.Path) {
			return fmt.Errorf("%.100q and %.100q cannot both be there", o.Path, name)
		}
	}
	return nil
}

func isAbove(folder, name string) bool {
	return len(name) > len(folder) && strings.EqualFold(name[:len(folder)], folder) && name[len(folder)] == '/'
}

// Lay writes files into a folder. A script is made executable.
func Lay(folder string, files []trial.File) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("lay the files: %w", withoutPath(err))
	}
	defer root.Close()
	for _, f := range files {
		mode := fs.FileMode(0o600)
		if strings.HasPrefix(f.Text, "#!") {
			mode = 0o700
		}
		if err := root.MkdirAll(path.Dir(f.Path), 0o700); err != nil {
			return fmt.Errorf("lay %s: %w", f.Path, withoutPath(err))
		}
		if err := root.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("lay %s: %w", f.Path, withoutPath(err))
		}
		if err := root.WriteFile(f.Path, []byte(f.Text), mode); err != nil {
			return fmt.Errorf("lay %s: %w", f.Path, withoutPath(err))
		}
	}
	return nil
}

// Hold waits until nobody else runs anything in a place, of whatever process, and holds
// it until it is released. The error is ctx's, or of the place's folder.
func Hold(ctx context.Context, place shell.Options) (release func(), err error) {
	file := place.Own + ".lock"
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, withoutPath(err)
	}
	held := flock.New(file, flock.SetPermissions(0o600))
	if _, err := held.TryLockContext(ctx, heldPoll); err != nil {
		return nil, fmt.Errorf("wait for the place it runs in: %w", withoutPath(err))
	}
	return func() { _ = held.Unlock() }, nil
}

// heldPoll is how often a place is asked for.
const heldPoll = 20 * time.Millisecond

// Fresh makes a folder anew, empty.
func Fresh(folder string) error {
	if err := shell.Remove(folder); err != nil {
		return fmt.Errorf("take the last run's folder away: %w", withoutPath(err))
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make a folder: %w", withoutPath(err))
	}
	return nil
}

// Task is what is run.
type Task struct {
	Command []string
	Time    time.Duration // it may take at most
	Log     string        // the file that gets what it says
	Said    int64         // bytes it may say
	Env     []string
	Read    []string // folders that it may read besides
	Hide    []string // files and folders within those that it may not
	Bounds  shell.Bounds
}

// Outcome is how it went.
type Outcome struct {
	Exit    int
	Cut     string // why it did not come to its own end; "" where it did
	Seconds float64
	Said    []byte   // standard output and error as they came
	Environ []string // what the command saw
}

// Run runs a task where the shell has its project. An error says that nothing
// was run, or that nothing can be told of it.
func Run(ctx context.Context, o shell.Options, t Task) (Outcome, error) {
	s, err := shell.Open(context.WithoutCancel(ctx), o)
	if err != nil {
		return Outcome{}, fmt.Errorf("nothing was run: %w", err)
	}
	defer func() { _ = s.Close() }() // its way out, which leads nowhere
	if why := s.CheckConfined(); why != nil {
		return Outcome{}, fmt.Errorf("nothing was run: commands cannot be confined here: %w", why)
	}
	began := time.Now()
	r, err := s.Run(ctx, shell.Command{Line: execLine(t.Command), Log: t.Log, Timeout: t.Time, MaxOutput: t.Said, Env: t.Env, Read: t.Read, Hide: t.Hide, Bounds: t.Bounds})
	if err != nil {
		return Outcome{}, fmt.Errorf("nothing was run: %w", err)
	}
	out := Outcome{Exit: r.Code, Seconds: time.Since(began).Round(time.Second / 10).Seconds(), Environ: r.Environ}
	switch {
	case errors.Is(r.Err, proc.ErrFlood):
		out.Cut = experiment.Flooded
	case r.Err != nil:
		return Outcome{}, r.Err
	case r.Over != "":
		out.Cut = "ended, for " + r.Over
	case r.Late:
		out.Cut = fmt.Sprintf("ended, for it took longer than %s", t.Time)
	case r.Ended:
		return Outcome{}, errors.New("the call was given up")
	}
	if out.Said, err = os.ReadFile(t.Log); err != nil {
		return Outcome{}, fmt.Errorf("read what it said: %w", withoutPath(err))
	}
	out.Said = bytes.Clone(out.Said[:min(int64(len(out.Said)), t.Said)])
	return out, nil
}

// execLine is a line by which a shell becomes a command.
func execLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return "exec " + strings.Join(quoted, " ")
}

// withoutPath takes the system call and the path from an error.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
