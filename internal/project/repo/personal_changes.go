package repo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// AssignToPerson makes a snapshot by which what changed between another one and now is
// a person's: as if it had been there before the work began. The snapshot since
// was taken before the work, and end after it. In a file that both have
// changed, the person's change is taken apart from the work's; where the two
// touch, all of the file is the person's from then on. It returns the new
// snapshot, which is the old one where nothing has changed, and the paths,
// sorted.
func (r *Repo) AssignToPerson(ctx context.Context, since, end string) (string, []string, error) {
	_, e, err := r.snapshots.loadStates(ctx, since, end)
	if err != nil {
		return since, nil, fmt.Errorf("tell a person's changes from the work: %w", err)
	}
	_, theirs, err := r.snapshots.changesSince(ctx, e, nil)
	if err != nil {
		return since, nil, fmt.Errorf("tell a person's changes from the work: %w", err)
	}
	return r.assignedSnapshot(ctx, since, e, theirs)
}

// AssignToPersonAfter is [Repo.AssignToPerson] where the end of the work was not seen: what was
// written after a time is a person's, the whole of each file.
func (r *Repo) AssignToPersonAfter(ctx context.Context, since string, after time.Time) (string, []string, error) {
	m, err := r.snapshots.loadState(ctx, since)
	if err != nil {
		return since, nil, fmt.Errorf("tell a person's changes from the work: %w", err)
	}
	_, changes, err := r.snapshots.changesSince(ctx, m, nil)
	if err != nil {
		return since, nil, fmt.Errorf("tell a person's changes from the work: %w", err)
	}
	maps.DeleteFunc(changes, func(p string, c change) bool { return c.to.isAbsent() || !r.files.writtenAfter(p, after) })
	return r.assignedSnapshot(ctx, since, m, changes)
}

// assignedSnapshot makes the snapshot in which a person's changes since the end of the
// work are part of what was there before.
func (r *Repo) assignedSnapshot(ctx context.Context, since string, end *snapshotState, theirs map[string]change) (string, []string, error) {
	if len(theirs) == 0 {
		return since, nil, nil
	}
	fail := func(err error) (string, []string, error) {
		return since, nil, fmt.Errorf("tell a person's changes from the work: %w", err)
	}
	m, err := r.snapshots.loadState(ctx, since)
	if err != nil {
		return fail(err)
	}
	work, err := r.files.diffTrees(ctx, m.tree, end.tree)
	if err != nil {
		return fail(err)
	}
	at := map[string]entry{}
	for p, c := range theirs {
		if at[p], err = r.files.withoutWork(ctx, c, work[p]); err != nil {
			return fail(err)
		}
	}
	if m.tree, err = r.files.composeTree(ctx, m.tree, at); err != nil {
		return fail(err)
	}
	m.name = ""
	there, err := r.history.standing(ctx)
	if err != nil {
		return fail(err)
	}
	name, err := r.snapshots.storeState(ctx, *m, there.snapshots)
	if err != nil {
		return fail(err)
	}
	return name, slices.Sorted(maps.Keys(theirs)), nil
}
