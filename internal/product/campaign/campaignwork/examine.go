package campaignwork

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/project/repo"
	"github.com/research-council/research-council/internal/project/testresult"
)

// A change is looked at: the tests are run and counted before and after, on the
// change, on the code before, and on that with the new tests.

// examinationResult is what came of looking at a change: one of red, faults, ask and pending.
type examinationResult struct {
	red     string // why it does not pass
	faults  string // what is wrong with the worker's note
	ask     string // what a person has to see to before it can pass
	pending pendingChange
	dossier string // what the critic is shown
}

// examine looks at a change: whether there is one, what the tests say of it,
// and whether they show what it is for. An error is an outage.
func (s *gate) examine(j judgement) (examinationResult, error) {
	note, faults := s.readCoderNote(j)
	if faults == "" && note.Outcome != "pass" {
		return examinationResult{red: "the coder gave it up: " + plain.Line(note.Summary, supervisor.MaxForeignRunes)}, nil
	}
	ctx, cancel := context.WithCancel(s.Life)
	defer cancel()
	work, after, restless, err := s.testUntilStable(ctx, &j)
	if err != nil {
		return examinationResult{}, err
	}
	switch {
	case faults != "":
	case len(restless) > 0:
		faults = fmt.Sprintf("what is in the project is another each time the tests have run: %s. Let git ignore it, or let the tests take it away", listNames(restless))
	default:
		faults = s.missingNamedFiles(note, work)
	}
	c := &controlCopy{judgement: j}
	defer c.drop()
	before, err := s.before(ctx, c)
	if err != nil {
		return examinationResult{}, err
	}
	if why := after.idleReason(before.Tests.Result); why != "" { // the code's fault only where the code before fares better
		same, err := s.runControl(ctx, c)
		if err != nil {
			return examinationResult{}, err
		}
		if same.idleReason(before.Tests.Result) != "" {
			return examinationResult{}, fmt.Errorf("%s: the tests cannot be run, nor on the code before: %s: %s", j.ID, why, plain.Line(after.Tail, supervisor.MaxForeignRunes))
		}
	}
	change := testresult.Compare(before.Tests.Result, after.Result)
	if red := s.redReason(before, after, change); red != "" {
		if faults != "" {
			red += "\n" + faults
		}
		return examinationResult{red: red}, nil
	}
	switch {
	case faults != "":
		return examinationResult{faults: faults}, nil
	case len(work.Files) == 0:
		return examinationResult{red: "no change was made"}, nil
	}
	if refused, err := s.secrets(ctx, j.project, j.since); err != nil || refused != "" { // before anybody else sees it
		return examinationResult{red: refused}, err
	}
	l := testedChange{j, note, work, before.Tests, after, change}
	shown, problem, err := s.findProof(ctx, c, l)
	if err != nil || problem != "" {
		return examinationResult{red: problem}, err
	}
	refused, unseen, err := s.missingFromCommit(ctx, l)
	if err != nil || refused != "" {
		return examinationResult{red: refused}, err
	}
	if unseen != "" {
		shown += "; it could not be seen " + unseen
	}
	s.progress(fmt.Sprintf("%s: before: %s; after: %s%s%s; %s", j.ID, before.Tests, after, s.uncountedNote(after.Result), describeTestChanges(change), shown))
	will, err := j.project.Candidate(ctx, j.since)
	if err != nil {
		return examinationResult{}, err
	}
	yours, unseen, err := s.requiredUserChanges(ctx, l, will)
	if err != nil || len(yours) > 0 {
		return examinationResult{ask: s.uncommittedMessage(j.ID, yours)}, err
	}
	if unseen != "" {
		shown += "; it could not be seen " + unseen
	}
	out := examinationResult{pending: pendingChange{
		Feature: j.ID, Task: j.task.ID, Tree: will.Tree, Tests: after, Shown: shown,
		Gone: slices.Concat(change.Lost, change.Skipped),
	}}
	out.dossier, err = s.dossier(ctx, l, shown)
	return out, err
}

