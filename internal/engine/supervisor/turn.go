package supervisor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
)

// turn is one turn under way. Its goroutine owns the process; the supervisor
// only asks it to end.
type turn struct {
	task     flow.TaskState
	number   int
	ask      agent.Turn
	logs     string // folder of its streams, below the run's folder
	ending   chan bool
	early    atomic.Bool // it is asked to end because a person finishes the run
	spent    chan string // the limit of the run that it has passed
	notes    chan workspace.Note
	given    []workspace.Note // notes kept for it until it has ended
	progress loop.Artefact    // claims that stand, and how long no more have come, up to the last iteration
}

// Names of the streams in the folder of a turn.
const (
	stdinFile  = "stdin"
	StdoutFile = "stdout.jsonl"
	StderrFile = "stderr.log"
)

const (
	WatchInterval = time.Second      // how often a running seat's files are looked at
	maxSilence    = 20 * time.Minute // a seat that tells what it does and writes nothing for so long is hung: longer than any provider's own retries
	Grace         = time.Second      // between TERM and KILL
)

// end asks the turn to end; stopped says that it happens for the run's sake
// and tells nothing about the seat.
func (t *turn) end(stopped bool) {
	select {
	case t.ending <- stopped:
	default: // it has been asked already
	}
}

// endSpent asks the turn to end because a limit of the run has been passed.
func (t *turn) endSpent(why string) {
	select {
	case t.spent <- why:
	default: // it has been asked already
	}
}

// notify hands the turn a hook's note, and reports whether it could: only the
// host's turn listens, and not to any number at once.
func (t *turn) notify(n workspace.Note) bool {
	select {
	case t.notes <- n:
		return true
	default:
		return false
	}
}

// start makes a turn of a piece of work: the fact first, then the process.
func (s *supervisor) start(w flow.WantedTurn) error {
	t := &turn{
		task: w.Task, number: w.Turn, logs: workspace.StreamsFolder(w.Task.ID, w.Turn),
		ending: make(chan bool, 1), spent: make(chan string, 1), notes: make(chan workspace.Note, 16), progress: w.Task.Loop.Artefact,
	}
	session := w.Task.Session
	if w.Fresh {
		session = s.newSessionID(w.Task)
	}
	if err := s.recordFacts(flow.Event{Kind: flow.TurnStarted, Task: w.Task.ID, Turn: w.Turn, Session: session}); err != nil {
		return err
	}
	s.turns[w.Task.ID] = t
	switch w.Task.Seat {
	case flow.Program:
		work := s.program(w.Task)
		go s.reportResult(t, func() flow.Result {
			if res := work(); s.Life.Err() == nil {
				return res
			}
			return flow.Result{Stopped: true} // what it was cut off in says nothing
		})
		return nil
	case flow.Host:
		s.askSession(t)
		return nil
	}
	if err := s.work.BeginTurn(w.Task, w.Turn == 1); err != nil {
		go s.reportResult(t, func() flow.Result { return Failed(agent.Retryable, err) })
		return nil
	}
	ask, err := s.composeTurn(w, session)
	if full(err) {
		go s.reportResult(t, func() flow.Result { return flow.Result{Stopped: true} })
		return err
	}
	if err != nil {
		go s.reportResult(t, func() flow.Result { return Failed(agent.Terminal, err) })
		return nil
	}
	t.ask = ask
	go s.reportResult(t, func() flow.Result { return s.runSeat(t) })
	return nil
}

// newSessionID chooses a session id where the seat's CLI lets us.
func (s *asker) newSessionID(t flow.TaskState) string {
	if seat, ok := s.Seat(t.Seat); ok && kinds.Of(seat.Kind).ChoosesSession {
		return uuid.NewString()
	}
	return ""
}

// reportResult runs a piece of work and tells the supervisor what came of it.
func (s *supervisor) reportResult(t *turn, work func() flow.Result) {
	res := safely(work)
	s.signals <- signal{task: t.task.ID, event: &flow.Event{Kind: flow.TurnEnded, Task: t.task.ID, Turn: t.number, Result: &res}}
}

// safely runs a piece of work. Whatever a foreign text makes it trip over ends
// this work and not the supervisor, which would come to the same place again.
func safely(work func() flow.Result) (res flow.Result) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(os.Stderr, "panic: %v\n\n%s\n", r, debug.Stack())
			res = Failed(agent.Terminal, fmt.Errorf("the program has a fault: %v; supervisor.log in the run's folder says more", r))
		}
	}()
	return work()
}

