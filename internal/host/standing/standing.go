// Package standing keeps questions that run again and again on this machine: what is asked,
// in which project, when, and which runs came of it; and it tells the system's own timer to
// begin them: systemd's for a user, launchd, or Windows' Task Scheduler.
//
//	<state>/standing/<name>/standing.json  flags, times, runs
//	<state>/standing/<name>/question.txt   the question, byte for byte
//
// What the timer starts names this program and the folder alone: no word of a question is
// read by a shell, a unit file or a system. The folder belongs to the person, as the
// configuration does. Beginning a run, comparing it and telling people is left to the door.
package standing

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proc"
)

// Standing is a question that runs again and again.
type Standing struct {
	Name    string            `json:"name"`
	Project string            `json:"project"` // whose research/ holds the runs
	From    string            `json:"from"`    // the folder that relative names in Flags start from
	Flags   []string          `json:"flags,omitempty"`
	Cron    string            `json:"cron"`
	Environ map[string]string `json:"environment,omitempty"` // where programs and configuration are found; no secret
	Program string            `json:"program,omitempty"`     // what the timer starts, once it is installed
	Added   time.Time         `json:"added"`
	Paused  bool              `json:"paused,omitempty"`
	Failing bool              `json:"failing,omitempty"` // the last run did not complete, and people were told
	Runs    []string          `json:"runs,omitempty"`    // the newest last
	Told    string            `json:"told,omitempty"`    // the newest completed run whose changes were told, or that had none
}

// mostRuns is how many runs are remembered; all stay in the project.
const mostRuns = 50

// Began remembers a run.
func (s *Standing) Began(run string) {
	s.Runs = append(s.Runs, run)
	s.Runs = s.Runs[max(0, len(s.Runs)-mostRuns):]
}

const (
	record   = "standing.json"
	question = "question.txt"
	lock     = ".lock"    // while a run is worked on
	writing  = ".change"  // while the record is
	logName  = "log.txt"  // what launchd's runs have said
	taskName = "task.xml" // the Task Scheduler's
)

