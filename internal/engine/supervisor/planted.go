package supervisor

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/project/repo"
)

// A run's journal names the programs its seats are: whoever wrote it chose them. A run
// that was begun here is known by its journal's file, which is as old as its first
// fact: what unpacks an archive or checks out a commit makes a file of its own time,
// and cannot make an older one. A run that came from elsewhere is worked on where the
// person has said so, for the setups it had then.

// sameMoment is how far apart the beginning of a run and its files may be.
const sameMoment = time.Minute

// ErrForeign says that a run was not begun here.
var ErrForeign = errors.New("was not begun here")

// ErrMirrored says that a run is a copy of one that a fleet works on.
var ErrMirrored = errors.New("is a copy of a fleet's run")

// CheckNotMirrored refuses a copy of a fleet's run, an [ErrMirrored]: what was said to it or
// done with it here would be lost, or paid twice. One that a person has taken over is none.
func CheckNotMirrored(project, id string) error {
	m, is, err := workspace.MirroredFrom(project, id)
	if err != nil || !is || m.Taken {
		return err
	}
	return fmt.Errorf("run %s %w, %s in %s: what it waits for is said by `council-fleet answer %s FILE` or `council-fleet confirm %s`, and the fleet goes on with it; `council resume %s --from-fleet` works on it here too",
		id, ErrMirrored, plain.Line(m.Run, 80), plain.Line(m.Store, 200), plain.Line(m.Run, 80), plain.Line(m.Run, 80), id)
}

// TakeOver has a copy of a fleet's run worked on here, whatever the fleet does with it; any
// other run is as it was.
func TakeOver(project, id string) error {
	m, is, err := workspace.MirroredFrom(project, id)
	if err != nil || !is || m.Taken {
		return err
	}
	m.Taken = true
	return workspace.MarkMirrored(project, id, m)
}

// CheckBegunHere refuses a run that came from elsewhere, an [ErrForeign], unless it is
// trusted, and a copy of a fleet's, an [ErrMirrored].
func CheckBegunHere(project, id string) error {
	if err := CheckNotMirrored(project, id); err != nil {
		return err
	}
	f, err := workspace.Open(project, id)
	if err != nil {
		return err
	}
	defer f.Close()
	if here, err := wasBegunHere(f); here || err != nil {
		return err
	}
	events, err := Facts(project, id)
	if err != nil {
		return err
	}
	if isTrusted(f, events) {
		return nil
	}
	return fmt.Errorf("run %s %w: its files came from elsewhere, and whoever wrote them there chose the programs it starts; if that was you, `council resume %s --trust` in a terminal works on it from now on", id, ErrForeign, id)
}

// wasBegunHere reports whether a run's files are as old as it is. Where the system does
// not tell when a file was made, it goes by what git has, as that is checked out.
func wasBegunHere(f *workspace.Folder) (bool, error) {
	made, known := madeAt(f.Join(journal.Name))
	if !known && !repo.Tracks(f.Path, journal.Name) {
		return true, nil
	}
	begun, err := begunAt(f)
	if err == nil && !known {
		made, err = oldestFile(f)
	}
	if err != nil {
		return false, fmt.Errorf("look when run %s was begun: %w", f.ID, err)
	}
	return made.Sub(begun).Abs() <= sameMoment, nil
}

// begunAt is when a run was begun, by its first fact alone: a journal may be long.
func begunAt(f *workspace.Folder) (time.Time, error) {
	file, err := os.Open(f.Join(journal.Name))
	if err != nil {
		return time.Time{}, err
	}
	defer file.Close()
	var first struct{ Fact flow.Event }
	if json.NewDecoder(bufio.NewReader(file)).Decode(&first) == nil {
		return first.Fact.At, nil
	}
	events, err := Facts(filepath.Dir(filepath.Dir(f.Path)), f.ID) // says what is wrong with it
	if err != nil {
		return time.Time{}, err
	}
	return events[0].At, nil
}

// oldestFile is when that was written last which nobody has written to for longest.
func oldestFile(f *workspace.Folder) (time.Time, error) {
	names, err := f.Names(".")
	oldest := time.Now()
	for _, name := range names {
		if info, err := os.Lstat(f.Join(name)); err == nil && info.ModTime().Before(oldest) {
			oldest = info.ModTime()
		}
	}
	return oldest, err
}

// Trust has a run worked on from now on that came from elsewhere, as long as its setups
// are those it has now.
func Trust(project, id string) error {
	f, err := workspace.Open(project, id)
	if err != nil {
		return err
	}
	defer f.Close()
	events, err := Facts(project, id)
	if err != nil {
		return err
	}
	list, err := trustedFile()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(list), 0o700)
	}
	if err != nil {
		return fmt.Errorf("note that run %s is trusted: %w", id, err)
	}
	old, err := os.ReadFile(list)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("note that run %s is trusted: %w", id, err)
	}
	line := trustLine(f, events)
	if slices.Contains(strings.Split(string(old), "\n"), line) {
		return nil
	}
	if err := durable.ReplaceFile(list, append(old, line+"\n"...), 0o600); err != nil {
		return fmt.Errorf("note that run %s is trusted: %w", id, err)
	}
	return nil
}

// trustedFile is the list of runs from elsewhere that the person trusts.
func trustedFile() (string, error) {
	home, err := os.UserHomeDir()
	dir := os.Getenv("XDG_STATE_HOME")
	if err != nil && !filepath.IsAbs(dir) {
		return "", err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "research-council", "trusted-runs"), nil
}

func isTrusted(f *workspace.Folder, events []flow.Event) bool {
	list, err := trustedFile()
	if err != nil {
		return false
	}
	data, err := os.ReadFile(list)
	return err == nil && slices.Contains(strings.Split(string(data), "\n"), trustLine(f, events))
}

// trustLine is a run as it is trusted: where it lies, and the hash of its setups, which
// name the programs.
func trustLine(f *workspace.Folder, events []flow.Event) string {
	sum := sha256.New()
	for _, e := range events {
		if e.Setup != nil {
			_ = json.NewEncoder(sum).Encode(e.Setup) // a hash takes everything
		}
	}
	real, _ := filepath.EvalSymlinks(f.Path)
	return fmt.Sprintf("%x %q", sum.Sum(nil), cmp.Or(real, f.Path))
}
