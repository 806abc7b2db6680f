package driver

import (
	"context"
	"encoding/json"
	"fmt"

	"research-council/internal/agent"
	"research-council/internal/flow"
	"research-council/internal/recipe"
	"research-council/internal/repo"
	"research-council/internal/suite"
)

// Before anything is built the tests run once, and before anything more.

// standing is how the tests stand on a work tree.
type standing struct {
	Tree     string  `json:"tree"` // as a snapshot names it
	Tests    testRun `json:"tests"`
	Accepted string  `json:"accepted,omitempty"` // what a person accepted of it: red, or not there
}

// baseline runs the tests once before anything is built, or anything more. Red
// or missing ones are a person's to accept.
func (s *supervisor) baseline(r flow.Run) (*flow.Assessment, error) {
	tally, err := s.tallied(r)
	if err != nil {
		return nil, err
	}
	tally.Plan = recipe.CampaignState(r).Plan
	list, err := s.features()
	if err != nil {
		return nil, err
	}
	old, known := s.lastTests()
	next, open := list.Next()
	if !open || known && s.folder.Filled(baseOf(next)) && !r.Setup.Campaign.AcceptRed { // what lies there is an attempt's
		return &flow.Assessment{Tally: tally}, nil
	}
	ctx, cancel := context.WithTimeout(s.life, gitTime)
	defer cancel()
	project, err := repo.Open(s.setup.Root, "")
	if err != nil {
		return nil, err
	}
	tree, err := project.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.noteLeftOut(ctx, project, tree); err != nil {
		return nil, err
	}
	if !known {
		if err := s.tellYours(ctx, project, tree); err != nil {
			return nil, err
		}
	}
	now := standing{Tree: tree, Tests: old.Tests}
	if !known || old.Tree != tree || old.Accepted == "" && !old.Tests.green() {
		bare, err := repo.Empty(s.setup.Root, []string{s.setup.Campaign.Folder()})
		if err != nil {
			return nil, fmt.Errorf("look at the project: %w", err)
		}
		if bare { // nothing is there that could be tested
			s.progress("Before the first feature: the project is empty, and so are its tests")
			return &flow.Assessment{Tally: tally}, s.record(map[string]any{standingFile: now})
		}
		if now.Tests, err = s.runTests(s.setup.Root, "baseline"); err != nil {
			s.tellOutage(err)
			return nil, err
		}
	}
	why := s.unsound(now.Tests)
	s.progress("Before the next feature: " + now.Tests.String() + s.uncounted(now.Tests.Result))
	switch {
	case why == "":
	case s.accepts(r):
		now.Accepted = why
		s.progress("Accepted by a person: " + why)
	default:
		tally.Ask = fmt.Sprintf("%s. Mend it and `council campaign resume %s`, or build all the same with `council campaign resume %s --accept-red-baseline`", why, s.setup.Campaign.Slug, s.setup.Campaign.Slug)
		tally.Problem = why
	}
	return &flow.Assessment{Tally: tally}, s.record(map[string]any{standingFile: now})
}

// accepts reports whether a person lets the campaign build on tests that are
// red or missing.
func (s *supervisor) accepts(r flow.Run) bool { return r.Setup.Campaign.AcceptRed }

// unsound says what is wrong with the tests as they stand before anything is
// built; "" where nothing is.
func (s *supervisor) unsound(t testRun) string {
	command := "`" + s.testCommand() + "`"
	switch why := t.idle(suite.Result{}); {
	case why != "" || t.Exit != 0 && len(t.Tests) == 0:
		if why == "" {
			why = fmt.Sprintf("it ended with %d and no test was run", t.Exit)
		}
		return fmt.Sprintf("the tests cannot be run before anything is built: %s: %s: %s", command, why, agent.Plain(t.Tail, mostWords))
	case t.Count(suite.Failed) > 0:
		return fmt.Sprintf("%d of %d tests are red before anything is built: %s", t.Count(suite.Failed), len(t.Tests), named(t.Of(suite.Failed)))
	case !t.green():
		return fmt.Sprintf("the tests are red before anything is built: %s ended with %d: %s", command, t.Exit, agent.Plain(t.Tail, mostWords))
	case t.Counted() && len(t.Tests) == 0:
		return fmt.Sprintf("there are no tests (0 counted): %s ended with 0 and ran none", command)
	}
	return ""
}

// uncounted says that tests cannot be counted, and what would help.
func (s *supervisor) uncounted(r suite.Result) string {
	if r.Counted() {
		return ""
	}
	return fmt.Sprintf(": `%s` names no test in a form that is known here (go, pytest, node, cargo, JUnit XML), so its exit code alone is seen; a report in JUnit XML would help", s.testCommand())
}

// standing reads how the tests stood last.
func (s *supervisor) lastTests() (standing, bool) {
	var st standing
	data, err := s.folder.Read(standingFile)
	return st, err == nil && json.Unmarshal(data, &st) == nil
}

// tellOutage tells that the tests cannot be run. It is waited for.
func (s *supervisor) tellOutage(err error) {
	s.progress(agent.Plain(err.Error(), mostWords) + "; this is waited for, and no attempt is counted")
}
