package durable

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// patience is how long a reader, a scanner of viruses among them, may keep a file
// from being replaced: who opens one without sharing its removal does that.
const patience = 2 * time.Second

// replace renames, again as long as somebody has the file open.
func replace(rename func() error) error {
	pause := time.Millisecond
	for until := time.Now().Add(patience); ; pause = min(2*pause, 50*time.Millisecond) {
		err := rename()
		if err == nil || !isHeld(err) || time.Now().After(until) {
			return err
		}
		time.Sleep(pause)
	}
}

func isHeld(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_USER_MAPPED_FILE)
}

// SyncDir has nothing to do: the file system keeps names in a journal of its own,
// and gives nobody a folder to sync.
func SyncDir(*os.Root, string) error { return nil }

// Remove removes a file below a folder. A system that cannot do so from an open
// folder, as Wine for long, is asked by the path.
func Remove(root *os.Root, name string) error {
	err := root.Remove(name)
	if errors.Is(err, windows.ERROR_INVALID_FUNCTION) {
		return os.Remove(filepath.Join(root.Name(), name))
	}
	return err
}
