package repo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
	if err := r.history.checkStashRef(ctx, ref); err != nil {
		return done, err
	}
	m, err := r.snapshots.loadState(ctx, since)
	if err == nil && m.refs.tip == nil {
		err = fmt.Errorf("%s knows no branches: %w", since, ErrNoSnapshot)
	}
	if err != nil {
		return done, err
	}
	if err := r.history.abortOperation(ctx); err != nil {
		return done, err
	}
	now, err := r.history.standing(ctx)
	if err != nil {
		return done, err
	}
	head := now.head
	moves := r.history.movedBranches(ctx, m, now.branches, &done)
	if head != m.head && now.on == "" {
		moves = append(moves, branchMove{"HEAD", head, ""})
	}
	if done.Kept, err = r.history.keepTips(ctx, m, moves, ref); err != nil {
		return done, err
	}
	if done.Files, err = r.restoreLost(ctx, m, head); err != nil {
		return done, err
	}
	if err := r.resetIndex(ctx, m); err != nil {
		return done, err
	}
	return done, r.history.restoreBranches(ctx, m, now.branches, moves)
}

// restoreLost restores what of the work tree a checkout, a reset, a stash or a
// cleaning has taken away, and tells whose uncommitted changes were among it.
func (r *Repo) restoreLost(ctx context.Context, m *snapshotState, head string) ([]string, error) {
	on, err := r.history.workBase(ctx, m, head)
	if err != nil {
		return nil, err
	}
	laid := m.base // what git would lay down where HEAD is now
	if on != "" && on != m.head {
		if laid, err = r.resolve(ctx, on+"^{tree}"); err != nil {
			return nil, err
		}
	}
	before := [][2]string{{laid, m.tree}, {m.base, m.tree}}
	_, since, err := r.files.compareWorkTree(ctx, m, func(string) [][2]string { return before })
	if err != nil {
		return nil, err
	}
	d, err := r.files.diffPairs(ctx, before...)
	if err != nil {
		return nil, err
	}
	ours, dirty := d[0], d[1]
	back, at := map[string]change{}, map[string]entry{}
	for p, c := range ours {
		s, changed := since[p]
		if !changed || r.files.isCampaignPath(p) || m.wasIgnored(p) || c.isNested() || s.isNested() {
			continue
		}
		want, err := r.files.mergeVersions(ctx, c, s.to)
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
	tree, err := r.files.composeTree(ctx, m.tree, at)
	if err != nil {
		return nil, err
	}
	if err := r.files.restorePaths(ctx, tree, back); err != nil {
		return nil, err
	}
	maps.DeleteFunc(back, func(p string, _ change) bool { return !has(dirty, p) })
	return slices.Sorted(maps.Keys(back)), nil
}

// resetIndex makes the index what it was.
func (r *Repo) resetIndex(ctx context.Context, m *snapshotState) error {
	index, drop, err := r.files.copyIndex()
	if err != nil {
		return err
	}
	defer drop()
	staged, err := r.files.writeIndexTree(ctx, index)
	if errors.Is(err, ErrBusy) { // conflicts that were left
		_, err = r.git(ctx, gitCall{args: []string{"read-tree", "--reset", m.index}})
		_, _ = r.gitStatus(ctx, "update-index", "-q", "--refresh")
		return err
	}
	if err != nil {
		return err
	}
	changes, err := r.files.diffTrees(ctx, m.index, staged)
	if err != nil {
		return err
	}
	at := map[string]entry{}
	for p, c := range changes {
		at[p] = c.from
	}
	return r.history.setIndex(ctx, at)
}