// Failed is a turn or a piece of work that has come to nothing, and why.
func Failed(class agent.Class, err error) flow.Result {
	return flow.Result{Fault: &agent.Fault{Class: class, Message: plain.Line(err.Error(), MaxForeignRunes)}}
}

// runSeat starts the seat's process and sees it to its end.
func (s *supervisor) runSeat(t *turn) flow.Result {
	seat, _ := s.Seat(t.task.Seat)
	k := kinds.Of(seat.Kind)
	if k.Adapter == nil {
		return Failed(agent.Terminal, fmt.Errorf("this version has no seats of kind %q", seat.Kind))
	}
	if res, begins := s.awaitAllowance(t, seat.Brand); !begins {
		return res
	}
	p, err := s.launch(t, k.Adapter)
	if gone := s.programGone(err); full(err) || gone != nil { // it is not the seat's fault: the run stops, and goes on where it stood
		s.signals <- signal{task: t.task.ID, err: cmp.Or(gone, err)}
		return flow.Result{Stopped: true}
	}
	if err != nil {
		return Failed(agent.Terminal, err)
	}
	keeper, child := flowProcess(p.Keeper()), flowProcess(p.Child())
	s.signals <- signal{task: t.task.ID, event: &flow.Event{Kind: flow.TurnRunning, Task: t.task.ID, Turn: t.number, Process: &child, Keeper: &keeper}}
	why := s.watch(t, k, p)
	exit := p.Wait()
	if err := s.work.EndTurn(t.task.Task); err != nil {
		return Failed(agent.Retryable, err)
	}
	s.work.Reclaim(t.ask)
	res := s.exitResult(t, k, exit, why)
	s.tellSpent(seat.Brand, res.Cost().USD)
	return res
}

// awaitAllowance waits until the turn may begin by what the run shares with others; false,
// and what came of it, where it has been asked to end before.
func (s *supervisor) awaitAllowance(t *turn, vendor string) (flow.Result, bool) {
	if s.Allowance == nil {
		return flow.Result{}, true
	}
	ctx, cancel := context.WithCancel(s.Life)
	defer cancel()
	asked := make(chan error, 1)
	go func() {
		asked <- s.Allowance.Await(ctx, vendor, func(why string) {
			select {
			case s.signals <- signal{task: t.task.ID, note: plain.Line(why, MaxForeignRunes)}:
			case <-ctx.Done(): // the turn waits no more
			}
		})
	}()
	var why endCause
	select {
	case err := <-asked:
		return flow.Result{Stopped: err != nil}, err == nil
	case stopped := <-t.ending:
		why.stopped, why.timedOut = stopped, !stopped
	case why.limit = <-t.spent:
	}
	res := flow.Result{Stopped: why.stopped, Limit: why.limit}
	switch {
	case why.limit != "":
		res.Fault = why.limitFault()
	case t.early.Load():
		res.Fault = &agent.Fault{Class: agent.TimedOut, Message: flow.FinishedEarly}
	case why.timedOut:
		res.Fault = &agent.Fault{Class: agent.TimedOut, Message: "it was not begun in time"}
	}
	return res, false
}

// tellSpent tells those that share what this run may do what a turn has cost.
func (s *supervisor) tellSpent(vendor string, usd float64) {
	if s.Allowance == nil || usd <= 0 {
		return
	}
	if err := s.Allowance.Spent(context.WithoutCancel(s.Life), vendor, usd); err != nil { // it is spent, whatever ends the run
		s.Log(err.Error())
	}
}

// programGone tells of a turn that could not be started because the program itself
// has been taken away, which whoever resumes the run has.
func (s *ledger) programGone(err error) error {
	if err == nil {
		return nil
	}
	if _, gone := os.Stat(s.Council); errors.Is(gone, fs.ErrNotExist) {
		return fmt.Errorf("%s is no longer there, and no process can be started: install the program again, then `council resume %s`", s.Council, s.ID)
	}
	return nil
}

func flowProcess(id proc.Identity) flow.Process { return flow.Process{PID: id.PID, Start: id.Start} }

