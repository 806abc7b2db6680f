package repo

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Commit is what is to be committed.
type Commit struct {
	Since   string   // the snapshot taken before the work began
	Message string   // data: NUL and lines that look like the trailer are dropped
	Task    string   // recorded in the trailer Council-Task, by which a repeated call knows its commit
	Exclude []string // paths and folders of the project to leave alone; path.Match's wildcards hold
	Hooks   Hooks    // how the repository's own commit hooks are run
}

// Committed is what became of a [Commit]. Paths are sorted.
//
// A path is kept when a person had changed it already before Since and the two
// changes touch, so that it cannot be committed without theirs, or when theirs
// is gone and in the snapshot alone. So is one that cannot be in a commit together with those, because it is a folder where
// they have a file, and a submodule.
type Committed struct {
	ID      string   // of the commit; "" when there was nothing to commit
	Files   []string // it holds
	Kept    []string // changed, but not committed
	Left    []string // a hook wanted them committed; they hold changes of a person's and are not
	Already bool     // HEAD held it already: an earlier call got so far, or somebody else committed it
}

// trailer is the line of a message that names the task.
const trailer = "Council-Task"

// Commit makes one commit on the current branch, of exactly the paths that
// changed since the snapshot. A person's earlier changes to other files are not
// in it and are staged or unstaged again as they were at the snapshot. Called
// again, it finds its commit.
//
// A hook of the repository that does not let it pass is [*HookRefusal], one that
// cannot be run [ErrHook]; neither leaves anything behind but what the hook has
// changed in the work tree.
func (r *Repo) Commit(ctx context.Context, c Commit) (Committed, error) {
	done, err := r.commit(ctx, c)
	if err != nil {
		return Committed{}, fmt.Errorf("commit what changed since %s: %w", c.Since, err)
	}
	return done, nil
}

func (r *Repo) commit(ctx context.Context, c Commit) (Committed, error) {
	if err := r.history.checkBranch(ctx); err != nil {
		return Committed{}, err
	}
	v, err := r.compareTrees(ctx, c.Since)
	if err != nil {
		return Committed{}, err
	}
	s, err := v.plan(func(p string) bool {
		in, below := strings.CutPrefix(p, r.prefix)
		return below && matches(in, c.Exclude)
	})
	if err != nil {
		return Committed{}, err
	}
	said := cmp.Or(message(c.Message, c.Task), "Complete a task")
	var left []string
	if len(s.commit) > 0 && c.Hooks.Run != nil {
		if said, left, err = r.runHooks(ctx, v, s, c); err != nil {
			return Committed{}, err
		}
	}
	if err := r.history.setIndex(ctx, v.indexEntries(s)); err != nil {
		return Committed{}, err
	}
	done := Committed{Files: slices.Sorted(maps.Keys(s.commit)), Kept: s.kept, Left: left}
	switch {
	case len(s.commit) > 0:
		if done.ID, err = r.commitToBranch(ctx, v, s.commit, said); err == nil && c.Hooks.Run != nil {
			_ = r.runPostCommit(ctx, c) // the commit is made: it can stop nothing
		}
	case len(s.inHead) > 0:
		done.Already = true
		done.ID, done.Files, err = r.findEarlier(ctx, v, c.Task, s.inHead)
	}
	return done, err
}

// comparison is everything a commit is decided by: six trees, and where they differ.
type comparison struct {
	was     *snapshotState
	now     string            // the work tree
	head    string            // HEAD's commit, "" for none
	base    string            // and its tree
	changes map[string]change // of the work tree since the moment

	dirty    map[string]change // from HEAD to the work tree, at the moment: a person's own
	still    map[string]change // from HEAD now to the work tree of the moment
	open     map[string]change // from HEAD now to the work tree now
	moved    map[string]change // from HEAD then to HEAD now
	staged   map[string]change // from HEAD to the index, at the moment
	restaged map[string]change // from the index then to the index now
	behind   map[string]change // from HEAD then to the index now
	loose    map[string]change // from the index now to the work tree now

	workOnly map[string]entry // what a file comes to that holds both hands' changes, without the person's
}

