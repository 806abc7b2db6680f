package supervisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/base/marker"
	"research-council/internal/base/plain"
	"research-council/internal/base/proc"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/workspace"
	"research-council/internal/product/recipe"
	"research-council/internal/product/staged"
)

// recover takes a run up: it says so in the journal, ends whatever an earlier
// supervisor has left, and settles the turns that were under way. What a turn
// had finished counts as finished; the others go on by their session.
func (s *supervisor) recover() error {
	me, err := proc.Self()
	if err != nil {
		return err
	}
	now := flowProcess(me)
	on := flow.Event{Kind: flow.SupervisorStarted, Process: &now, Release: s.plainRelease()}
	if was := s.run.Release; was != "" && on.Release != "" && was != on.Release {
		on.Reason = fmt.Sprintf("release %s goes on with what release %s did", on.Release, plain.Line(was, maxReleaseRunes))
	}
	if err := s.recordFacts(on); err != nil {
		return err
	}
	if err := errors.Join(s.confirmBrief(), s.updateStateFile(), s.endLeftProcesses()); err != nil {
		return err
	}
	for _, t := range s.run.Tasks {
		if t.Running == nil {
			continue
		}
		if err := s.excludeLateChanges(t.Task, s.lastLife); err != nil {
			s.log(plain.Line(err.Error(), maxForeignRunes)) // it is tried again before the work is looked at
		}
		res := s.leftoverResult(t)
		if err := s.recordFacts(flow.Event{Kind: flow.TurnEnded, Task: t.ID, Turn: t.Turn, Result: &res}); err != nil {
			return err
		}
	}
	return nil
}

// maxReleaseRunes bounds a release that somebody else tells, in runes.
const maxReleaseRunes = 40

// plainRelease is the release of this program, without the commit it was built
// from.
func (s *supervisor) plainRelease() string {
	release, _, _ := strings.Cut(s.Release, " ")
	return release
}

// endLeftProcesses ends every process an earlier supervisor of this run has left: those
// the journal names, and those that bear the run's mark.
func (s *supervisor) endLeftProcesses() error {
	for _, t := range s.run.Tasks {
		if t.Running == nil {
			continue
		}
		for _, p := range []flow.Process{t.Running.Keeper, t.Running.Child} {
			if p.PID == 0 {
				continue
			}
			if err := proc.EndIdentity(proc.Identity{PID: p.PID, Start: p.Start}, grace); err != nil {
				return err
			}
		}
	}
	_, err := proc.EndMarked(ProcessMark(s.ID))
	return err
}

// leftoverResult judges what a turn has left that ended with its supervisor. A
// stream that came to its end is a finished turn, paid for and kept; so is,
// where the stream does not tell, a report that is marked complete.
func (s *supervisor) leftoverResult(t flow.TaskState) flow.Result {
	if t.Seat == flow.Program || t.Seat == flow.Host {
		return flow.Result{Stopped: true}
	}
	seat, ok := s.seat(t.Seat)
	if !ok {
		return flow.Result{Stopped: true}
	}
	old := &turn{task: t, number: t.Turn, logs: workspace.StreamsFolder(t.ID, t.Turn)}
	old.ask = s.turnWithoutPrompt(t, t.Running.Session)
	if !s.folder.Has(path.Join(old.logs, StdoutFile)) {
		return flow.Result{Stopped: true}
	}
	if asked, err := s.folder.Read(path.Join(old.logs, stdinFile)); err == nil {
		old.ask.Asked = len(asked)
	}
	k := kindOf(seat)
	reply := s.read(old, k, agent.Exit{})
	res := s.result(old, reply, reply.Fault != nil)
	res.Stopped = res.Stopped || k.HidesEnd && !(res.Artefact.Complete && s.isOutputEnded(t.Task))
	return res
}

