package repo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
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
	if err := r.checkStashRef(ctx, ref); err != nil {
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
		if err := r.restorePaths(ctx, v.was.tree, rules); err != nil {
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
	if err := r.checkIndex(ctx); err != nil {
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
	if err := r.restorePaths(ctx, v.was.tree, v.changes); err != nil {
		return nil, fmt.Errorf("%w; the change is kept on %s", err, ref)
	}
	if err := r.setIndex(ctx, v.indexBefore(files, committed)); err != nil {
		return nil, err
	}
	if committed {
		_, err = r.commitOnHead(ctx, v.head, v.was.base, "Take back what was set aside\n\nIt is kept on "+ref+".")
	}
	return files, err
}

// stashOnRef puts what a view has changed on the ref, unless it is there, and tells
// all that was set aside there of this snapshot's, and whether some of it was
// committed and has to be taken back.
func (r *Repo) stashOnRef(ctx context.Context, v *comparison, ref, text string) (files []string, committed bool, err error) {
	old, begun, err := r.earlierStash(ctx, ref, v.was)
	if err != nil {
		return nil, false, err
	}
	files = slices.Sorted(maps.Keys(joinChanges(begun, v.changes)))
	if committed, err = r.hasOwnCommits(ctx, v, files); err != nil {
		return nil, false, err
	}
	if !isRestOf(begun, v.changes) {
		err = r.commitStash(ctx, v, ref, old, text)
	}
	return files, committed, err
}

// checkStashRef checks that a ref is one for changes that are set aside.
func (r *Repo) checkStashRef(ctx context.Context, ref string) error {
	if !strings.HasPrefix(ref, refs) || strings.HasPrefix(ref, snapshots) {
		return fmt.Errorf("%q is not below %s", ref, refs)
	}
	if code, err := r.gitStatus(ctx, "check-ref-format", ref); err != nil || code != 0 {
		return errors.Join(fmt.Errorf("%q is no name of a ref", ref), err)
	}
	return nil
}

// earlierStash is the commit on a ref, "" for none, and what was set aside there of
// this snapshot's.
func (r *Repo) earlierStash(ctx context.Context, ref string, m *snapshotState) (string, map[string]change, error) {
	newest, err := r.resolve(ctx, ref+"^{commit}")
	if err != nil {
		return "", nil, err
	}
	var all map[string]change
	for at := newest; at != ""; {
		from, err := r.resolve(ctx, at+"^1^{tree}")
		if err != nil || from != m.tree {
			return newest, all, err
		}
		to, err := r.resolve(ctx, at+"^{tree}")
		if err != nil {
			return "", nil, err
		}
		changes, err := r.diffTrees(ctx, from, to)
		if err != nil {
			return "", nil, err
		}
		all = joinChanges(all, changes)
		if at, err = r.previousOnRef(ctx, at, m.head); err != nil {
			return "", nil, err
		}
	}
	return newest, all, nil
}

// previousOnRef is what lay on the ref before a commit did: the last parent of its
// first, unless that is HEAD of the snapshot. See [Repo.commitStash].
func (r *Repo) previousOnRef(ctx context.Context, id, head string) (string, error) {
	parents, err := r.gitLine(ctx, gitCall{args: []string{"log", "-1", "--format=%P", id + "^1"}})
	f := strings.Fields(parents)
	if err != nil || len(f) == 0 || f[len(f)-1] == head {
		return "", err
	}
	return f[len(f)-1], nil
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

// hasOwnCommits reports whether some of the files were committed since the snapshot
// and have to be taken back by a commit. Only commits made here meanwhile are,
// in the user's own name or in any that a worker gave itself: what was pulled or
// merged is others' work.
func (r *Repo) hasOwnCommits(ctx context.Context, v *comparison, files []string) (bool, error) {
	if !slices.ContainsFunc(files, func(p string) bool { return has(v.moved, p) }) {
		return false, nil
	}
	refuse := fmt.Errorf("%w: the commits since %q are not this iteration's alone: take them back or take a new snapshot", ErrMoved, v.was.head)
	if v.was.head == "" {
		return false, refuse
	}
	if code, err := r.gitStatus(ctx, "merge-base", "--is-ancestor", v.was.head, v.head); err != nil || code != 0 {
		return false, errors.Join(refuse, err)
	}
	taken, err := r.gitLine(ctx, gitCall{args: []string{"log", "-1", "--format=%ct %cn <%ce>", v.was.ref()}})
	if err != nil {
		return false, err
	}
	list, err := r.log(ctx, v, "%H %ct %cn <%ce>%n%P")
	if err != nil {
		return false, err
	}
	here, err := r.localCommits(ctx)
	if err != nil {
		return false, err
	}
	for _, item := range list {
		id, rest, _ := strings.Cut(item, " ")
		by, parents, _ := strings.Cut(rest, "\n")
		if !here[id] && !isSameAuthorLater(by, taken) || strings.Contains(strings.TrimSpace(parents), " ") {
			return false, refuse
		}
	}
	return true, nil
}

// localCommits are the commits that were made in this work tree, and did not come to
// it, as HEAD's log has them: what that has not is not known.
func (r *Repo) localCommits(ctx context.Context) (map[string]bool, error) {
	list, err := r.gitItems(ctx, gitCall{args: []string{"log", "-z", "-g", "--no-show-signature", "--max-count=1000", "--format=%H %gs", "HEAD"}})
	if err != nil {
		return nil, err
	}
	made := map[string]bool{}
	for _, item := range list {
		if id, how, _ := strings.Cut(item, " "); strings.HasPrefix(how, "commit") {
			made[id] = true
		}
	}
	return made, nil
}

// isSameAuthorLater reports whether a commit, "SECONDS NAME <ADDRESS>", is by the same
// person as another and not older.
func isSameAuthorLater(commit, taken string) bool {
	at, by, _ := strings.Cut(commit, " ")
	from, who, _ := strings.Cut(taken, " ")
	a, errA := strconv.ParseInt(at, 10, 64)
	f, errF := strconv.ParseInt(from, 10, 64)
	return errA == nil && errF == nil && a >= f && by == who
}

// commitStash puts the change on the ref: a commit of the snapshot, and on top of it
// one of exactly what changed.
func (r *Repo) commitStash(ctx context.Context, v *comparison, ref, old, text string) error {
	at := map[string]entry{}
	for p, c := range v.changes {
		at[p] = c.to
	}
	if err := r.redactSecrets(ctx, v.changes, at); err != nil {
		return err
	}
	tree, err := r.composeTree(ctx, v.was.tree, at)
	if err != nil {
		return err
	}
	before, err := r.writeCommit(ctx, v.was.tree, "The work tree before", v.was.head, old)
	if err != nil {
		return err
	}
	id, err := r.writeCommit(ctx, tree, text, before)
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

// restorePaths puts paths of the work tree back to a tree: first what is new goes,
// so that a file can return where a folder came.
func (r *Repo) restorePaths(ctx context.Context, tree string, changes map[string]change) error {
	var back []string
	for _, p := range slices.Sorted(maps.Keys(changes)) {
		if !changes[p].from.isAbsent() {
			back = append(back, p)
			continue
		}
		if err := r.removeFile(p); err != nil {
			return err
		}
	}
	if len(back) == 0 {
		return nil
	}
	modes, err := r.fileModes(back)
	if err != nil {
		return err
	}
	index, drop, err := r.loadIndex(ctx, tree)
	if err != nil {
		return err
	}
	defer drop()
	if _, err := r.git(ctx, gitCall{args: []string{"checkout-index", "--force", "-z", "--stdin"}, index: index, stdin: nulTerminated(back)}); err != nil {
		return err
	}
	return r.limitModes(modes)
}

// removeFile deletes a file and the folders it leaves empty.
func (r *Repo) removeFile(p string) error {
	if err := os.Remove(r.absolute(p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if os.Remove(r.absolute(dir)) != nil {
			return nil // not empty: somebody else's files are in it
		}
	}
	return nil
}

// fileModes are the permissions of the files that are about to be written over. A
// folder in the way is refused: git would delete it with all that is ignored
// in it.
func (r *Repo) fileModes(paths []string) (map[string]fs.FileMode, error) {
	modes := map[string]fs.FileMode{}
	for _, p := range paths {
		info, err := os.Lstat(r.absolute(p))
		if err == nil && info.IsDir() && os.Remove(r.absolute(p)) != nil {
			return nil, fmt.Errorf("%q was a file and is a folder that holds ignored files: move them away", p)
		}
		if err == nil && info.Mode().IsRegular() {
			modes[p] = info.Mode().Perm()
		}
	}
	return modes, nil
}

// limitModes takes permissions from files again that they did not give before: git
// only knows whether a file may be executed.
func (r *Repo) limitModes(modes map[string]fs.FileMode) error {
	for p, before := range modes {
		info, err := os.Lstat(r.absolute(p))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		rw := before & 0o666
		mode := info.Mode().Perm()&0o111&(rw>>2) | rw
		if mode == info.Mode().Perm() {
			continue
		}
		if err := os.Chmod(r.absolute(p), mode); err != nil {
			return err
		}
	}
	return nil
}
