package driver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"research-council/internal/agent"
	"research-council/internal/campaign"
	"research-council/internal/feature"
	"research-council/internal/flow"
	"research-council/internal/recipe"
	"research-council/internal/repo"
	"research-council/internal/suite"
)

// What an attempt at a feature has changed is told from a snapshot of the work
// tree, taken before it. The tests are run and counted before and after, and
// somebody who has not built the change has the last word.

const (
	basesDir     = "bases"
	standingFile = "tests.json"   // how the tests stand before the next attempt
	pendingFile  = "pending.json" // the change that waits for a judgement
	gitTime      = 10 * time.Minute
)

// standing is how the tests stand on a work tree.
type standing struct {
	Tree     string  `json:"tree"` // as a snapshot names it
	Tests    testRun `json:"tests"`
	Accepted string  `json:"accepted,omitempty"` // what a person accepted of it: red, or not there
}

// awaiting is a change that passes the tests.
type awaiting struct {
	Feature string   `json:"feature"`
	Task    string   `json:"task"`  // that built it
	Tree    string   `json:"tree"`  // the work tree that was tested
	Tests   testRun  `json:"tests"` // on it
	Gone    []string `json:"gone,omitempty"`
	Shown   string   `json:"shown"`
	Again   int      `json:"again,omitempty"` // how often it had changed when it was judged
}

