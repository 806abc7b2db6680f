package staged

import (
	"slices"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/product/panel"
)

// partOf is the stage of staged research a stage of its workflow belongs to.
func partOf(stage string) string {
	for _, s := range Workflow().Stages {
		if s.Name == stage {
			return s.Part
		}
	}
	return ""
}

// Part is the stage of staged research a run is in; "" before the first.
func Part(r flow.Run) string { return partOf(r.Stage) }

// PartBegan is when the run came to that stage, or was let go on there. The time
// it waited for a person does not count.
func PartBegan(r flow.Run) time.Time {
	began := r.Entered
	for i := len(r.History) - 1; i >= 0; i-- {
		v := r.History[i]
		if partOf(v.Stage) != Part(r) || v.Stage == agent.Questions {
			break
		}
		if began = v.Entered; v.Heard {
			break
		}
	}
	return began
}

// IsLateTold reports whether it was told already that a stage takes too long.
func IsLateTold(r flow.Run, stage string) bool {
	return slices.ContainsFunc(r.Issues, func(i flow.Issue) bool {
		return i.Code == flow.TooSlow && i.Stage == stage && !i.At.Before(PartBegan(r))
	})
}

// Confirmed reports whether a person has confirmed the brief.
func Confirmed(r flow.Run) bool {
	return len(r.Given) > 0 && r.Given[len(r.Given)-1].Confirmed
}

// Outputs are the files that hold the output of each stage, as far as they are
// true: what was made before a revision is not.
func Outputs(r flow.Run) map[string]string {
	files := map[string]string{
		Discovery: BriefFile, Planning: PlanningFile, Collection: CollectionFile,
		Factcheck: FactcheckFile, Synthesis: FindingsFile, DevilsAdvocate: AdvocateFile,
		Report: DeliveryFile, Review: panel.VerdictFile,
	}
	made := map[string]string{}
	for _, g := range gates(r) {
		if g.Passed {
			made[g.Stage] = files[g.Stage]
			continue
		}
		stages := Stages()
		for _, later := range stages[slices.Index(stages, g.Stage):] {
			delete(made, later)
		}
	}
	return made
}

// gateStages are the stages of the workflow whose gates are those of the eight
// stages.
func gateStages() []string {
	return []string{agent.Brief, agent.Planning, agent.Collection, Factcheck, agent.Findings, agent.Advocate, Delivery, panel.Verdict}
}

// gates are what the gates have said, in order. A revision is a gate that has
// not let through, and takes what follows the synthesis with it.
func gates(r flow.Run) []Gate {
	var list []Gate
	visits := r.History
	if r.Judged != nil {
		visits = append(visits[:len(visits):len(visits)], flow.Visit{Stage: r.Stage, Visit: r.Visit, Ended: r.At, Verdict: *r.Judged})
	}
	for _, v := range visits {
		own := v.Verdict.Own()
		if !slices.Contains(gateStages(), v.Stage) || own.Move == flow.Ask || own == (flow.Verdict{}) {
			continue
		}
		g := Gate{Stage: partOf(v.Stage), Passed: v.Verdict.Move == flow.Next || v.Verdict.Move == flow.Done, Reason: own.Reason, At: v.Ended, Attempt: v.Visit}
		if list = append(list, g); v.Stage == panel.Verdict && v.Verdict.To == agent.Findings {
			list = append(list, Gate{Stage: Synthesis, Reason: sentBackReason(v.Verdict), At: v.Ended, Attempt: v.Visit})
		}
	}
	return list
}

// sentBackReason says who has sent the work back to the synthesis.
func sentBackReason(v flow.Verdict) string {
	if v.Over != nil {
		return "a person has let the run go on from here"
	}
	return "reviewers ask for a revision"
}

// StateOf is where staged research stands, from its facts alone. The
// outputs are added by who writes it down.
func StateOf(r flow.Run) State {
	st := State{
		RunID: r.Setup.ID, Topic: r.Setup.Topic, CurrentStage: Part(r), StartedAt: r.Began.UTC(), UpdatedAt: r.At.UTC(),
		Iteration: panel.Revisions(r), MaxIterations: Of(r.Setup.Own).Revisions, Status: Running, Gates: gates(r),
	}
	switch {
	case r.Status == flow.Completed:
		st.Status, st.CurrentStage = string(r.Status), Done
	case r.Status != "":
		st.Status, st.Error = string(r.Status), r.Reason
	case !r.Asked.IsZero():
		st.Status = Paused
	}
	return st
}

// AsksToConfirm reports whether what the run waits for is a person's word on
// what they were shown.
func AsksToConfirm(r flow.Run) bool { return !r.Asked.IsZero() && r.Stage == agent.Brief }
