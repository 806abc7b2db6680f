// Package userfile changes a file that a person keeps: their settings, their
// configuration.
//
// The file is put in place whole, with the rights and the owner it had, where a link
// leads to it. Nothing is written over that another program has written meanwhile, and
// where a file cannot be changed it is left as it is. What stands in it is left to
// others.
package userfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/base/durable"
)

// mostBytes bounds such a file; people's have a few thousand.
const mostBytes = 8 << 20

// Changed is what became of a file.
type Changed struct {
	Before, After []byte // nil: no file
	CutOff        bool   // the file had a further name, which has the old text now
}

// Any reports whether something is different.
func (c Changed) Any() bool {
	return (c.Before == nil) != (c.After == nil) || !bytes.Equal(c.Before, c.After)
}

// Change changes a file: change gives its new text, nil for a file that is not there.
// Where isTrial is set nothing is written.
func Change(path string, isTrial bool, change func([]byte) ([]byte, error)) (Changed, error) {
	if !isTrial {
		defer hold(path)()
	}
	f, data, err := read(path)
	if err != nil {
		return Changed{}, fmt.Errorf("%w; nothing was changed", err)
	}
	c := Changed{Before: data}
	if c.After, err = change(data); err != nil {
		return Changed{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	if !c.Any() || isTrial {
		return c, nil
	}
	if err := f.put(c); err != nil {
		return Changed{}, fmt.Errorf("%w; nothing was changed", err)
	}
	c.CutOff = f.names > 1
	return c, nil
}

// file is where it really is, with their rights, owner and number of names.
type file struct {
	path     string
	perm     fs.FileMode
	uid, gid int
	names    uint64
}

// read reads a file; nil where there is none.
func read(path string) (file, []byte, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		uid, gid := ownerAbove(path)
		return file{path: path, perm: 0o600, uid: uid, gid: gid, names: 1}, nil, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if target, bad := os.Readlink(path); err != nil && bad == nil {
		if errors.Is(err, fs.ErrNotExist) {
			return file{}, nil, fmt.Errorf("%s points to %s, which does not exist", path, target)
		}
		return file{}, nil, fmt.Errorf("%s is a symbolic link that cannot be followed: %w", path, err)
	}
	if err == nil {
		info, err = os.Stat(real)
	}
	switch {
	case err != nil:
		return file{}, nil, err
	case info.IsDir():
		return file{}, nil, fmt.Errorf("%s is a directory", path)
	case !info.Mode().IsRegular():
		return file{}, nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > mostBytes:
		return file{}, nil, fmt.Errorf("%s is larger than %d MiB", path, mostBytes>>20)
	}
	f := file{path: real, perm: info.Mode().Perm()}
	f.uid, f.gid, f.names = ownership(info)
	data, err := os.ReadFile(real)
	return f, append([]byte{}, data...), err
}

// put writes the new text, unless somebody has written another meanwhile.
func (f file) put(c Changed) error {
	if f.perm&0o200 == 0 {
		return notWritable(f.path)
	}
	if err := f.makeFolder(filepath.Dir(f.path)); err != nil {
		return err
	}
	now, err := os.ReadFile(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if (err == nil) != (c.Before != nil) || !bytes.Equal(now, c.Before) {
		return fmt.Errorf("%s was written by another program meanwhile; try again", f.path)
	}
	if c.After == nil {
		return os.Remove(f.path)
	}
	if err := durable.ReplaceFile(f.path, c.After, f.perm); err != nil {
		return err
	}
	_ = os.Lchown(f.path, f.uid, f.gid) // the superuser's to do; for anybody else it is theirs already
	return os.Chmod(f.path, f.perm)     // whatever the umask is
}

// makeFolder makes the folder of a file, and what is missing above it, for the owner
// of what is there.
func (f file) makeFolder(dir string) error {
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := f.makeFolder(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	_ = os.Lchown(dir, f.uid, f.gid) // as above
	return nil
}

// ownerAbove is whose the nearest folder above a path is: what the superuser makes in
// somebody's home is theirs.
func ownerAbove(path string) (uid, gid int) {
	info, err := os.Stat(nearest(path))
	if err != nil {
		return -1, -1
	}
	uid, gid, _ = ownership(info)
	return uid, gid
}

// nearest is the nearest folder above a path that is there.
func nearest(path string) string {
	dir := filepath.Dir(path)
	for _, err := os.Stat(dir); err != nil && dir != filepath.Dir(dir); _, err = os.Stat(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}

// Check says, before anything is done, why a file could not be changed or made.
func Check(path string) error {
	f, data, err := read(path)
	switch {
	case err != nil:
		return err
	case f.perm&0o200 == 0:
		return notWritable(f.path)
	}
	dir := filepath.Dir(f.path)
	if data == nil {
		dir = nearest(f.path)
	}
	if err := mayMakeFiles(dir); err != nil {
		return fmt.Errorf("nothing can be written into %s: %w", dir, err)
	}
	return nil
}

func notWritable(path string) error {
	return fmt.Errorf("%s is not writable (chmod u+w makes it so, where nothing else manages it)", path)
}

// hold keeps others of this program out of a file's folder, and removes what one that
// was killed has left beside the file. Where a file system has no locks, what is
// written is compared with what was read all the same.
func hold(path string) (release func()) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return func() {}
	}
	release = func() { _ = dir.Close() } // which lets the lock go
	if lockFolder(dir) != nil {
		return release
	}
	names, _ := dir.Readdirnames(-1) // what could be read
	for _, name := range names {
		if whole, temp := durable.UnderTemp(name); temp && whole == filepath.Base(path) {
			_ = os.Remove(filepath.Join(filepath.Dir(path), name)) // it is no harm
		}
	}
	return release
}
