// Package workspace is what a run leaves on disk, apart from its journal: the
// run's folder below the project, the state file that hooks and people read,
// the inbox through which hooks tell the supervisor, the log people follow.
//
// Every path is opened through [os.Root], so that no link leads out of the
// project. Files are written beside, synced and renamed, and the folder is
// synced after: a reader sees the old or the new content, also after a power
// cut. All of it is projection but for the inbox: the journal decides.
package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/hook"
)

// ReadJSON reads a file of the run into a value.
func (f *Folder) ReadJSON(name string, v any) error {
	data, err := f.Read(name)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// Names in a run's folder.
const (
	Runs      = "research"     // below the project
	Progress  = "progress.log" // lines for people
	Status    = "status.json"  // what watchers read
	Tombstone = "cancelled"    // the run is not to go on
	Inbox     = "inbox"        // notes of hooks to the supervisor
	Session   = "session"      // what the host's session was asked
	Prompts   = "prompts"
	Unheard   = hook.Unheard // names the session that has not heard how its run ended
	Seats     = "seats"
	Turns     = "turns" // the streams of every process
)

// StreamsFolder is the folder, from the run's folder, of the streams of a task's
// turn.
func StreamsFolder(task string, turn int) string {
	return path.Join(Turns, strings.ReplaceAll(task, "/", "-")+"-"+strconv.Itoa(turn))
}

// ValidID reports whether an id may become part of a path.
func ValidID(id string) bool {
	const form = "dddddddd-dddddd-xxxxxx" // digits, and digits of base 16
	if len(id) != len(form) {
		return false
	}
	for i := range len(id) {
		c, want := id[i], form[i]
		isDigit, isHex := c >= '0' && c <= '9', c >= 'a' && c <= 'f'
		if want == '-' && c != '-' || want == 'd' && !isDigit || want == 'x' && !isDigit && !isHex {
			return false
		}
	}
	return true
}

// NewID makes a run's id from a moment and two random bytes. Ids are in the order
// of their moments, to a 256th of a second.
func NewID(now time.Time, dice io.Reader) (string, error) {
	var b [2]byte
	if _, err := io.ReadFull(dice, b[:]); err != nil {
		return "", fmt.Errorf("make a run id: %w", err)
	}
	part := now.Nanosecond() / (int(time.Second) / 256)
	return fmt.Sprintf("%s-%02x%x", now.UTC().Format("20060102-150405"), min(part, 255), b), nil
}

// Folder is one run's folder.
type Folder struct {
	ID   string
	Path string // absolute
	root *os.Root
}

// Create makes the folder of a new run below a project.
func Create(project, id string) (*Folder, error) {
	if !ValidID(id) {
		return nil, fmt.Errorf("create run folder: %q is no run id", id)
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, fmt.Errorf("create run folder: %w", err)
	}
	defer root.Close()
	if err := root.MkdirAll(Runs, 0o700); err != nil {
		return nil, fmt.Errorf("create run folder: %w", err)
	}
	if err := root.Mkdir(path.Join(Runs, id), 0o700); err != nil {
		return nil, fmt.Errorf("create run folder: %w", err)
	}
	f, err := Open(project, id)
	if err != nil {
		return nil, err
	}
	if err := sign(f.root, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("create run folder: %w", err), f.Close())
	}
	for _, sub := range []string{Inbox, Session, Prompts, Seats} {
		if err := f.root.Mkdir(sub, 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("create run folder: %w", err), f.Close())
		}
	}
	return f, nil
}

// Open opens the folder of a run below a project.
func Open(project, id string) (*Folder, error) {
	if !ValidID(id) {
		return nil, fmt.Errorf("open run folder: %q is no run id (they look like 20260222-143000-a1b2c3)", id)
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, fmt.Errorf("open run folder: %w", err)
	}
	defer root.Close()
	sub, err := root.OpenRoot(path.Join(Runs, id))
	if err != nil {
		return nil, fmt.Errorf("open run folder: %w", err)
	}
	return &Folder{ID: id, Path: filepath.Join(project, Runs, id), root: sub}, nil
}

// List names the runs of a project, the oldest first.
func List(project string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(project, Runs))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && ValidID(e.Name()) {
			ids = append(ids, e.Name())
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Close lets go of the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Join is the absolute path of a name in the folder.
func (f *Folder) Join(elem ...string) string {
	return filepath.Join(append([]string{f.Path}, elem...)...)
}

// maxRead bounds what is read of a file at once, far above what a run leaves: any
// length can be given to a file without a byte in it.
const maxRead = 256 << 20

// Read reads a file of the folder. Seats write there too: what has become a pipe or a
// device is not waited for, and what no memory holds is not read.
func (f *Folder) Read(name string) ([]byte, error) { return readIn(f.root, name) }

func readIn(root *os.Root, name string) ([]byte, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|disk.NoWait, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: it is no file", name)
	case info.Size() > maxRead:
		return nil, fmt.Errorf("read %s: it has more than %d MiB", name, maxRead>>20)
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := data.ReadFrom(io.LimitReader(file, maxRead)); err != nil {
		return nil, err
	}
	return data.Bytes(), nil
}

// Names lists what lies in a folder of the folder, sorted.
func (f *Folder) Names(name string) ([]string, error) {
	entries, err := fs.ReadDir(f.root.FS(), name)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

// Filled reports whether a file is there and not empty.
func (f *Folder) Filled(name string) bool {
	info, err := f.root.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// Has reports whether a file is there.
func (f *Folder) Has(name string) bool {
	_, err := f.root.Lstat(name)
	return err == nil
}

// Write replaces a file of the folder, atomically and durably.
func (f *Folder) Write(name string, data []byte) error { return replace(f.root, name, data) }

// Mkdir makes a folder in the folder, with its parents.
func (f *Folder) Mkdir(name string) error { return f.root.MkdirAll(name, 0o700) }

// Rename moves a file within the folder, durably.
func (f *Folder) Rename(from, to string) error {
	if err := f.root.Rename(from, to); err != nil {
		return err
	}
	return errors.Join(durable.SyncDir(f.root, path.Dir(to)), durable.SyncDir(f.root, path.Dir(from)))
}

// Remove removes a file; one that is not there is no error.
func (f *Folder) Remove(name string) error {
	if err := durable.Remove(f.root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Append adds bytes to a file of the folder, creating it where needed.
func (f *Folder) Append(name string, data []byte) error {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

// maxLogRunes bounds a line of the progress log, in runes.
const maxLogRunes = 2000

// Log adds a line to the progress log, stamped and made plain: what agents say
// reaches people's terminals here.
func (f *Folder) Log(at time.Time, line string) error {
	return f.Append(Progress, []byte("["+at.UTC().Format(time.RFC3339)+"] "+plain.Line(line, maxLogRunes)+"\n"))
}

// replace writes a file of ours so that an acknowledged write outlives a power
// cut.
func replace(root *os.Root, name string, data []byte) error { return Replace(root, name, data, 0o600) }

// Replace does that for any file below a folder, with the rights it is to have.
func Replace(root *os.Root, name string, data []byte, perm os.FileMode) error {
	if err := durable.Replace(root, name, data, perm); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
