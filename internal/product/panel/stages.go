package panel

import (
	"fmt"
	"slices"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
)

// Verdict is the stage in which the reviews are counted.
const Verdict = "verdict"

// Names of what a review of the report publishes in the run's folder.
const (
	VerdictFile  = "review.json"
	RevisionFile = "revision.md" // what the reviewers want mended
)

// ReviewFile is the name of a reviewer's opinion in the n-th review.
func ReviewFile(role, reviewer string, n int) string {
	return fmt.Sprintf("%s-%d-%s.json", role, n, reviewer)
}

// ReviewerID is the word by which the n-th member of the panel is told apart.
func ReviewerID(n int) string { return fmt.Sprintf("R%d", n+1) }

// DefaultRevisions is how often reviewers may send the work back where nothing
// else is said.
const DefaultRevisions = 2

// Course says where in the course of a run its report is reviewed.
type Course struct {
	Part      string               // the part of the course that the review is
	Back      string               // the stage the work goes back to where it is to be revised; "" for none
	Reads     []string             // what reviewers read: the report, and what it rests on
	Revisions func(flow.Setup) int // how often it may go back; nil for the usual number
}

// Behind puts a review behind a workflow: each reviewer alone, each again once it
// has heard the others, and the count. Where it asks for a revision, the run goes
// back to a stage, if one is named.
func (c Course) Behind(w flow.Workflow) flow.Workflow {
	stages := []flow.Stage{
		{Name: agent.Review, Plan: c.planReview, Gate: flow.AlwaysNext},
		{Name: agent.Reconsider, Plan: c.planReconsider, Gate: flow.AlwaysNext},
		{Name: Verdict, Plan: flow.PlanProgram(Verdict, VerdictFile), Gate: c.gateVerdict},
	}
	for i := range stages {
		stages[i].Part, stages[i].Phase, stages[i].Visits, stages[i].Spent = c.Part, agent.Review, flow.Revisits, flow.Fail
	}
	w.Stages = append(w.Stages[:len(w.Stages):len(w.Stages)], stages...)
	return w
}

// planReview asks each member of the panel, also where two are of one seat.
func (c Course) planReview(r flow.Run) []flow.Task {
	n := r.Visits(agent.Review) + 1
	var tasks []flow.Task
	for i, s := range r.Setup.Panel {
		t := flow.AnswerTask(s, agent.Review, ReviewFile(agent.Review, ReviewerID(i), n), c.Reads)
		t.Agent = ReviewerID(i)
		tasks = append(tasks, t)
	}
	return tasks
}

// planReconsider asks those that have given an opinion once more, where there
// are others to hear.
func (c Course) planReconsider(r flow.Run) []flow.Task {
	first := flow.GoodTasks(r, agent.Review)
	if len(first) < 2 {
		return nil
	}
	var tasks []flow.Task
	for _, t := range first {
		s := flow.Seat{Name: t.Seat, Brand: t.Brand, Free: t.Free}
		again := flow.AnswerTask(s, agent.Reconsider, ReviewFile(agent.Reconsider, t.Agent, r.Visits(agent.Review)), append(slices.Clone(c.Reads), t.Writes))
		again.Agent = t.Agent
		tasks = append(tasks, again)
	}
	return tasks
}

// Revisions counts how often reviewers have sent the work back. Where a person
// did, it is none of theirs.
func Revisions(r flow.Run) int {
	n := 0
	if r.Stage == Verdict && r.Judged != nil && r.Judged.Own().Move == flow.Jump {
		n++
	}
	for _, v := range r.History {
		if v.Stage == Verdict && v.Verdict.Own().Move == flow.Jump {
			n++
		}
	}
	return n
}

// IsRevision reports whether the work is done again for what reviewers have said
// of it, whoever has sent it back.
func IsRevision(r flow.Run) bool { return r.Visits(Verdict) > 0 }

// gateVerdict follows the count. A workflow without a stage to go back to only
// tells what it came to.
func (c Course) gateVerdict(r flow.Run) flow.Verdict {
	most := DefaultRevisions
	if c.Revisions != nil {
		most = c.Revisions(r.Setup)
	}
	ruling := Judge(counted(r.Tasks[0]), Revisions(r), most)
	why := flow.FailureReason(r.Tasks[0], ruling.Reason)
	switch {
	case ruling.Pass:
		return flow.Verdict{Move: flow.Done, Reason: ruling.Reason}
	case c.Back == "":
		return flow.Verdict{Move: flow.Done, Reason: "the reviewers do not approve: " + why}
	case ruling.Revise && r.Refused == "":
		return flow.Verdict{Move: flow.Jump, To: c.Back, Reason: ruling.Reason}
	}
	return flow.GateFailed(agent.Review, why)
}

// Finish ends at the reviewers' word: nothing is revised any more.
func Finish(r flow.Run, own flow.Verdict) flow.Verdict {
	if r.Stage == Verdict && own.Move == flow.Jump {
		return flow.Verdict{Move: flow.Done, Reason: "not revised any more, though " + own.Reason, Over: &own}
	}
	return own
}

// counted is what a task of the count came to; nothing is the zero value.
func counted(t flow.TaskState) Count {
	if t.Found == nil || CountOf(t.Found.Own) == nil || !t.Outcome.Good() {
		return Count{}
	}
	return *CountOf(t.Found.Own)
}

// LastCount is what the last review that was counted came to; false before it.
func LastCount(r flow.Run) (Count, bool) {
	tasks := r.LastTasks(Verdict)
	if len(tasks) == 0 {
		return Count{}, false
	}
	c := counted(tasks[0])
	return c, c.Verdict != ""
}

// AddDemand adds what those are asked that review the report, which may be sent
// back so often.
func AddDemand(a *forecast.Builder, s flow.Setup, revisions int) {
	for _, seat := range s.Panel {
		a.AddPart(seat, forecast.Part{Given: true, Roles: []string{agent.Review}, Likely: 1, Max: flow.MaxAnswerTurns * (1 + revisions)})
		if len(s.Panel) > 1 {
			a.AddPart(seat, forecast.Part{Given: true, Roles: []string{agent.Reconsider}, Likely: 1, Max: flow.MaxAnswerTurns * (1 + revisions)})
		}
	}
}

// MostRevisions is how often the work may be sent back, of which a panel can make
// use: never where there is none.
func MostRevisions(s flow.Setup, most int) int {
	if len(s.Panel) == 0 {
		return 0
	}
	return most
}

// RevisionReads adds the reviewers' brief where they have sent the work back.
func RevisionReads(names ...string) func(flow.Run) []string {
	return func(r flow.Run) []string {
		if !IsRevision(r) {
			return slices.Clone(names)
		}
		return append(slices.Clone(names), RevisionFile)
	}
}