// dropBases forgets the snapshots before a feature's attempts.
func (s *supervisor) dropBases(id string) error {
	names, err := s.folder.Names(basesDir)
	if err != nil {
		return nil // there are none
	}
	for _, name := range names {
		if strings.HasPrefix(name, id+"-") { // of a longer id too: one more is taken again
			if err := s.folder.Remove(path.Join(basesDir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// base takes the snapshot before the next attempt at the feature that is next,
// and puts away the note of an earlier one.
func (s *supervisor) base(first bool) error {
	list, err := s.features()
	if err != nil {
		return err
	}
	next, ok := list.Next()
	if !ok {
		return nil
	}
	if note := path.Join(deskOf(recipe.Worker(s.run).Name), campaign.ClaimedFile); first && s.folder.Has(note) {
		if err := s.folder.Remove(note); err != nil {
			return err
		}
	}
	if s.folder.Filled(baseOf(next)) {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.life, gitTime)
	defer cancel()
	project, err := repo.Open(s.setup.Root, "")
	if err != nil {
		return err
	}
	a := attempt{name: baseOf(next)}
	if a.Base, err = project.Mark(ctx); err != nil {
		return err
	}
	return s.keepAttempt(a)
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

// judgement is a feature that is being judged.
type judgement struct {
	feature.Feature
	task    flow.Task
	worker  string // who built it
	since   string // the snapshot before it
	base    string // the work tree as it then was
	project *repo.Repo
}

// test judges the iteration that worked on a feature by the project's tests. A
// change that passes them is somebody else's to judge next; one that does not
// is set aside.
func (s *supervisor) test(r flow.Run) (*flow.Assessment, error) {
	list, err := s.features()
	if err != nil {
		return nil, err
	}
	coded := r.Visited(agent.Code)[0]
	if err := s.settleTurn(coded.Task); err != nil {
		return s.unsettled(r, err)
	}
	if f, judged := judgedBy(list, coded.ID); judged {
		if list, err = s.finishFailing(list, f); err != nil {
			return nil, err
		}
		f, _ = list.Find(f.ID)
		return s.judged(r, f, "")
	}
	f, ok := list.Next()
	if !ok {
		return nil, errors.New("no feature is left to be judged")
	}
	if !coded.Outcome.Good() { // an outage is no attempt
		found, err := s.judged(r, f, "")
		if err == nil {
			found.Tally.Failed = true
		}
		return found, err
	}
	j, err := s.judging(f, coded.Task)
	if err != nil {
		return nil, err
	}
	out, err := s.examine(j)
	if err != nil {
		s.tellOutage(err)
		return nil, err
	}
	switch {
	case out.red != "":
		list, err = s.fail(list, j, out.red)
	case out.faults != "":
		list = list.Return(f.ID, coded.ID, out.faults)
		s.progress(fmt.Sprintf("%s is sent back, and no attempt is counted: %s", f.ID, out.faults))
		err = s.keepFeatures(list)
	default:
		if was := s.change(); was.Task == coded.ID {
			out.pending.Again = was.Again
		}
		err = errors.Join(s.folder.Write(recipe.ChangeText, []byte(out.dossier)), s.record(map[string]any{pendingFile: out.pending}))
	}
	if err != nil {
		return nil, err
	}
	f, _ = list.Find(f.ID)
	judge := ""
	if out.red == "" && out.faults == "" {
		judge = f.ID
	}
	return s.judged(r, f, judge)
}

// judging gathers what a feature is judged with.
func (s *supervisor) judging(f feature.Feature, t flow.Task) (judgement, error) {
	j := judgement{Feature: f, task: t, worker: t.Seat}
	a, err := s.attempt(baseOf(f))
	if err != nil {
		return j, fmt.Errorf("read the snapshot before %s: %w", f.ID, err)
	}
	j.since = a.Base
	if j.project, err = repo.Open(s.setup.Root, ""); err != nil {
		return j, err
	}
	j.base, err = j.project.Tree(s.life, j.since)
	return j, err
}

// judgedBy finds the feature a task's judgement is written at: the program
// may have been killed right after.
func judgedBy(list feature.List, task string) (feature.Feature, bool) {
	for _, f := range list.Features {
		if f.Judged == task {
			return f, true
		}
	}
	return feature.Feature{}, false
}

// mostReturned is how many notes in a row are sent back before a person is
// asked.
const mostReturned = 5

// judged is the tally once a feature was looked at; judge names it where
// somebody else is to judge it.
func (s *supervisor) judged(r flow.Run, f feature.Feature, judge string) (*flow.Assessment, error) {
	tally, err := s.tallied(r)
	if err != nil {
		return nil, err
	}
	tally.Plan = recipe.CampaignState(r).Plan
	tally.Feature, tally.Passed, tally.Judge = f.ID, f.State == feature.Passed, judge
	switch {
	case f.State == feature.Passed || judge != "":
	case f.Returned > 0:
		tally.Problem = "sent back: " + f.Faults
		if f.Returned%mostReturned == 0 {
			tally.Ask = fmt.Sprintf("%s was sent back %d times in a row, the last time because: %s. What was built is kept; `council campaign resume %s` asks the worker again", f.ID, f.Returned, f.Faults, s.setup.Campaign.Slug)
		}
	default:
		tally.Problem = f.Reason
	}
	return &flow.Assessment{Tally: tally}, nil
}

func (s *supervisor) keepFeatures(list feature.List) error {
	return s.folder.Write(recipe.FeatureFile, list.Encode())
}

// fail counts a failed attempt, and sets aside what it left: the fact first.
func (s *supervisor) fail(list feature.List, j judgement, why string) (feature.List, error) {
	note, _ := s.claimed(j)
	list = list.FailBy(feature.Cause(note.Cause), j.ID, j.task.ID, why)
	if err := s.keepFeatures(list); err != nil {
		return list, err
	}
	s.progress(j.ID + ": " + agent.Plain(why, mostWords))
	f, _ := list.Find(j.ID)
	return s.finishFailing(list, f)
}

// finishFailing sets aside what the last attempt at a feature left, unless that
// is done: the next one begins from a clean base.
func (s *supervisor) finishFailing(list feature.List, f feature.Feature) (feature.List, error) {
	if len(f.Tried) == 0 || f.State == feature.Passed {
		return list, nil
	}
	number := len(f.Tried)
	a, err := s.attempt(path.Join(basesDir, fmt.Sprintf("%s-%d", f.ID, number)))
	if err != nil {
		return list, nil // it was put away when this was done
	}
	ctx, cancel := context.WithTimeout(s.life, gitTime)
	defer cancel()
	project, err := repo.Open(s.setup.Root, "")
	if err != nil {
		return list, err
	}
	ref := s.refOf(a)
	files, err := project.SetAside(ctx, a.Base, ref, agent.Plain(f.ID+": "+f.Name, 100)+" (set aside)")
	if err != nil {
		return list, fmt.Errorf("set aside what was tried for %s: %w", f.ID, err)
	}
	if len(files) > 0 {
		list = list.Aside(f.ID, ref, files)
		if err := s.keepFeatures(list); err != nil {
			return list, err
		}
		s.progress(fmt.Sprintf("%s: what attempt %d changed is set aside: %s. `git cherry-pick %s` brings it back", f.ID, number, named(files), ref))
	}
	return list, s.folder.Remove(a.name)
}

// examined is what came of looking at a change: one of red, faults and pending.
type examined struct {
	red     string // why it does not pass
	faults  string // what is wrong with the worker's note
	pending awaiting
	dossier string // what the critic is shown
}

// examine looks at a change: whether there is one, what the tests say of it,
// and whether they show what it is for. An error is an outage.
func (s *supervisor) examine(j judgement) (examined, error) {
	note, faults := s.claimed(j)
	if faults == "" && note.Claims != "pass" {
		return examined{red: "the coder gave it up: " + agent.Plain(note.Summary, mostWords)}, nil
	}
	ctx, cancel := context.WithCancel(s.life)
	defer cancel()
	work, after, restless, err := s.testAtRest(ctx, j)
	if err != nil {
		return examined{}, err
	}
	switch {
	case faults != "":
	case len(restless) > 0:
		faults = fmt.Sprintf("what is in the project is another each time the tests have run: %s. Let git ignore it, or let the tests take it away", named(restless))
	default:
		faults = s.nowhere(note, work)
	}
	c := &control{judgement: j}
	defer c.drop()
	before, err := s.before(ctx, c)
	if err != nil {
		return examined{}, err
	}
	if why := after.idle(before.Tests.Result); why != "" { // the code's fault only where the code before fares better
		same, err := s.runControl(ctx, c)
		if err != nil {
			return examined{}, err
		}
		if same.idle(before.Tests.Result) != "" {
			return examined{}, fmt.Errorf("%s: the tests cannot be run, nor on the code before: %s: %s", j.ID, why, agent.Plain(after.Tail, mostWords))
		}
	}
	change := suite.Compare(before.Tests.Result, after.Result)
	if red := s.red(before, after, change); red != "" {
		if faults != "" {
			red += "\n" + faults
		}
		return examined{red: red}, nil
	}
	switch {
	case faults != "":
		return examined{faults: faults}, nil
	case len(work.Files) == 0:
		return examined{red: "no change was made"}, nil
	}
	if refused, err := s.secrets(ctx, j.project, j.since); err != nil || refused != "" { // before anybody else sees it
		return examined{red: refused}, err
	}
	l := look{j, note, work, before.Tests, after, change}
	shown, problem, err := s.showing(ctx, c, l)
	if err != nil || problem != "" {
		return examined{red: problem}, err
	}
	refused, unseen, err := s.lacks(ctx, l)
	if err != nil || refused != "" {
		return examined{red: refused}, err
	}
	if unseen != "" {
		shown += "; it could not be seen " + unseen
	}
	s.progress(fmt.Sprintf("%s: before: %s; after: %s%s%s; %s", j.ID, before.Tests, after, s.uncounted(after.Result), became(change), shown))
	out := examined{pending: awaiting{
		Feature: j.ID, Task: j.task.ID, Tree: work.Tree, Tests: after, Shown: shown,
		Gone: slices.Concat(change.Lost, change.Skipped),
	}}
	out.dossier, err = s.dossier(ctx, l, shown)
	return out, err
}

// testAtRest runs the tests until they leave the project as they found it, for
// what is committed is what was tested. Files that are other ones each time are
// restless.
func (s *supervisor) testAtRest(ctx context.Context, j judgement) (work repo.Work, t testRun, restless []string, err error) {
	const most = 3 // the first may make what stays
	for range most {
		if work, err = j.project.Work(ctx, j.since); err != nil {
			return work, t, nil, err
		}
		if t, err = s.runTests(s.setup.Root, j.ID); err != nil {
			return work, t, nil, err
		}
		now, err := j.project.Work(ctx, j.since)
		if err != nil || now.Tree == work.Tree {
			return work, t, nil, err
		}
		if restless, err = j.project.Between(ctx, work.Tree, now.Tree); err != nil {
			return work, t, nil, err
		}
	}
	return work, t, restless, nil
}

// became names the tests that were there before and are not what they were, or
// that were red and still are.
func became(c suite.Change) string {
	text := ""
	for _, part := range []struct {
		what  string
		names []string
	}{{"lost", c.Lost}, {"skipped", c.Skipped}, {"still red", c.Red}, {"green now", c.Mended}} {
		if len(part.names) > 0 {
			text += "; " + part.what + ": " + named(part.names)
		}
	}
	return text
}

// control is the code before an attempt, in a copy, and what its own tests say
// there.
type control struct {
	judgement
	copied *repo.Scratch
	tests  *testRun
}

func (c *control) drop() {
	if c.copied != nil {
		c.copied.Drop()
	}
}

// runControl runs the tests on the code before an attempt, once.
func (s *supervisor) runControl(ctx context.Context, c *control) (testRun, error) {
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
func (s *supervisor) before(ctx context.Context, c *control) (standing, error) {
	if st, known := s.lastTests(); known && st.Tree == c.base {
		return st, nil
	}
	st, _ := s.lastTests()
	t, err := s.runControl(ctx, c)
	return standing{Tree: c.base, Tests: t, Accepted: st.Accepted}, err
}

// look is a change as it was looked at.
type look struct {
	judgement
	note          campaign.Claimed
	work          repo.Work
	before, after testRun
	change        suite.Change
}

// red says why the tests do not let a change pass; "" where they do. Tests that
// were red before, and were accepted so, may stay red.
func (s *supervisor) red(before standing, after testRun, c suite.Change) string {
	known := before.Accepted != "" && before.Tests.Exit != 0 && len(c.Red) > 0
	switch {
	case after.Cut != "", c.Worse(), after.Exit != 0 && !known:
		return s.redness(after, c)
	case len(after.Tests) == 0 && len(before.Tests.Tests) > 0:
		return fmt.Sprintf("`%s` ended with %d, but runs no test any more; lost: %s", s.testCommand(), after.Exit, named(c.Lost))
	}
	return ""
}

// showing finds what shows that a feature is done: tests that fail on the code
// before and pass now. It gives that in words, or why nothing does.
func (s *supervisor) showing(ctx context.Context, c *control, l look) (shown, problem string, err error) {
	if l.Acceptance.Check != "" {
		return "to be shown by a check, since the breakdown says that no test can: " + l.Acceptance.Check, "", nil
	}
	const none = "no test fails on the code before and passes now"
	tests := l.tests()
	if len(tests) == 0 && len(l.change.Added)+len(l.change.Mended) == 0 {
		return "", none + ": none was added or changed", nil
	}
	same, err := s.runControl(ctx, c)
	if err != nil {
		return "", "", err
	}
	if gone := suite.Missing(l.before.Result, same.Result); len(gone) > 0 || (same.Exit == 0) != (l.before.Exit == 0) {
		return fmt.Sprintf("whether a test fails on the code before could not be seen: in a copy of it the tests do not come to what they came to in the project (%s)", same), "", nil
	}
	if len(tests) == 0 {
		return "new tests, in the same files as the code, so that they cannot be run without it: " + named(slices.Concat(l.change.Added, l.change.Mended)), "", nil
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
	by := suite.Shown(same.Result, without.Result, l.after.Result)
	if len(by) == 0 {
		return "", none + s.alsoBefore(l, without), nil
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		words = append(words, fmt.Sprintf("%s (%s on the code before)", name, by[name]))
	}
	return "shown by " + named(words), "", nil
}

// alsoBefore names new tests that pass without the change too.
func (s *supervisor) alsoBefore(l look, without testRun) string {
	var names []string
	for _, name := range l.change.Added {
		if without.Tests[name] == suite.Passed {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ": without the change these pass too: " + named(names)
}

// tests are the changed files of tests: by custom, or as the worker names them.
func (l look) tests() []repo.File {
	return slices.DeleteFunc(slices.Clone(l.work.Files), func(f repo.File) bool {
		return !suite.IsTest(f.Path) && !slices.ContainsFunc(l.note.Tests, func(name string) bool { return isNamed(f, name) })
	})
}

// claimed is what the coder says of a feature, and what is wrong with its note.
func (s *supervisor) claimed(j judgement) (note campaign.Claimed, faults string) {
	data, err := s.folder.Read(path.Join(deskOf(j.worker), campaign.ClaimedFile))
	if err != nil {
		return note, fmt.Sprintf("no %s was handed in", campaign.ClaimedFile)
	}
	note, err = campaign.DecodeClaimed(data)
	switch {
	case err != nil:
		return note, agent.Plain(err.Error(), mostWords)
	case note.ID != j.ID:
		return note, fmt.Sprintf("%s is about %s, and %s was to be built", campaign.ClaimedFile, note.ID, j.ID)
	}
	return note, ""
}

// nowhere names files of a coder's note that are not in the project, nor were.
func (s *supervisor) nowhere(note campaign.Claimed, work repo.Work) string {
	var list []string
	for _, name := range slices.Concat(note.Files, note.Tests) {
		changed := slices.ContainsFunc(work.Files, func(f repo.File) bool { return isNamed(f, name) })
		if _, err := os.Lstat(filepath.Join(s.setup.Root, filepath.FromSlash(name))); err != nil && !changed {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("%s names under files or tests what is not in the project: %s", campaign.ClaimedFile, named(list))
}

// isNamed reports whether a name is that of a file, from the top of the
// repository or from the project.
func isNamed(f repo.File, name string) bool {
	return name == f.Path || strings.HasSuffix(f.Path, "/"+name)
}

// keep carries out what was judged: what is accepted is committed, the rest set
// aside.
func (s *supervisor) keep(r flow.Run) (*flow.Assessment, error) {
	list, err := s.features()
	if err != nil {
		return nil, err
	}
	var p awaiting
	data, err := s.folder.Read(pendingFile)
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return nil, fmt.Errorf("read the change that was judged: %w", err)
	}
	if f, judged := judgedBy(list, p.Task); judged {
		if list, err = s.finishFailing(list, f); err != nil {
			return nil, err
		}
		f, _ = list.Find(f.ID)
		return s.judged(r, f, "")
	}
	f, ok := list.Find(p.Feature)
	if !ok {
		return nil, fmt.Errorf("the feature %s is not in the list any more", p.Feature)
	}
	j, err := s.judging(f, flow.Task{ID: p.Task})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(s.life, gitTime)
	defer cancel()
	work, err := j.project.Work(ctx, j.since)
	if err != nil {
		return nil, err
	}
	if work.Tree != p.Tree {
		return s.changedMeanwhile(ctx, r, j, work, p)
	}
	v, by, why := s.verdict(r, p)
	switch {
	case by == "":
		found, err := s.judged(r, f, "")
		if err == nil {
			slug := s.setup.Campaign.Slug
			found.Tally.Problem = why
			found.Tally.Ask = fmt.Sprintf("%s passes its tests, and nobody else could judge the change (%s). %s says what there is to judge. `council campaign accept %s %s --reason …` or `council campaign refuse %s %s --reason …` decides, `council campaign resume %s` asks again",
				f.ID, why, s.folder.Join(recipe.ChangeText), slug, f.ID, slug, f.ID, slug)
		}
		return found, err
	case !v.Accept:
		list, err = s.fail(list, j, fmt.Sprintf("not accepted by %s: %s", by, v.Reason))
	default:
		list, err = s.pass(ctx, list, j, p, fmt.Sprintf("accepted by %s: %s; looked at: %s", by, v.Reason, v.Checked))
	}
	if err != nil {
		return nil, err
	}
	f, _ = list.Find(f.ID)
	return s.judged(r, f, "")
}

// mostChanges is how often a change that is judged may be another by then,
// before a person is asked.
const mostChanges = 3

// changedMeanwhile has a change tested again that is not what was judged.
func (s *supervisor) changedMeanwhile(ctx context.Context, r flow.Run, j judgement, now repo.Work, p awaiting) (*flow.Assessment, error) {
	files, err := j.project.Between(ctx, p.Tree, now.Tree)
	if err != nil {
		return nil, err
	}
	found, err := s.judged(r, j.Feature, j.ID)
	if err != nil {
		return nil, err
	}
	if p.Again++; p.Again >= mostChanges {
		p.Again = 0
		found.Tally.Problem = "the project does not come to rest"
		found.Tally.Ask = fmt.Sprintf("%s: what is in the project was another each of %d times that the change was judged: %s. Let git ignore what changes, or end what changes it; then `council campaign resume %s`", j.ID, mostChanges, named(files), s.setup.Campaign.Slug)
	}
	return found, s.record(map[string]any{pendingFile: p})
}

// Word is what a person says of a change that nobody else could judge.
type Word struct {
	Feature string `json:"feature"`
	Accept  bool   `json:"accept"`
	Reason  string `json:"reason"`
}

// verdict is what was said of a change and by whom, a person's word first; by
// is "" where nobody has, and why says it.
func (s *supervisor) verdict(r flow.Run, p awaiting) (v campaign.Verdict, by, why string) {
	if data, err := s.folder.Read(recipe.WordFile); err == nil && heard(r) {
		var w Word
		if json.Unmarshal(data, &w) == nil && w.Feature == p.Feature && w.Reason != "" {
			return campaign.Verdict{Accept: w.Accept, Reason: w.Reason, Checked: "the person's own look"}, "a person", ""
		}
	}
	why = "there is no other seat and no other context"
	for _, t := range r.Visited(agent.Judge) {
		if why = t.Seat + ": " + t.Reason; !t.Outcome.Good() {
			continue
		}
		data, err := s.folder.Read(t.Writes)
		if err == nil {
			v, err = campaign.DecodeVerdict(data, p.Gone)
		}
		if err == nil {
			return v, t.Seat + freshness(r, t), ""
		}
		why = t.Seat + ": " + err.Error()
	}
	return v, "", why
}

// heard reports whether a person was heard in the visit before this one.
func heard(r flow.Run) bool {
	n := len(r.History)
	return n > 0 && r.History[n-1].Stage == recipe.Keep && r.History[n-1].Heard
}

// freshness says that a judge is the worker's own program.
func freshness(r flow.Run, t flow.TaskState) string {
	if w := recipe.Worker(r); t.Brand == w.Brand || w.Name == flow.Host {
		return " (a fresh context)"
	}
	return ""
}

// pass commits a change that was accepted.
func (s *supervisor) pass(ctx context.Context, list feature.List, j judgement, p awaiting, checked string) (feature.List, error) {
	done, refused, err := s.committed(j.project, j)
	switch {
	case err != nil:
		return list, err
	case refused != "":
		return s.fail(list, j, refused)
	}
	for _, name := range done.Kept {
		s.progress(fmt.Sprintf("%s: %s is not committed: it held changes of yours before", j.ID, name))
	}
	if len(done.Files) > 0 {
		s.progress(fmt.Sprintf("%s: committed: %s", j.ID, named(done.Files)))
	}
	if done.ID == "" { // all of it was kept for the person to commit
		if done.ID, err = j.project.Start(ctx); err != nil {
			return list, err
		}
	}
	tree, err := j.project.Snapshot(ctx)
	if err != nil {
		return list, err
	}
	st, _ := s.lastTests()
	st.Tree, st.Tests = tree, p.Tests
	if err := s.record(map[string]any{standingFile: st}); err != nil {
		return list, err
	}
	s.progress(fmt.Sprintf("%s passes: %s; %s", j.ID, p.Shown, checked))
	list = list.Pass(j.ID, j.task.ID, done.ID).Seen(j.ID, p.Shown, checked)
	return list, errors.Join(s.keepFeatures(list), s.folder.Remove(baseOf(j.Feature)))
}

// named names the first of some files.
func named(files []string) string {
	const most = 12
	text := strings.Join(files[:min(len(files), most)], ", ")
	if more := len(files) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func message(f feature.Feature) string {
	return agent.Plain(f.ID+": "+f.Name, 100) + "\n\n" + agent.Plain(f.Description, 2000) + "\n"
}

// mostPatch bounds what of a change a critic is shown, in bytes of each part.
const mostPatch = 96 << 10

// dossier is what a critic is shown of a change.
func (s *supervisor) dossier(ctx context.Context, l look, shown string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s", agent.Plain(l.ID+": "+l.Name, 300), quoted("The feature, as the list has it", l.Description))
	fmt.Fprintf(&b, "## Counted by the program\n\n- command: `%s`\n- before: %s\n- now: %s\n- acceptance: %s\n", s.testCommand(), l.before, l.after, shown)
	if text := s.uncounted(l.after.Result); text != "" {
		fmt.Fprintf(&b, "- Tests are not counted here%s. Whether one was lost has to be seen from the change.\n", text)
	}
	for _, part := range []struct {
		what  string
		names []string
	}{
		{"LOST: ran before and are not there now", l.change.Lost},
		{"SKIPPED: ran before and do not now", l.change.Skipped},
		{"moved", moved(l.change.Moved)},
		{"new", l.change.Added},
		{"red before and now", l.change.Red},
		{"red before, green now", l.change.Mended},
	} {
		if len(part.names) > 0 {
			fmt.Fprintf(&b, "- %s: %s\n", part.what, strings.Join(part.names[:min(len(part.names), 200)], "; "))
		}
	}
	b.WriteString("\n" + quoted("What the worker says of it", l.note.Summary))
	tests := l.tests()
	var judging, rest []string
	for _, f := range l.work.Files {
		if slices.Contains(tests, f) {
			judging = append(judging, f.Path)
			continue
		}
		rest = append(rest, f.Path)
	}
	for _, part := range []struct {
		heading string
		paths   []string
	}{{"The change in tests, and in what they are held against", judging}, {"The change in everything else", rest}} {
		patch, err := patchOf(ctx, l, part.paths)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s", quoted(part.heading, patch))
	}
	return b.String(), nil
}

func patchOf(ctx context.Context, l look, paths []string) (string, error) {
	patch, err := l.project.Patch(ctx, l.work, paths)
	if err != nil || len(patch) <= mostPatch {
		return string(patch), err
	}
	return fmt.Sprintf("%s\n… %d bytes more: read the files themselves: %s", patch[:mostPatch], len(patch)-mostPatch, named(paths)), nil
}

func moved(names map[string]string) []string {
	var list []string
	for _, from := range slices.Sorted(maps.Keys(names)) {
		list = append(list, from+" to "+names[from])
	}
	return list
}

// quoted is a foreign text under a heading.
func quoted(heading, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return fmt.Sprintf("## %s\n\n%s\n\n", heading, agent.Fenced("data", text))
}
