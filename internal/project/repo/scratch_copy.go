package repo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Work is what was done since a snapshot.
type Work struct {
	Since string // the work tree at the snapshot
	Tree  string // the work tree now
	Files []File // that differ, sorted; those of [Repo.Changed]
}

// File is one that differs, by its path from the top of the repository.
type File struct {
	Path string
	Was  bool // there at the snapshot
	Is   bool // there now
}

// Work looks at what was done since a snapshot.
func (r *Repo) Work(ctx context.Context, since string) (Work, error) {
	m, err := r.snapshots.loadState(ctx, since)
	if err != nil {
		return Work{}, fmt.Errorf("find what changed: %w", err)
	}
	now, changes, err := r.snapshots.changesSince(ctx, m, nil)
	if err != nil {
		return Work{}, fmt.Errorf("find what changed since %s: %w", since, err)
	}
	w := Work{Since: m.tree, Tree: now}
	for _, p := range slices.Sorted(maps.Keys(changes)) {
		w.Files = append(w.Files, File{p, !changes[p].from.isAbsent(), !changes[p].to.isAbsent()})
	}
	return w, nil
}

// Between lists the files that differ between two trees, sorted.
func (r *Repo) Between(ctx context.Context, from, to string) ([]string, error) {
	changes, err := r.files.diffTrees(ctx, from, to)
	if err != nil {
		return nil, fmt.Errorf("compare two trees: %w", err)
	}
	return slices.Sorted(maps.Keys(changes)), nil
}

// Patch is what was done to some files of a [Work], as a unified diff. It is a
// foreign text. No files is no patch.
func (r *Repo) Patch(ctx context.Context, w Work, paths []string) ([]byte, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	args := []string{"diff-tree", "-p", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", w.Since, w.Tree, "--"}
	out, err := r.git(ctx, gitCall{args: append(args, paths...)})
	if err != nil {
		return nil, fmt.Errorf("show what changed: %w", err)
	}
	return out, nil
}

// LeftOut lists the files of the work tree that a tree of it does not hold,
// sorted: what is ignored, and what was when the work began. The campaign's own
// and other repositories are not among them.
func (r *Repo) LeftOut(ctx context.Context, tree string) ([]string, error) {
	list, err := r.files.pathsOutside(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("list what is left out: %w", err)
	}
	list = slices.DeleteFunc(list, func(p string) bool { return strings.HasSuffix(p, "/") || r.files.isCampaignPath(p) })
	slices.Sort(list)
	return list, nil
}

// Scratch is a copy of a work tree in a folder of its own, to run something on
// it while the project stays as it is. What git ignores, packages that are
// installed as an example, is the project's own and linked to.
type Scratch struct {
	Dir     string // the project in the copy
	top     string // the repository's
	repo    *Repo
	without map[string]bool // what is not linked to, and every folder above it
}

// Scratch copies a snapshot, without some of what was ignored. [Scratch.Remove]
// takes the copy away again.
func (r *Repo) Scratch(ctx context.Context, since string, without ...string) (*Scratch, error) {
	m, err := r.snapshots.loadState(ctx, since)
	if err != nil {
		return nil, fmt.Errorf("copy a snapshot: %w", err)
	}
	return r.newScratch(ctx, m.tree, m.ignored, without)
}

// Checkout copies a [Work] as it is now, without some of what a commit of it
// leaves out.
func (r *Repo) Checkout(ctx context.Context, w Work, without []string) (*Scratch, error) {
	beside, err := r.files.pathsOutside(ctx, w.Tree, "--directory")
	if err != nil {
		return nil, fmt.Errorf("copy the work tree: %w", err)
	}
	return r.newScratch(ctx, w.Tree, beside, without)
}

func (r *Repo) newScratch(ctx context.Context, tree string, beside, without []string) (*Scratch, error) {
	made, err := os.MkdirTemp("", "research-council-copy-")
	if err != nil {
		return nil, fmt.Errorf("copy the project: %w", err)
	}
	top, err := filepath.EvalSymlinks(made)
	s := &Scratch{Dir: filepath.Join(top, filepath.FromSlash(r.prefix)), top: top, repo: r, without: map[string]bool{}}
	for _, p := range without {
		for ; p != "."; p = path.Dir(p) {
			s.without[p] = true
		}
	}
	if err == nil {
		err = s.fill(ctx, tree, beside)
	}
	if err != nil {
		_ = os.RemoveAll(made)
		return nil, fmt.Errorf("copy the project: %w", err)
	}
	return s, nil
}

// Remove takes the copy away.
func (s *Scratch) Remove() { _ = os.RemoveAll(s.top) }

func (s *Scratch) fill(ctx context.Context, tree string, beside []string) error {
	index, drop, err := s.repo.files.loadIndex(ctx, tree)
	if err != nil {
		return err
	}
	defer drop()
	if _, err := s.repo.git(ctx, gitCall{args: []string{"checkout-index", "--all", "--force", "--prefix=" + s.top + "/"}, index: index}); err != nil {
		return err
	}
	for _, p := range beside {
		if err := s.link(strings.TrimSuffix(p, "/")); err != nil {
			return err
		}
	}
	return os.MkdirAll(s.Dir, 0o700)
}

// Link lets the copy have what it was made without.
func (s *Scratch) Link(without []string) error {
	clear(s.without)
	for _, p := range without {
		if err := s.link(p); err != nil {
			return fmt.Errorf("link to %s: %w", p, err)
		}
	}
	return nil
}

func (s *Scratch) link(p string) error {
	from, to := s.repo.files.absolute(p), filepath.Join(s.top, filepath.FromSlash(p))
	info, err := os.Lstat(from)
	if err != nil || s.repo.files.isCampaignPath(p) || cache(from) {
		return nil // or it is gone
	}
	if s.without[p] && !info.IsDir() {
		return nil
	}
	if s.without[p] {
		return s.linkAll(p)
	}
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.Symlink(from, to)
}

// linkAll links to what lies in a folder, each by itself.
func (s *Scratch) linkAll(folder string) error {
	entries, err := os.ReadDir(s.repo.files.absolute(folder))
	for _, e := range entries {
		err = errors.Join(err, s.link(path.Join(folder, e.Name())))
	}
	return err
}

// cache reports whether a folder is one in which a program keeps what it made
// of files by their names and times: of a copy it would keep the wrong thing.
// Most mark it by a file of a name that is agreed on (bford.info/cachedir).
func cache(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, "CACHEDIR.TAG"))
	return err == nil || filepath.Base(folder) == "__pycache__"
}

// Overlay puts files of a [Work] into the copy as they are now; those that are
// gone now go.
func (s *Scratch) Overlay(ctx context.Context, w Work, files []File) error {
	var come []string
	for _, f := range files {
		if f.Is {
			come = append(come, f.Path)
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.top, filepath.FromSlash(f.Path))); err != nil {
			return fmt.Errorf("lay files over a copy: %w", err)
		}
	}
	if len(come) == 0 {
		return nil
	}
	index, drop, err := s.repo.files.loadIndex(ctx, w.Tree)
	if err != nil {
		return fmt.Errorf("lay files over a copy: %w", err)
	}
	defer drop()
	if _, err := s.repo.git(ctx, gitCall{args: []string{"checkout-index", "--force", "-z", "--stdin", "--prefix=" + s.top + "/"}, index: index, stdin: nulTerminated(come)}); err != nil {
		return fmt.Errorf("lay files over a copy: %w", err)
	}
	return nil
}