// testUntilStable runs the tests until they leave the project as they found it, for
// what is committed is what was tested. Files that are other ones each time are
// restless. What the tests have left is none of a person's.
func (s *gate) testUntilStable(ctx context.Context, j *judgement) (work repo.Work, t testRun, restless []string, err error) {
	const most = 3 // the first may make what stays
	for n := 1; ; n++ {
		if work, err = j.project.Work(ctx, j.since); err != nil {
			return work, t, nil, err
		}
		if t, err = s.runTests(s.Setup.Root, j.ID); err != nil {
			return work, t, nil, err
		}
		end := j.project.KeepTrees()
		restless, err = s.changedSinceTested(ctx, j, work)
		if err == nil && (len(restless) == 0 || n == most) {
			j.attempt, err = s.markAttemptEnd(ctx, j.project, j.attempt)
			end()
			return work, t, restless, err
		}
		if end(); err != nil {
			return work, t, nil, err
		}
	}
}

// changedSinceTested lists what is not as it was before the tests ran.
func (s *gate) changedSinceTested(ctx context.Context, j *judgement, work repo.Work) ([]string, error) {
	now, err := j.project.Work(ctx, j.since)
	if err != nil || now.Tree == work.Tree {
		return nil, err
	}
	return j.project.Between(ctx, work.Tree, now.Tree)
}

// describeTestChanges names the tests that were there before and are not what they were, or
// that were red and still are.
func describeTestChanges(c testresult.Change) string {
	text := ""
	for _, part := range []struct {
		what  string
		names []string
	}{{"lost", c.Lost}, {"skipped", c.Skipped}, {"still red", c.Red}, {"green now", c.Fixed}} {
		if len(part.names) > 0 {
			text += "; " + part.what + ": " + listNames(part.names)
		}
	}
	return text
}

// controlCopy is the code before an attempt, in a copy, and what its own tests say
// there.
type controlCopy struct {
	judgement
	copied *repo.Scratch
	tests  *testRun
}

func (c *controlCopy) drop() {
	if c.copied != nil {
		c.copied.Remove()
	}
}

// runControl runs the tests on the code before an attempt, once.
func (s *gate) runControl(ctx context.Context, c *controlCopy) (testRun, error) {
	if c.tests != nil {
		return *c.tests, nil
	}
	var err error
	if c.copied, err = c.project.Scratch(ctx, c.since); err != nil {
		return testRun{}, err
	}
	t, err := s.runTests(c.copied.Dir, c.ID+"-before")
	if err != nil {
		return t, err
	}
	c.tests = &t
	return t, nil
}

// before is how the tests stood before an attempt: as they were counted in the
// project itself where nothing has changed since, else as they are in a copy.
func (s *gate) before(ctx context.Context, c *controlCopy) (testBaseline, error) {
	if st, known := s.lastBaseline(); known && st.Tree == c.base {
		return st, nil
	}
	st, _ := s.lastBaseline()
	t, err := s.runControl(ctx, c)
	return testBaseline{Tree: c.base, Tests: t, Accepted: st.Accepted}, err
}

// testedChange is a change as it was looked at.
type testedChange struct {
	judgement
	note          campaign.CoderNote
	work          repo.Work
	before, after testRun
	change        testresult.Change
}

// redReason says why the tests do not let a change pass; "" where they do. Tests that
// were red before, and were accepted so, may stay red.
func (s *gate) redReason(before testBaseline, after testRun, c testresult.Change) string {
	known := before.Accepted != "" && before.Tests.Exit != 0 && len(c.Red) > 0
	switch {
	case after.Cut != "", c.HasNewFailures(), after.Exit != 0 && !known:
		return s.describeRed(after, c)
	case len(after.Tests) == 0 && len(before.Tests.Tests) > 0:
		return fmt.Sprintf("`%s` ended with %d, but runs no test any more; lost: %s", s.testCommand(), after.Exit, listNames(c.Lost))
	}
	return ""
}

