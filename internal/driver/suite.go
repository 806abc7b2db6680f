package driver

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"research-council/internal/agent"
	"research-council/internal/campaign"
	"research-council/internal/feature"
	"research-council/internal/flow"
	"research-council/internal/proc"
	"research-council/internal/recipe"
	"research-council/internal/repo"
)

// What a feature's attempts have changed is told from a snapshot of the work
// tree, taken before the first of them.

const (
	basesDir = "bases"
	gitTime  = 10 * time.Minute // for all that one judgement asks of git
	testTime = 10 * time.Minute // of the project's tests, unless said otherwise
	mostTail = 4000             // bytes of a failed test's output that the next attempt is shown
)

// What a shell ends with when it could not start a command (POSIX, 2.8.2).
const (
	notExecutable = 126
	notFound      = 127
)

// baseOf is the name of the snapshot before a feature's first attempt.
func baseOf(id string) string { return path.Join(basesDir, id) }

// base takes the snapshot before the first attempt at the feature that is
// next.
func (s *supervisor) base() error {
	list, err := s.features()
	if err != nil {
		return err
	}
	next, ok := list.Next()
	if !ok || s.folder.Filled(baseOf(next.ID)) {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.life, gitTime)
	defer cancel()
	project, err := repo.Open(s.setup.Root, "")
	if err != nil {
		return err
	}
	tree, err := project.Snapshot(ctx)
	if err != nil {
		return err
	}
	if err := s.folder.Mkdir(basesDir); err != nil {
		return fmt.Errorf("keep the snapshot: %w", err)
	}
	return s.folder.Write(baseOf(next.ID), []byte(tree))
}

