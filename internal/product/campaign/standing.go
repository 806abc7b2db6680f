package campaign

import (
	"slices"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
)

// StateOf is where a campaign stands, from its facts alone. Status and
// the files to read are added by who writes it down.
func StateOf(r flow.Run) State {
	c := *Of(r.Setup.Own)
	st := State{Type: c.Mode.Type(), Name: c.Name, Run: r.Setup.ID, Threshold: c.Threshold, PlanSource: c.Plan, Prompt: r.Setup.Topic}
	for i, v := range r.History {
		st = applyEdits(applyVisit(c.Mode, st, v.Stage, v.Tasks), r.Edits, i+1)
	}
	if r.Stage != "" {
		st = applyEdits(applyVisit(c.Mode, st, r.Stage, r.Tasks), r.Edits, len(r.History)+1)
	}
	if st.Phase == "" {
		st.Phase = c.Mode.Phases()[0]
	}
	st.Status, st.Reason = "in_progress", r.Reason
	switch r.Status {
	case "":
	case flow.Completed:
		st.Status = "complete"
	default:
		st.Status = string(r.Status)
	}
	return st
}

// applyEdits takes in what was edited in the feature list after so many visits.
func applyEdits(st State, edits []flow.Edit, after int) State {
	for _, e := range edits {
		edit := EditOf(e.Own)
		if e.After != after || edit == nil {
			continue
		}
		c := edit.List.Counts()
		next, _ := edit.List.Next()
		st.Total, st.Complete, st.Lost, st.Blocked, st.Next, st.Last = c.Total, c.Complete, c.Failed, c.Blocked, next.ID, edit.List.Last()
		if st.Next != "" {
			st.Done = slices.DeleteFunc(slices.Clone(st.Done), func(p Phase) bool { return p == PhaseC })
		}
	}
	return st
}

// applyVisit takes one visit of a stage in.
func applyVisit(m Mode, st State, stage string, tasks []flow.TaskState) State {
	if p := PhaseOf(m, stage); p != "" {
		st.Phase = p
	}
	if IsIteration(stage) && stage != agent.Critique {
		return countIteration(st)
	}
	if len(tasks) != 1 || tasks[0].Found == nil || TallyOf(tasks[0].Found.Own) == nil {
		return st
	}
	before := st.Tally
	st.Tally = *TallyOf(tasks[0].Found.Own)
	switch stage {
	case Gather:
		st.Low = poorIterations(st, st.Low)
	case Settle:
		st.Steady = steadyIterations(st, before.Plan)
	case Publish, Handover:
		st.Done = append(st.Done[:len(st.Done):len(st.Done)], st.Phase)
	case Enlist, Test, Adopt, Baseline, Keep:
		if st.Total > 0 && st.Next == "" && !slices.Contains(st.Done, PhaseC) {
			st.Done = append(st.Done[:len(st.Done):len(st.Done)], PhaseC)
		}
	}
	return st
}

func countIteration(st State) State {
	st.Iteration++
	switch st.Phase {
	case PhaseA:
		st.Researching++
	case PhaseB:
		st.Planning++
	case PhaseC:
		st.Coding++
	}
	return st
}

// poorIterations counts iterations in a row that found little. One that failed counts
// neither way.
func poorIterations(st State, before int) int {
	switch {
	case st.Failed:
		return before
	case st.New < PoorBelow:
		return before + 1
	}
	return 0
}

// steadyIterations counts iterations in a row that left the plan as it was.
func steadyIterations(st State, before string) int {
	switch {
	case st.Failed:
		return st.Steady
	case st.Plan != "" && st.Plan == before:
		return st.Steady + 1
	}
	return 0
}

// tallyOf is what the program counted in a task; nothing is the zero value.
func tallyOf(t flow.TaskState) Tally {
	if t.Found == nil || TallyOf(t.Found.Own) == nil {
		return Tally{}
	}
	return *TallyOf(t.Found.Own)
}

// noIterationsLeft reports whether no iteration is left.
func noIterationsLeft(r flow.Run) bool {
	return StateOf(r).Iteration >= Of(r.Setup.Own).Iterations
}
