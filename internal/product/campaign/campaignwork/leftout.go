package campaignwork

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/research-council/research-council/internal/project/repo"
	"github.com/research-council/research-council/internal/project/testresult"
)

// Tests may need a file that git ignores. Whoever checks the commit out has not
// got it: so the tests run once without what no commit will hold.

const (
	leftOutFile = "left-out.json" // what no commit held before anything was built
	maxLeftOut  = 100_000         // files that are kept apart
)

// recordLeftOut notes, once, what a commit of the project leaves out: whoever
// works on it has that.
func (s *gate) recordLeftOut(ctx context.Context, project *repo.Repo, tree string) error {
	if s.Folder.Has(leftOutFile) {
		return nil
	}
	list, err := project.LeftOut(ctx, tree)
	if err != nil {
		return err
	}
	list = testresult.WithoutRegenerable(list)
	return s.WriteJSON(map[string]any{leftOutFile: list[:min(len(list), maxLeftOut)]})
}

// newlyLeftOut lists what a commit of a change leaves out and was not there
// before anything was built.
func (s *gate) newlyLeftOut(ctx context.Context, l testedChange) ([]string, error) {
	var before []string
	if data, err := s.Folder.Read(leftOutFile); err == nil {
		if err := json.Unmarshal(data, &before); err != nil {
			return nil, fmt.Errorf("read what was left out before: %w", err)
		}
	}
	list, err := l.project.LeftOut(ctx, l.work.Tree)
	return slices.DeleteFunc(testresult.WithoutRegenerable(list), func(p string) bool {
		_, known := slices.BinarySearch(before, p)
		return known
	}), err
}

// missingFromCommit says which files the tests need that the commit of a change would lack;
// refused is "" for none. Where it could not be seen, unseen says so.
func (s *gate) missingFromCommit(ctx context.Context, l testedChange) (refused, unseen string, err error) {
	files, err := s.newlyLeftOut(ctx, l)
	if err != nil || len(files) == 0 {
		return "", "", err
	}
	if len(files) >= maxLeftOut {
		return "", fmt.Sprintf("whether the tests need some of %d files that no commit holds", len(files)), nil
	}
	copied, err := l.project.Checkout(ctx, l.work, files)
	if err != nil {
		return "", "", err
	}
	defer copied.Remove()
	failing, err := s.failingIn(copied, l, "clean")
	if err != nil || len(failing) == 0 {
		return "", "", err
	}
	if made, err := s.initialiseCopy(copied.Dir, l.ID); err != nil {
		return "", "", err
	} else if made {
		if failing, err = s.failingIn(copied, l, "initialised"); err != nil || len(failing) == 0 {
			return "", "", err
		}
	}
	old, err := s.failingBefore(ctx, l, files)
	if err != nil {
		return "", "", err
	}
	failing = subtract(failing, old)
	if err := copied.Link(files); err != nil || len(failing) == 0 {
		return "", "", err
	}
	still, err := s.failingIn(copied, l, "linked")
	if err != nil {
		return "", "", err
	}
	if needing := subtract(failing, still); len(needing) > 0 {
		return fmt.Sprintf("the commit would lack what its tests need: git ignores %s, or did when the attempt began, and without that these fail: %s. Keep it where git does not ignore it, or let the tests or %s make it",
			listNames(files), listNames(needing), initScript), "", nil
	}
	return "", fmt.Sprintf("whether the tests need what no commit holds (%s): in a copy of the project they fail with it too", listNames(files)), nil
}

// failingIn runs the tests in a copy of a change and lists those that fail
// there and pass in the project.
func (s *gate) failingIn(copied *repo.Scratch, l testedChange, name string) ([]string, error) {
	there, err := s.runTests(copied.Dir, l.ID+"-"+name)
	return s.newlyFailing(l.after, there), err
}

// failingBefore lists the tests that fail without some files on the code before
// the change already.
func (s *gate) failingBefore(ctx context.Context, l testedChange, without []string) ([]string, error) {
	copied, err := l.project.Scratch(ctx, l.since, without...)
	if err != nil {
		return nil, err
	}
	defer copied.Remove()
	there, err := s.runTests(copied.Dir, l.ID+"-before-clean")
	return s.newlyFailing(l.before, there), err
}

// newlyFailing lists the tests that pass in one run and not in another; where no test
// is to be seen that does, it is the command.
func (s *gate) newlyFailing(here, there testRun) []string {
	list := testresult.NoLongerPassing(here.Result, there.Result)
	if len(list) == 0 && here.Exit == 0 && (there.Exit != 0 || there.Cut != "") {
		list = append(list, s.testCommand())
	}
	return list
}

func subtract(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(x string) bool { return slices.Contains(others, x) })
}
