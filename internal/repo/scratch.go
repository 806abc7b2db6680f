package repo

import (
	"context"
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
	Since string // the snapshot
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
	m, err := r.moment(ctx, since)
	if err != nil {
		return Work{}, fmt.Errorf("find what changed: %w", err)
	}
	now, changes, err := r.since(ctx, m)
	if err != nil {
		return Work{}, fmt.Errorf("find what changed since %s: %w", since, err)
	}
	w := Work{Since: since, Tree: now}
	for _, p := range slices.Sorted(maps.Keys(changes)) {
		w.Files = append(w.Files, File{p, !changes[p].from.none(), !changes[p].to.none()})
	}
	return w, nil
}

// Patch is what was done to some files of a [Work], as a unified diff. It is a
// foreign text. No files is no patch.
func (r *Repo) Patch(ctx context.Context, w Work, paths []string) ([]byte, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	args := []string{"diff-tree", "-p", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", w.Since, w.Tree, "--"}
	out, err := r.git(ctx, call{args: append(args, paths...)})
	if err != nil {
		return nil, fmt.Errorf("show what changed: %w", err)
	}
	return out, nil
}

// Scratch is a copy of a snapshot in a folder of its own, to run something on
// it while the work tree stays as it is. What the snapshot ignored, packages
// that are installed as an example, is the project's own and linked to.
type Scratch struct {
	Dir  string // the project in the copy
	top  string // the repository's
	repo *Repo
}

// Scratch copies a snapshot. [Scratch.Drop] takes it away again.
func (r *Repo) Scratch(ctx context.Context, since string) (*Scratch, error) {
	m, err := r.moment(ctx, since)
	if err != nil {
		return nil, fmt.Errorf("copy a snapshot: %w", err)
	}
	made, err := os.MkdirTemp("", "research-council-copy-")
	if err != nil {
		return nil, fmt.Errorf("copy a snapshot: %w", err)
	}
	top, err := filepath.EvalSymlinks(made)
	s := &Scratch{Dir: filepath.Join(top, filepath.FromSlash(r.prefix)), top: top, repo: r}
	if err == nil {
		err = s.fill(ctx, m)
	}
	if err != nil {
		_ = os.RemoveAll(made)
		return nil, fmt.Errorf("copy a snapshot: %w", err)
	}
	return s, nil
}

// Drop takes the copy away.
func (s *Scratch) Drop() { _ = os.RemoveAll(s.top) }

func (s *Scratch) fill(ctx context.Context, m *moment) error {
	index, drop, err := s.repo.loadIndex(ctx, m.tree)
	if err != nil {
		return err
	}
	defer drop()
	if _, err := s.repo.git(ctx, call{args: []string{"checkout-index", "--all", "--force", "--prefix=" + s.top + "/"}, index: index}); err != nil {
		return err
	}
	for _, p := range m.ignored {
		if err := s.link(strings.TrimSuffix(p, "/")); err != nil {
			return err
		}
	}
	return os.MkdirAll(s.Dir, 0o700)
}

// caches are folders in which a program keeps what it made of files by their
// names and times: of a copy it would keep the wrong thing.
func caches() []string { return []string{"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"} }

func (s *Scratch) link(p string) error {
	if s.repo.ours(p) || slices.Contains(caches(), path.Base(p)) {
		return nil
	}
	from, to := s.repo.file(p), filepath.Join(s.top, filepath.FromSlash(p))
	if _, err := os.Lstat(from); err != nil {
		return nil // it is gone
	}
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.Symlink(from, to)
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
	index, drop, err := s.repo.loadIndex(ctx, w.Tree)
	if err != nil {
		return fmt.Errorf("lay files over a copy: %w", err)
	}
	defer drop()
	if _, err := s.repo.git(ctx, call{args: []string{"checkout-index", "--force", "-z", "--stdin", "--prefix=" + s.top + "/"}, index: index, stdin: lines(come)}); err != nil {
		return fmt.Errorf("lay files over a copy: %w", err)
	}
	return nil
}
