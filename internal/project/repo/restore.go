package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// restorePaths puts paths of the work tree back to a tree: first what is new goes,
// so that a file can return where a folder came.
func (w *workTree) restorePaths(ctx context.Context, tree string, changes map[string]change) error {
	var back []string
	for _, p := range slices.Sorted(maps.Keys(changes)) {
		if !changes[p].from.isAbsent() {
			back = append(back, p)
			continue
		}
		if err := w.removeFile(p); err != nil {
			return err
		}
	}
	if len(back) == 0 {
		return nil
	}
	modes, err := w.fileModes(back)
	if err != nil {
		return err
	}
	index, drop, err := w.loadIndex(ctx, tree)
	if err != nil {
		return err
	}
	defer drop()
	if _, err := w.git(ctx, gitCall{args: []string{"checkout-index", "--force", "-z", "--stdin"}, index: index, stdin: nulTerminated(back)}); err != nil {
		return err
	}
	return w.limitModes(modes)
}

// removeFile deletes a file and the folders it leaves empty.
func (w *workTree) removeFile(p string) error {
	if err := os.Remove(w.absolute(p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if os.Remove(w.absolute(dir)) != nil {
			return nil // not empty: somebody else's files are in it
		}
	}
	return nil
}

// fileModes are the permissions of the files that are about to be written over. A
// folder in the way is refused: git would delete it with all that is ignored
// in it.
func (w *workTree) fileModes(paths []string) (map[string]fs.FileMode, error) {
	modes := map[string]fs.FileMode{}
	for _, p := range paths {
		info, err := os.Lstat(w.absolute(p))
		if err == nil && info.IsDir() && removeFolders(w.absolute(p)) != nil {
			return nil, fmt.Errorf("%q was a file and is a folder that holds ignored files: move them away", p)
		}
		if err == nil && info.Mode().IsRegular() {
			modes[p] = info.Mode().Perm()
		}
	}
	return modes, nil
}

// removeFolders deletes a folder in which there are only folders. Of one that holds a
// file it leaves those on the way to it.
func removeFolders(dir string) error {
	inner, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range inner {
		if entry.IsDir() {
			_ = removeFolders(filepath.Join(dir, entry.Name())) // where one stays, dir is not empty
		}
	}
	return os.Remove(dir)
}

// limitModes takes permissions from files again that they did not give before: git
// only knows whether a file may be executed.
func (w *workTree) limitModes(modes map[string]fs.FileMode) error {
	for p, before := range modes {
		info, err := os.Lstat(w.absolute(p))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		rw := before & 0o666
		mode := info.Mode().Perm()&0o111&(rw>>2) | rw
		if mode == info.Mode().Perm() {
			continue
		}
		if err := os.Chmod(w.absolute(p), mode); err != nil {
			return err
		}
	}
	return nil
}

// mergeVersions is what is to be at a path where git's own version of it and the one
// of the snapshot differ (a change from the first to the second), and there is
// something else now. What somebody has written on git's version gets the
// person's change added where the two do not touch.
func (w *workTree) mergeVersions(ctx context.Context, c change, now entry) (entry, error) {
	switch {
	case now == c.from:
		return c.to, nil
	case now.isAbsent() && c.from.isAbsent(): // cleaned away, or not in the commit that is checked out
		return c.to, nil
	case now.isAbsent() || c.from.isAbsent() || c.to.isAbsent():
		return now, nil // somebody's own work: the snapshot has what was there
	}
	merged, clean, err := w.merge(ctx, now, c.from, c.to)
	if err != nil || !clean {
		return now, err
	}
	return merged, nil
}

const maxMerged = 8 << 20 // bytes of a file that is merged

// merge adds the change from base to theirs to ours; clean is false where they
// touch, or are no text.
func (w *workTree) merge(ctx context.Context, ours, base, theirs entry) (merged entry, clean bool, err error) {
	dir, err := os.MkdirTemp("", "research-council-merge-")
	if err != nil {
		return ours, false, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // copies of our own
	args := []string{"merge-file", "-p", "-q"}
	for i, e := range []entry{ours, base, theirs} {
		if e.mode != "100644" && e.mode != "100755" {
			return ours, false, nil
		}
		text, err := w.git(ctx, gitCall{args: []string{"cat-file", "blob", e.id}})
		if err != nil {
			return ours, false, err
		}
		if len(text) > maxMerged {
			return ours, false, nil
		}
		name := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return ours, false, err
		}
		args = append(args, name)
	}
	text, err := w.git(ctx, gitCall{args: args})
	var f *gitFailure
	if errors.As(err, &f) && f.code > 0 { // the number of conflicts, or 255: it is no text
		return ours, false, nil
	}
	if err != nil {
		return ours, false, err
	}
	id, err := w.gitLine(ctx, gitCall{args: []string{"hash-object", "-w", "--stdin"}, stdin: text})
	return entry{ours.mode, id}, err == nil, err
}

// withoutWork is what a file that a person has changed comes to without the
// work on it before; the zero value is none.
func (w *workTree) withoutWork(ctx context.Context, c, work change) (entry, error) {
	if work == (change{}) || c.to == work.from || c.to.isAbsent() || work.from.isAbsent() || work.to.isAbsent() {
		return c.to, nil
	}
	e, clean, err := w.merge(ctx, c.to, work.to, work.from)
	if err != nil || !clean {
		return c.to, err
	}
	return e, nil
}
