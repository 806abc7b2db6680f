package repo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// branches are the branches of a repository, and the one that is checked out.
type branches struct {
	on  string            // refs/heads/NAME; "" where HEAD is on none
	tip map[string]string // by ref
}

// list writes branches as [branchesOf] reads them.
func (b branches) list() []string {
	if b.tip == nil {
		return nil
	}
	list := []string{b.on}
	for _, ref := range slices.Sorted(maps.Keys(b.tip)) {
		list = append(list, b.tip[ref]+" "+ref)
	}
	return list
}

func branchesOf(list []string) branches {
	if len(list) == 0 {
		return branches{}
	}
	b := branches{on: list[0], tip: map[string]string{}}
	for _, item := range list[1:] {
		id, ref, _ := strings.Cut(item, " ")
		b.tip[ref] = id
	}
	return b
}

// branches are those there are now.
func (r *Repo) branches(ctx context.Context) (branches, error) {
	b := branches{tip: map[string]string{}}
	on, err := r.gitLine(ctx, gitCall{args: []string{"symbolic-ref", "-q", "HEAD"}})
	var f *gitFailure
	if err != nil && (!errors.As(err, &f) || f.code != 1) {
		return b, err
	}
	b.on = on
	out, err := r.gitLine(ctx, gitCall{args: []string{"for-each-ref", "--format=%(objectname) %(refname)", "refs/heads"}})
	if err != nil {
		return b, err
	}
	for item := range strings.SplitSeq(out, "\n") {
		if id, ref, is := strings.Cut(item, " "); is {
			b.tip[ref] = id
		}
	}
	return b, nil
}

// Rewound is what [Repo.Rewind] has put back.
type Rewound struct {
	Moved []string // branches that were moved, removed or left, as people name them
	Made  []string // branches that came with commits of their own, and are gone
	Kept  []string // refs that hold the commits that are on no branch now
	Files []string // whose uncommitted changes were gone, sorted
}

// IsEmpty reports whether nothing had to be put back.
func (w Rewound) IsEmpty() bool { return len(w.Moved)+len(w.Made)+len(w.Kept)+len(w.Files) == 0 }

func (w Rewound) String() string {
	var parts []string
	for _, p := range []struct {
		what  string
		names []string
	}{
		{"the branch was moved: %s", w.Moved},
		{"a branch was made with commits of its own: %s", w.Made},
		{"these commits are kept on %s; what they changed in files counts as not committed", w.Kept},
		{"uncommitted changes were gone: %s", w.Files},
	} {
		if len(p.names) > 0 {
			parts = append(parts, fmt.Sprintf(p.what, strings.Join(p.names, ", ")))
		}
	}
	return strings.Join(parts, "; ")
}

// Rewind makes of HEAD, the branches and the index what they were at a
// [Repo.SnapshotWithBranches], and brings back what of a person's uncommitted changes was
// thrown away since, and what a checkout of other commits has laid over the
// work tree. What else was changed in files stays as it is: commits made
// since become changes that are not committed, and are kept on refs that begin
// with ref.
//
// It may be called again after a crash. A branch that moves meanwhile is
// [ErrMoved].
func (r *Repo) Rewind(ctx context.Context, since, ref string) (Rewound, error) {
	done, err := r.rewind(ctx, since, ref)
	if err != nil {
		return done, fmt.Errorf("put back what git did to the project: %w", err)
	}
	return done, nil
}

