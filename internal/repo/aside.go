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

// SetAside keeps what changed since a snapshot as a commit on a ref, and puts
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
func (r *Repo) SetAside(ctx context.Context, since, ref, text string) ([]string, error) {
	files, err := r.setAside(ctx, since, ref, cmp.Or(message(text, ""), "Set aside"))
	if err != nil {
		return nil, fmt.Errorf("set aside what changed since %s: %w", since, err)
	}
	return files, nil
}

// setAside goes round twice where a .gitignore changed: once it is put back,
// files that it hid come to light.
func (r *Repo) setAside(ctx context.Context, since, ref, text string) ([]string, error) {
	if err := r.reserve(ctx, ref); err != nil {
		return nil, err
	}
	v, err := r.left(ctx, since)
	if err != nil {
		return nil, err
	}
	rules := maps.Clone(v.changes)
	maps.DeleteFunc(rules, func(p string, _ change) bool { return path.Base(p) != ".gitignore" })
	if len(rules) > 0 {
		if _, _, err := r.keep(ctx, v, ref, text); err != nil {
			return nil, err
		}
		if err := r.restore(ctx, v.was.tree, rules); err != nil {
			return nil, fmt.Errorf("%w; the change is kept on %s", err, ref)
		}
		if v, err = r.left(ctx, since); err != nil {
			return nil, err
		}
	}
	return r.putBack(ctx, v, ref, text)
}

// left is what there still is to set aside.
func (r *Repo) left(ctx context.Context, since string) (*view, error) {
	if err := r.whole(ctx); err != nil {
		return nil, err
	}
	v, err := r.compare(ctx, since)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(v.changes, func(_ string, c change) bool { return c.other() })
	return v, nil
}

// putBack keeps what a view has changed on the ref, and puts it back. What an
// earlier call left half done is completed.
func (r *Repo) putBack(ctx context.Context, v *view, ref, text string) ([]string, error) {
	files, committed, err := r.keep(ctx, v, ref, text)
	if err != nil {
		return nil, err
	}
	if err := r.restore(ctx, v.was.tree, v.changes); err != nil {
		return nil, fmt.Errorf("%w; the change is kept on %s", err, ref)
	}
	if err := r.setIndex(ctx, v.unstage(files, committed)); err != nil {
		return nil, err
	}
	if committed {
		_, err = r.stack(ctx, v.head, v.was.base, "Take back what was set aside\n\nIt is kept on "+ref+".")
	}
	return files, err
}

// keep puts what a view has changed on the ref, unless it is there, and tells
// all that was set aside there of this snapshot's, and whether some of it was
// committed and has to be taken back.
func (r *Repo) keep(ctx context.Context, v *view, ref, text string) (files []string, committed bool, err error) {
	old, begun, err := r.begun(ctx, ref, v.was)
	if err != nil {
		return nil, false, err
	}
	files = slices.Sorted(maps.Keys(union(begun, v.changes)))
	if committed, err = r.takeable(ctx, v, files); err != nil {
		return nil, false, err
	}
	if !covers(begun, v.changes) {
		err = r.shelve(ctx, v, ref, old, text)
	}
	return files, committed, err
}

// reserve checks that a ref is one for changes that are set aside.
func (r *Repo) reserve(ctx context.Context, ref string) error {
	if !strings.HasPrefix(ref, refs) || strings.HasPrefix(ref, snapshots) {
		return fmt.Errorf("%q is not below %s", ref, refs)
	}
	if code, err := r.ask(ctx, "check-ref-format", ref); err != nil || code != 0 {
		return errors.Join(fmt.Errorf("%q is no name of a ref", ref), err)
	}
	return nil
}

// begun is the commit on a ref, "" for none, and what was set aside there of
// this snapshot's.
func (r *Repo) begun(ctx context.Context, ref string, m *moment) (string, map[string]change, error) {
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
		changes, err := r.diff(ctx, from, to)
		if err != nil {
			return "", nil, err
		}
		all = union(all, changes)
		if at, err = r.before(ctx, at, m.head); err != nil {
			return "", nil, err
		}
	}
	return newest, all, nil
}

// before is what lay on the ref before a commit did: the last parent of its
// first, unless that is HEAD of the snapshot. See [Repo.shelve].
func (r *Repo) before(ctx context.Context, id, head string) (string, error) {
	parents, err := r.word(ctx, call{args: []string{"log", "-1", "--format=%P", id + "^1"}})
	f := strings.Fields(parents)
	if err != nil || len(f) == 0 || f[len(f)-1] == head {
		return "", err
	}
	return f[len(f)-1], nil
}

// covers reports whether what differs now is what is left of a change that was
// being put back. A file that is away may have been on the way.
func covers(begun, left map[string]change) bool {
	for p, c := range left {
		if b, is := begun[p]; !is || b.to != c.to && !c.to.none() {
			return false
		}
	}
	return begun != nil || len(left) == 0
}

func union(a, b map[string]change) map[string]change {
	all := maps.Clone(b)
	maps.Copy(all, a)
	return all
}

