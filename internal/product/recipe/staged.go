package recipe

import (
	"fmt"
	"slices"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/loop"
	"research-council/internal/product/staged"
)

// Stages of staged research that are not named by their role.
const (
	Gathering = "gathering" // registers the facts and looks for their quotations
	Factcheck = "factcheck" // counts what is verified
	Delivery  = "delivery"  // renders the report and hands it over
)

// Names of what staged research publishes in its run's folder.
const (
	StagedName     = "staged"
	QuestionsFile  = "questions.json"
	BriefFile      = "brief.json"
	PlanningFile   = "planning.json"
	CollectionFile = "collection.json"
	FactcheckFile  = "factcheck.json"
	FindingsFile   = "synthesis.json"
	AdvocateFile   = "devils_advocate.json"
	DeliveryFile   = "report.json"
	StateFile      = "state.json" // the run for people and programs, as [staged.State]
)

// AnswersFile is the name of what a person has answered, the n-th time.
func AnswersFile(n int) string { return fmt.Sprintf("answers-%d.json", n) }

// CollectionAnswerFile is the name of what an agent of the collection has brought.
func CollectionAnswerFile(agent string) string { return "collection-" + agent + ".json" }

// revisits bounds how often a stage is entered: gates end a run long before.
const revisits = 100

// maxSeats bounds how many seats are asked for one answer, one after another.
const maxSeats = 3

// Staged is research in eight stages with a gate behind each. Where a person
// has to answer it waits for them. The review may send it back to the
// synthesis; everything after that is made anew.
func Staged() flow.Workflow {
	stage := func(name, part string, plan func(flow.Run) []flow.Task, gate func(flow.Run) flow.Verdict) flow.Stage {
		return flow.Stage{Name: name, Part: part, Phase: part, Plan: plan, Gate: gate, Visits: revisits, Spent: flow.Fail}
	}
	w := flow.Workflow{Name: StagedName, Finish: finishStaged, Reopens: true, Asks: stagedAsks, Status: stagedStatus, Line: stagedLine, Stages: []flow.Stage{
		stage(agent.Questions, staged.Discovery, planAnswer(agent.Questions, QuestionsFile, readsNothing), gateQuestions),
		stage(agent.Brief, staged.Discovery, planAnswer(agent.Brief, BriefFile, readsAnswers), gateBrief),
		stage(agent.Planning, staged.Planning, planAnswer(agent.Planning, PlanningFile, readsFiles(BriefFile)), gateAnswer(staged.Planning)),
		stage(agent.Collection, staged.Collection, planCollection, gateCollection),
		stage(Gathering, staged.Factcheck, planProgram(Gathering, CollectionFile), gateProgram),
		stage(Support, staged.Factcheck, planSupport, alwaysNext),
		stage(Factcheck, staged.Factcheck, planProgram(Factcheck, FactcheckFile), gateFactcheck),
		stage(agent.Findings, staged.Synthesis, planAnswer(agent.Findings, FindingsFile, readsWithRevision(BriefFile, FactcheckFile, RegistryFile)), gateAnswer(staged.Synthesis)),
		stage(agent.Advocate, staged.DevilsAdvocate, planAdvocate, gateAnswer(staged.DevilsAdvocate)),
		stage(agent.Prose, staged.Report, planProse, gateProse),
		stage(Delivery, staged.Report, planDelivery, gateDelivery),
	}}
	return withPanel(w, staged.Review, agent.Findings)
}

