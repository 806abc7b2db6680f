package staged

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
)

// Stages of staged research that are not named by their role.
const (
	Gathering = "gathering" // registers the facts and looks for their quotations
	Delivery  = "delivery"  // renders the report and hands it over
)

// Names of what staged research publishes in its run's folder.
const (
	Name           = "staged"
	QuestionsFile  = "questions.json"
	BriefFile      = "brief.json"
	PlanningFile   = "planning.json"
	CollectionFile = "collection.json"
	FactcheckFile  = "factcheck.json"
	FindingsFile   = "synthesis.json"
	AdvocateFile   = "devils_advocate.json"
	DeliveryFile   = "report.json"
	StateFile      = "state.json" // the run for people and programs, as [State]
)

// AnswersFile is the name of what a person has answered, the n-th time.
func AnswersFile(n int) string { return fmt.Sprintf("answers-%d.json", n) }

// CollectionAnswerFile is the name of what an agent of the collection has brought.
func CollectionAnswerFile(agent string) string { return "collection-" + agent + ".json" }

// maxSeats bounds how many seats are asked for one answer, one after another.
const maxSeats = 3

// Workflow is research in eight stages with a gate behind each. Where a person
// has to answer it waits for them. The review may send it back to the
// synthesis; everything after that is made anew.
func Workflow() flow.Workflow {
	stage := func(name, part string, plan func(flow.Run) []flow.Task, gate func(flow.Run) flow.Verdict) flow.Stage {
		return flow.Stage{Name: name, Part: part, Phase: part, Plan: plan, Gate: gate, Visits: flow.Revisits, Spent: flow.Fail}
	}
	w := flow.Workflow{Name: Name, Finish: finish, Heeds: true, Reopens: true, Rewrites: endedEarly, Unfinishable: whyUnfinishable, Asks: shownFile, Status: currentStatus, Line: logLine, Stages: []flow.Stage{
		stage(agent.Questions, Discovery, planAnswer(agent.Questions, QuestionsFile, readsNothing), gateQuestions),
		stage(agent.Brief, Discovery, planAnswer(agent.Brief, BriefFile, readsAnswers), gateBrief),
		stage(agent.Planning, Planning, planAnswer(agent.Planning, PlanningFile, readsFiles(BriefFile)), gateAnswer(Planning)),
		stage(agent.Collection, Collection, planCollection, gateCollection),
		stage(Gathering, Factcheck, flow.PlanProgram(Gathering, CollectionFile), flow.GateProgram),
		stage(council.Support, Factcheck, council.PlanSupport(council.AllJudges), council.GateSupport),
		stage(Factcheck, Factcheck, flow.PlanProgram(Factcheck, FactcheckFile), gateFactcheck),
		stage(agent.Findings, Synthesis, planAnswer(agent.Findings, FindingsFile, panel.RevisionReads(BriefFile, FactcheckFile, claim.RegistryFile)), gateAnswer(Synthesis)),
		stage(agent.Advocate, DevilsAdvocate, planAdvocate, gateAnswer(DevilsAdvocate)),
		stage(agent.Prose, Report, planProse, gateProse),
		stage(Delivery, Report, planDelivery, gateDelivery),
	}}
	return panel.Course{
		Part: Review, Back: agent.Findings, Reads: []string{flow.FinalReport, FactcheckFile, BriefFile}, Revisions: mostRevisions,
	}.Behind(w)
}

// readsNothing, reading, answered and revised say what a task reads.
func readsNothing(flow.Run) []string { return nil }

func readsFiles(names ...string) func(flow.Run) []string {
	return func(flow.Run) []string { return slices.Clone(names) }
}

func readsAnswers(r flow.Run) []string {
	names := []string{QuestionsFile}
	for _, in := range slices.Backward(r.Given) {
		if in.File != "" {
			return append(names, in.File)
		}
	}
	return names
}