// takeable reports whether some of the files were committed since the snapshot
// and have to be taken back by a commit. Only commits made here meanwhile are,
// in the user's own name or in any that a worker gave itself: what was pulled or
// merged is others' work.
func (r *Repo) takeable(ctx context.Context, v *view, files []string) (bool, error) {
	if !slices.ContainsFunc(files, func(p string) bool { return has(v.moved, p) }) {
		return false, nil
	}
	refuse := fmt.Errorf("%w: the commits since %q are not this iteration's alone: take them back or take a new snapshot", ErrMoved, v.was.head)
	if v.was.head == "" {
		return false, refuse
	}
	if code, err := r.ask(ctx, "merge-base", "--is-ancestor", v.was.head, v.head); err != nil || code != 0 {
		return false, errors.Join(refuse, err)
	}
	taken, err := r.word(ctx, call{args: []string{"log", "-1", "--format=%ct %cn <%ce>", v.was.ref()}})
	if err != nil {
		return false, err
	}
	list, err := r.log(ctx, v, "%H %ct %cn <%ce>%n%P")
	if err != nil {
		return false, err
	}
	here, err := r.madeHere(ctx)
	if err != nil {
		return false, err
	}
	for _, item := range list {
		id, rest, _ := strings.Cut(item, " ")
		by, parents, _ := strings.Cut(rest, "\n")
		if !here[id] && !ownAfter(by, taken) || strings.Contains(strings.TrimSpace(parents), " ") {
			return false, refuse
		}
	}
	return true, nil
}

// madeHere are the commits that were made in this work tree, and did not come to
// it, as HEAD's log has them: what that has not is not known.
func (r *Repo) madeHere(ctx context.Context) (map[string]bool, error) {
	list, err := r.list(ctx, call{args: []string{"log", "-z", "-g", "--no-show-signature", "--max-count=1000", "--format=%H %gs", "HEAD"}})
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

// ownAfter reports whether a commit, "SECONDS NAME <ADDRESS>", is by the same
// person as another and not older.
func ownAfter(commit, taken string) bool {
	at, by, _ := strings.Cut(commit, " ")
	from, who, _ := strings.Cut(taken, " ")
	a, errA := strconv.ParseInt(at, 10, 64)
	f, errF := strconv.ParseInt(from, 10, 64)
	return errA == nil && errF == nil && a >= f && by == who
}

// shelve puts the change on the ref: a commit of the snapshot, and on top of it
// one of exactly what changed.
func (r *Repo) shelve(ctx context.Context, v *view, ref, old, text string) error {
	at := map[string]entry{}
	for p, c := range v.changes {
		at[p] = c.to
	}
	if err := r.withoutSecrets(ctx, v.changes, at); err != nil {
		return err
	}
	tree, err := r.compose(ctx, v.was.tree, at)
	if err != nil {
		return err
	}
	before, err := r.write(ctx, v.was.tree, "The work tree before", v.was.head, old)
	if err != nil {
		return err
	}
	id, err := r.write(ctx, tree, text, before)
	if err != nil {
		return err
	}
	_, err = r.git(ctx, call{args: []string{"update-ref", ref, id, old}})
	return err
}

// unstage lists what the index gets back: the entries it had at the snapshot.
func (v *view) unstage(files []string, committed bool) map[string]entry {
	at := v.unadd()
	for p, c := range v.restaged {
		if _, is := slices.BinarySearch(files, p); is || committed && has(v.moved, p) {
			at[p] = c.from
		}
	}
	return at
}

// restore puts paths of the work tree back to a tree: first what is new goes,
// so that a file can return where a folder came.
func (r *Repo) restore(ctx context.Context, tree string, changes map[string]change) error {
	var back []string
	for _, p := range slices.Sorted(maps.Keys(changes)) {
		if !changes[p].from.none() {
			back = append(back, p)
			continue
		}
		if err := r.remove(p); err != nil {
			return err
		}
	}
	if len(back) == 0 {
		return nil
	}
	modes, err := r.modes(back)
	if err != nil {
		return err
	}
	index, drop, err := r.loadIndex(ctx, tree)
	if err != nil {
		return err
	}
	defer drop()
	if _, err := r.git(ctx, call{args: []string{"checkout-index", "--force", "-z", "--stdin"}, index: index, stdin: lines(back)}); err != nil {
		return err
	}
	return r.guard(modes)
}

// remove deletes a file and the folders it leaves empty.
func (r *Repo) remove(p string) error {
	if err := os.Remove(r.file(p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if os.Remove(r.file(dir)) != nil {
			return nil // not empty: somebody else's files are in it
		}
	}
	return nil
}

// modes are the permissions of the files that are about to be written over. A
// folder in the way is refused: git would delete it with all that is ignored
// in it.
func (r *Repo) modes(paths []string) (map[string]fs.FileMode, error) {
	modes := map[string]fs.FileMode{}
	for _, p := range paths {
		info, err := os.Lstat(r.file(p))
		if err == nil && info.IsDir() && os.Remove(r.file(p)) != nil {
			return nil, fmt.Errorf("%q was a file and is a folder that holds ignored files: move them away", p)
		}
		if err == nil && info.Mode().IsRegular() {
			modes[p] = info.Mode().Perm()
		}
	}
	return modes, nil
}

// guard takes permissions from files again that they did not give before: git
// only knows whether a file may be executed.
func (r *Repo) guard(modes map[string]fs.FileMode) error {
	for p, before := range modes {
		info, err := os.Lstat(r.file(p))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		rw := before & 0o666
		mode := info.Mode().Perm()&0o111&(rw>>2) | rw
		if mode == info.Mode().Perm() {
			continue
		}
		if err := os.Chmod(r.file(p), mode); err != nil {
			return err
		}
	}
	return nil
}