// launch lays down what the seat wants to find and starts it.
func (s *asker) launch(t *turn, a agent.Adapter) (*proc.Process, error) {
	spec, err := a.Spec(t.ask)
	if err != nil {
		return nil, err
	}
	if err := s.writeTurnFiles(t, spec); err != nil {
		return nil, err
	}
	return proc.NewStarter(s.Council, s.Hook).Start(proc.Spec{
		Argv: spec.Argv, Env: spec.Env, Dir: spec.Dir, Grace: Grace, Mark: ProcessMark(s.ID) + path.Base(t.logs),
		Stdin: s.Folder.Join(t.logs, stdinFile), Stdout: s.Folder.Join(t.logs, StdoutFile), Stderr: s.Folder.Join(t.logs, StderrFile),
	})
}

// writeTurnFiles writes a turn's files. Adapters may only lay down files in the seat's
// own folder.
func (s *asker) writeTurnFiles(t *turn, spec agent.Spec) error {
	if err := s.Folder.Mkdir(t.logs); err != nil {
		return fmt.Errorf("make the turn's folder: %w", err)
	}
	if err := s.Folder.Write(path.Join(t.logs, stdinFile), spec.Stdin); err != nil {
		return err
	}
	for _, f := range spec.Files {
		name, err := filepath.Rel(s.Folder.Path, f.Path)
		name = filepath.ToSlash(name)
		if err != nil || !filepath.IsLocal(name) || !strings.HasPrefix(name, s.TaskFolder(t.task.Task)+"/") {
			return fmt.Errorf("the seat wants a file outside its folder: %s", f.Path)
		}
		if err := s.Folder.Mkdir(path.Dir(name)); err != nil {
			return fmt.Errorf("lay down %s: %w", name, err)
		}
		if err := s.Folder.Write(name, f.Data); err != nil {
			return err
		}
	}
	return nil
}

// endCause is why a turn was ended from outside.
type endCause struct {
	stopped, timedOut bool
	silent            bool
	limit             string // of the run
}

func (e endCause) limitFault() *agent.Fault {
	return &agent.Fault{Class: agent.TimedOut, Message: "ended by a limit of the run: " + e.limit}
}

// watch follows a process until it ends: what it says goes to the supervisor,
// what it may not do ends it.
func (s *supervisor) watch(t *turn, k agent.Kind, p *proc.Process) (why endCause) {
	look := time.NewTicker(WatchInterval)
	defer look.Stop()
	deadline := time.NewTimer(t.ask.Deadline)
	defer deadline.Stop()
	w := s.newWatch(t, k)
	defer w.close()
	read := time.NewTicker(s.readInterval())
	defer read.Stop()
	for {
		select {
		case <-p.Done():
			return why
		case stopped := <-t.ending:
			why.stopped, why.timedOut = stopped, !stopped
			p.End()
		case why.limit = <-t.spent:
			p.End()
		case <-deadline.C:
			why.timedOut = true
			p.End()
		case <-read.C:
			w.follow()
			if used := w.newCost(); used != nil {
				s.signals <- signal{task: t.task.ID, used: used}
			}
		case now := <-look.C:
			s.signalSeen(t, w.poll(now))
			if isHung(k, now.Sub(w.heard)) && !why.silent {
				why.silent = true
				p.End()
			}
		}
	}
}

// isHung reports whether a seat has said nothing for so long that nothing is to
// be hoped for.
func isHung(k agent.Kind, silence time.Duration) bool { return silence > maxSilence && !k.Silent }

// readInterval is how often the streams of running seats are read: often where a
// limit has to be held by what they tell.
func (s *asker) readInterval() time.Duration {
	if l := s.Setup.Limits; l.USD > 0 || l.Tokens > 0 {
		return PollInterval
	}
	return WatchInterval
}

func (s *supervisor) signalSeen(t *turn, seen signal) {
	if seen.note != "" || seen.iter > 0 {
		seen.task = t.task.ID
		s.signals <- seen
	}
}

// exitResult makes a result of a process that has ended.
func (s *supervisor) exitResult(t *turn, k agent.Kind, exit proc.Exit, why endCause) flow.Result {
	if exit.Err != nil {
		return Failed(agent.Terminal, exit.Err)
	}
	reply := s.read(t, k, agent.Exit{Code: exit.Code, Signal: exit.Signal, TimedOut: why.timedOut || why.limit != "", Stopped: why.stopped || why.silent})
	if why.silent {
		reply.Fault = &agent.Fault{Class: agent.Lost, Message: fmt.Sprintf("nothing was heard of it for %s", maxSilence)}
	}
	if why.timedOut && t.early.Load() && reply.Fault != nil {
		reply.Fault = &agent.Fault{Class: agent.TimedOut, Message: flow.FinishedEarly}
	}
	if why.limit != "" && !why.stopped {
		reply.Fault = why.limitFault()
	}
	if !why.stopped && why.limit == "" {
		s.work.Ended(t.task)
	}
	res := s.result(t, reply, why.stopped)
	res.Limit = why.limit
	return res
}

