package campaignwork

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/internal/project/repo"
)

// What an attempt at a feature has changed is told from a snapshot of the work
// tree, taken before it. The tests are run and counted before and after, and
// somebody who has not built the change has the last word.

const (
	basesDir     = "bases"
	baselineFile = "tests.json"   // how the tests stand before the next attempt
	pendingFile  = "pending.json" // the change that waits for a judgement
	gitTime      = 10 * time.Minute
)

// pendingChange is a change that passes the tests.
type pendingChange struct {
	Feature string   `json:"feature"`
	Task    string   `json:"task"`  // that built it
	Tree    string   `json:"tree"`  // as it is to be committed, and was tested
	Tests   testRun  `json:"tests"` // on it
	Gone    []string `json:"gone,omitempty"`
	Shown   string   `json:"shown"`
	Again   int      `json:"again,omitempty"` // how often it had changed when it was judged
}

// removeSnapshots forgets the snapshots before a feature's attempts.
func (s *attempts) removeSnapshots(id string) error {
	names, err := s.Folder.Names(basesDir)
	if err != nil {
		return nil // there are none
	}
	for _, name := range names {
		if strings.HasPrefix(name, id+"-") { // of a longer id too: one more is taken again
			if err := s.Folder.Remove(path.Join(basesDir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// base takes the snapshot before the next attempt at the feature that is next,
// unless there is one, and puts away the note of an earlier one.
func (s *attempts) base(first bool) (taken bool, err error) {
	list, err := s.features()
	if err != nil {
		return false, err
	}
	next, ok := list.Next()
	if !ok {
		return false, nil
	}
	if note := path.Join(recordsFolder(campaign.Worker(s.Now).Name), campaign.CoderNoteFile); first && s.Folder.Has(note) {
		if err := s.Folder.Remove(note); err != nil {
			return false, err
		}
	}
	if s.Folder.Filled(attemptFile(next)) {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(s.Life, gitTime)
	defer cancel()
	project, err := repo.Open(s.Setup.Root, "")
	if err != nil {
		return false, err
	}
	a := attempt{name: attemptFile(next)}
	if a.Base, err = project.SnapshotWithBranches(ctx); err != nil {
		return false, err
	}
	return true, s.keepAttempt(a)
}

// judgement is a feature that is being judged.
type judgement struct {
	feature.Feature
	task    flow.Task
	worker  string // who built it
	since   string // the snapshot before it
	base    string // the work tree as it then was
	project *repo.Repo
	attempt attempt
}

// test judges the iteration that worked on a feature by the project's tests. A
// change that passes them is somebody else's to judge next; one that does not
// is set aside.
func (s *gate) test(r flow.Run) (*flow.Assessment, error) {
	list, err := s.features()
	if err != nil {
		return nil, err
	}
	coded := r.LastTasks(agent.Code)[0]
	if err := s.rewindTurn(coded.Task); err != nil {
		return s.askAboutRepository(r, err)
	}
	if f, judged := featureJudgedBy(list, coded.ID); judged {
		if list, err = s.setAsideAttempt(list, f, nil); err != nil {
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
			campaign.TallyOf(found.Own).Failed = true
		}
		return found, err
	}
	j, err := s.judging(f, coded.Task)
	if err != nil {
		return nil, err
	}
	out, err := s.examine(j)
	if err != nil {
		s.reportOutage(err)
		return nil, err
	}
	switch {
	case out.red != "":
		list, err = s.fail(list, j, out.red)
	case out.ask != "":
		found, err := s.judged(r, f, "")
		if err == nil {
			s.progress(out.ask)
			campaign.TallyOf(found.Own).Ask, campaign.TallyOf(found.Own).Problem, campaign.TallyOf(found.Own).Again = out.ask, out.ask, true
		}
		return found, err
	case out.faults != "":
		list = list.SendBack(f.ID, coded.ID, out.faults)
		s.progress(fmt.Sprintf("%s is sent back, and no attempt is counted: %s", f.ID, out.faults))
		err = s.writeFeatures(list)
	default:
		if was := s.change(); was.Task == coded.ID {
			out.pending.Again = was.Again
		}
		err = errors.Join(s.Folder.Write(campaign.ChangeText, []byte(out.dossier)), s.WriteJSON(map[string]any{pendingFile: out.pending}))
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
func (s *attempts) judging(f feature.Feature, t flow.Task) (judgement, error) {
	j := judgement{Feature: f, task: t, worker: t.Seat}
	a, err := s.attempt(attemptFile(f))
	if err != nil {
		return j, fmt.Errorf("read the snapshot before %s: %w", f.ID, err)
	}
	if j.project, err = repo.Open(s.Setup.Root, ""); err != nil {
		return j, err
	}
	if a, err = s.excludeUserChanges(s.Life, j.project, a); err != nil {
		return j, err
	}
	j.since, j.attempt = a.Base, a
	j.base, err = j.project.Tree(s.Life, j.since)
	return j, err
}

// featureJudgedBy finds the feature a task's judgement is written at: the program
// may have been killed right after.
func featureJudgedBy(list feature.List, task string) (feature.Feature, bool) {
	for _, f := range list.Features {
		if f.Judged == task {
			return f, true
		}
	}
	return feature.Feature{}, false
}

// maxReturned is how many notes in a row are sent back before a person is
// asked.
const maxReturned = 5

// judged is the tally once a feature was looked at; judge names it where
// somebody else is to judge it.
func (s *attempts) judged(r flow.Run, f feature.Feature, judge string) (*flow.Assessment, error) {
	tally, err := s.campaignTally(r)
	if err != nil {
		return nil, err
	}
	tally.Plan = campaign.StateOf(r).Plan
	tally.Feature, tally.Passed, tally.Judge = f.ID, f.State == feature.Passed, judge
	switch {
	case f.State == feature.Passed || judge != "":
	case f.Returned > 0:
		tally.Problem = "sent back: " + f.Faults
		if f.Returned%maxReturned == 0 {
			tally.Ask = fmt.Sprintf("%s was sent back %d times in a row, the last time because: %s. What was built is kept; `council campaign resume %s` asks the worker again", f.ID, f.Returned, f.Faults, campaign.Of(s.Setup.Own).Slug)
		}
	default:
		tally.Problem = f.Reason
	}
	return &flow.Assessment{Own: campaign.OwnTally(tally)}, nil
}

func (s *records) writeFeatures(list feature.List) error {
	return s.Folder.Write(campaign.FeatureFile, list.Encode())
}

// fail counts a failed attempt, and sets aside what it left: the fact first.
func (s *attempts) fail(list feature.List, j judgement, why string) (feature.List, error) {
	note, _ := s.readCoderNote(j)
	list = list.FailWithCause(feature.Cause(note.Cause), j.ID, j.task.ID, why)
	if err := s.writeFeatures(list); err != nil {
		return list, err
	}
	s.progress(j.ID + ": " + plain.Line(why, supervisor.MaxForeignRunes))
	f, _ := list.Find(j.ID)
	return s.setAsideAttempt(list, f, j.project)
}

// setAsideAttempt sets aside what the last attempt at a feature left, unless that
// is done: the next one begins from a clean base. The project is opened where it is nil.
func (s *attempts) setAsideAttempt(list feature.List, f feature.Feature, project *repo.Repo) (feature.List, error) {
	if len(f.Tried) == 0 || f.State == feature.Passed {
		return list, nil
	}
	number := len(f.Tried)
	a, err := s.attempt(path.Join(basesDir, fmt.Sprintf("%s-%d", f.ID, number)))
	if err != nil {
		return list, nil // it was put away when this was done
	}
	ctx, cancel := context.WithTimeout(s.Life, gitTime)
	defer cancel()
	if project == nil {
		if project, err = repo.Open(s.Setup.Root, ""); err != nil {
			return list, err
		}
	}
	defer project.KeepTrees()()
	if a, err = s.excludeUserChanges(ctx, project, a); err != nil {
		return list, err
	}
	ref := s.attemptRef(a)
	files, err := project.Stash(ctx, a.Base, ref, plain.Line(f.ID+": "+f.Name, 100)+" (set aside)")
	if err != nil {
		return list, fmt.Errorf("set aside what was tried for %s: %w", f.ID, err)
	}
	if len(files) > 0 {
		list = list.SetAside(f.ID, ref, files)
		if err := s.writeFeatures(list); err != nil {
			return list, err
		}
		s.progress(fmt.Sprintf("%s: what attempt %d changed is set aside: %s. `git cherry-pick %s` brings it back", f.ID, number, listNames(files), ref))
	}
	return list, s.Folder.Remove(a.name)
}

// listNames names the first of some files.
func listNames(files []string) string {
	const most = 12
	text := strings.Join(files[:min(len(files), most)], ", ")
	if more := len(files) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