// compareTrees looks at everything.
func (r *Repo) compareTrees(ctx context.Context, since string) (*comparison, error) {
	defer r.files.keepTrees()()
	m, head, err := r.snapshots.readState(ctx, since, "HEAD^{commit}", "HEAD^{tree}")
	if err != nil {
		return nil, err
	}
	v := &comparison{was: m}
	if v.head, v.base = head[0].id, head[1].id; v.head == "" {
		if v.base, err = r.files.emptyTree(ctx); err != nil {
			return nil, err
		}
	}
	copied, drop, err := r.files.copyIndex()
	if err != nil {
		return nil, err
	}
	defer drop()
	index, err := r.files.writeIndexTree(ctx, copied)
	if err != nil {
		return nil, err
	}
	pairs := func(now string) [][2]string {
		return [][2]string{{m.base, m.tree}, {v.base, m.tree}, {v.base, now}, {m.base, v.base}, {m.base, m.index}, {m.index, index}, {m.base, index}, {index, now}}
	}
	if v.now, v.changes, err = r.snapshots.changesSince(ctx, m, pairs); err != nil {
		return nil, err
	}
	d, err := r.files.diffPairs(ctx, pairs(v.now)...)
	if err != nil {
		return nil, err
	}
	v.dirty, v.still, v.open, v.moved, v.staged, v.restaged, v.behind, v.loose = d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]
	v.workOnly, err = r.separateWork(ctx, v)
	return v, err
}

// separateWork takes a person's change out of the files that hold both hands': the
// work alone, on what HEAD has. Files in which the two touch are not in it.
func (r *Repo) separateWork(ctx context.Context, v *comparison) (map[string]entry, error) {
	apart := map[string]entry{}
	for p, c := range v.changes {
		if !has(v.dirty, p) || !has(v.still, p) || !has(v.open, p) || c.isNested() || c.from.isAbsent() || c.to.isAbsent() || v.open[p].from.isAbsent() {
			continue
		}
		e, clean, err := r.files.merge(ctx, v.open[p].from, c.from, c.to)
		if err != nil {
			return nil, err
		}
		if clean {
			apart[p] = e
		}
	}
	return apart, nil
}

// Candidate is the tree that a commit of what changed since a snapshot would
// have, and the paths it would leave out because they hold changes of a
// person's.
type Candidate struct {
	Tree     string
	Head     string   // the tree that HEAD has
	Kept     []string // changed, and not in it
	Personal []string // changed by a person and not committed, sorted
}

// Candidate finds what [Repo.Commit] would commit.
func (r *Repo) Candidate(ctx context.Context, since string) (Candidate, error) {
	defer r.files.keepTrees()()
	v, err := r.compareTrees(ctx, since)
	if err != nil {
		return Candidate{}, fmt.Errorf("find what would be committed: %w", err)
	}
	s, err := v.plan(func(string) bool { return false })
	if err != nil {
		return Candidate{}, fmt.Errorf("find what would be committed: %w", err)
	}
	c := Candidate{Head: v.base, Kept: s.kept}
	for p := range v.still {
		if !r.files.isCampaignPath(p) && !has(s.commit, p) || has(v.workOnly, p) {
			c.Personal = append(c.Personal, p)
		}
	}
	slices.Sort(c.Personal)
	if c.Tree, err = r.files.composeTree(ctx, v.base, s.commit); err != nil {
		return c, fmt.Errorf("find what would be committed: %w", err)
	}
	return c, nil
}

// commitPlan is what is to become of each change.
type commitPlan struct {
	commit map[string]entry
	inHead map[string]entry // HEAD has them so
	mixed  map[string]bool  // of those that are committed, the ones that hold a person's change too
	kept   []string
}

func has[V any](m map[string]V, p string) bool {
	_, is := m[p]
	return is
}

// plan decides what is committed. A file a person had changed before the
// snapshot is not, unless that change of theirs was committed since.
func (v *comparison) plan(excluded func(string) bool) (commitPlan, error) {
	s := commitPlan{commit: map[string]entry{}, inHead: map[string]entry{}, mixed: map[string]bool{}}
	for _, p := range slices.Sorted(maps.Keys(v.changes)) {
		c := v.changes[p]
		switch {
		case excluded(p):
		case c.isNested():
			s.kept = append(s.kept, p)
		case has(v.workOnly, p) && v.workOnly[p] == v.open[p].from:
			s.inHead[p] = v.workOnly[p]
		case has(v.workOnly, p):
			s.commit[p], s.mixed[p] = v.workOnly[p], true
		case has(v.dirty, p) && has(v.still, p) && (has(v.open, p) || !has(v.moved, p)):
			s.kept = append(s.kept, p)
		case !has(v.open, p):
			s.inHead[p] = c.to
		case has(v.moved, p) && has(v.still, p) && !has(v.behind, p):
			// HEAD has another state of the file than index and work tree ever
			// had: committing would take that state back unseen.
			return s, fmt.Errorf("%w: HEAD has a change of %q that the work tree never had", ErrMoved, p)
		default:
			s.commit[p] = c.to
		}
	}
	s.dropBlocked(v.open)
	return s, nil
}

