package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// lockFile is the file in a box's folder that every shell of it holds.
const lockFile = "in-use"

// lockShared keeps others from emptying the box's folder while this shell is open.
func (s *Shell) lockShared() error {
	if err := os.MkdirAll(s.box.Own, 0o700); err != nil {
		return fmt.Errorf("make the folder of the box: %w", err)
	}
	s.held = flock.New(filepath.Join(s.box.Own, lockFile))
	if err := s.held.RLock(); err != nil {
		return fmt.Errorf("hold the folder of the box: %w", err)
	}
	return nil
}

// Trim empties the box's own folder, its home with the caches of tools and its
// temporary files, where they hold more than so many bytes and no other shell of
// the project is open: what was fetched and built can be fetched and built again.
// It must not be called while the shell runs a command. It gives the bytes that
// were there; 0 where nothing was removed.
func (s *Shell) Trim(most int64) (removed int64, err error) {
	if s.held == nil {
		return 0, nil
	}
	root, err := os.OpenRoot(s.box.Own)
	if err != nil {
		return 0, fmt.Errorf("empty the folder of the box: %w", err)
	}
	defer root.Close()
	size := sizeOf(root)
	if size <= most {
		return 0, nil
	}
	if err := s.held.Unlock(); err != nil {
		return 0, fmt.Errorf("empty the folder of the box: %w", err)
	}
	alone, err := s.held.TryLock()
	if err == nil && alone {
		err = empty(root)
		err = errors.Join(err, s.held.Unlock())
	}
	if err = errors.Join(err, s.held.RLock()); err != nil {
		return 0, fmt.Errorf("empty the folder of the box: %w", err)
	}
	if !alone {
		return 0, nil
	}
	return size, nil
}

// sizeOf is how many bytes lie in a folder; links count as themselves.
func sizeOf(root *os.Root) (size int64) {
	_ = fs.WalkDir(root.FS(), ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it cannot be looked into, and counts for nothing
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}

// empty removes all but the file that is held. Go keeps what it has fetched in
// folders that nobody may write.
func empty(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	var problems []error
	for _, e := range entries {
		if e.Name() == lockFile {
			continue
		}
		problems = append(problems, remove(root, e.Name()))
	}
	return errors.Join(problems...)
}

func remove(root *os.Root, name string) error {
	_ = fs.WalkDir(root.FS(), name, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = root.Chmod(name, 0o700) // where it fails, so does the removal, and says why
		}
		if err != nil {
			return fs.SkipDir
		}
		return nil
	})
	return root.RemoveAll(name)
}

// Remove takes away a folder that commands have written, whatever they have
// left in it. One that is not there is no error.
func Remove(folder string) error {
	root, err := os.OpenRoot(filepath.Dir(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return remove(root, filepath.Base(folder))
}
