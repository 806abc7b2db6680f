package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/durable"
)

// Paused is the file that says why a run is paused where its journal cannot:
// its disk takes nothing more. It is laid down while there is room and written
// over in place, which needs none.
const Paused = "paused.txt"

// pausedSize is the whole size of that file, one block of most disks.
const pausedSize = 4096

// ClearPaused lays the file down, or empties it.
func (f *Folder) ClearPaused() error { return f.WritePaused("") }

// WritePaused tells why the run is paused; "" that it is not.
func (f *Folder) WritePaused(why string) error {
	file, err := f.root.OpenFile(Paused, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	text := bytes.Repeat([]byte{' '}, pausedSize)
	text[pausedSize-1] = '\n'
	copy(text[:pausedSize-1], why)
	_, err = file.WriteAt(text, 0)
	return errors.Join(err, file.Sync(), file.Close())
}

// PausedReason is what [Folder.WritePaused] told last.
func (f *Folder) PausedReason() string {
	data, err := f.Read(Paused)
	if err != nil || !utf8.Valid(data) {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// probe is what a disk with room takes.
const probe = 64 << 10

// Probe writes a little into the folder and removes it: the error says that
// nothing can be written there now, for whatever reason.
func (f *Folder) Probe() error {
	name := durable.TempName("probe")
	err := durable.Replace(f.root, name, make([]byte, probe), 0o600)
	if gone := durable.Remove(f.root, name); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// minFreeFiles is how many more files a disk has to take.
const minFreeFiles = 16

// Room says why the disk of a folder cannot be written: it has fewer free bytes
// than that, cannot hold further files, or is read-only. Such an error is an
// [disk.Full] or [disk.ReadOnly].
func Room(dir string, bytes uint64) error {
	s, err := disk.SpaceOf(dir)
	switch {
	case err != nil:
		return fmt.Errorf("look at the disk of %s: %w", dir, err)
	case s.ReadOnly:
		return fmt.Errorf("the disk of %s: %w", dir, disk.ReadOnly)
	case s.Bytes < bytes:
		return fmt.Errorf("the disk of %s has %d KiB left: %w", dir, s.Bytes>>10, disk.Full)
	case s.Files < minFreeFiles:
		return fmt.Errorf("the disk of %s takes no more files: %w", dir, disk.Full)
	}
	return nil
}
