package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/durable"
)

// LeaseName is the name of the lease in a run's folder.
const LeaseName = "lease.json"

// StaleAfter is the age of a heartbeat from which a holder counts as hung.
const StaleAfter = 30 * time.Second

// Holder is who may write a run's journal. The pid alone proves nothing: pids
// are used again.
type Holder struct {
	PID       int       `json:"pid"`
	Start     string    `json:"start"`
	Heartbeat time.Time `json:"heartbeat"`
	Amends    bool      `json:"amends,omitempty"` // it only says what the run is to go on with, and is gone in a moment
}

// A LeaseHeld lease names the process that already writes the run.
type LeaseHeld struct{ Holder Holder }

func (h *LeaseHeld) Error() string {
	return fmt.Sprintf("process %d already works on this run", h.Holder.PID)
}

// Lease is the right to write one run's journal. The system's lock on the
// journal itself holds it for the life of the process: no other file can be lost
// or replaced under it. The lease's own file tells others who it is and that it
// lives.
type Lease struct {
	held *os.File // the journal, locked
	dir  string
	me   Holder
}

// ErrReplaced says that the journal on disk is no longer the one the lease was
// taken for: somebody has moved or removed it.
var ErrReplaced = errors.New("the journal was moved or removed while the run was worked on; nothing more is written")

// TakeLease takes the lease of a run's folder for a process, which gives its first
// sign of life. A lease in other
// hands is a [*LeaseHeld]. A run without a journal has none.
func TakeLease(dir string, me Holder, now time.Time) (*Lease, error) {
	path := filepath.Join(dir, Name)
	if err := isFile(path); err != nil {
		return nil, err
	}
	held, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, fmt.Errorf("take lease: %w", err)
	}
	l := &Lease{held: held, dir: dir, me: me}
	switch err := disk.TryLock(held); {
	case errors.Is(err, disk.ErrBusy):
		return nil, errors.Join(heldLease(dir), held.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("take lease: %w; this disk has no locks, `council doctor` says what to do", err), held.Close())
	}
	if err := l.Heartbeat(now); err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return l, nil
}

// heldLease is the error that names who has the lease.
func heldLease(dir string) error {
	holder, err := ReadHolder(dir)
	if err != nil {
		return fmt.Errorf("take lease: %w", err)
	}
	return &LeaseHeld{Holder: holder}
}

// Heartbeat tells readers that the holder lives, and looks whether the journal is
// still the one it holds: [ErrReplaced] when not.
func (l *Lease) Heartbeat(now time.Time) error {
	if err := l.checkHeld(); err != nil {
		return err
	}
	l.me.Heartbeat = now.UTC()
	data, err := json.Marshal(l.me)
	if err != nil {
		return fmt.Errorf("write lease: %w", err)
	}
	if err := l.write(data); err != nil {
		return fmt.Errorf("write lease: %w", err)
	}
	return nil
}

func (l *Lease) checkHeld() error {
	held, err := l.held.Stat()
	if err != nil {
		return fmt.Errorf("look at the journal: %w", err)
	}
	there, err := os.Stat(filepath.Join(l.dir, Name))
	if err != nil || !os.SameFile(held, there) {
		return ErrReplaced
	}
	return nil
}

// write replaces the lease whole. Where the disk has no room for a second one it
// is written over: a holder that waits for room is not a hung one.
func (l *Lease) write(data []byte) error {
	if err := durable.ReplaceFile(filepath.Join(l.dir, LeaseName), data, 0o600); err != nil {
		return l.overwrite(data, err)
	}
	return nil
}

// overwrite writes the lease in the room it has, if there was none for a new one.
func (l *Lease) overwrite(data []byte, why error) error {
	if !disk.IsFull(why) {
		return why
	}
	f, err := os.OpenFile(filepath.Join(l.dir, LeaseName), os.O_WRONLY, 0)
	if err != nil {
		return why
	}
	if s, err := f.Stat(); err == nil {
		data = append(data, bytes.Repeat([]byte{' '}, max(0, int(s.Size())-len(data)))...)
	}
	_, err = f.WriteAt(data, 0)
	return errors.Join(err, f.Close())
}

// Release gives the lease back.
func (l *Lease) Release() error {
	return errors.Join(os.Remove(filepath.Join(l.dir, LeaseName)), l.held.Close())
}

// ReadHolder tells who holds, or last held without giving it back, the lease
// of a run's folder. No lease is a zero holder.
func ReadHolder(dir string) (Holder, error) {
	data, err := os.ReadFile(filepath.Join(dir, LeaseName))
	if errors.Is(err, fs.ErrNotExist) {
		return Holder{}, nil
	}
	if err != nil {
		return Holder{}, fmt.Errorf("read lease: %w", err)
	}
	var h Holder
	if err := json.Unmarshal(data, &h); err != nil {
		return Holder{}, fmt.Errorf("read lease: %w", err)
	}
	return h, nil
}