// test judges the iteration that worked on a feature: the project's tests
// decide, what passes is committed, what has failed too often is set aside.
func (s *supervisor) test(r flow.Run) (*flow.Assessment, error) {
	list, err := s.features()
	if err != nil {
		return nil, err
	}
	coded := r.Visited(agent.Code)[0]
	f, judged := judgedBy(list, coded.ID)
	if !judged {
		var ok bool
		if f, ok = list.Next(); !ok {
			return nil, errors.New("no feature is left to be judged")
		}
		if !coded.Outcome.Good() { // an outage is no attempt
			return s.tested(r, f, true)
		}
		if list, err = s.attempt(list, judgement{Feature: f, task: coded.Task, worker: coded.Seat}); err != nil {
			return nil, err
		}
		if err := s.folder.Write(recipe.FeatureFile, list.Encode()); err != nil {
			return nil, err
		}
		f, _ = list.Find(f.ID)
	}
	return s.tested(r, f, false)
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

// tested is the tally once a feature has been judged.
func (s *supervisor) tested(r flow.Run, f feature.Feature, failed bool) (*flow.Assessment, error) {
	tally, err := s.tallied(r)
	if err != nil {
		return nil, err
	}
	tally.Plan = recipe.CampaignState(r).Plan
	tally.Failed, tally.Feature, tally.Passed = failed, f.ID, f.State == feature.Passed
	if f.State != feature.Passed {
		tally.Problem = f.Reason
	}
	return &flow.Assessment{Tally: tally}, nil
}

// attempt runs the tests on what an attempt has left.
func (s *supervisor) attempt(list feature.List, j judgement) (feature.List, error) {
	project, err := repo.Open(s.setup.Root, "")
	if err != nil {
		return list, err
	}
	since, err := s.folder.Read(baseOf(j.ID))
	if err != nil {
		return list, fmt.Errorf("read the snapshot before %s: %w", j.ID, err)
	}
	j.since = string(since)
	why, outage := s.shortfall(j)
	if err := s.life.Err(); err != nil {
		return list, fmt.Errorf("judge %s: %w", j.ID, err) // the tests were cut off
	}
	if outage != nil {
		s.progress(j.ID + ": " + outage.Error() + "; waiting, no attempt is counted")
		return list, outage
	}
	ctx, cancel := context.WithTimeout(s.life, gitTime) // from now on: the tests had their own time
	defer cancel()
	if why == "" {
		done, refused, err := s.committed(project, j)
		if err != nil {
			return list, err
		}
		if refused == "" {
			return s.commit(ctx, project, list, j, done)
		}
		s.progress(j.ID + ": " + agent.Plain(refused, mostWords))
		why = refused
	}
	list = list.FailBy(feature.Cause(s.claimed(j).Cause), j.ID, j.task.ID, why)
	if now, _ := list.Find(j.ID); now.State != feature.Failed {
		return list, nil
	}
	ref := "refs/research-council/" + s.setup.Campaign.Slug + "/" + j.ID
	files, err := project.SetAside(ctx, j.since, ref, agent.Plain(j.ID+": "+j.Name, 100)+" (set aside)")
	if err != nil {
		return list, fmt.Errorf("set aside what was tried for %s: %w", j.ID, err)
	}
	if len(files) == 0 {
		return list, nil
	}
	s.progress(fmt.Sprintf("%s: what was changed since its first attempt is set aside: %s. `git cherry-pick %s` brings it back", j.ID, named(files), ref))
	return list, nil
}

// judgement is a feature that is being judged.
type judgement struct {
	feature.Feature
	task   flow.Task
	worker string // who built it
	since  string // the snapshot before it
}

// commit passes a feature that was committed.
func (s *supervisor) commit(ctx context.Context, project *repo.Repo, list feature.List, j judgement, done repo.Committed) (feature.List, error) {
	for _, name := range done.Kept {
		s.progress(fmt.Sprintf("%s: %s is not committed: it held changes of yours before", j.ID, name))
	}
	if len(done.Files) > 0 {
		s.progress(fmt.Sprintf("%s: committed: %s", j.ID, named(done.Files)))
	}
	if done.ID == "" { // what it asks for was there already
		var err error
		if done.ID, err = project.Start(ctx); err != nil {
			return list, err
		}
	}
	return list.Pass(j.ID, j.task.ID, done.ID), nil
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

// shortfall says what is missing for a feature to pass; "" when nothing is.
// That the coder thinks it done is needed, so that half a feature is not
// committed because no test knows of it; the tests decide.
func (s *supervisor) shortfall(j judgement) (string, error) {
	claimed := s.claimed(j)
	switch {
	case claimed.Claims == "":
		return "the attempt was not finished: nobody said how it went", nil
	case claimed.Claims != "pass":
		return "the coder gave it up: " + agent.Plain(claimed.Summary, mostWords), nil
	}
	return s.suite(j.ID)
}

// claimed is what the coder says of a feature; it may be of another one.
func (s *supervisor) claimed(j judgement) campaign.Claimed {
	data, err := s.folder.Read(path.Join(deskOf(j.worker), campaign.ClaimedFile))
	if err != nil {
		return campaign.Claimed{}
	}
	c, err := campaign.DecodeClaimed(data)
	if err != nil || c.ID != j.ID {
		return campaign.Claimed{}
	}
	return c
}

// suite runs the project's tests; "" when they pass, else the end of what they
// say. An error is an outage: they could not be run, which says nothing about
// what was built.
func (s *supervisor) suite(id string) (red string, err error) {
	c := s.setup.Campaign
	command := s.testCommand()
	most := c.TestTime
	if most == 0 {
		most = testTime
	}
	log := path.Join(Turns, "suite-"+id+".log")
	if err := errors.Join(s.folder.Mkdir(Turns), s.folder.Write(log, nil)); err != nil {
		return "", fmt.Errorf("the tests could not be run: %w", err)
	}
	s.log(fmt.Sprintf("%s: running `%s` (at most %s)", id, command, most))
	exit, err := s.runCommand(command, log, most)
	if err != nil {
		return "", fmt.Errorf("the tests could not be run: %w", err)
	}
	tail, err := proc.LastBytes(s.folder.Join(log), mostTail)
	if err != nil {
		tail = nil
	}
	switch {
	case exit.Ended:
		return fmt.Sprintf("`%s` did not end within %s\n%s", command, most, tail), nil
	case exit.Err != nil:
		return "", fmt.Errorf("the tests could not be run: `%s`: %w", command, exit.Err)
	case exit.Code == notFound || exit.Code == notExecutable:
		return "", fmt.Errorf("the tests could not be run: `%s` ended with %d: %s", command, exit.Code, agent.Plain(string(tail), mostWords))
	case exit.Code != 0:
		return fmt.Sprintf("`%s` ended with %d\n%s", command, exit.Code, tail), nil
	}
	return "", nil
}