func (r *Repo) rewind(ctx context.Context, since, ref string) (done Rewound, err error) {
	if err := r.checkStashRef(ctx, ref); err != nil {
		return done, err
	}
	m, err := r.loadState(ctx, since)
	if err == nil && m.refs.tip == nil {
		err = fmt.Errorf("%s knows no branches: %w", since, ErrNoSnapshot)
	}
	if err != nil {
		return done, err
	}
	if err := r.abortOperation(ctx); err != nil {
		return done, err
	}
	now, err := r.branches(ctx)
	if err != nil {
		return done, err
	}
	head, err := r.resolve(ctx, "HEAD^{commit}")
	if err != nil {
		return done, err
	}
	moves := r.movedBranches(ctx, m, now, &done)
	if head != m.head && now.on == "" {
		moves = append(moves, branchMove{"HEAD", head, ""})
	}
	if done.Kept, err = r.keepTips(ctx, m, moves, ref); err != nil {
		return done, err
	}
	if done.Files, err = r.restoreLost(ctx, m, head); err != nil {
		return done, err
	}
	if err := r.resetIndex(ctx, m); err != nil {
		return done, err
	}
	return done, r.restoreBranches(ctx, m, now, moves)
}

// abortOperation forgets what git is in the middle of. The snapshot was taken when it was
// in the middle of nothing.
func (r *Repo) abortOperation(ctx context.Context) error {
	for _, half := range []struct{ file, command string }{
		{"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"},
	} {
		if _, err := os.Stat(filepath.Join(r.dir, half.file)); err != nil {
			continue
		}
		if _, err := r.git(ctx, gitCall{args: []string{half.command, "--quit"}}); err != nil {
			return err
		}
	}
	return r.waitForIndexLock(ctx)
}

// branchMove is a branch that is not where it was.
type branchMove struct{ ref, from, to string } // commits; "" for none