// isOutputEnded reports whether what a task has written can be told to have come to
// its end: a JSON object has one, a text its last line alone.
func (s *supervisor) isOutputEnded(t flow.Task) bool {
	if answersInJSON(t.Role) {
		return true
	}
	data, err := s.folder.Read(path.Join(taskFolder(t), t.Writes))
	return err == nil && marker.IsComplete(data)
}

// turnWithoutPrompt is a turn without its prompt: enough to find its files and to judge
// its streams.
func (s *supervisor) turnWithoutPrompt(t flow.TaskState, session string) agent.Turn {
	dir := s.folder.Join(taskFolder(t.Task))
	seat, _ := s.seat(t.Seat)
	if seat.Program == "" {
		seat.Program = s.Council // the embedded seat is this program
	}
	ask := agent.Turn{
		Run: s.ID, Seat: t.Seat, Task: t.ID, Role: t.Role,
		Dir: dir, Report: filepath.Join(dir, t.Writes), State: filepath.Join(dir, t.Seat+"-state.txt"), Open: s.folder.Join(openItemsFile(t.Task)), Scope: s.setup.Scope,
		Topic: s.setup.Topic, Session: session, Iteration: t.Loop.Iterations, MaxIterations: t.Rule.Iterations,
		Model: seat.Model, Effort: seat.Effort, Thinking: seat.Thinking, Deadline: s.setup.Turn,
		Program: seat.Program, Args: seat.Args, Hook: s.Hook, Council: s.Council, Bypass: s.setup.Bypass, Server: seat.Server,
	}
	if kindOf(seat).Desk {
		ask.Desk = s.desk(ask)
	}
	if isIteration(t.Task) {
		return s.equip(ask, seat.Kind)
	}
	if isReviewRole(t.Role) || t.Role == agent.Judge {
		ask = s.restrictToRepository(ask)
		ask.Desk = s.trialDesk(t.Task)
		ask.Trials = len(ask.Desk) > 0
		return ask
	}
	return ask
}

// desk is the argument vector of a seat's desk.
func (s *supervisor) desk(t agent.Turn) []string {
	argv := []string{s.Council, "desk", "--run", s.folder.Path, "--seat", t.Seat, "--dir", t.Dir, "--open", t.Open, "--plan", s.folder.Join(planFile)}
	if t.Scope != "" {
		argv = append(argv, "--scope", t.Scope)
	}
	if how, err := json.Marshal(s.setup.Network); err == nil {
		argv = append(argv, "--network", string(how))
	}
	return argv
}

// planFile is the run's plan in its folder, for the desks to read.
const planFile = "plan.json"

// finish closes a run that has ended: a report is there whatever happened, and
// the state file is gone.
func (s *supervisor) finish() error {
	unlike := s.papers != nil || staged.Of(s.setup.Own) != nil && s.run.Status != flow.Completed // a campaign may have been reopened since, and a gate may have failed
	if unlike || !s.folder.Filled(recipe.FinalReport) {
		if err := s.writeFinalReport(s.run); err != nil {
			return err
		}
	}
	for _, seat := range s.setup.Seats {
		s.dropTrials(seat.Name)
	}
	s.refreshReviewFolder()
	s.writeStagedState()
	if err := s.writeStatus(); err != nil {
		return err
	}
	if s.run.Setup.Session == "" {
		return nil
	}
	remove := workspace.RemoveState
	if s.unheard() {
		remove = workspace.LeaveUnheard
	}
	if err := remove(s.Project, s.ID); err != nil && err != workspace.ErrNoState {
		return err
	}
	return nil
}

// unheard reports whether the session lives and may not know that its run has
// ended: it was not cancelled from there, nor ended by the session's own
// synthesis. A waiter that is there tells it at once; one may not have come yet.
func (s *supervisor) unheard() bool {
	if s.papers != nil || s.run.Status == flow.Cancelled || !s.host().Alive() {
		return false
	}
	return reportWriter(s.run) != flow.Host
}