// read lets the adapter judge what a process left.
func (s *asker) read(t *turn, k agent.Kind, exit agent.Exit) agent.Reply {
	stdout, err := os.Open(s.Folder.Join(t.logs, StdoutFile))
	if err != nil {
		exit.Stdout = bytes.NewReader(nil)
	} else {
		defer stdout.Close()
		exit.Stdout = stdout
	}
	const most = 64 << 10
	if exit.Stderr, err = proc.LastBytes(s.Folder.Join(t.logs, StderrFile), most); err != nil {
		exit.Stderr = nil
	}
	return k.Read(t.ask, exit)
}

// result measures what a turn came to.
func (s *asker) result(t *turn, reply agent.Reply, stopped bool) flow.Result {
	res := flow.Result{
		Session: reply.Session, Fault: reply.Fault, Models: reply.Models, Stopped: stopped,
		Text: plain.Line(reply.Text, MaxForeignRunes), Iterations: s.iterations(t, reply.Fault),
	}
	s.work.TakeReply(t.task.Task, reply)
	res.Artefact = s.MeasureFile(path.Join(s.TaskFolder(t.task.Task), filepath.Base(t.ask.Report)), func(data []byte) loop.Artefact { return s.work.Measure(t.task.Task, data) })
	if reply.Fault == nil || res.Iterations > 0 { // else an iteration is under way still
		t.updateProgress(s.work.Progress(t.task))
	}
	res.Artefact.Standing, res.Artefact.Dry = t.progress.Standing, t.progress.Dry
	s.work.Settle(t.task, &res)
	seat, _ := s.Seat(t.task.Seat)
	res.AddUsage(s.Setup, seat, t.task.SessionTotal, reply.Usages())
	res.AddSearches(s.searchCost(t))
	return res
}

// searchCost is what the searches of a turn have cost up to now, in USD.
func (s *asker) searchCost(t *turn) float64 {
	if !slices.ContainsFunc(s.Setup.Network.Search, func(e engine.Service) bool { return e.USD > 0 }) {
		return 0
	}
	data, err := s.Folder.Read(path.Join(t.logs, engine.SearchesFile))
	if err != nil {
		return 0 // there were none
	}
	return engine.CostOf(data)
}

// updateProgress takes in how many claims stand after an iteration.
func (t *turn) updateProgress(standing int) {
	t.progress.Dry = t.progress.NextDry(t.task.Rule, standing)
	t.progress.Standing = standing
}

// iterations reads how many iterations the turn has done: the loop's hook
// counts the one under way, so a turn that ended well has finished it.
func (s *asker) iterations(t *turn, fault *agent.Fault) int {
	now := s.iteration(t)
	done := now - t.ask.Iteration
	if fault != nil {
		done--
	}
	return max(done, 0)
}

func (s *asker) iteration(t *turn) int {
	data, err := os.ReadFile(t.ask.State)
	if err != nil {
		return t.ask.Iteration + 1
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return t.ask.Iteration + 1
	}
	return min(max(n, t.ask.Iteration+1), t.ask.MaxIterations)
}

// seatWatch looks at a running seat's files.
type seatWatch struct {
	s         *supervisor
	t         *turn
	a         agent.Adapter
	tail      *proc.Tail
	iter      int
	unchanged int
	hash      string
	heard     time.Time
	meter     agent.Meter
	cost      flow.Cost // as it was told last
	note      string    // what the seat did last, not told yet
	news      bool      // something has come since the last look
}

func (s *supervisor) newWatch(t *turn, k agent.Kind) *seatWatch {
	return &seatWatch{s: s, t: t, a: k, tail: proc.NewTail(s.Folder.Join(t.logs, StdoutFile)), iter: t.ask.Iteration + 1, heard: time.Now(), meter: k.Meter(t.ask)}
}

func (w *seatWatch) close() { _ = w.tail.Close() } // it was opened to read