// movedBranches lists the branches that are not where they were. One that another work
// tree has checked out is its own, and so is a new one without new commits.
func (r *Repo) movedBranches(ctx context.Context, m *snapshotState, now branches, done *Rewound) []branchMove {
	var list []branchMove
	elsewhere := r.checkedOutElsewhere(ctx)
	if now.on != m.refs.on {
		done.Moved = append(done.Moved, fmt.Sprintf("HEAD from %s to %s", plainRef(m.refs.on), plainRef(now.on)))
	}
	for _, ref := range slices.Sorted(maps.Keys(m.refs.tip)) {
		if at := now.tip[ref]; at != m.refs.tip[ref] && !elsewhere[ref] {
			list = append(list, branchMove{ref, at, m.refs.tip[ref]})
			done.Moved = append(done.Moved, plainRef(ref))
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(now.tip)) {
		if _, was := m.refs.tip[ref]; was || elsewhere[ref] {
			continue
		}
		if news, err := r.newCommits(ctx, m, now.tip[ref]); err == nil && len(news) > 0 {
			list = append(list, branchMove{ref, now.tip[ref], ""})
			done.Made = append(done.Made, plainRef(ref))
		}
	}
	return list
}

func plainRef(ref string) string {
	if ref == "" {
		return "no branch"
	}
	return strings.TrimPrefix(ref, "refs/heads/")
}

// checkedOutElsewhere are the branches that other work trees of the repository have
// checked out.
func (r *Repo) checkedOutElsewhere(ctx context.Context) map[string]bool {
	found := map[string]bool{}
	out, err := r.gitLine(ctx, gitCall{args: []string{"worktree", "list", "--porcelain"}})
	if err != nil {
		return found
	}
	here := false
	for line := range strings.SplitSeq(out, "\n") {
		if at, is := strings.CutPrefix(line, "worktree "); is {
			here = at == r.root
		}
		if ref, is := strings.CutPrefix(line, "branch "); is && !here {
			found[ref] = true
		}
	}
	return found
}

// newCommits lists the commits of a tip that were not there at a moment, newest
// first. Further options of git rev-list may leave some out.
func (r *Repo) newCommits(ctx context.Context, m *snapshotState, tip string, but ...string) ([]string, error) {
	if tip == "" {
		return nil, nil
	}
	args := append([]string{"rev-list", "--max-count=1000", tip, "--not"}, but...)
	if m.head != "" {
		args = append(args, m.head)
	}
	for _, ref := range slices.Sorted(maps.Keys(m.refs.tip)) {
		args = append(args, m.refs.tip[ref])
	}
	out, err := r.gitLine(ctx, gitCall{args: args})
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(out, "\n"), nil
}

// keepTips puts the commits that will be on no branch on refs of their own.
func (r *Repo) keepTips(ctx context.Context, m *snapshotState, moves []branchMove, ref string) ([]string, error) {
	var kept []string
	seen := map[string]bool{}
	for _, mv := range moves {
		news, err := r.newCommits(ctx, m, mv.from)
		if err != nil {
			return kept, err
		}
		if len(news) == 0 || seen[mv.from] {
			continue
		}
		seen[mv.from] = true
		name, err := r.keepTip(ctx, ref, mv.from)
		if err != nil {
			return kept, err
		}
		kept = append(kept, name)
	}
	return kept, nil
}

// keepTip puts a commit on the first ref of a name that is free, or has it.
func (r *Repo) keepTip(ctx context.Context, ref, commit string) (string, error) {
	for n := 1; ; n++ {
		name := ref
		if n > 1 {
			name = fmt.Sprintf("%s-%d", ref, n)
		}
		at, err := r.resolve(ctx, name+"^{commit}")
		switch {
		case err != nil:
			return "", err
		case at == commit:
			return name, nil
		case at == "":
			_, err = r.git(ctx, gitCall{args: []string{"update-ref", name, commit, strings.Repeat("0", len(commit))}})
			return name, err
		}
	}
}

// workBase is the commit that what was done since stands on: the newest of HEAD's
// that was there before, or came from another repository.
func (r *Repo) workBase(ctx context.Context, m *snapshotState, head string) (string, error) {
	news, err := r.newCommits(ctx, m, head, "--remotes")
	if err != nil || len(news) == 0 {
		return head, err
	}
	known := map[string]bool{}
	for _, id := range news {
		known[id] = true
	}
	for at := head; ; {
		up, err := r.resolve(ctx, at+"^1^{commit}")
		if err != nil || !known[up] {
			return up, err
		}
		at = up
	}
}

// restoreLost restores what of the work tree a checkout, a reset, a stash or a
// cleaning has taken away, and tells whose uncommitted changes were among it.
func (r *Repo) restoreLost(ctx context.Context, m *snapshotState, head string) ([]string, error) {
	on, err := r.workBase(ctx, m, head)
	if err != nil {
		return nil, err
	}
	laid := m.base // what git would lay down where HEAD is now
	if on != "" {
		if laid, err = r.resolve(ctx, on+"^{tree}"); err != nil {
			return nil, err
		}
	}
	now, err := r.writeWorkTree(ctx, m)
	if err != nil {
		return nil, err
	}
	d, err := r.diffPairs(ctx, [2]string{laid, m.tree}, [2]string{m.tree, now}, [2]string{m.base, m.tree})
	if err != nil {
		return nil, err
	}
	ours, since, dirty := d[0], d[1], d[2]
	back, at := map[string]change{}, map[string]entry{}
	for p, c := range ours {
		s, changed := since[p]
		if !changed || r.isCampaignPath(p) || m.wasIgnored(p) || c.isNested() || s.isNested() {
			continue
		}
		want, err := r.mergeVersions(ctx, c, s.to)
		if err != nil {
			return nil, err
		}
		if want != s.to {
			at[p], back[p] = want, change{from: want, to: s.to}
		}
	}
	if len(back) == 0 {
		return nil, nil
	}
	tree, err := r.composeTree(ctx, m.tree, at)
	if err != nil {
		return nil, err
	}
	if err := r.restorePaths(ctx, tree, back); err != nil {
		return nil, err
	}
	maps.DeleteFunc(back, func(p string, _ change) bool { return !has(dirty, p) })
	return slices.Sorted(maps.Keys(back)), nil
}

// mergeVersions is what is to be at a path where git's own version of it and the one
// of the snapshot differ (a change from the first to the second), and there is
// something else now. What somebody has written on git's version gets the
// person's change added where the two do not touch.
func (r *Repo) mergeVersions(ctx context.Context, c change, now entry) (entry, error) {
	switch {
	case now == c.from:
		return c.to, nil
	case now.isAbsent() && c.from.isAbsent(): // cleaned away, or not in the commit that is checked out
		return c.to, nil
	case now.isAbsent() || c.from.isAbsent() || c.to.isAbsent():
		return now, nil // somebody's own work: the snapshot has what was there
	}
	merged, clean, err := r.merge(ctx, now, c.from, c.to)
	if err != nil || !clean {
		return now, err
	}
	return merged, nil
}

const maxMerged = 8 << 20 // bytes of a file that is merged

// merge adds the change from base to theirs to ours; clean is false where they
// touch, or are no text.
func (r *Repo) merge(ctx context.Context, ours, base, theirs entry) (merged entry, clean bool, err error) {
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
		text, err := r.git(ctx, gitCall{args: []string{"cat-file", "blob", e.id}})
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
	text, err := r.git(ctx, gitCall{args: args})
	var f *gitFailure
	if errors.As(err, &f) && f.code > 0 { // the number of conflicts, or 255: it is no text
		return ours, false, nil
	}
	if err != nil {
		return ours, false, err
	}
	id, err := r.gitLine(ctx, gitCall{args: []string{"hash-object", "-w", "--stdin"}, stdin: text})
	return entry{ours.mode, id}, err == nil, err
}

// resetIndex makes the index what it was.
func (r *Repo) resetIndex(ctx context.Context, m *snapshotState) error {
	index, drop, err := r.copyIndex()
	if err != nil {
		return err
	}
	defer drop()
	staged, err := r.writeIndexTree(ctx, index)
	if errors.Is(err, ErrBusy) { // conflicts that were left
		_, err = r.git(ctx, gitCall{args: []string{"read-tree", "--reset", m.index}})
		_, _ = r.gitStatus(ctx, "update-index", "-q", "--refresh")
		return err
	}
	if err != nil {
		return err
	}
	changes, err := r.diffTrees(ctx, m.index, staged)
	if err != nil {
		return err
	}
	at := map[string]entry{}
	for p, c := range changes {
		at[p] = c.from
	}
	return r.setIndex(ctx, at)
}

// restoreBranches puts HEAD and the branches back, each only from where it was seen.
func (r *Repo) restoreBranches(ctx context.Context, m *snapshotState, now branches, moves []branchMove) error {
	var all strings.Builder
	for _, mv := range moves {
		switch {
		case mv.ref == "HEAD":
		case mv.to == "":
			fmt.Fprintf(&all, "delete %s\x00%s\x00", mv.ref, mv.from)
		case mv.from == "":
			fmt.Fprintf(&all, "create %s\x00%s\x00", mv.ref, mv.to)
		default:
			fmt.Fprintf(&all, "update %s\x00%s\x00%s\x00", mv.ref, mv.to, mv.from)
		}
	}
	if now.on != m.refs.on && m.refs.on != "" { // before a branch that HEAD is on goes
		if _, err := r.git(ctx, gitCall{args: []string{"symbolic-ref", "-m", "put back (research-council)", "HEAD", m.refs.on}}); err != nil {
			return err
		}
	}
	if m.refs.on == "" && m.head != "" {
		if _, err := r.git(ctx, gitCall{args: []string{"update-ref", "--no-deref", "-m", "put back (research-council)", "HEAD", m.head}}); err != nil {
			return err
		}
	}
	if all.Len() == 0 {
		return nil
	}
	if _, err := r.git(ctx, gitCall{args: []string{"update-ref", "-m", "put back (research-council)", "--stdin", "-z"}, stdin: []byte(all.String())}); err != nil {
		return fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return nil
}
