package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/engine/hook"
)

// HandOver is the hand-over of a run from a session whose context was cleared
// to the one that takes its place in the same process.
type HandOver struct {
	Run     string    `json:"run"`
	Session string    `json:"session"` // the one that is gone
	PID     int       `json:"pid"`     // of the process of both
	Start   string    `json:"start"`   // when that began
	At      time.Time `json:"at"`
}

// maxHandOverBytes bounds a hand-over, in bytes.
const maxHandOverBytes = 4 << 10

// WriteHandOver lays a hand-over down.
func WriteHandOver(project string, c HandOver) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return fmt.Errorf("leave a hand-over: %w", err)
	}
	defer root.Close()
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("leave a hand-over: %w", err)
	}
	return replace(root, hook.HandOverFile(c.PID), append(data, '\n'))
}

// ReadHandOver reads the hand-over of a process; false when there is none.
func ReadHandOver(project string, pid int) (HandOver, bool) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return HandOver{}, false
	}
	defer root.Close()
	c, ok := readHandOver(root, hook.HandOverFile(pid))
	return c, ok && c.PID == pid
}

func readHandOver(root *os.Root, name string) (HandOver, bool) {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return HandOver{}, false
	}
	f, err := root.OpenFile(name, os.O_RDONLY|disk.NoWait, 0)
	if err != nil {
		return HandOver{}, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxHandOverBytes))
	var c HandOver
	ok := err == nil && json.Unmarshal(data, &c) == nil && ValidID(c.Run)
	return c, ok
}

// RemoveHandOver removes the hand-over of a process.
func RemoveHandOver(project string, pid int) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return fmt.Errorf("remove a hand-over: %w", err)
	}
	defer root.Close()
	if err := durable.Remove(root, hook.HandOverFile(pid)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a hand-over: %w", err)
	}
	return nil
}