// dropBlocked keeps what cannot be committed without another path giving way: a file
// cannot be where a folder is. Such paths are kept, or HEAD has them and a
// person's removal is open.
func (s *commitPlan) dropBlocked(open map[string]change) {
	others := map[string]bool{}
	for _, p := range s.kept {
		others[p] = true
	}
	for p, c := range open {
		if _, going := s.commit[p]; !going && !c.from.isAbsent() {
			others[p] = true
		}
	}
	above := map[string]bool{}
	for p := range others {
		for i, c := range p {
			if c == '/' {
				above[p[:i]] = true
			}
		}
	}
	maps.DeleteFunc(s.commit, func(p string, e entry) bool {
		clash := !e.isAbsent() && (above[p] || isUnder(p, others))
		if clash {
			s.kept = append(s.kept, p)
		}
		return clash
	})
	slices.Sort(s.kept)
}

// indexEntries lists what changes in the index: the files that are committed, but for
// those of which a person had staged something else before the snapshot.
func (v *comparison) indexEntries(s commitPlan) map[string]entry {
	at := v.undoneAdds()
	maps.Copy(at, s.commit)
	maps.Copy(at, s.inHead)
	maps.DeleteFunc(at, func(p string, _ entry) bool { return has(v.staged, p) && !has(v.restaged, p) })
	return at
}

// undoneAdds lists what the index gets back because a worker ran something like
// `git add --all`: the entries that were replaced since the snapshot by what the
// work tree holds anyway, so that nothing is lost by it.
func (v *comparison) undoneAdds() map[string]entry {
	at := map[string]entry{}
	for p, c := range v.restaged {
		if (c.to.isAbsent() || !has(v.loose, p)) && !has(v.moved, p) {
			at[p] = c.from
		}
	}
	return at
}

// commitToBranch adds a commit to the branch: HEAD's tree with some paths changed.
func (r *Repo) commitToBranch(ctx context.Context, v *comparison, at map[string]entry, message string) (string, error) {
	tree, err := r.files.composeTree(ctx, v.base, at)
	if err != nil {
		return "", err
	}
	return r.history.commitOnHead(ctx, v.head, tree, message)
}

// message is a commit's message: what was given, then the trailer.
func message(text, task string) string {
	var kept []string
	for l := range strings.Lines(strings.ReplaceAll(strings.ToValidUTF8(text, "�"), "\x00", "")) {
		l = strings.TrimRight(l, " \t\r\n")
		name, _, _ := strings.Cut(l, ":")
		if !strings.EqualFold(strings.TrimSpace(name), trailer) {
			kept = append(kept, l)
		}
	}
	task = strings.Join(strings.Fields(strings.ReplaceAll(strings.ToValidUTF8(task, "�"), "\x00", "")), " ")
	said := strings.Trim(strings.Join(kept, "\n"), "\n")
	if task == "" {
		return said
	}
	gap := "\n\n"
	if trailers(said) {
		gap = "\n"
	}
	return cmp.Or(said, "Complete "+task) + gap + trailer + ": " + task
}

// trailers reports whether a message ends in a paragraph of "Name: value".
func trailers(said string) bool {
	at := strings.LastIndex(said, "\n\n")
	if at < 0 {
		return false
	}
	for l := range strings.SplitSeq(said[at+2:], "\n") {
		name, value, is := strings.Cut(l, ": ")
		if !is || name == "" || value == "" || strings.ContainsAny(name, " \t") {
			return false
		}
	}
	return true
}

// task is the task a message names, "" for none.
func task(message string) string {
	_, after, _ := strings.Cut("\n"+message, "\n"+trailer+": ") // message wrote only one
	return strings.TrimRight(after, "\n")
}

// findEarlier finds the commit that brought what HEAD holds already: the task's
// own, else HEAD.
func (r *Repo) findEarlier(ctx context.Context, v *comparison, name string, there map[string]entry) (string, []string, error) {
	list, err := r.history.log(ctx, v, "%H%n%B")
	if err != nil {
		return "", nil, err
	}
	wanted := task(message("", name))
	for _, item := range list {
		id, said, _ := strings.Cut(item, "\n")
		if wanted == "" || task(said) != wanted {
			continue
		}
		files, err := r.gitItems(ctx, gitCall{args: []string{"diff-tree", "-r", "-z", "--root", "--no-renames", "--no-commit-id", "--name-only", id}})
		slices.Sort(files)
		return id, files, err
	}
	return v.head, slices.Sorted(maps.Keys(there)), nil
}
