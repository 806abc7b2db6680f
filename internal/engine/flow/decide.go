package flow

import (
	"fmt"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/engine/loop"
)

// WantedTurn is a turn that ought to be under way.
type WantedTurn struct {
	Task      TaskState
	Turn      int       // its number in the task, from 1
	Fresh     bool      // a new session; otherwise Task.Session is resumed
	NotBefore time.Time // it may start then
}

// WantedTurns lists the turns that ought to be under way: those running, and those to
// start, within what the run and each brand bear at once. A turn that is under
// way and not listed is to be ended.
func WantedTurns(r Run) []WantedTurn {
	if r.Status != "" || r.Cancel != "" {
		return nil
	}
	var list []WantedTurn
	busy := map[string]int{}
	for _, t := range r.Tasks {
		if t.Running != nil && !r.mustStop(t) {
			busy[t.Brand]++
			list = append(list, WantedTurn{Task: t, Turn: t.Turn})
		}
	}
	for _, t := range r.Tasks {
		full := r.Setup.Parallel > 0 && len(list) >= r.Setup.Parallel
		if t.Ended() || t.Running != nil || r.mustStop(t) || full || busy[t.Brand] >= r.window(t.Brand) {
			continue
		}
		busy[t.Brand]++
		list = append(list, WantedTurn{Task: t, Turn: t.Turn + 1, Fresh: t.Fresh, NotBefore: t.NotBefore})
	}
	return list
}

func (r Run) window(brand string) int {
	if w, ok := r.Windows[brand]; ok {
		return w
	}
	return r.ceiling(brand)
}

// mustStop reports whether this task may not go on: research when only the reserve
// is left or the run is to finish early, paid synthesis when the reserve is up
// too. The program's own work and a free synthesis are never late: a report
// always comes out.
func (r Run) mustStop(t TaskState) bool {
	switch {
	case t.Seat == Program || t.Free && t.Reserved:
		return false
	case t.Reserved:
		return r.TimesUp > 1
	case r.TimesUp > 0:
		return true
	}
	return r.Finish != "" && !(t.Whole && t.Running != nil)
}

// Decide gives the next fact that follows from the run alone; false when the
// world has to move first.
func Decide(w Workflow, r Run) (Event, bool) {
	switch {
	case r.Status != "" || r.Setup.ID == "":
		return Event{}, false
	case r.Cancel != "":
		return r.whenIdle(Event{Kind: RunEnded, Status: Cancelled, Reason: r.Cancel})
	case r.Stage == "":
		return w.enterStage(r, w.Stages[0].Name)
	case r.Judged != nil:
		return w.followVerdict(r)
	}
	for _, t := range r.Tasks {
		if e, ok := r.endTask(t); ok {
			return e, true
		}
	}
	return w.judgeStage(r)
}

func (r Run) whenIdle(e Event) (Event, bool) {
	for _, t := range r.Tasks {
		if t.Running != nil {
			return Event{}, false
		}
	}
	return e, true
}

// endTask ends a task whose loop is over or whose next turn no limit allows.
func (r Run) endTask(t TaskState) (Event, bool) {
	if t.Ended() || t.Running != nil {
		return Event{}, false
	}
	if t.Loop.Turns > 0 {
		if v := loop.Judge(t.Rule, t.Loop); !v.More {
			return Event{Kind: TaskEnded, Task: t.ID, Outcome: v.Done, Reason: v.Reason}, true
		}
	}
	why, limit := r.refusal(t)
	if why == "" {
		return Event{}, false
	}
	outcome := loop.Refused
	if t.Loop.Artefact.Usable {
		outcome = loop.CutShort
	}
	return Event{Kind: TaskEnded, Task: t.ID, Outcome: outcome, Reason: why, Limit: limit}, true
}

// refusal says why the task's next turn may not start, and whether a limit of
// the run is why; "" when it may. What costs nothing is held by the clock
// alone, and the program's own work by nothing.
func (r Run) refusal(t TaskState) (why string, limit bool) {
	switch {
	case t.Seat == Program || t.Free && t.Reserved:
		return "", false
	case r.mustStop(t) && r.TimesUp == 0:
		return r.Finish, false
	case r.mustStop(t):
		return fmt.Sprintf("the time limit of %s is up", r.Setup.Limits.Time), true
	case t.Free:
		return "", false
	}
	return r.Setup.Limits.RefusalReason(r.Spent, t.Reserved), true
}

func (w Workflow) judgeStage(r Run) (Event, bool) {
	for _, t := range r.Tasks {
		if !t.Ended() {
			return Event{}, false
		}
	}
	v := w.stage(r.Stage).Gate(r)
	if r.Finish != "" && w.Finish != nil {
		v = w.Finish(r, v)
	}
	return Event{Kind: StageJudged, Stage: r.Stage, Visit: r.Visit, Verdict: &v}, true
}

