package campaignwork

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/project/repo"
	"github.com/research-council/research-council/internal/project/testresult"
)

// Before anything is built the tests run once, and before anything more.

// testBaseline is how the tests stand on a work tree.
type testBaseline struct {
	Tree     string  `json:"tree"` // as a snapshot names it
	Tests    testRun `json:"tests"`
	Accepted string  `json:"accepted,omitempty"` // what a person accepted of it: red, or not there
}

// baseline runs the tests once before anything is built, or anything more. Red
// or missing ones are a person's to accept.
func (s *gate) baseline(r flow.Run) (*flow.Assessment, error) {
	tally, err := s.campaignTally(r)
	if err != nil {
		return nil, err
	}
	tally.Plan = campaign.StateOf(r).Plan
	list, err := s.features()
	if err != nil {
		return nil, err
	}
	old, known := s.lastBaseline()
	next, open := list.Next()
	if !open || known && s.Folder.Filled(attemptFile(next)) && !campaign.Of(r.Setup.Own).AcceptRed { // what lies there is an attempt's
		return &flow.Assessment{Own: campaign.OwnTally(tally)}, nil
	}
	ctx, cancel := context.WithTimeout(s.Life, gitTime)
	defer cancel()
	project, err := repo.Open(s.Setup.Root, "")
	if err != nil {
		return nil, err
	}
	tree, err := project.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.recordLeftOut(ctx, project, tree); err != nil {
		return nil, err
	}
	if !known {
		if err := s.reportUncommitted(ctx, project, tree); err != nil {
			return nil, err
		}
	}
	now := testBaseline{Tree: tree, Tests: old.Tests}
	if !known || old.Tree != tree || old.Accepted == "" && !old.Tests.isGreen() {
		bare, err := repo.Empty(s.Setup.Root, []string{campaign.Of(s.Setup.Own).Folder()})
		if err != nil {
			return nil, fmt.Errorf("look at the project: %w", err)
		}
		if bare { // nothing is there that could be tested
			s.progress("Before the first feature: the project is empty, and so are its tests")
			return &flow.Assessment{Own: campaign.OwnTally(tally)}, s.WriteJSON(map[string]any{baselineFile: now})
		}
		if now.Tests, err = s.runTests(s.Setup.Root, "baseline"); err != nil {
			s.reportOutage(err)
			return nil, err
		}
	}
	why := s.baselineProblem(now.Tests)
	s.progress("Before the next feature: " + now.Tests.String() + s.uncountedNote(now.Tests.Result))
	switch {
	case why == "":
	case s.acceptsRed(r):
		now.Accepted = why
		s.progress("Accepted by a person: " + why)
	default:
		tally.Ask = fmt.Sprintf("%s. Mend it and `council campaign resume %s`, or build all the same with `council campaign resume %s --accept-red-baseline`", why, campaign.Of(s.Setup.Own).Slug, campaign.Of(s.Setup.Own).Slug)
		tally.Problem = why
	}
	return &flow.Assessment{Own: campaign.OwnTally(tally)}, s.WriteJSON(map[string]any{baselineFile: now})
}

// acceptsRed reports whether a person lets the campaign build on tests that are
// red or missing.
func (s *gate) acceptsRed(r flow.Run) bool { return campaign.Of(r.Setup.Own).AcceptRed }

// baselineProblem says what is wrong with the tests as they stand before anything is
// built; "" where nothing is.
func (s *gate) baselineProblem(t testRun) string {
	command := "`" + s.testCommand() + "`"
	switch why := t.idleReason(testresult.Result{}); {
	case why != "" || t.Exit != 0 && len(t.Tests) == 0:
		if why == "" {
			why = fmt.Sprintf("it ended with %d and no test was run", t.Exit)
		}
		return fmt.Sprintf("the tests cannot be run before anything is built: %s: %s: %s", command, why, plain.Line(t.Tail, supervisor.MaxForeignRunes))
	case t.Count(testresult.Failed) > 0:
		return fmt.Sprintf("%d of %d tests are red before anything is built: %s", t.Count(testresult.Failed), len(t.Tests), listNames(t.Of(testresult.Failed)))
	case !t.isGreen():
		return fmt.Sprintf("the tests are red before anything is built: %s ended with %d: %s", command, t.Exit, plain.Line(t.Tail, supervisor.MaxForeignRunes))
	case t.Counted() && len(t.Tests) == 0:
		return fmt.Sprintf("there are no tests (0 counted): %s ended with 0 and ran none", command)
	}
	return ""
}

// uncountedNote says that tests cannot be counted, and what would help.
func (s *box) uncountedNote(r testresult.Result) string {
	if r.Counted() {
		return ""
	}
	return fmt.Sprintf(": `%s` names no test in a form that is known here (go, pytest, node, cargo, JUnit XML), so its exit code alone is seen; a report in JUnit XML would help", s.testCommand())
}

// lastBaseline reads how the tests stood last.
func (s *records) lastBaseline() (testBaseline, bool) {
	var st testBaseline
	data, err := s.Folder.Read(baselineFile)
	return st, err == nil && json.Unmarshal(data, &st) == nil
}

// reportOutage tells that the tests cannot be run. It is waited for.
func (s *box) reportOutage(err error) {
	s.progress(plain.Line(err.Error(), supervisor.MaxForeignRunes) + "; this is waited for, and no attempt is counted")
}