// planAnswer asks one seat for an answer; each further visit in a row asks
// another one.
func planAnswer(role, writes string, reads func(flow.Run) []string) func(flow.Run) []flow.Task {
	return func(r flow.Run) []flow.Task {
		return []flow.Task{flow.AnswerTask(flow.NextSeat(r, role, flow.Writers(r.Setup)), role, writes, reads(r))}
	}
}

// output is what the program measured of a task; nothing is the zero value.
func output(t flow.TaskState) Output {
	if t.Found == nil || OutputOf(t.Found.Own) == nil || !t.Outcome.Good() {
		return Output{}
	}
	return *OutputOf(t.Found.Own)
}

// latest is what was measured in the last visit to a stage.
func latest(r flow.Run, stage string) Output {
	if tasks := r.LastTasks(stage); len(tasks) > 0 {
		return output(tasks[0])
	}
	return Output{}
}

// gateAnswer judges a stage of one answer. Where it does not hold, another
// seat is asked.
func gateAnswer(stage string) func(flow.Run) flow.Verdict {
	return func(r flow.Run) flow.Verdict {
		ruling := Judge(stage, output(r.Tasks[0]), GateInput{})
		if ruling.Pass {
			return flow.Verdict{Move: flow.Next, Reason: ruling.Reason}
		}
		return againOrFail(r, stage, flow.FailureReason(r.Tasks[0], ruling.Reason))
	}
}

// againOrFail asks the next seat, while there is one.
func againOrFail(r flow.Run, stage, reason string) flow.Verdict {
	if n := flow.Attempts(r, r.Stage); n < min(len(flow.Writers(r.Setup)), maxSeats) && r.Refused == "" {
		return flow.Verdict{Move: flow.Again, Reason: reason}
	}
	return flow.GateFailed(stage, reason)
}

// gateQuestions waits for the person's answers.
func gateQuestions(r flow.Run) flow.Verdict {
	n := output(r.Tasks[0]).Questions
	switch {
	case n == 0:
		return againOrFail(r, Discovery, flow.FailureReason(r.Tasks[0], "there are no questions"))
	case r.Input == nil:
		return flow.Verdict{Move: flow.Ask, Reason: plural.Forms(n, "question waits for answers", "questions wait for answers")}
	}
	return flow.Verdict{Move: flow.Next}
}

// gateBrief waits for the person's word. Answers instead of a confirmation
// have the brief made anew.
func gateBrief(r flow.Run) flow.Verdict {
	given := GateInput{Confirmed: r.Input != nil && r.Input.Confirmed}
	ruling := Judge(Discovery, output(r.Tasks[0]), given)
	switch {
	case !output(r.Tasks[0]).Brief:
		return againOrFail(r, Discovery, flow.FailureReason(r.Tasks[0], ruling.Reason))
	case ruling.Pass:
		return flow.Verdict{Move: flow.Next, Reason: "the brief is confirmed"}
	case r.Input == nil:
		return flow.Verdict{Move: flow.Ask, Reason: ruling.Reason}
	}
	return flow.Verdict{Move: flow.Again, Reason: "the person has added to their answers"}
}

// planned are the agents of the collection.
func planned(r flow.Run) []Assignment {
	agents := latest(r, agent.Planning).Agents
	return agents[:min(len(agents), Of(r.Setup.Own).Agents)]
}

// CollectedTasks are the tasks of the collection that have brought something, one
// for each agent, whatever visit it was.
func CollectedTasks(r flow.Run) []flow.TaskState {
	var list []flow.TaskState
	visits := append(r.History[:len(r.History):len(r.History)], flow.Visit{Stage: r.Stage, Tasks: r.Tasks})
	for _, v := range visits {
		if v.Stage == agent.Planning {
			list = nil
		}
		if v.Stage != agent.Collection {
			continue
		}
		for _, t := range v.Tasks {
			if hasFacts(t) {
				list = append(list, t)
			}
		}
	}
	return list
}