// follow reads what is new of the stream: the last note, and what was used.
func (w *seatWatch) follow() {
	lines, err := w.tail.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		return
	}
	for _, line := range lines {
		w.meter.Add(line)
		w.news = true
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if note := w.a.Note(lines[i]); note != "" {
			w.note = note
			return
		}
	}
}

// newCost is what the turn has cost up to now; nil while that has not changed.
func (w *seatWatch) newCost() *flow.Cost {
	var res flow.Result
	seat, _ := w.s.Seat(w.t.task.Seat)
	res.AddUsage(w.s.Setup, seat, w.t.task.SessionTotal, w.meter.Used())
	res.AddSearches(w.s.searchCost(w.t))
	if res.Cost() == w.cost {
		return nil
	}
	w.cost = res.Cost()
	now := w.cost
	return &now
}

// poll tells what is new: the last note of the stream, and the iteration.
func (w *seatWatch) poll(now time.Time) signal {
	w.follow()
	seen := signal{note: w.note}
	w.note = ""
	if n := w.s.iteration(w.t); n > w.iter {
		w.iter, seen.iter = n, n
		w.t.updateProgress(w.s.work.Progress(w.t.task))
		w.endLoopIfStuck()
	}
	if w.news || seen.iter > 0 {
		w.heard = now
	}
	w.news = false
	return seen
}

// endLoopIfStuck tells the loop's hook to let the seat go once its iterations no
// longer change the artefact, or find nothing more that stands.
func (w *seatWatch) endLoopIfStuck() {
	rule := w.t.task.Rule
	name := path.Join(w.s.TaskFolder(w.t.task.Task), filepath.Base(w.t.ask.Report))
	data, err := w.s.Folder.Read(name)
	if err != nil {
		return
	}
	w.unchanged++
	if hash := workspace.Sum(data); hash != w.hash {
		w.hash, w.unchanged = hash, 0
	}
	if w.unchanged >= rule.Stuck || rule.Patience > 0 && w.t.progress.Dry >= rule.Patience {
		_ = w.s.Folder.Write(path.Join(path.Dir(name), enoughFile), nil) // without it the iterations end the loop
	}
}

const enoughFile = "enough"

// askSession asks the host's session, and waits for its answer.
func (s *supervisor) askSession(t *turn) {
	wait, err := s.work.AskSession(&HostTurn{Task: t.task, Number: t.number, Ending: t.ending, Notes: t.notes, Prepare: func() error { return s.prepareFolder(t.task) }})
	if err == nil && len(s.Setup.Network.Search) > 0 {
		err = s.Folder.Mkdir(t.logs) // where its desk tells what it has searched
	}
	if err != nil {
		wait = func() flow.Result { return Failed(s.work.FaultClass(err), err) }
	}
	go s.reportResult(t, func() flow.Result {
		res := wait()
		res.AddSearches(s.searchCost(t))
		return res
	})
}

// HostTurn is a turn of the host's session, whose own hooks deliver it.
type HostTurn struct {
	Task   flow.TaskState
	Number int                   // in the task, from 1
	Ending <-chan bool           // it is to end; true for the run's sake, which says nothing about the session
	Notes  <-chan workspace.Note // what the hooks of the session tell

	Prepare func() error // makes the folder of the task as that of a seat
}

// program is the program's own work for a task, on the run as it is now.
func (s *asker) program(t flow.TaskState) func() flow.Result {
	work := s.work.Perform(t)
	return func() flow.Result {
		if work == nil {
			return Failed(agent.Terminal, fmt.Errorf("the program knows no work called %q", t.Role))
		}
		found, err := work()
		if err != nil {
			return Failed(s.work.FaultClass(err), err)
		}
		written, err := s.Folder.Read(t.Writes)
		if err != nil {
			return Failed(agent.Terminal, fmt.Errorf("read what was written: %w", err))
		}
		return flow.Result{
			Iterations: 1, Found: found, Artefact: loop.Artefact{SHA256: workspace.Sum(written), Usable: true, Complete: true}, Files: s.outputHashes(t.Role),
		}
	}
}

// outputHashes are the hashes of what the program's work leaves beside the file of
// its task.
func (s *asker) outputHashes(role string) map[string]string {
	hashes := map[string]string{}
	for _, name := range s.work.Outputs(role) {
		if data, err := s.Folder.Read(name); err == nil {
			hashes[name] = workspace.Sum(data)
		}
	}
	return hashes
}
