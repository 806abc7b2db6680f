package driver

import (
	"context"
	"fmt"

	"research-council/internal/repo"
)

// A commit holds a worker's change alone, and the project the person's as well.
// So where there are changes of theirs, the tests run once on what will be
// committed: whoever checks it out has nothing else.

// alone says which changes of a person's the commit of a change would need;
// none is empty. Where it could not be seen, unseen says so.
func (s *supervisor) alone(ctx context.Context, l look, c repo.Candidate) (needed []string, unseen string, err error) {
	if len(c.Yours)+len(c.Kept) == 0 {
		return nil, "", nil
	}
	copied, err := l.project.Checkout(ctx, repo.Work{Tree: c.Tree}, c.Yours)
	if err != nil {
		return nil, "", err
	}
	defer copied.Drop()
	failing, err := s.failingIn(copied, l, "committed")
	if err != nil || len(failing) == 0 {
		return nil, "", err
	}
	head, err := l.project.Checkout(ctx, repo.Work{Tree: c.Head}, c.Yours)
	if err != nil {
		return nil, "", err
	}
	defer head.Drop()
	there, err := s.runTests(head.Dir, l.ID+"-head")
	if err != nil {
		return nil, "", err
	}
	if l.after.Counted() { // tests of the person's own are not the feature's to bring
		failing = without(failing, s.worse(l.before, there))
	}
	if len(failing) == 0 {
		return nil, "", nil
	}
	whole, err := l.project.Checkout(ctx, l.work, nil)
	if err != nil {
		return nil, "", err
	}
	defer whole.Drop()
	still, err := s.failingIn(whole, l, "whole")
	if err != nil || len(without(failing, still)) > 0 {
		return c.Yours, "", err
	}
	return nil, fmt.Sprintf("whether the commit passes without changes of yours (%s): in a copy of the project the tests fail with them too", named(c.Yours)), nil
}

// inTheWay is what a person is asked whose changes a commit would need.
func (s *supervisor) inTheWay(id string, files []string) string {
	return fmt.Sprintf("%s passes its tests in the project, and what would be committed of it does not: it needs changes of yours that are not committed: %s. Commit those (as they are now, with what the worker added to them), or put them away, then `council campaign resume %s` tests it again. No attempt is counted",
		id, named(files), s.setup.Campaign.Slug)
}