var goodName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,47}$`)

// CheckName says why nothing may be called so.
func CheckName(name string) error {
	if !goodName.MatchString(name) {
		return fmt.Errorf("%q is no name of a standing question: use at most 48 of a-z, 0-9 and -", name)
	}
	return nil
}

// NameOf makes a name of the first words of a question.
func NameOf(text string) string {
	const enough, most = 31, 46
	name := plain.Slug(text, most)
	if at := strings.IndexByte(name[min(enough, len(name)):], '-'); at >= 0 {
		name = name[:enough+at]
	}
	return cmp.Or(name, "question")
}

// Keeper is where standing questions lie.
type Keeper struct{ Dir string }

// ErrNone says that there is none of a name.
var ErrNone = errors.New("there is no standing question of this name (`council schedule list` names them)")

// Folder of a standing question.
func (k Keeper) Folder(name string) string { return filepath.Join(k.Dir, name) }

// Names of all, in order, whether or not they can be read. A folder without a record is
// none: it is what is left where keeping one was broken off.
func (k Keeper) Names() (list []string, err error) {
	entries, err := os.ReadDir(k.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the standing questions: %w", err)
	}
	for _, e := range entries {
		_, err := os.Lstat(filepath.Join(k.Folder(e.Name()), record))
		if CheckName(e.Name()) == nil && e.IsDir() && !errors.Is(err, fs.ErrNotExist) {
			list = append(list, e.Name())
		}
	}
	return list, nil
}

// List reads all, in the order of their names; what cannot be read is in the error, and
// keeps no other from being listed.
func (k Keeper) List() (list []Standing, err error) {
	names, err := k.Names()
	for _, name := range names {
		s, oneErr := k.Read(name)
		if oneErr != nil {
			err = errors.Join(err, oneErr)
			continue
		}
		list = append(list, s)
	}
	return list, err
}

// Read reads one.
func (k Keeper) Read(name string) (Standing, error) {
	if err := CheckName(name); err != nil {
		return Standing{}, err
	}
	data, err := os.ReadFile(filepath.Join(k.Folder(name), record))
	if errors.Is(err, fs.ErrNotExist) {
		return Standing{}, fmt.Errorf("%s: %w", name, ErrNone)
	}
	var s Standing
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return Standing{}, fmt.Errorf("read the standing question %s: %w", name, err)
	}
	s.Name = name
	return s, nil
}

// Question is what is asked, byte for byte.
func (k Keeper) Question(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(k.Folder(name), question))
	if err != nil {
		return "", fmt.Errorf("read the standing question %s: %w", name, err)
	}
	return string(text), nil
}

// Ask keeps a new question. The same again is kept as it is (false), but for where programs
// and configuration are found now; another of the same name is [ErrOther].
func (k Keeper) Ask(s Standing, text string) (isNew bool, err error) {
	was, err := k.Read(s.Name)
	if err == nil {
		asked, err := k.Question(s.Name)
		same := asked == text && was.Project == s.Project && was.From == s.From && was.Cron == s.Cron && slices.Equal(was.Flags, s.Flags)
		if err == nil && !same {
			err = fmt.Errorf("%s: %w", s.Name, ErrOther)
		}
		if err == nil {
			_, err = k.Change(s.Name, func(kept *Standing) { kept.Environ = s.Environ })
		}
		return false, err
	}
	if !errors.Is(err, ErrNone) {
		return false, err
	}
	if err := os.MkdirAll(k.Folder(s.Name), 0o700); err != nil {
		return false, fmt.Errorf("keep the standing question: %w", err)
	}
	if err := durable.ReplaceFile(filepath.Join(k.Folder(s.Name), question), []byte(text), 0o600); err != nil {
		return false, fmt.Errorf("keep the standing question: %w", err)
	}
	return true, k.write(s)
}

// ErrOther says that a name is taken.
var ErrOther = errors.New("a standing question of this name is there, with another question, other flags or other times: choose another --name, or remove it first")

// Change changes what is kept of one, and returns it: a run that ends and a person who
// pauses it do not undo what the other has written.
func (k Keeper) Change(name string, change func(*Standing)) (Standing, error) {
	if _, err := k.Read(name); err != nil {
		return Standing{}, err
	}
	f, err := os.OpenFile(filepath.Join(k.Folder(name), writing), os.O_CREATE|os.O_RDWR|disk.NoLink, 0o600)
	if err == nil {
		defer f.Close() // nothing is written
		err = disk.Lock(f)
	}
	if err != nil {
		return Standing{}, fmt.Errorf("keep the standing question %s: %w", name, err)
	}
	s, err := k.Read(name)
	if err != nil {
		return s, err
	}
	change(&s)
	return s, k.write(s)
}

// write keeps one, whatever was kept of it.
func (k Keeper) write(s Standing) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = durable.ReplaceFile(filepath.Join(k.Folder(s.Name), record), append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep the standing question %s: %w", s.Name, err)
	}
	return nil
}

// forget takes one away that is held, and lets go of it; its runs stay.
func (k Keeper) forget(name string, letGo func() error) error {
	for _, file := range []string{question, writing, logName, taskName, record} { // without a record it is none
		if err := k.remove(name, file); err != nil {
			return errors.Join(err, letGo())
		}
	}
	_ = k.remove(name, lock) // Windows removes none that is open
	if err := errors.Join(letGo(), k.remove(name, lock), k.remove(name, "")); err != nil {
		return err
	}
	_ = os.Remove(k.Dir) // once it is empty
	return nil
}

// remove removes a file of a standing question, or with none its folder.
func (k Keeper) remove(name, file string) error {
	if err := os.Remove(filepath.Join(k.Folder(name), file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the standing question %s: %w", name, err)
	}
	return nil
}

// ErrBusy says that a run of the question is under way.
var ErrBusy = errors.New("a run of it is under way")

// Hold keeps others from working on a question until it is let go, or the process ends.
func (k Keeper) Hold(name string) (letGo func() error, err error) {
	for {
		letGo, current, err := k.hold(name)
		if err != nil || current {
			return letGo, err
		}
		if err := letGo(); err != nil {
			return nil, fmt.Errorf("hold the standing question %s: %w", name, err)
		}
	}
}

// hold takes the lock; current is false where the question was removed meanwhile, and
// others may lock another file of the same name.
func (k Keeper) hold(name string) (letGo func() error, current bool, err error) {
	path := filepath.Join(k.Folder(name), lock)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|disk.NoLink, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("hold the standing question %s: %w", name, err)
	}
	if err := disk.TryLock(f); err != nil {
		_ = f.Close() // nothing was written
		if errors.Is(err, disk.ErrBusy) {
			return nil, false, fmt.Errorf("%s: %w", name, ErrBusy)
		}
		return nil, false, fmt.Errorf("hold the standing question %s: %w", name, err)
	}
	held, err := f.Stat()
	there, thereErr := os.Lstat(path)
	return f.Close, err == nil && thereErr == nil && os.SameFile(held, there), nil
}

const (
	mostLog = 1 << 20   // bytes that a log may come to before a run
	keptLog = 100 << 10 // bytes at its end that are kept then
)

// TrimLog cuts a log that has grown long to its last lines, in place: the run that begins
// writes into it.
func (k Keeper) TrimLog(name string) error {
	path := filepath.Join(k.Folder(name), logName)
	if info, err := os.Lstat(path); err != nil || info.Size() <= mostLog {
		return nil //nolint:nilerr // there is none
	}
	last, err := proc.LastBytes(path, keptLog)
	if err == nil {
		_, last, _ = bytes.Cut(last, []byte("\n"))
		err = os.Truncate(path, 0)
	}
	if err == nil {
		err = appendTo(path, last)
	}
	if err != nil {
		return fmt.Errorf("shorten the log of the standing question %s: %w", name, err)
	}
	return nil
}

func appendTo(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|disk.NoLink, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
