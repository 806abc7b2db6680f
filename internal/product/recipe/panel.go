package recipe

import (
	"fmt"

	"research-council/internal/agent"
	"research-council/internal/engine/flow"
	"research-council/internal/product/campaign"
	"research-council/internal/product/staged"
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

// part of the course that a review is, where it is not a stage of its own.
const partPanel = "4 Review"

// Of is the workflow of a run: that of its name, with a review at its end
// where there is a panel.
func Of(s flow.Setup) (flow.Workflow, bool) {
	w, ok := Find(s.Workflow)
	if !ok || len(s.Panel) == 0 || staged.Of(s.Own) != nil {
		return w, ok
	}
	if campaign.Of(s.Own) != nil { // its report is written at its end, and there is nothing to go back to
		w.Stages = append(w.Stages[:len(w.Stages):len(w.Stages)], judged()...)
		return withPanel(w, partPanel, ""), true
	}
	return withPanel(w, partPanel, Synthesis), true
}

// judged are the stages between a campaign's end and its review: families vote
// on the passages its papers rest on, and the report is written with what that
// comes to. Nothing that is unjudged can be approved.
func judged() []flow.Stage {
	stages := []flow.Stage{
		{Name: Judgement, Plan: planProgram(Judgement, RegistryFile), Gate: alwaysNext},
		{Name: Support, Plan: planSupport, Gate: alwaysNext},
		{Name: Assessment, Plan: planProgram(Assessment, RegistryFile), Gate: alwaysNext},
		{Name: Report, Plan: planProgram(Report, FinalReport), Gate: alwaysNext},
	}
	for i := range stages {
		stages[i].Part, stages[i].Phase, stages[i].Visits, stages[i].Spent = partPanel, agent.Review, revisits, flow.Next
	}
	return stages
}

// withPanel puts a review behind a workflow: each reviewer alone, each again
// once it has heard the others, and the count. Where it asks for a revision,
// the run goes back to a stage, if one is named.
func withPanel(w flow.Workflow, part, back string) flow.Workflow {
	stages := []flow.Stage{
		{Name: agent.Review, Part: part, Plan: planReview, Gate: alwaysNext},
		{Name: agent.Reconsider, Part: part, Plan: planReconsider, Gate: alwaysNext},
		{Name: Verdict, Part: part, Plan: planProgram(Verdict, VerdictFile), Gate: gateVerdict(back)},
	}
	for i := range stages {
		stages[i].Visits, stages[i].Spent = revisits, flow.Fail
		if stages[i].Phase = agent.Review; part == staged.Review {
			stages[i].Phase = part
		}
	}
	w.Stages = append(w.Stages[:len(w.Stages):len(w.Stages)], stages...)
	return w
}

// ReviewerID is the word by which the n-th member of the panel is told apart.
func ReviewerID(n int) string { return fmt.Sprintf("R%d", n+1) }

// planReview asks each member of the panel, also where two are of one seat.
func planReview(r flow.Run) []flow.Task {
	n := r.Visits(agent.Review) + 1
	var tasks []flow.Task
	for i, s := range r.Setup.Panel {
		t := answerTask(s, agent.Review, ReviewFile(agent.Review, ReviewerID(i), n), panelInputs(r))
		t.Agent = ReviewerID(i)
		tasks = append(tasks, t)
	}
	return tasks
}

// panelInputs is what reviewers read: the report, and what it rests on.
func panelInputs(r flow.Run) []string {
	if staged.Of(r.Setup.Own) != nil {
		return []string{FinalReport, FactcheckFile, BriefFile}
	}
	return []string{FinalReport, RegistryFile}
}

// planReconsider asks those that have given an opinion once more, where there
// are others to hear.
func planReconsider(r flow.Run) []flow.Task {
	first := goodTasks(r, agent.Review)
	if len(first) < 2 {
		return nil
	}
	var tasks []flow.Task
	for _, t := range first {
		s := flow.Seat{Name: t.Seat, Brand: t.Brand, Free: t.Free}
		again := answerTask(s, agent.Reconsider, ReviewFile(agent.Reconsider, t.Agent, r.Visits(agent.Review)), append(panelInputs(r), t.Writes))
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

// isRevision reports whether the work is done again for what reviewers have said
// of it, whoever has sent it back.
func isRevision(r flow.Run) bool { return r.Visits(Verdict) > 0 }

// gateVerdict follows the count. A workflow without a stage to go back to only
// tells what it came to.
func gateVerdict(back string) func(flow.Run) flow.Verdict {
	return func(r flow.Run) flow.Verdict {
		most := staged.Revisions
		if staged.Of(r.Setup.Own) != nil {
			most = staged.Of(r.Setup.Own).Revisions
		}
		ruling := staged.Judge(staged.Review, output(r.Tasks[0]), staged.GateInput{Revisions: Revisions(r), MaxRevisions: most})
		why := failureReason(r.Tasks[0], ruling.Reason)
		switch {
		case ruling.Pass:
			return flow.Verdict{Move: flow.Done, Reason: ruling.Reason}
		case back == "":
			return flow.Verdict{Move: flow.Done, Reason: "the reviewers do not approve: " + why}
		case ruling.Revise && r.Refused == "":
			return flow.Verdict{Move: flow.Jump, To: back, Reason: ruling.Reason}
		}
		return gateFailed(staged.Review, why)
	}
}