// EmptyTasks are the last tasks of those agents of the collection that have brought
// nothing.
func EmptyTasks(r flow.Run) []flow.TaskState {
	done := map[string]bool{}
	for _, t := range CollectedTasks(r) {
		done[t.Agent] = true
	}
	var list []flow.TaskState
	for _, t := range r.LastTasks(agent.Collection) {
		if !done[t.Agent] {
			list = append(list, t)
		}
	}
	return list
}

// hasFacts reports whether an agent has found facts: insights alone can be held
// against nothing.
func hasFacts(t flow.TaskState) bool { return output(t).Facts > 0 }

// planCollection deals the plan's agents that have brought nothing yet to the
// seats that can search.
func planCollection(r flow.Run) []flow.Task {
	seats := searchSeats(r.Setup)
	done := map[string]bool{}
	for _, t := range CollectedTasks(r) {
		done[t.Agent] = true
	}
	var tasks []flow.Task
	for i, a := range planned(r) {
		if done[a.ID] {
			continue
		}
		s := seats[(i+flow.Attempts(r, agent.Collection))%len(seats)] // another one where it was in vain
		t := flow.AnswerTask(s, agent.Collection, CollectionAnswerFile(a.ID), []string{BriefFile, PlanningFile})
		t.Agent, t.Reserved = a.ID, false
		tasks = append(tasks, t)
	}
	return tasks
}

