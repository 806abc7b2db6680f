// Package restore keeps what later sessions obey as it was: before code is
// written unattended it takes copies of a project's protected files and of
// git's own settings, and afterwards it puts back whatever of them has changed,
// came or went, whoever wrote it and by whatever way.
//
// Nothing is lost: what is taken away is kept beside the copies, for it may be
// a person's. What a person has named is theirs and their worker's.
package restore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/project/protected"
)

// Custody holds the copies of one project.
type Custody struct {
	Project string   // absolute
	Store   string   // the folder of the copies, absolute and outside of what a worker may write
	Named   []string // protected paths, relative to the project, that the person has named
	Apart   []string // files and folders in the project that are the program's own, relative to it, with [path.Match]'s wildcards: never looked at
}

// item is a file or link as it was.
type item struct {
	Mode fs.FileMode `json:"mode"`
	Link string      `json:"link,omitempty"` // what a symbolic link says
	Copy string      `json:"copy,omitempty"` // name of its copy in the store
	data []byte      // of a file that is looked at now
}

// index lists what there was, by absolute path.
type index map[string]item

const (
	indexFile     = "index.json"
	copies        = "copies"
	removedFolder = "taken"
	maxFile       = 16 << 20 // bytes of a file; what obeys more is nobody's instructions
)

// HasCopies reports whether copies have been taken.
func (c Custody) HasCopies() bool {
	_, err := os.Stat(filepath.Join(c.Store, indexFile))
	return err == nil
}

// CopyProtected copies what is protected now. It is whole once it returns; one that was
// cut off is begun anew.
func (c Custody) CopyProtected() error {
	if err := c.DropCopies(); err != nil {
		return fmt.Errorf("keep copies of what is protected: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(c.Store, copies), 0o700); err != nil {
		return fmt.Errorf("keep copies of what is protected: %w", err)
	}
	all, err := c.indexProtected()
	if err != nil {
		return fmt.Errorf("keep copies of what is protected: %w", err)
	}
	n := 0
	for path, it := range all {
		if it.Link == "" {
			n++
			it.Copy = strconv.Itoa(n)
			if err := durable.ReplaceFile(filepath.Join(c.Store, copies, it.Copy), it.data, 0o600); err != nil {
				return fmt.Errorf("keep a copy of %s: %w", path, err)
			}
			all[path] = it
		}
	}
	data, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("keep copies of what is protected: %w", err)
	}
	if err := durable.ReplaceFile(filepath.Join(c.Store, indexFile), data, 0o600); err != nil {
		return fmt.Errorf("keep copies of what is protected: %w", err)
	}
	return nil
}

// DropCopies gives the copies up; what was taken away stays.
func (c Custody) DropCopies() error {
	return errors.Join(os.RemoveAll(filepath.Join(c.Store, indexFile)), os.RemoveAll(filepath.Join(c.Store, copies)))
}

// Restore makes everything that is protected what it was, and tells which paths
// were not, sorted, relative to the project where they lie in it. What was there
// instead is kept below the folder taken of the store, numbered.
func (c Custody) Restore() ([]string, error) {
	data, err := os.ReadFile(filepath.Join(c.Store, indexFile))
	if err != nil {
		return nil, fmt.Errorf("put back what is protected: %w", err)
	}
	was := index{}
	if err := json.Unmarshal(data, &was); err != nil {
		return nil, fmt.Errorf("put back what is protected: read %s: %w", indexFile, err)
	}
	now, err := c.indexProtected()
	if err != nil {
		return nil, fmt.Errorf("put back what is protected: %w", err)
	}
	var changed []string
	for path, it := range now {
		before, there := was[path]
		if there && c.isUnchanged(before, it) || !there && c.byLink(path) {
			continue
		}
		if err := errors.Join(c.saveRemoved(path, it), os.Remove(path)); err != nil {
			return changed, fmt.Errorf("take away %s: %w", path, err)
		}
		c.removeEmptyFolders(filepath.Dir(path))
		changed = append(changed, c.relativeName(path))
	}
	for path, it := range was {
		if has, there := now[path]; there && c.isUnchanged(it, has) {
			continue
		}
		if err := c.restoreFile(path, it); err != nil {
			return changed, fmt.Errorf("put back %s: %w", path, err)
		}
		changed = append(changed, c.relativeName(path))
	}
	slices.Sort(changed)
	return slices.Compact(changed), nil
}

// byLink reports whether a file is obeyed only because a link leads to it: the
// link goes, and the file is nobody's business.
func (c Custody) byLink(path string) bool {
	rel := relativeBelow(c.Project, path)
	return filepath.IsLocal(rel) && !protected.IsProtected(filepath.ToSlash(rel))
}