// findProof finds what shows that a feature is done: tests that fail on the code
// before and pass now. It gives that in words, or why nothing does.
func (s *gate) findProof(ctx context.Context, c *controlCopy, l testedChange) (shown, problem string, err error) {
	if l.Acceptance.Check != "" {
		return "to be shown by a check, since the breakdown says that no test can: " + l.Acceptance.Check, "", nil
	}
	const none = "no test fails on the code before and passes now"
	tests := l.testFiles()
	if len(tests) == 0 && len(l.change.Added)+len(l.change.Fixed) == 0 {
		return "", none + ": none was added or changed", nil
	}
	same, err := s.runControl(ctx, c)
	if err != nil {
		return "", "", err
	}
	if gone := testresult.NoLongerPassing(l.before.Result, same.Result); len(gone) > 0 || (same.Exit == 0) != (l.before.Exit == 0) {
		return fmt.Sprintf("whether a test fails on the code before could not be seen: in a copy of it the tests do not come to what they came to in the project (%s)", same), "", nil
	}
	if len(tests) == 0 {
		return "new tests, in the same files as the code, so that they cannot be run without it: " + listNames(slices.Concat(l.change.Added, l.change.Fixed)), "", nil
	}
	if err := c.copied.Overlay(ctx, l.work, tests); err != nil {
		return "", "", err
	}
	without, err := s.runTests(c.copied.Dir, l.ID+"-without")
	if err != nil {
		return "", "", err
	}
	if !l.after.Counted() {
		if without.Exit == 0 {
			return "", none + ": with the new tests the code before is green too", nil
		}
		return fmt.Sprintf("with the new tests the code before is red (`%s` ends with %d), with the change it is green", s.testCommand(), without.Exit), "", nil
	}
	by := testresult.ProvingTests(same.Result, without.Result, l.after.Result)
	if len(by) == 0 {
		return "", none + s.passingWithoutChange(l, without), nil
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		words = append(words, fmt.Sprintf("%s (%s on the code before)", name, by[name]))
	}
	return "shown by " + listNames(words), "", nil
}

// passingWithoutChange names new tests that pass without the change too.
func (s *gate) passingWithoutChange(l testedChange, without testRun) string {
	var names []string
	for _, name := range l.change.Added {
		if without.Tests[name] == testresult.Passed {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ": without the change these pass too: " + listNames(names)
}

// testFiles are the changed files of tests: by custom, or as the worker names them.
func (l testedChange) testFiles() []repo.File {
	return slices.DeleteFunc(slices.Clone(l.work.Files), func(f repo.File) bool {
		return !testresult.IsTest(f.Path) && !slices.ContainsFunc(l.note.Tests, func(name string) bool { return isNamed(f, name) })
	})
}

// readCoderNote is what the coder says of a feature, and what is wrong with its note.
func (s *records) readCoderNote(j judgement) (note campaign.CoderNote, faults string) {
	data, err := s.Folder.Read(path.Join(recordsFolder(j.worker), campaign.CoderNoteFile))
	if err != nil {
		return note, fmt.Sprintf("no %s was handed in", campaign.CoderNoteFile)
	}
	note, err = campaign.DecodeCoderNote(data)
	switch {
	case err != nil:
		return note, plain.Line(err.Error(), supervisor.MaxForeignRunes)
	case note.ID != j.ID:
		return note, fmt.Sprintf("%s is about %s, and %s was to be built", campaign.CoderNoteFile, note.ID, j.ID)
	}
	return note, ""
}

// missingNamedFiles names files of a coder's note that are not in the project, nor were.
func (s *gate) missingNamedFiles(note campaign.CoderNote, work repo.Work) string {
	var list []string
	for _, name := range slices.Concat(note.Files, note.Tests) {
		changed := slices.ContainsFunc(work.Files, func(f repo.File) bool { return isNamed(f, name) })
		if _, err := os.Lstat(filepath.Join(s.Setup.Root, filepath.FromSlash(name))); err != nil && !changed {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("%s names under files or tests what is not in the project: %s", campaign.CoderNoteFile, listNames(list))
}

// isNamed reports whether a name is that of a file, from the top of the
// repository or from the project.
func isNamed(f repo.File, name string) bool {
	return name == f.Path || strings.HasSuffix(f.Path, "/"+name)
}