// searchSeats are the seats that can look for sources, where there are any: those with
// a search of their own, and those with a model where the desk has one.
func searchSeats(s flow.Setup) []flow.Seat {
	var list []flow.Seat
	for _, seat := range s.Seats {
		if seat.HasModel() && (seat.Kind != "chat" || len(s.Network.Search) > 0) {
			list = append(list, seat)
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, seat := range s.Seats {
		if !seat.HasModel() {
			list = append(list, seat)
		}
	}
	if len(list) > 0 {
		return list
	}
	return s.Seats
}

// gateCollection is content with 60 % of the agents; with fewer, the others are
// given to other seats once.
func gateCollection(r flow.Run) flow.Verdict {
	ruling := Judge(Collection, Output{Planned: len(planned(r)), Returned: len(CollectedTasks(r))}, GateInput{})
	if ruling.Pass {
		return flow.Verdict{Move: flow.Next, Reason: ruling.Reason}
	}
	if flow.Attempts(r, agent.Collection) < 2 && r.Refused == "" {
		return flow.Verdict{Move: flow.Again, Reason: ruling.Reason}
	}
	why := []string{ruling.Reason}
	for _, t := range r.Tasks {
		if !hasFacts(t) {
			why = append(why, t.Agent+" ("+flow.FailureReason(t, "it brought nothing")+")")
		}
	}
	return flow.GateFailed(Collection, strings.Join(why, "; "))
}

func gateFactcheck(r flow.Run) flow.Verdict {
	ruling := Judge(Factcheck, output(r.Tasks[0]), GateInput{})
	if ruling.Pass {
		return flow.Verdict{Move: flow.Next, Reason: ruling.Reason}
	}
	return flow.GateFailed(Factcheck, flow.FailureReason(r.Tasks[0], ruling.Reason))
}

// planAdvocate asks a family that has not written the synthesis, where there
// is one.
func planAdvocate(r flow.Run) []flow.Task {
	author := ""
	for _, t := range flow.GoodTasks(r, agent.Findings) {
		author = t.Brand
	}
	seats := flow.Writers(r.Setup)
	slices.SortStableFunc(seats, func(a, b flow.Seat) int {
		return advocateRank(a, author) - advocateRank(b, author)
	})
	return []flow.Task{flow.AnswerTask(flow.NextSeat(r, agent.Advocate, seats), agent.Advocate, AdvocateFile, []string{FactcheckFile, FindingsFile, claim.RegistryFile})}
}

// advocateRank puts rivals of an author before its own family, and what has no model
// last.
func advocateRank(s flow.Seat, author string) int {
	switch {
	case !s.HasModel():
		return 2
	case s.Brand == author:
		return 1
	}
	return 0
}

// planProse asks for the report's text. A report that was too thin is written
// anew by the same seat, once more by another.
func planProse(r flow.Run) []flow.Task {
	seats := flow.Writers(r.Setup)
	s := seats[drafts(r)%min(len(seats), maxSeats)]
	return []flow.Task{flow.AnswerTask(s, agent.Prose, council.SynthesisFile, panel.RevisionReads(BriefFile, FindingsFile, AdvocateFile, FactcheckFile, claim.RegistryFile)(r))}
}

// drafts counts the report's texts since the last synthesis, or since a person
// let the run go on.
func drafts(r flow.Run) int {
	n := 0
	visits := append(r.History[:len(r.History):len(r.History)], flow.Visit{Stage: r.Stage, Heard: r.Input != nil})
	for i := len(visits) - 1; i >= 0 && visits[i].Stage != agent.Advocate && !visits[i].Heard; i-- {
		if visits[i].Stage == agent.Prose {
			n++
		}
	}
	return n
}

func gateProse(r flow.Run) flow.Verdict {
	t := r.Tasks[0]
	switch {
	case t.Outcome.Good():
		return flow.Verdict{Move: flow.Next}
	case drafts(r) < Deliveries && r.Refused == "":
		return flow.Verdict{Move: flow.Again, Reason: flow.FailureReason(t, "")}
	}
	return flow.GateFailed(Report, flow.FailureReason(t, "there is no text"))
}

// planDelivery has the report rendered and delivered, with as many tries as
// that is worth.
func planDelivery(r flow.Run) []flow.Task {
	tasks := flow.PlanProgram(Delivery, DeliveryFile)(r)
	tasks[0].Rule.Retries = Deliveries - 1
	return tasks
}

// gateDelivery has a thin report written once more.
func gateDelivery(r flow.Run) flow.Verdict {
	o := output(r.Tasks[0])
	ruling := Judge(Report, o, GateInput{})
	delivered := o.Report != nil && o.Report.Problem == ""
	switch {
	case ruling.Pass:
		return flow.Verdict{Move: flow.Next, Reason: ruling.Reason}
	case delivered && drafts(r) < Deliveries && r.Refused == "":
		return flow.Verdict{Move: flow.Jump, To: agent.Prose, Reason: ruling.Reason}
	}
	return flow.GateFailed(Report, flow.FailureReason(r.Tasks[0], ruling.Reason))
}

// finish goes on with the facts that were brought, however few.
func finish(r flow.Run, own flow.Verdict) flow.Verdict {
	if r.Stage == agent.Collection || r.Stage == Factcheck {
		return flow.Proceed(r, own)
	}
	return panel.Finish(r, own)
}

// mostRevisions is how often reviewers may send the work back.
func mostRevisions(s flow.Setup) int {
	if Of(s.Own) == nil {
		return panel.DefaultRevisions
	}
	return Of(s.Own).Revisions
}

// WorkflowOf is the workflow of a run of staged research; false where the run
// is none.
func WorkflowOf(s flow.Setup) (flow.Workflow, bool) {
	return Workflow(), Of(s.Own) != nil
}

// whyUnfinishable says why a run cannot finish early: what is only asked about has
// nothing to be written down.
func whyUnfinishable(r flow.Run) string {
	if r.Visits(agent.Collection) == 0 {
		return "nothing has been researched yet"
	}
	return ""
}

// ReopenStage is the stage staged research that has ended goes on with: the
// one it ended in. What reviewers have rejected goes back to the synthesis; where
// too few of them have answered, they are asked again, and where nothing was
// verified the judges are.
func ReopenStage(r flow.Run) string {
	count, _ := panel.LastCount(r)
	switch {
	case r.Stage == Factcheck: // judges are asked again
		return Gathering
	case r.Stage != panel.Verdict:
		return r.Stage
	case count.Verdict == panel.NoQuorum:
		return agent.Review
	case count.Verdict == panel.Unverified:
		return Gathering
	}
	return agent.Findings
}

// endedEarly reports whether the report is written once more, to say that the run
// has not come to its end.
func endedEarly(s flow.Status) (again, says bool) { return s != flow.Completed, true }
