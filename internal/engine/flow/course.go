package flow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/engine/loop"
)

// MaxAnswerTurns is how many turns a task of one answer may take.
const MaxAnswerTurns = 3

// PlanProgram plans one piece of the program's own work.
func PlanProgram(role, writes string) func(Run) []Task {
	return func(Run) []Task {
		return []Task{{
			Seat: Program, Brand: Program, Role: role, Writes: writes,
			Rule: loop.Rule{Iterations: 1, Retries: 1, Stuck: 1}, Free: true, Reserved: true,
		}}
	}
}

// AnswerTask is a task that ends with one answer: a first attempt and those that
// mend it. It may use what was kept back.
func AnswerTask(s Seat, role, writes string, reads []string) Task {
	return Task{
		Seat: s.Name, Brand: s.Brand, Role: role, Free: s.Free, Reads: reads, Writes: writes, Clean: true,
		Rule: loop.Rule{Iterations: MaxAnswerTurns, Retries: 2, Stuck: 3}, Reserved: true,
	}
}

// AlwaysNext goes on whatever came out: what failed is missing from then on and
// is named in the report.
func AlwaysNext(Run) Verdict { return Verdict{Move: Next} }

// GateProgram fails where the program's own work has.
func GateProgram(r Run) Verdict {
	if t := r.Tasks[0]; !t.Outcome.Good() {
		return Verdict{Move: Fail, Reason: t.Reason}
	}
	return Verdict{Move: Next}
}

// GateFailed is how a run ends that a gate has not let through.
func GateFailed(stage, reason string) Verdict {
	return Verdict{Move: Fail, Reason: "Gate failed: " + stage + " — " + reason}
}

// Proceed lets a run go on that its gate would have held back or sent round.
func Proceed(r Run, own Verdict) Verdict {
	if own.Move == Next || own.Move == Done {
		return own
	}
	return Verdict{Move: Next, Reason: r.Finish, Over: &own}
}

// GoodTasks is the tasks of a stage that left something.
func GoodTasks(r Run, stage string) []TaskState {
	var good []TaskState
	for _, t := range r.LastTasks(stage) {
		if t.Outcome.Good() {
			good = append(good, t)
		}
	}
	return good
}

// Writers are the seats that may answer for a run, in the order to ask them:
// those with a model first.
func Writers(s Setup) []Seat {
	var thinking, rest []Seat
	for _, seat := range s.Seats {
		if seat.HasModel() {
			thinking = append(thinking, seat)
			continue
		}
		rest = append(rest, seat)
	}
	return append(thinking, rest...)
}

// NextSeat is the seat whose turn it is in a row of visits to a stage.
func NextSeat(r Run, stage string, seats []Seat) Seat {
	return seats[Attempts(r, stage)%len(seats)]
}

// Families is one seat of each family.
func Families(seats []Seat) []Seat {
	var list []Seat
	for _, s := range seats {
		if !slices.ContainsFunc(list, func(x Seat) bool { return x.Brand == s.Brand }) {
			list = append(list, s)
		}
	}
	return list
}

// HostSeat is the session a run belongs to. It is Claude Code: a seat of that
// family is no rival of its.
func HostSeat() Seat { return Seat{Name: Host, Brand: "anthropic"} }

// Attempts counts the visits to a stage that the run has made in a row, up to
// now, since a person was last heard there.
func Attempts(r Run, stage string) int {
	if r.Stage != stage || r.Input != nil {
		return 0
	}
	n := 1
	for i := len(r.History) - 1; i >= 0 && r.History[i].Stage == stage && !r.History[i].Heard; i-- {
		n++
	}
	return n
}

// Visits are all visits of a run, the current one at the end.
func Visits(r Run) func(func(Visit) bool) {
	return func(yield func(Visit) bool) {
		for _, v := range r.History {
			if !yield(v) {
				return
			}
		}
		if r.Stage != "" {
			yield(Visit{Stage: r.Stage, Visit: r.Visit, Entered: r.Entered, Tasks: r.Tasks})
		}
	}
}

// LastAssessment is what the program measured last; the zero value before that.
func LastAssessment(r Run) Assessment {
	visits := append(r.History[:len(r.History):len(r.History)], Visit{Tasks: r.Tasks})
	for i := len(visits) - 1; i >= 0; i-- {
		for _, t := range visits[i].Tasks {
			if t.Found != nil {
				return *t.Found
			}
		}
	}
	return Assessment{}
}

// FailureReason is why a stage has not come to what it is for: the task's own fault,
// or what the gate found.
func FailureReason(t TaskState, reason string) string {
	if t.Outcome.Good() {
		return reason
	}
	why := t.Seat + ": " + t.Reason
	for i, problem := range t.Loop.Artefact.Problems {
		if i == maxReasons {
			return fmt.Sprintf("%s; and %d more", why, len(t.Loop.Artefact.Problems)-i)
		}
		if !strings.Contains(why, problem) {
			why += "; " + problem
		}
	}
	return why
}

// maxReasons bounds how many faults of one answer a gate repeats.
const maxReasons = 3

// How often a stage may be entered.
const (
	Revisits        = 100     // gates end a run long before
	UnlimitedVisits = 1 << 20 // something else bounds the run
)