// followVerdict follows the gate's verdict, bounded by the target's visits.
func (w Workflow) followVerdict(r Run) (Event, bool) {
	v := *r.Judged
	switch v.Move {
	case Ask:
		return Event{}, false
	case Done:
		return w.closing(r, v.Reason)
	case Again:
		return w.enterAgain(r, r.Stage, v)
	case Jump:
		return w.enterAgain(r, v.To, v)
	case Next:
		return w.enterNext(r, v.Reason)
	case Halt:
		return r.endRun(OutOfBudget, v.Reason)
	case Empty:
		return r.endRun(NoEvidence, v.Reason)
	}
	return r.endRun(Failed, v.Reason)
}

// enterAgain enters a stage once more, or does what the stage says when its
// visits are spent.
func (w Workflow) enterAgain(r Run, stage string, v Verdict) (Event, bool) {
	s := w.stage(stage)
	if s.Name == "" {
		return r.endRun(Failed, fmt.Sprintf("no stage is named %q", stage))
	}
	visits := r.Visits(stage)
	if s.Spent == Fail {
		visits = r.countVisitsSince(stage, r.Opened)
	}
	if visits < s.Visits {
		return w.enterStage(r, stage)
	}
	if s.Spent == Next {
		return w.enterNext(r, v.Reason)
	}
	return r.endRun(Failed, strings.TrimPrefix(v.Reason+"; visits of "+stage+" are spent", "; "))
}

func (w Workflow) enterNext(r Run, reason string) (Event, bool) {
	for i, s := range w.Stages {
		if s.Name == r.Stage && i+1 < len(w.Stages) {
			return w.enterStage(r, w.Stages[i+1].Name)
		}
	}
	return w.closing(r, reason)
}

// closing ends a run that has come to its end.
func (w Workflow) closing(r Run, reason string) (Event, bool) {
	if w.Close != nil {
		if s, why := w.Close(r); s != "" && s != Completed {
			return r.endRun(s, why)
		}
	}
	return r.endRun(Completed, reason)
}

func (w Workflow) enterStage(r Run, stage string) (Event, bool) {
	next := r
	next.Stage, next.Visit = stage, r.Visits(stage)+1
	tasks := w.stage(stage).Plan(r)
	for i := range tasks {
		tasks[i].ID = fmt.Sprintf("%s.%d/%s", stage, next.Visit, tasks[i].Seat)
		if tasks[i].Agent != "" {
			tasks[i].ID += "." + tasks[i].Agent
		}
	}
	return Event{Kind: StageEntered, Stage: stage, Visit: next.Visit, Tasks: tasks}, true
}

// endRun closes the run. A run that a limit has held back says so, whatever
// became of the rest, and so does one that was to finish early.
func (r Run) endRun(s Status, reason string) (Event, bool) {
	switch {
	case r.Refused != "":
		s, reason = OutOfBudget, r.Refused
	case r.Finish != "" && s == Completed && reason != "":
		reason = r.Finish + ": " + reason
	case r.Finish != "" && s == Completed:
		reason = r.Finish
	}
	return Event{Kind: RunEnded, Status: s, Reason: reason}, true
}

// Visits counts the visits a stage has had, the current one included.
func (r Run) Visits(stage string) int {
	if r.Stage == stage {
		return r.Visit
	}
	for i := len(r.History) - 1; i >= 0; i-- {
		if r.History[i].Stage == stage {
			return r.History[i].Visit
		}
	}
	return 0
}

// countVisitsSince counts the visits a stage has had behind the first n visits of
// the run, the current one included.
func (r Run) countVisitsSince(stage string, n int) int {
	count := 0
	for i := n; i < r.countVisits(); i++ {
		at := r.Stage
		if i < len(r.History) {
			at = r.History[i].Stage
		}
		if at == stage {
			count++
		}
	}
	return count
}

func (w Workflow) stage(name string) Stage {
	for _, s := range w.Stages {
		if s.Name == name {
			return s
		}
	}
	return Stage{}
}

// Phase is what the state file calls the run's stage.
func (w Workflow) Phase(r Run) string {
	if s := w.stage(r.Stage); s.Phase != "" {
		return s.Phase
	}
	return r.Stage
}

// Alarm is the next moment at which a fact follows from the clock alone, and
// that fact; the zero time when there is none. The driver sleeps no longer.
func Alarm(r Run) (time.Time, Event) {
	if r.Status != "" || r.TimesUp > 1 || r.Setup.Limits.Time == 0 || !r.Asked.IsZero() {
		return time.Time{}, Event{}
	}
	return r.Began.Add(r.Setup.Limits.EndsAfter(r.TimesUp > 0)), Event{Kind: TimeUp}
}
