// Package durable puts files in place whole.
//
// A file is written beside its place, under a name that nobody can know, synced,
// renamed, and its folder is synced after: a reader sees the old or the new
// content and nothing else, also after a power cut, and what somebody has laid
// under a name to come, a link too, is never followed. What is written, and
// where, is left to others. The hooks use it with every note: it stays small.
package durable

import (
	"errors"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// TempName is a name for what is to stand under another one, until it is whole.
func TempName(name string) string {
	return name + "." + strconv.FormatUint(rand.Uint64(), 10) + tempEnd
}

const tempEnd = ".new"

// UnderTemp is what is to stand under a name that [TempName] gave, false for any
// other name: a crash may have left such a file.
func UnderTemp(name string) (string, bool) {
	whole, isTemp := strings.CutSuffix(name, tempEnd)
	if !isTemp {
		return name, false
	}
	return strings.TrimSuffix(strings.TrimRight(whole, "0123456789"), "."), true
}

// Replace writes a file below a folder, with the rights it is to have, in the
// place of what stood there. What failed leaves nothing behind.
func Replace(root *os.Root, name string, data []byte, perm os.FileMode) error {
	err := Put(root, name, perm, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	return SyncDir(root, path.Dir(name))
}

// Put does the same with what fill writes, and leaves it to the caller to sync
// the folder, once for many files.
func Put(root *os.Root, name string, perm os.FileMode, fill func(*os.File) error) error {
	temp := TempName(name)
	file, err := root.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	if err = fill(file); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = replace(func() error { return root.Rename(temp, name) })
	}
	if err != nil {
		_ = Remove(root, temp) // what failed is told; this would tell it again
	}
	return err
}

// ReplaceFile does the same for a path of its own.
func ReplaceFile(name string, data []byte, perm os.FileMode) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(Replace(root, filepath.Base(name), data, perm), root.Close())
}

// MoveFile puts a file that another program has written beside its place, whole
// by now, into it.
func MoveFile(from, to string) error {
	f, err := os.OpenFile(from, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := replace(func() error { return os.Rename(from, to) }); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(to))
}

// SyncFolder waits until the names in the folder of a path are on disk.
func SyncFolder(path string) error {
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	return errors.Join(SyncDir(root, "."), root.Close())
}
