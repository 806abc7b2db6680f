// Package binaries keeps the two executables of a run where nobody takes them
// away: a plugin's folder goes with its update or removal, while a run started
// from it may take days and starts its children by their paths.
//
// A copy lies in a folder named for the content, council's, as the launchers
// know it: DIR/bin/SHA16/council and council-hook. It is a copy of bytes, looked
// at again before each use. Copies no process runs from are removed when
// another one is made.
package binaries

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/gofrs/flock"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/durable"
)

// Pair is council and council-hook of one build, by absolute paths.
type Pair struct{ Council, Hook string }

// The names within a copy's folder, and the locks: of the folder of all copies
// while one is made, and of a copy while a process runs from it.
const (
	council  = "council" + disk.ProgramEnding
	hook     = "council-hook" + disk.ProgramEnding
	making   = ".lock"
	inUse    = ".in-use"
	copyMode = 0o755
)

var folderName = regexp.MustCompile(`^[0-9a-f]{16}$`)

// IsCopy reports whether a council executable is such a copy.
func IsCopy(path string) bool {
	folder := filepath.Dir(path)
	return filepath.Base(path) == council && folderName.MatchString(filepath.Base(folder)) && filepath.Base(filepath.Dir(folder)) == "bin"
}

// Keep gives the copy of a pair below a folder, made or mended as needed. Where
// that cannot be, or what lies there may not be run, the error says why.
func Keep(dir string, p Pair) (Pair, error) {
	kept, err := keep(filepath.Join(dir, "bin"), p)
	if err != nil {
		return Pair{}, fmt.Errorf("keep a copy of the program in %s: %w", dir, err)
	}
	return kept, nil
}

func keep(dir string, p Pair) (Pair, error) {
	sum, err := digest(os.Open, p.Council)
	if err != nil {
		return Pair{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Pair{}, err
	}
	lock := flock.New(filepath.Join(dir, making), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return Pair{}, err
	}
	defer lock.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Pair{}, err
	}
	defer root.Close()
	name := sum[:16]
	made, err := fill(root, name, p)
	if err != nil {
		return Pair{}, err
	}
	if made {
		sweep(root, name)
	}
	kept := Pair{Council: filepath.Join(dir, name, council), Hook: filepath.Join(dir, name, hook)}
	for _, path := range []string{kept.Council, kept.Hook} {
		if _, err := exec.LookPath(path); err != nil { // as on a file system that runs nothing
			return Pair{}, fmt.Errorf("the copy may not run: %w", err)
		}
	}
	return kept, nil
}

// fill makes a copy whole, and says whether there was something to do. What is
// replaced stays what it is for the processes that run it.
func fill(root *os.Root, name string, p Pair) (made bool, err error) {
	if info, err := root.Lstat(name); err == nil && !info.IsDir() {
		return false, fmt.Errorf("%s is no folder", name)
	}
	if err := root.Mkdir(name, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return false, err
	}
	for to, from := range map[string]string{council: p.Council, hook: p.Hook} {
		to = name + "/" + to
		want, err := digest(os.Open, from)
		if err != nil {
			return made, err
		}
		if info, err := root.Lstat(to); err == nil && (info.Mode() == copyMode || disk.ProgramEnding != "" && disk.IsProgram(info)) {
			if has, err := digest(root.Open, to); err == nil && has == want {
				continue
			}
		}
		made = true
		if err := durable.Put(root, to, copyMode, copyOf(from)); err != nil {
			return made, err
		}
	}
	if !made {
		return false, nil
	}
	return true, errors.Join(durable.SyncDir(root, name), durable.SyncDir(root, "."))
}

// copyOf copies by bytes: a link would change with what it leads to.
func copyOf(path string) func(*os.File) error {
	return func(to *os.File) error {
		from, err := os.Open(path)
		if err != nil {
			return err
		}
		defer from.Close()
		if _, err := io.Copy(to, from); err != nil {
			return err
		}
		return to.Chmod(copyMode) // whatever the umask takes away
	}
}

func digest(open func(string) (*os.File, error), path string) (string, error) {
	f, err := open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// sweep removes the copies that no process holds, but for one, and what a
// killed copying has left in it. What cannot be removed is no harm.
func sweep(root *os.Root, but string) {
	for _, name := range names(root, ".") {
		if !folderName.MatchString(name) {
			continue
		}
		for _, file := range names(root, name) {
			if _, temp := durable.UnderTemp(file); temp {
				_ = root.Remove(name + "/" + file)
			}
		}
		if name == but {
			continue
		}
		lock := flock.New(filepath.Join(root.Name(), name, inUse), flock.SetPermissions(0o600))
		if free, err := lock.TryLock(); err == nil && free {
			_ = root.RemoveAll(name)
		}
		_ = lock.Close()
	}
}

func names(root *os.Root, dir string) []string {
	f, err := root.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.Readdirnames(-1) // what could be read
	return list
}

// Hold keeps the copy that this process runs from until it ends; release lets it
// go before. A program that is no copy needs no holding.
func Hold(self string) (release func()) {
	if !IsCopy(self) {
		return func() {}
	}
	lock := flock.New(filepath.Join(filepath.Dir(self), inUse), flock.SetPermissions(0o600))
	if _, err := lock.TryRLock(); err != nil {
		return func() {} // on a disk that is full or read only nobody removes it either
	}
	return func() { _ = lock.Close() }
}
