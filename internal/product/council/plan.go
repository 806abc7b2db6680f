package council

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// Plan is the stage in which the question is split into those to be answered.
const Plan = agent.Plan

// Names of what planning leaves in the run's folder.
const (
	QuestionsFile = "questions.json" // the planner's answer
	EditFile      = "plan.txt"       // the questions for a person to edit
)

// planTries is how often a planner is asked: once, and once more with what was wrong.
const planTries = 2

// withPlanning puts the planning before a council's research, where somebody is to plan
// or to edit.
func withPlanning(w flow.Workflow, s flow.Setup) flow.Workflow {
	if s.Planner == nil && !s.EditPlan {
		return w
	}
	stage := flow.Stage{Name: Plan, Title: "Plan", Part: partPlan, Plan: planQuestions, Gate: gatePlan, Visits: 1, Spent: flow.Next}
	w.Stages, w.Planned = append([]flow.Stage{stage}, w.Stages...), ""
	w.Status = func(r flow.Run) flow.Own { p := PlanOf(r); return OwnQuestions(p.Title, p.Questions, p.PlannedBy) }
	w.Asks = func(flow.Run) (string, bool) { return EditFile, true }
	w.Unfinishable = func(r flow.Run) string {
		if AsksToEdit(r) {
			return "nothing has been researched yet"
		}
		return ""
	}
	return w
}

// AsksToEdit reports whether what the run waits for is a person's word on its planned
// questions.
func AsksToEdit(r flow.Run) bool { return !r.Asked.IsZero() && r.Stage == Plan }

// planQuestions asks the planner, where there is one.
func planQuestions(r flow.Run) []flow.Task {
	s := r.Setup.Planner
	if s == nil {
		return nil
	}
	return []flow.Task{{
		Seat: s.Name, Brand: s.Brand, Role: agent.Plan, Free: s.Free, Writes: QuestionsFile, Clean: true,
		Rule: loop.Rule{Iterations: planTries, Retries: 1, Stuck: planTries},
	}}
}

// gatePlan goes on whoever has planned, and waits only for a person who has asked to
// edit.
func gatePlan(r flow.Run) flow.Verdict {
	if r.Setup.EditPlan && r.Input == nil {
		return flow.Verdict{Move: flow.Ask, Reason: "the planned questions wait to be edited"}
	}
	return flow.Verdict{Move: flow.Next}
}

// planned is what a council says of its questions in a fact.
type planned struct {
	Title     string           `json:"title,omitempty"`
	Questions []scope.Question `json:"questions"`
	By        string           `json:"by,omitempty"`
}

// OwnQuestions are planned questions with the topic's title, "" for none, as a fact has
// them.
func OwnQuestions(title string, questions []scope.Question, by string) flow.Own {
	return flow.Hold(councilName, &planned{title, questions, by})
}

// ByPerson is who has edited the questions.
const ByPerson = "a person"

// PlanOf is a run's plan with the questions as they stand: a person's, else the
// planner's, else those of the rules.
func PlanOf(r flow.Run) scope.Plan {
	p := r.Setup.Plan
	for _, e := range slices.Backward(r.Edits) {
		if q := flow.Held[planned](e.Own, councilName); q != nil {
			p.Title, p.Questions, p.PlannedBy = q.Title, q.Questions, q.By
			return p
		}
	}
	for _, t := range r.LastTasks(Plan) {
		switch {
		case !t.Ended():
		case t.Outcome.Good() && t.Found != nil && flow.Held[planned](t.Found.Own, councilName) != nil:
			q := flow.Held[planned](t.Found.Own, councilName)
			p.Title, p.Questions, p.PlannedBy = q.Title, q.Questions, q.By
		default:
			p.Unplanned = strings.TrimSpace(t.Reason)
		}
	}
	return p
}

// PlannedText says in one line who has made a plan's questions.
func PlannedText(p scope.Plan) string {
	n := len(p.Questions) - 1
	text := "The question as a whole"
	if n > 0 {
		text = "The question in " + plural.Of(n, "part")
	}
	switch {
	case p.PlannedBy != "":
		return text + ", planned by " + p.PlannedBy
	case p.Unplanned != "":
		return text + " by rules, for nobody has planned it: " + p.Unplanned
	}
	return text + " by rules"
}