func (c Custody) relativeName(path string) string {
	if rel, err := filepath.Rel(c.Project, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// indexProtected finds everything protected that is there now.
func (c Custody) indexProtected() (index, error) {
	all := index{}
	err := filepath.WalkDir(c.Project, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if d != nil && d.IsDir() {
				return fs.SkipDir // nobody reads what nobody may enter
			}
			return nil
		case path == c.Project:
			return nil
		case c.isOwn(path):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !protected.IsProtectedName(d.Name()):
			return nil
		case d.Name() == ".git":
			all.git(path)
		default:
			c.addProtected(all, path)
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if root := c.repositoryFolder(); root != "" {
		all.git(filepath.Join(root, ".git"))
	}
	return all, nil
}

// isOwn reports whether something is the program's own.
func (c Custody) isOwn(name string) bool {
	rel := filepath.ToSlash(relativeBelow(c.Project, name))
	return slices.ContainsFunc(c.Apart, func(pattern string) bool {
		is, err := path.Match(pattern, rel)
		return err == nil && is
	})
}

// repositoryFolder is the folder above the project that holds its .git; "" where
// that is the project's own, or none.
func (c Custody) repositoryFolder() string {
	for dir := c.Project; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			if dir == c.Project {
				return ""
			}
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// addProtected adds a protected file, or all that is in a protected folder. Where it
// is a link into the project, what it leads to is obeyed too.
func (c Custody) addProtected(all index, top string) {
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || c.isOwn(path) {
			return nil
		}
		if rel, err := filepath.Rel(c.Project, path); err == nil && protected.IsNamedBy(c.Named, rel) {
			return nil
		}
		all.add(path)
		if to, err := filepath.EvalSymlinks(path); err == nil && to != path && filepath.IsLocal(relativeBelow(c.Project, to)) {
			all.addAll(to)
		}
		return nil
	})
}

func relativeBelow(folder, path string) string {
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return ".."
	}
	return rel
}

// git adds what of git's own makes it run or obey something: settings, hooks
// and attributes, of submodules too. Objects, refs and the index are git's
// work.
func (all index) git(path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	dirs := []string{path}
	if !info.IsDir() {
		all.add(path)
		dirs = gitFolders(path)
	}
	for _, dir := range dirs {
		for _, name := range []string{"config", "config.worktree", "commondir", "info/attributes", "info/exclude", "info/sparse-checkout", "objects/info/alternates"} {
			all.add(filepath.Join(dir, filepath.FromSlash(name)))
		}
		all.addAll(filepath.Join(dir, "hooks"))
		_ = filepath.WalkDir(filepath.Join(dir, "modules"), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
			case d.IsDir() && d.Name() == "hooks":
				all.addAll(path)
			case d.IsDir() && (d.Name() == "objects" || d.Name() == "refs" || d.Name() == "logs"):
				return fs.SkipDir
			case d.Name() == "config" || d.Name() == "attributes":
				all.add(path)
			}
			return nil
		})
	}
}

// gitFolders are the folders that a .git file leads to.
func gitFolders(path string) []string {
	data, err := os.ReadFile(path)
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if err != nil || !ok {
		return nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(path), dir)
	}
	list := []string{dir}
	if common, err := os.ReadFile(filepath.Join(dir, "commondir")); err == nil {
		list = append(list, filepath.Join(dir, strings.TrimSpace(string(common))))
	}
	return list
}

// addAll adds a file, or every file in a folder.
func (all index) addAll(top string) {
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all.add(path)
		}
		return nil
	})
}

// add adds a file or link, where it is there.
func (all index) add(path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	it := item{Mode: info.Mode()}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		if it.Link, err = os.Readlink(path); err != nil {
			return
		}
	case info.Mode().IsRegular() && info.Size() <= maxFile:
		if it.data, err = os.ReadFile(path); err != nil {
			return
		}
	}
	all[path] = it
}

// isUnchanged reports whether a thing is what it was.
func (c Custody) isUnchanged(was, now item) bool {
	if was.Mode != now.Mode || was.Link != now.Link {
		return false
	}
	if was.Copy == "" {
		return true
	}
	data, err := os.ReadFile(filepath.Join(c.Store, copies, was.Copy))
	return err == nil && bytes.Equal(data, now.data)
}

// saveRemoved copies what is about to be taken away.
func (c Custody) saveRemoved(path string, it item) error {
	dir := filepath.Join(c.Store, removedFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	have, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	data := it.data
	if it.Link != "" {
		data = []byte(it.Link)
	}
	name := fmt.Sprintf("%d-%s", len(have)+1, filepath.Base(path))
	return os.WriteFile(filepath.Join(dir, name), data, 0o600)
}

// removeEmptyFolders takes away the folders that a file has left empty, and were not there
// for anything else.
func (c Custody) removeEmptyFolders(dir string) {
	for ; filepath.IsLocal(relativeBelow(c.Project, dir)) && relativeBelow(c.Project, dir) != "." && protected.IsProtected(relativeBelow(c.Project, dir)); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			return
		}
	}
}

// restoreFile makes a file what it was, whatever stands in its way now.
func (c Custody) restoreFile(path string, it item) error {
	if err := c.makeRoom(path); err != nil {
		return err
	}
	if it.Link != "" {
		return os.Symlink(it.Link, path)
	}
	if it.Copy == "" {
		return nil // a socket or the like
	}
	data, err := os.ReadFile(filepath.Join(c.Store, copies, it.Copy))
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, data, it.Mode.Perm()); err != nil {
		return err
	}
	return os.Chmod(path, it.Mode.Perm())
}

// makeRoom makes room for a file: the folders above it are folders again, and no
// links that lead elsewhere, and nothing stands at its place.
func (c Custody) makeRoom(path string) error {
	if rel := relativeBelow(c.Project, path); filepath.IsLocal(rel) {
		at := c.Project
		for part := range strings.SplitSeq(filepath.Dir(rel), string(filepath.Separator)) {
			if part == "." {
				continue
			}
			at = filepath.Join(at, part)
			if info, err := os.Lstat(at); err == nil && !info.IsDir() {
				if err := os.Rename(at, at+".set-aside"); err != nil {
					return err
				}
			}
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return os.Rename(path, path+".set-aside")
	}
	return os.Remove(path)
}
