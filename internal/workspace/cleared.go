package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"research-council/internal/hook"
)

// Cleared is the hand-over of a run from a session whose context was cleared
// to the one that takes its place in the same process.
type Cleared struct {
	Run     string    `json:"run"`
	Session string    `json:"session"` // the one that is gone
	PID     int       `json:"pid"`     // of the process of both
	Start   string    `json:"start"`   // when that began
	At      time.Time `json:"at"`
}

// mostCleared bounds a hand-over, in bytes.
const mostCleared = 4 << 10

// LeaveCleared lays a hand-over down.
func LeaveCleared(project string, c Cleared) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return fmt.Errorf("leave a hand-over: %w", err)
	}
	defer root.Close()
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("leave a hand-over: %w", err)
	}
	return replace(root, hook.Cleared(c.PID), append(data, '\n'))
}

// ReadCleared reads the hand-over of a process; false when there is none.
func ReadCleared(project string, pid int) (Cleared, bool) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return Cleared{}, false
	}
	defer root.Close()
	c, ok := handOver(root, hook.Cleared(pid))
	return c, ok && c.PID == pid
}

func handOver(root *os.Root, name string) (Cleared, bool) {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return Cleared{}, false
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Cleared{}, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostCleared))
	var c Cleared
	ok := err == nil && json.Unmarshal(data, &c) == nil && ValidID(c.Run)
	return c, ok
}

// RemoveCleared removes the hand-over of a process.
func RemoveCleared(project string, pid int) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return fmt.Errorf("remove a hand-over: %w", err)
	}
	defer root.Close()
	if err := root.Remove(hook.Cleared(pid)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a hand-over: %w", err)
	}
	return nil
}
