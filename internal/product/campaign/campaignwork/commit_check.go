package campaignwork

import (
	"context"
	"fmt"

	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/project/repo"
)

// A commit holds a worker's change alone, and the project the person's as well.
// So where there are changes of theirs, the tests run once on what will be
// committed: whoever checks it out has nothing else.

// requiredUserChanges says which changes of a person's the commit of a change would need;
// none is empty. Where it could not be seen, unseen says so.
func (s *gate) requiredUserChanges(ctx context.Context, l testedChange, c repo.Candidate) (needed []string, unseen string, err error) {
	if len(c.Personal)+len(c.Kept) == 0 {
		return nil, "", nil
	}
	copied, err := l.project.Checkout(ctx, repo.Work{Tree: c.Tree}, c.Personal)
	if err != nil {
		return nil, "", err
	}
	defer copied.Remove()
	failing, err := s.failingIn(copied, l, "committed")
	if err != nil || len(failing) == 0 {
		return nil, "", err
	}
	head, err := l.project.Checkout(ctx, repo.Work{Tree: c.Head}, c.Personal)
	if err != nil {
		return nil, "", err
	}
	defer head.Remove()
	there, err := s.runTests(head.Dir, l.ID+"-head")
	if err != nil {
		return nil, "", err
	}
	if l.after.Counted() { // tests of the person's own are not the feature's to bring
		failing = subtract(failing, s.newlyFailing(l.before, there))
	}
	if len(failing) == 0 {
		return nil, "", nil
	}
	whole, err := l.project.Checkout(ctx, l.work, nil)
	if err != nil {
		return nil, "", err
	}
	defer whole.Remove()
	still, err := s.failingIn(whole, l, "whole")
	if err != nil || len(subtract(failing, still)) > 0 {
		return c.Personal, "", err
	}
	return nil, fmt.Sprintf("whether the commit passes without changes of yours (%s): in a copy of the project the tests fail with them too", listNames(c.Personal)), nil
}

// uncommittedMessage is what a person is asked whose changes a commit would need.
func (s *gate) uncommittedMessage(id string, files []string) string {
	return fmt.Sprintf("%s passes its tests in the project, and what would be committed of it does not: it needs changes of yours that are not committed: %s. Commit those (as they are now, with what the worker added to them), or put them away, then `council campaign resume %s` tests it again. No attempt is counted",
		id, listNames(files), campaign.Of(s.Setup.Own).Slug)
}
