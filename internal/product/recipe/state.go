package recipe

import (
	"slices"
	"time"

	"research-council/internal/agent"
	"research-council/internal/engine/flow"
	"research-council/internal/product/staged"
)

// partOf is the stage of staged research a stage of its workflow belongs to.
func partOf(stage string) string {
	for _, s := range Staged().Stages {
		if s.Name == stage {
			return s.Part
		}
	}
	return ""
}

// StagedPart is the stage of staged research a run is in; "" before the first.
func StagedPart(r flow.Run) string { return partOf(r.Stage) }

// StagedPartBegan is when the run came to that stage, or was let go on there. The time
// it waited for a person does not count.
func StagedPartBegan(r flow.Run) time.Time {
	began := r.Entered
	for i := len(r.History) - 1; i >= 0; i-- {
		v := r.History[i]
		if partOf(v.Stage) != StagedPart(r) || v.Stage == agent.Questions {
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
		return i.Code == flow.TooSlow && i.Stage == stage && !i.At.Before(StagedPartBegan(r))
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
		staged.Discovery: BriefFile, staged.Planning: PlanningFile, staged.Collection: CollectionFile,
		staged.Factcheck: FactcheckFile, staged.Synthesis: FindingsFile, staged.DevilsAdvocate: AdvocateFile,
		staged.Report: DeliveryFile, staged.Review: VerdictFile,
	}
	made := map[string]string{}
	for _, g := range gates(r) {
		if g.Passed {
			made[g.Stage] = files[g.Stage]
			continue
		}
		stages := staged.Stages()
		for _, later := range stages[slices.Index(stages, g.Stage):] {
			delete(made, later)
		}
	}
	return made
}

// gateStages are the stages of the workflow whose gates are those of the eight
// stages.
func gateStages() []string {
	return []string{agent.Brief, agent.Planning, agent.Collection, Factcheck, agent.Findings, agent.Advocate, Delivery, Verdict}
}

// gates are what the gates have said, in order. A revision is a gate that has
// not let through, and takes what follows the synthesis with it.
func gates(r flow.Run) []staged.Gate {
	var list []staged.Gate
	visits := r.History
	if r.Judged != nil {
		visits = append(visits[:len(visits):len(visits)], flow.Visit{Stage: r.Stage, Visit: r.Visit, Ended: r.At, Verdict: *r.Judged})
	}
	for _, v := range visits {
		own := v.Verdict.Own()
		if !slices.Contains(gateStages(), v.Stage) || own.Move == flow.Ask || own == (flow.Verdict{}) {
			continue
		}
		g := staged.Gate{Stage: partOf(v.Stage), Passed: v.Verdict.Move == flow.Next || v.Verdict.Move == flow.Done, Reason: own.Reason, At: v.Ended, Attempt: v.Visit}
		if list = append(list, g); v.Stage == Verdict && v.Verdict.To == agent.Findings {
			list = append(list, staged.Gate{Stage: staged.Synthesis, Reason: sentBackReason(v.Verdict), At: v.Ended, Attempt: v.Visit})
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

// StagedState is where staged research stands, from its facts alone. The
// outputs are added by who writes it down.
func StagedState(r flow.Run) staged.State {
	st := staged.State{
		RunID: r.Setup.ID, Topic: r.Setup.Topic, CurrentStage: StagedPart(r), StartedAt: r.Began.UTC(), UpdatedAt: r.At.UTC(),
		Iteration: Revisions(r), MaxIterations: staged.Of(r.Setup.Own).Revisions, Status: staged.Running, Gates: gates(r),
	}
	switch {
	case r.Status == flow.Completed:
		st.Status, st.CurrentStage = string(r.Status), staged.Done
	case r.Status != "":
		st.Status, st.Error = string(r.Status), r.Reason
	case !r.Asked.IsZero():
		st.Status = staged.Paused
	}
	return st
}

// AsksToConfirm reports whether what the run waits for is a person's word on
// what they were shown.
func AsksToConfirm(r flow.Run) bool { return !r.Asked.IsZero() && r.Stage == agent.Brief }

// PanelOutput is what the last review that was counted came to; false before it.
func PanelOutput(r flow.Run) (staged.Output, bool) {
	o := latest(r, Verdict)
	return o, o.Verdict != ""
}
