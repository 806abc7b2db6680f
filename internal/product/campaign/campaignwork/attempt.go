package campaignwork

import (
	"context"
	"encoding/json"
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

// An attempt at a feature is told from what a person does by snapshots: one
// before it, and one before each turn of a worker. What a worker did with git
// itself, committing, resetting, stashing, is undone at the end of its turn;
// what it changed in files is the attempt.

// attempt is the snapshots of an attempt at a feature.
type attempt struct {
	name string // of its file
	Base string `json:"base"`           // before it
	Turn string `json:"turn,omitempty"` // before the turn that is under way, "" when none is
	End  string `json:"end,omitempty"`  // when the worker, or the program's tests, had last changed something
}

// What changes in the project between the end of a turn and the next time the
// program looks at it is a person's: they may go on with their work while a
// campaign waits, or nobody works on it.

// excludeUserChanges takes what has changed since the end of the last turn for a person's.
func (s *attempts) excludeUserChanges(ctx context.Context, project *repo.Repo, a attempt) (attempt, error) {
	if a.End == "" || a.Turn != "" {
		return a, nil
	}
	base, files, err := project.AssignToPerson(ctx, a.Base, a.End)
	if err != nil || len(files) == 0 {
		return a, err
	}
	s.reportUserChanges(files)
	a.Base = base
	return s.markAttemptEnd(ctx, project, a)
}

// markAttemptEnd notes that what has changed up to now is the attempt's.
func (s *attempts) markAttemptEnd(ctx context.Context, project *repo.Repo, a attempt) (attempt, error) {
	end, err := project.SnapshotWithBranches(ctx)
	if err != nil {
		return a, err
	}
	a.End = end
	return a, s.keepAttempt(a)
}

func (s *attempts) reportUserChanges(files []string) {
	s.progress("Changed while no worker was at work, so yours: " + listNames(files) + ". It is neither committed nor set aside")
}

// excludeLateChanges takes what was written after a worker was ended with the program that
// watched it for a person's.
func (s *attempts) excludeLateChanges(t flow.Task, last time.Time) error {
	a, ok, err := s.current()
	if t.Role != agent.Code || t.Seat == flow.Host || err != nil || !ok || a.Turn == "" || last.IsZero() {
		return err
	}
	ctx, cancel := context.WithTimeout(s.Life, gitTime)
	defer cancel()
	project, err := repo.Open(s.Setup.Root, "")
	if err != nil {
		return err
	}
	base, files, err := project.AssignToPersonAfter(ctx, a.Base, last.Add(lateWriteWindow))
	if err != nil {
		return err
	}
	if len(files) > 0 {
		s.progress("Written after the worker was cut off, so taken for yours: " + listNames(files) + ". It is neither committed nor set aside")
	}
	a.Base = base
	if err := s.keepAttempt(a); err != nil {
		return err
	}
	return s.rewindTurn(t)
}

// lateWriteWindow is how long after the last sign of life of a program its worker may
// have written something.
const lateWriteWindow = 2*supervisor.Heartbeat + supervisor.Grace

// attemptFile is the name of the snapshots of a feature's next attempt.
func attemptFile(f feature.Feature) string {
	return path.Join(basesDir, fmt.Sprintf("%s-%d", f.ID, len(f.Tried)+1))
}

func (s *attempts) attempt(name string) (attempt, error) {
	a := attempt{name: name}
	data, err := s.Folder.Read(name)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("read %s: %w", name, err)
	}
	return a, nil
}

func (s *attempts) keepAttempt(a attempt) error {
	data, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("keep the snapshot: %w", err)
	}
	if err := s.Folder.Mkdir(basesDir); err != nil {
		return fmt.Errorf("keep the snapshot: %w", err)
	}
	return s.Folder.Write(a.name, append(data, '\n'))
}

// attemptRef is where what an attempt has changed is set aside.
func (s *attempts) attemptRef(a attempt) string {
	name := path.Base(a.name)
	at := strings.LastIndexByte(name, '-')
	return fmt.Sprintf("refs/research-council/%s/%s-attempt%s", campaign.Of(s.Setup.Own).Slug, name[:at], name[at:])
}

// current is the attempt at the feature that is next; false where none has
// begun.
func (s *attempts) current() (attempt, bool, error) {
	list, err := s.features()
	if err != nil {
		return attempt{}, false, err
	}
	next, ok := list.Next()
	if !ok || !s.Folder.Filled(attemptFile(next)) {
		return attempt{}, false, nil
	}
	a, err := s.attempt(attemptFile(next))
	return a, err == nil, err
}