// gateFailed is how a run ends that a gate has not let through.
func gateFailed(stage, reason string) flow.Verdict {
	return flow.Verdict{Move: flow.Fail, Reason: "Gate failed: " + stage + " — " + reason}
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

// readsWithRevision adds the reviewers' brief where they have sent the work back.
func readsWithRevision(names ...string) func(flow.Run) []string {
	return func(r flow.Run) []string {
		if !isRevision(r) {
			return slices.Clone(names)
		}
		return append(slices.Clone(names), RevisionFile)
	}
}

// planAnswer asks one seat for an answer; each further visit in a row asks
// another one.
func planAnswer(role, writes string, reads func(flow.Run) []string) func(flow.Run) []flow.Task {
	return func(r flow.Run) []flow.Task {
		return []flow.Task{answerTask(nextSeat(r, role, Writers(r)), role, writes, reads(r))}
	}
}

// answerTask is a task that ends with one answer: a first attempt and two that
// mend it.
func answerTask(s flow.Seat, role, writes string, reads []string) flow.Task {
	return flow.Task{
		Seat: s.Name, Brand: s.Brand, Role: role, Free: s.Free, Reads: reads, Writes: writes, Clean: true,
		Rule: loop.Rule{Iterations: 3, Retries: 2, Stuck: 3}, Reserved: role != agent.Collection,
	}
}

// Writers are the seats that may answer for the run, in the order to ask them:
// those with a model first.
func Writers(r flow.Run) []flow.Seat {
	var thinking, rest []flow.Seat
	for _, s := range r.Setup.Seats {
		if s.HasModel() {
			thinking = append(thinking, s)
			continue
		}
		rest = append(rest, s)
	}
	return append(thinking, rest...)
}

// nextSeat is the seat whose turn it is in a row of visits to a stage.
func nextSeat(r flow.Run, stage string, seats []flow.Seat) flow.Seat {
	return seats[attempts(r, stage)%len(seats)]
}

// attempts counts the visits to a stage that the run has made in a row, up to
// now, since a person was last heard there.
func attempts(r flow.Run, stage string) int {
	if r.Stage != stage || r.Input != nil {
		return 0
	}
	n := 1
	for i := len(r.History) - 1; i >= 0 && r.History[i].Stage == stage && !r.History[i].Heard; i-- {
		n++
	}
	return n
}

// output is what the program measured of a task; nothing is the zero value.
func output(t flow.TaskState) staged.Output {
	if t.Found == nil || staged.OutputOf(t.Found.Own) == nil || !t.Outcome.Good() {
		return staged.Output{}
	}
	return *staged.OutputOf(t.Found.Own)
}

// latest is what was measured in the last visit to a stage.
func latest(r flow.Run, stage string) staged.Output {
	if tasks := r.LastTasks(stage); len(tasks) > 0 {
		return output(tasks[0])
	}
	return staged.Output{}
}

// gateAnswer judges a stage of one answer. Where it does not hold, another
// seat is asked.
func gateAnswer(stage string) func(flow.Run) flow.Verdict {
	return func(r flow.Run) flow.Verdict {
		ruling := staged.Judge(stage, output(r.Tasks[0]), staged.GateInput{})
		if ruling.Pass {
			return flow.Verdict{Move: flow.Next, Reason: ruling.Reason}
		}
		return againOrFail(r, stage, failureReason(r.Tasks[0], ruling.Reason))
	}
}

// failureReason is why a stage has not come to what it is for: the task's own fault,
// or what the gate found.
func failureReason(t flow.TaskState, reason string) string {
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

// againOrFail asks the next seat, while there is one.
func againOrFail(r flow.Run, stage, reason string) flow.Verdict {
	if n := attempts(r, r.Stage); n < min(len(Writers(r)), maxSeats) && r.Refused == "" {
		return flow.Verdict{Move: flow.Again, Reason: reason}
	}
	return gateFailed(stage, reason)
}

// gateQuestions waits for the person's answers.
func gateQuestions(r flow.Run) flow.Verdict {
	n := output(r.Tasks[0]).Questions
	switch {
	case n == 0:
		return againOrFail(r, staged.Discovery, failureReason(r.Tasks[0], "there are no questions"))
	case r.Input == nil:
		return flow.Verdict{Move: flow.Ask, Reason: fmt.Sprintf("%d questions wait for answers", n)}
	}
	return flow.Verdict{Move: flow.Next}
}

// gateBrief waits for the person's word. Answers instead of a confirmation
// have the brief made anew.
func gateBrief(r flow.Run) flow.Verdict {
	given := staged.GateInput{Confirmed: r.Input != nil && r.Input.Confirmed}
	ruling := staged.Judge(staged.Discovery, output(r.Tasks[0]), given)
	switch {
	case !output(r.Tasks[0]).Brief:
		return againOrFail(r, staged.Discovery, failureReason(r.Tasks[0], ruling.Reason))
	case ruling.Pass:
		return flow.Verdict{Move: flow.Next, Reason: "the brief is confirmed"}
	case r.Input == nil:
		return flow.Verdict{Move: flow.Ask, Reason: ruling.Reason}
	}
	return flow.Verdict{Move: flow.Again, Reason: "the person has added to their answers"}
}

// planned are the agents of the collection.
func planned(r flow.Run) []staged.Assignment {
	agents := latest(r, agent.Planning).Agents
	return agents[:min(len(agents), staged.Of(r.Setup.Own).Agents)]
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
	seats := searchSeats(r)
	done := map[string]bool{}
	for _, t := range CollectedTasks(r) {
		done[t.Agent] = true
	}
	var tasks []flow.Task
	for i, a := range planned(r) {
		if done[a.ID] {
			continue
		}
		s := seats[(i+attempts(r, agent.Collection))%len(seats)] // another one where it was in vain
		t := answerTask(s, agent.Collection, CollectionAnswerFile(a.ID), []string{BriefFile, PlanningFile})
		t.Agent = a.ID
		tasks = append(tasks, t)
	}
	return tasks
}

// searchSeats are the seats that can look for sources: those that are more than
// a model's voice, where there are any.
func searchSeats(r flow.Run) []flow.Seat {
	var list []flow.Seat
	for _, s := range r.Setup.Seats {
		if s.Kind != "chat" && s.HasModel() {
			list = append(list, s)
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, s := range r.Setup.Seats {
		if !s.HasModel() {
			list = append(list, s)
		}
	}
	if len(list) > 0 {
		return list
	}
	return r.Setup.Seats
}

// gateCollection is content with 60 % of the agents; with fewer, the others are
// given to other seats once.
func gateCollection(r flow.Run) flow.Verdict {
	ruling := staged.Judge(staged.Collection, staged.Output{Planned: len(planned(r)), Returned: len(CollectedTasks(r))}, staged.GateInput{})
	if ruling.Pass {
		return flow.Verdict{Move: flow.Next, Reason: ruling.Reason}
	}
	if attempts(r, agent.Collection) < 2 && r.Refused == "" {
		return flow.Verdict{Move: flow.Again, Reason: ruling.Reason}
	}
	why := []string{ruling.Reason}
	for _, t := range r.Tasks {
		if !hasFacts(t) {
			why = append(why, t.Agent+" ("+failureReason(t, "it brought nothing")+")")
		}
	}
	return gateFailed(staged.Collection, strings.Join(why, "; "))
}

// gateProgram fails where the program's own work has.
func gateProgram(r flow.Run) flow.Verdict {
	if t := r.Tasks[0]; !t.Outcome.Good() {
		return flow.Verdict{Move: flow.Fail, Reason: t.Reason}
	}
	return flow.Verdict{Move: flow.Next}
}

func gateFactcheck(r flow.Run) flow.Verdict {
	ruling := staged.Judge(staged.Factcheck, output(r.Tasks[0]), staged.GateInput{})
	if ruling.Pass {
		return flow.Verdict{Move: flow.Next, Reason: ruling.Reason}
	}
	return gateFailed(staged.Factcheck, failureReason(r.Tasks[0], ruling.Reason))
}

// planAdvocate asks a family that has not written the synthesis, where there
// is one.
func planAdvocate(r flow.Run) []flow.Task {
	author := ""
	for _, t := range goodTasks(r, agent.Findings) {
		author = t.Brand
	}
	seats := Writers(r)
	slices.SortStableFunc(seats, func(a, b flow.Seat) int {
		return advocateRank(a, author) - advocateRank(b, author)
	})
	return []flow.Task{answerTask(nextSeat(r, agent.Advocate, seats), agent.Advocate, AdvocateFile, []string{FactcheckFile, FindingsFile, RegistryFile})}
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
	seats := Writers(r)
	s := seats[drafts(r)%min(len(seats), maxSeats)]
	return []flow.Task{answerTask(s, agent.Prose, SynthesisFile, readsWithRevision(BriefFile, FindingsFile, AdvocateFile, FactcheckFile, RegistryFile)(r))}
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
	case drafts(r) < staged.Deliveries && r.Refused == "":
		return flow.Verdict{Move: flow.Again, Reason: failureReason(t, "")}
	}
	return gateFailed(staged.Report, failureReason(t, "there is no text"))
}

// planDelivery has the report rendered and delivered, with as many tries as
// that is worth.
func planDelivery(r flow.Run) []flow.Task {
	tasks := planProgram(Delivery, DeliveryFile)(r)
	tasks[0].Rule.Retries = staged.Deliveries - 1
	return tasks
}

// gateDelivery has a thin report written once more.
func gateDelivery(r flow.Run) flow.Verdict {
	o := output(r.Tasks[0])
	ruling := staged.Judge(staged.Report, o, staged.GateInput{})
	delivered := o.Report != nil && o.Report.Problem == ""
	switch {
	case ruling.Pass:
		return flow.Verdict{Move: flow.Next, Reason: ruling.Reason}
	case delivered && drafts(r) < staged.Deliveries && r.Refused == "":
		return flow.Verdict{Move: flow.Jump, To: agent.Prose, Reason: ruling.Reason}
	}
	return gateFailed(staged.Report, failureReason(r.Tasks[0], ruling.Reason))
}
