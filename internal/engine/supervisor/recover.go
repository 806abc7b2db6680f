package supervisor

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
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
	if was := s.Now.Release; was != "" && on.Release != "" && was != on.Release {
		on.Reason = fmt.Sprintf("release %s goes on with what release %s did", on.Release, plain.Line(was, maxReleaseRunes))
	}
	if err := s.recordFacts(on); err != nil {
		return err
	}
	if err := errors.Join(s.work.Entered(), s.updateStateFile(), s.endLeftProcesses()); err != nil {
		return err
	}
	for _, t := range s.Now.Tasks {
		if t.Running == nil {
			continue
		}
		if err := s.work.Interrupted(t.Task, s.lastSign); err != nil {
			s.Log(plain.Line(err.Error(), MaxForeignRunes)) // it is tried again before the work is looked at
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

// endLeftProcesses ends every process an earlier supervisor of this run has left: those
// the journal names, and those that bear the run's mark. A run's first supervisor
// need not look through all processes for that.
func (s *supervisor) endLeftProcesses() error {
	if s.Now.Epoch == 1 {
		return nil
	}
	for _, t := range s.Now.Tasks {
		if t.Running == nil {
			continue
		}
		for _, p := range []flow.Process{t.Running.Keeper, t.Running.Child} {
			if p.PID == 0 {
				continue
			}
			if err := proc.EndIdentity(proc.Identity{PID: p.PID, Start: p.Start}, Grace); err != nil {
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
func (s *asker) leftoverResult(t flow.TaskState) flow.Result {
	if t.Seat == flow.Program || t.Seat == flow.Host {
		return flow.Result{Stopped: true}
	}
	seat, ok := s.Seat(t.Seat)
	if !ok {
		return flow.Result{Stopped: true}
	}
	old := &turn{task: t, number: t.Turn, logs: workspace.StreamsFolder(t.ID, t.Turn)}
	old.ask = s.turnWithoutPrompt(t, t.Running.Session)
	if !s.Folder.Has(path.Join(old.logs, StdoutFile)) {
		return flow.Result{Stopped: true}
	}
	if asked, err := s.Folder.Read(path.Join(old.logs, stdinFile)); err == nil {
		old.ask.Asked = len(asked)
	}
	k := kinds.Of(seat.Kind)
	reply := s.read(old, k, agent.Exit{})
	res := s.result(old, reply, reply.Fault != nil)
	res.Stopped = res.Stopped || k.HidesEnd && !(res.Artefact.Complete && s.isOutputEnded(t.Task))
	return res
}

// isOutputEnded reports whether what a task has written can be told to have come to
// its end.
func (s *asker) isOutputEnded(t flow.Task) bool {
	data, err := s.Folder.Read(path.Join(s.TaskFolder(t), t.Writes))
	return err == nil && s.work.IsWhole(t, data)
}

// turnWithoutPrompt is a turn without its prompt: enough to find its files and to judge
// its streams.
func (s *asker) turnWithoutPrompt(t flow.TaskState, session string) agent.Turn {
	dir := s.Folder.Join(s.TaskFolder(t.Task))
	seat, _ := s.Seat(t.Seat)
	if seat.Program == "" {
		seat.Program = s.Council // the embedded seat is this program
	}
	ask := agent.Turn{
		Run: s.ID, Seat: t.Seat, Task: t.ID, Role: t.Role,
		Dir: dir, Report: filepath.Join(dir, t.Writes), State: filepath.Join(dir, t.Seat+"-state.txt"), Open: s.Folder.Join(s.OpenItemsFile(t.Task)), Scope: s.Setup.Scope,
		Topic: s.Setup.Topic, Session: session, Iteration: t.Loop.Iterations, MaxIterations: t.Rule.Iterations,
		Model: seat.Model, Effort: seat.Effort, Thinking: seat.Thinking, Deadline: s.Setup.Turn,
		Program: seat.Program, Args: seat.Args, Hook: s.Hook, Council: s.Council, Bypass: s.Setup.Bypass, Server: seat.Server,
	}
	kind := kinds.Of(seat.Kind)
	if kind.Desk || kind.KnowsDesk {
		ask.DeskEnv = s.Setup.Network.SearchVariables()
	}
	ask.Env = kind.Environ(s.Environ, slices.Concat(seat.Inherit, ask.DeskEnv)...)
	return s.work.Equip(ask, t.Task)
}

// PlanFile is the run's plan in its folder, for the desks to read.
const PlanFile = "plan.json"

// logEnd adds what the progress log says of the end of a run where a kill came between
// that fact and its line.
func (s *supervisor) logEnd() {
	end := status.LogLine(s.Flow, s.Now, flow.Event{Kind: flow.RunEnded, Status: s.Now.Status, Reason: s.Now.Reason})
	log, err := proc.LastBytes(s.Folder.Join(workspace.Progress), 64<<10)
	if err != nil {
		return // the journal has the fact
	}
	reopened := status.LogLine(s.Flow, s.Now, flow.Event{Kind: flow.RunReopened})
	if at := bytes.LastIndex(log, []byte(reopened)); at >= 0 {
		log = log[at:]
	}
	if !bytes.Contains(log, []byte("] "+strings.TrimSuffix(plain.Line(end, MaxForeignRunes), "…"))) {
		s.Log(end)
	}
}

// finish closes a run that has ended: a report is there whatever happened, and
// the state file is gone.
func (s *supervisor) finish() error {
	if err := s.work.Finish(); err != nil {
		return err
	}
	s.work.WriteState()
	if err := s.writeStatus(); err != nil {
		return err
	}
	if s.Now.Setup.Session == "" {
		return nil
	}
	remove := workspace.RemoveState
	if s.work.Unheard() {
		remove = workspace.LeaveUnheard
	}
	if err := remove(s.Project, s.ID); err != nil && err != workspace.ErrNoState {
		return err
	}
	return nil
}
