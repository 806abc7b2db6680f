package binaries

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/durable"
)

// Copy is one of the copies below a folder.
type Copy struct {
	Path   string // of its folder
	Link   bool   // it is a link: no copy, and nothing of it is looked at
	Sound  bool   // its content is what its name says
	Broken bool   // it has another content than its name says, and not merely none
	InUse  bool   // a process runs from it
	Barred bool   // it may not be run for want of its execute bits
	Made   time.Time
	Bytes  int64
}

// List lists what lies below DIR/bin under the names that copies have, and what lies
// there under other names.
func List(dir string) (copies []Copy, others []string, err error) {
	bin := filepath.Join(dir, "bin")
	entries, err := os.ReadDir(bin)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, e := range entries {
		path := filepath.Join(bin, e.Name())
		switch {
		case e.Name() == making:
		case !folderName.MatchString(e.Name()) || !e.IsDir() && e.Type()&fs.ModeSymlink == 0:
			others = append(others, path)
		default:
			copies = append(copies, look(path))
		}
	}
	return copies, others, err
}

func look(path string) Copy {
	c := Copy{Path: path}
	info, err := os.Lstat(path)
	if err != nil {
		return c
	}
	if c.Made = info.ModTime(); !info.IsDir() {
		c.Link = true
		return c
	}
	sum, err := digest(os.Open, filepath.Join(path, council))
	c.Sound = err == nil && sum[:16] == filepath.Base(path)
	c.Broken = err == nil && !c.Sound
	for _, name := range []string{council, hook} {
		if file, err := os.Lstat(filepath.Join(path, name)); err == nil && file.Mode().IsRegular() {
			c.Bytes += file.Size()
			c.Barred = c.Barred || !disk.IsProgram(file)
		}
	}
	c.InUse = !free(path)
	return c
}

// free reports whether no process runs from a copy.
func free(path string) bool {
	if _, err := os.Lstat(filepath.Join(path, inUse)); errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return true // nobody has ever held it; or it is another user's, which the removal tells
	}
	lock := flock.New(filepath.Join(path, inUse), flock.SetFlag(os.O_RDONLY))
	defer lock.Close()
	is, err := lock.TryLock()
	return err == nil && is
}

// Remove removes a copy, or a link in the place of one, unless a process runs from it.
// What somebody else has laid into its folder stays, with the folder.
func Remove(c Copy) error {
	if c.Link {
		return os.Remove(c.Path)
	}
	if c.InUse || !free(c.Path) {
		return ErrInUse
	}
	if info, err := os.Stat(c.Path); err == nil && info.Mode()&0o300 != 0o300 {
		_ = os.Chmod(c.Path, info.Mode().Perm()|0o300) // it is our own; the next line tells where it is not
	}
	entries, err := os.ReadDir(c.Path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		whole, _ := durable.UnderTemp(e.Name())
		if slices.Contains([]string{council, hook, inUse}, whole) {
			if err := os.Remove(filepath.Join(c.Path, e.Name())); err != nil {
				return err
			}
		}
	}
	return os.Remove(c.Path)
}

// ErrInUse says that a process runs from a copy.
var ErrInUse = errors.New("a process runs from it")

// RemoveLock removes the lock of a folder of copies that has no copies any more, and
// the folder where nothing is left in it.
func RemoveLock(dir string) error {
	bin := filepath.Join(dir, "bin")
	copies, _, err := List(dir)
	if err != nil || len(copies) > 0 {
		return err
	}
	if err := os.Remove(filepath.Join(bin, making)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return RemoveEmpty(bin)
}

// RemoveEmpty removes a folder that is empty; one that is not, or is none, stays.
func RemoveEmpty(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return nil
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		return err
	}
	return os.Remove(dir)
}

// Names reports whether a text names a copy.
func (c Copy) Names(text string) bool { return strings.Contains(text, filepath.Base(c.Path)) }