// beginTurn takes the snapshots before a turn that writes code. The turn of a
// session goes on where the supervisor that asked for it is gone.
func (s *attempts) beginTurn(t flow.TaskState, first bool) error {
	taken, err := s.base(first)
	if err != nil { // the person may be in the middle of a merge
		return err
	}
	a, ok, err := s.current()
	if err != nil || !ok {
		return err
	}
	if a.Turn != "" && t.Seat == flow.Host && !first {
		return s.protect(t.Task)
	}
	if err := errors.Join(s.rewindTurn(t.Task), s.protect(t.Task)); err != nil {
		return err
	}
	if taken { // it is the one before this turn too
		a.Turn = a.Base
		return s.keepAttempt(a)
	}
	ctx, cancel := context.WithTimeout(s.Life, gitTime)
	defer cancel()
	project, err := repo.Open(s.Setup.Root, "")
	if err != nil {
		return err
	}
	defer project.KeepTrees()()
	if a, _, err = s.current(); err != nil { // as it was settled
		return err
	}
	if a, err = s.excludeUserChanges(ctx, project, a); err != nil {
		return err
	}
	if a.Turn, err = project.SnapshotWithBranches(ctx); err != nil {
		return err
	}
	a.End = ""
	return s.keepAttempt(a)
}

// rewindTurn undoes what the last turn that wrote code did with git itself, and
// says so. A turn that is settled stays so.
func (s *attempts) rewindTurn(t flow.Task) error {
	if t.Role != agent.Code {
		return nil
	}
	a, ok, err := s.current()
	if err != nil || !ok || a.Turn == "" {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.Life), gitTime) // also where the run is paused
	defer cancel()
	project, err := repo.Open(s.Setup.Root, "")
	if err != nil {
		return err
	}
	defer project.KeepTrees()()
	done, err := project.Rewind(ctx, a.Turn, s.attemptRef(a)+"-commits")
	if err != nil {
		return err
	}
	if !done.IsEmpty() {
		s.progress("Put back as it was before the turn, for the program alone commits: " + done.String())
	}
	if err := s.Folder.Write(rewindFile, []byte(done.String())); err != nil {
		return err
	}
	a.Turn = ""
	_, err = s.markAttemptEnd(ctx, project, a)
	return err
}

// endTurn puts back what a turn may not change. What cannot be undone of its
// dealings with git is tried again before its work is looked at.
func (s *attempts) endTurn(t flow.Task) error {
	if err := s.restoreProtected(t); err != nil {
		return err
	}
	if err := s.rewindTurn(t); err != nil {
		s.Log(plain.Line(err.Error(), supervisor.MaxForeignRunes))
	}
	return nil
}

// rewindFile says what a worker last did with git, for the next attempt to be
// told.
const rewindFile = protectedDir + "/git"

// rewindNote is what the attempt before had done with git.
func (s *attempts) rewindNote() string {
	data, err := s.Folder.Read(rewindFile)
	if err != nil || len(data) == 0 {
		return ""
	}
	return "Put back as it was: " + plain.Line(string(data), supervisor.MaxForeignRunes) + "\nOnly write files: do not commit, reset, stash, clean or switch branches. The program commits what passes."
}

// withRepository does work that needs the repository as it was left, or has the
// campaign wait for a person where it is not.
func (s *attempts) withRepository(r flow.Run, work func(flow.Run) (*flow.Assessment, error)) (*flow.Assessment, error) {
	found, err := work(r)
	for _, gone := range []error{repo.ErrMoved, repo.ErrNoSnapshot, repo.ErrNoRepository, repo.ErrDetached} {
		if errors.Is(err, gone) {
			return s.askAboutRepository(r, err)
		}
	}
	return found, err
}

// reportUncommitted says at the beginning which changes of a person's are there.
func (s *attempts) reportUncommitted(ctx context.Context, project *repo.Repo, since string) error {
	c, err := project.Candidate(ctx, since)
	if err == nil && len(c.Personal) > 0 {
		s.progress("Not committed by you, and left as it is: " + listNames(c.Personal) + ". A feature that needs it waits until it is committed")
	}
	return err
}

// askAboutRepository has the campaign wait for a person, since what a worker did with
// git could not be undone.
func (s *attempts) askAboutRepository(r flow.Run, why error) (*flow.Assessment, error) {
	if s.Life.Err() != nil {
		return nil, why
	}
	tally, err := s.campaignTally(r)
	if err != nil {
		return nil, err
	}
	tally.Plan = campaign.StateOf(r).Plan
	tally.Again, tally.Problem = true, plain.Line(why.Error(), supervisor.MaxForeignRunes)
	tally.Ask = fmt.Sprintf("%s. Nothing was committed or set aside; see to it, then `council campaign resume %s` goes on", tally.Problem, campaign.Of(s.Setup.Own).Slug)
	return &flow.Assessment{Own: campaign.OwnTally(tally)}, nil
}
