package repo

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
)

// Stash keeps what changed since a snapshot as a commit on a ref, and puts
// the work tree back to the snapshot for exactly those paths, and their entries
// in the index: new files go, deleted ones return. It returns the paths.
//
// ref is refs/research-council/NAME; what an earlier change left there becomes
// an ancestor, so it is not lost. `git show REF` shows the change,
// `git cherry-pick REF` brings it back; a secret that was added is not kept in
// it, its file is, without it. Called again after a crash it completes
// what was begun and returns the same; without any change there is no commit.
//
// Where the change was committed here since, the branch gets a commit more that
// takes it back. What others committed is [ErrMoved], before anything is
// touched. Submodules stay as they are.
func (r *Repo) Stash(ctx context.Context, since, ref, text string) ([]string, error) {
	files, err := r.stash(ctx, since, ref, cmp.Or(message(text, ""), "Set aside"))
	if err != nil {
		return nil, fmt.Errorf("set aside what changed since %s: %w", since, err)
	}
	return files, nil
}

// stash goes round twice where a .gitignore changed: once it is put back,
// files that it hid come to light.
func (r *Repo) stash(ctx context.Context, since, ref, text string) ([]string, error) {
	if err := r.history.checkStashRef(ctx, ref); err != nil {
		return nil, err
	}
	v, err := r.remainingChanges(ctx, since)
	if err != nil {
		return nil, err
	}
	rules := maps.Clone(v.changes)
	maps.DeleteFunc(rules, func(p string, _ change) bool { return path.Base(p) != ".gitignore" })
	if len(rules) > 0 {
		if _, _, err := r.stashOnRef(ctx, v, ref, text); err != nil {
			return nil, err
		}
		if err := r.files.restorePaths(ctx, v.was.tree, rules); err != nil {
			return nil, fmt.Errorf("%w; the change is kept on %s", err, ref)
		}
		if v, err = r.remainingChanges(ctx, since); err != nil {
			return nil, err
		}
	}
	return r.stashAndRestore(ctx, v, ref, text)
}

// remainingChanges is what there still is to set aside.
func (r *Repo) remainingChanges(ctx context.Context, since string) (*comparison, error) {
	if err := r.history.checkIndex(ctx); err != nil {
		return nil, err
	}
	v, err := r.compareTrees(ctx, since)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(v.changes, func(_ string, c change) bool { return c.isNested() })
	return v, nil
}

// stashAndRestore keeps what a view has changed on the ref, and puts it back. What an
// earlier call left half done is completed.
func (r *Repo) stashAndRestore(ctx context.Context, v *comparison, ref, text string) ([]string, error) {
	files, committed, err := r.stashOnRef(ctx, v, ref, text)
	if err != nil {
		return nil, err
	}
	if err := r.files.restorePaths(ctx, v.was.tree, v.changes); err != nil {
		return nil, fmt.Errorf("%w; the change is kept on %s", err, ref)
	}
	if err := r.history.setIndex(ctx, v.indexBefore(files, committed)); err != nil {
		return nil, err
	}
	if committed {
		_, err = r.history.commitOnHead(ctx, v.head, v.was.base, "Take back what was set aside\n\nIt is kept on "+ref+".")
	}
	return files, err
}

// stashOnRef puts what a view has changed on the ref, unless it is there, and tells
// all that was set aside there of this snapshot's, and whether some of it was
// committed and has to be taken back.
func (r *Repo) stashOnRef(ctx context.Context, v *comparison, ref, text string) (files []string, committed bool, err error) {
	old, begun, err := r.snapshots.earlierStash(ctx, ref, v.was)
	if err != nil {
		return nil, false, err
	}
	files = slices.Sorted(maps.Keys(joinChanges(begun, v.changes)))
	if committed, err = r.history.hasOwnCommits(ctx, v, files); err != nil {
		return nil, false, err
	}
	if !isRestOf(begun, v.changes) {
		err = r.commitStash(ctx, v, ref, old, text)
	}
	return files, committed, err
}

// earlierStash is the commit on a ref, "" for none, and what was set aside there of
// this snapshot's.
func (s *snapshotStore) earlierStash(ctx context.Context, ref string, m *snapshotState) (string, map[string]change, error) {
	newest, err := s.resolve(ctx, ref+"^{commit}")
	if err != nil {
		return "", nil, err
	}
	var all map[string]change
	for at := newest; at != ""; {
		from, err := s.resolve(ctx, at+"^1^{tree}")
		if err != nil || from != m.tree {
			return newest, all, err
		}
		to, err := s.resolve(ctx, at+"^{tree}")
		if err != nil {
			return "", nil, err
		}
		changes, err := s.files.diffTrees(ctx, from, to)
		if err != nil {
			return "", nil, err
		}
		all = joinChanges(all, changes)
		if at, err = s.history.previousOnRef(ctx, at, m.head); err != nil {
			return "", nil, err
		}
	}
	return newest, all, nil
}

// isRestOf reports whether what differs now is what is left of a change that was
// being put back. A file that is away may have been on the way.
func isRestOf(begun, left map[string]change) bool {
	for p, c := range left {
		if b, is := begun[p]; !is || b.to != c.to && !c.to.isAbsent() {
			return false
		}
	}
	return begun != nil || len(left) == 0
}

func joinChanges(a, b map[string]change) map[string]change {
	all := maps.Clone(b)
	maps.Copy(all, a)
	return all
}

// commitStash puts the change on the ref: a commit of the snapshot, and on top of it
// one of exactly what changed.
func (r *Repo) commitStash(ctx context.Context, v *comparison, ref, old, text string) error {
	at := map[string]entry{}
	for p, c := range v.changes {
		at[p] = c.to
	}
	if err := r.files.redactSecrets(ctx, v.changes, at); err != nil {
		return err
	}
	tree, err := r.files.composeTree(ctx, v.was.tree, at)
	if err != nil {
		return err
	}
	before, err := r.history.writeCommit(ctx, v.was.tree, "The work tree before", v.was.head, old)
	if err != nil {
		return err
	}
	id, err := r.history.writeCommit(ctx, tree, text, before)
	if err != nil {
		return err
	}
	_, err = r.git(ctx, gitCall{args: []string{"update-ref", ref, id, old}})
	return err
}

// indexBefore lists what the index gets back: the entries it had at the snapshot.
func (v *comparison) indexBefore(files []string, committed bool) map[string]entry {
	at := v.undoneAdds()
	for p, c := range v.restaged {
		if _, is := slices.BinarySearch(files, p); is || committed && has(v.moved, p) {
			at[p] = c.from
		}
	}
	return at
}
