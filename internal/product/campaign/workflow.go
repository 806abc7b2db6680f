package campaign

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
)

// Stages of a campaign. A worker's iteration and the program's measuring of it
// take turns; the worker's stages bear the names of its roles.
const (
	Adopt    = "adopt"    // what is there already: a feature list
	Gather   = "gather"   // takes in what an iteration of research has found
	Publish  = "publish"  // the end of the research: report and PDF
	Hear     = "hear"     // takes in what critics say of the plan
	Settle   = "settle"   // takes in the plan
	Handover = "handover" // the end of the planning: plan and PDF
	Enlist   = "enlist"   // takes in the feature list
	Baseline = "baseline" // runs the project's tests before anything is built
	Test     = "test"     // runs the project's tests on what was built, and counts them
	Keep     = "keep"     // commits what was judged good, sets aside what was not
	Close    = "close"    // the end: final PDFs
)

// Names of what a campaign keeps in its run's folder.
const (
	FeatureFile   = Features
	PlanText      = "plan.md"     // the plan as it stands, for those who criticise it
	CriticismFile = "issues.json" // what critics have said of it
	ChangeText    = "change.md"   // what a critic is shown of a change
	WordFile      = "word.json"   // what a person has said of a change nobody else could judge
)

// JudgementFile is the name of what a critic says in the n-th judgement.
func JudgementFile(n int) string { return fmt.Sprintf("judgement-%d.json", n) }

// Bounds of a campaign that no option sets.
const (
	maxBreakdowns  = 5   // attempts at a feature list
	mostFailures   = 5   // iterations in a row that leave nothing
	measureRetries = 13  // faults in a row of the program's own work: half an hour with their pauses
	outageRetries  = 300 // faults in a row: with pauses of five minutes at most a day's outage
)

// PhaseOf is the phase a stage belongs to; "" for the end. A plan that is there
// already is criticised in the phase that implements it.
func PhaseOf(m Mode, stage string) Phase {
	switch stage {
	case agent.Explore, Gather, agent.Conclude, Publish:
		return PhaseA
	case agent.Critique, Hear:
		if m == Implement {
			return PhaseC
		}
		return PhaseB
	case agent.Design, Settle, Handover:
		return PhaseB
	case Adopt, agent.Breakdown, Enlist, Baseline, agent.Code, Test, agent.Judge, Keep:
		return PhaseC
	}
	return ""
}

// Workflow is the workflow of a mode.
func Workflow(m Mode) flow.Workflow {
	research := []flow.Stage{
		iteration(agent.Explore, planExplore, gateExplore),
		programStage(Gather, claim.RegistryFile, gateGather),
		{Name: agent.Conclude, Phase: agent.Conclude, Plan: planConclude, Gate: flow.AlwaysNext, Visits: flow.UnlimitedVisits, Spent: flow.Next},
		programStage(Publish, claim.RegistryFile, gatePublish),
	}
	criticism := []flow.Stage{
		iteration(agent.Critique, planCritique, gateCritique),
		programStage(Hear, CriticismFile, gateHear),
	}
	planning := append(criticism[:len(criticism):len(criticism)],
		iteration(agent.Design, planWorker(agent.Design), gateWorker(Close)),
		programStage(Settle, PlanText, gateSettle),
		programStage(Handover, PlanText, gatePublish),
	)
	coding := []flow.Stage{
		{Name: agent.Breakdown, Plan: planWorker(agent.Breakdown), Gate: gateWorker(Close), Visits: maxBreakdowns, Spent: flow.Fail},
		programStage(Enlist, FeatureFile, gateEnlist),
		programStage(Baseline, FeatureFile, gateBaseline),
		iteration(agent.Code, planWorker(agent.Code), gateWorker(Test)),
		programStage(Test, FeatureFile, gateTest),
		iteration(agent.Judge, planJudge, flow.AlwaysNext),
		programStage(Keep, FeatureFile, gateKeep),
	}
	var stages []flow.Stage
	for _, p := range m.Phases() {
		switch {
		case p == PhaseA:
			stages = append(stages, research...)
		case p == PhaseB:
			stages = append(stages, planning...)
		case m == Implement:
			stages = append(append(append(stages, programStage(Adopt, FeatureFile, gateAdopt)), criticism...), coding...)
		default:
			stages = append(stages, coding...)
		}
	}
	stages = append(stages, programStage(Close, claim.RegistryFile, gateClose))
	for i := range stages {
		stages[i].Part = string(PhaseOf(m, stages[i].Name))
		if IsIteration(stages[i].Name) {
			stages[i].Title = stages[i].Part
		}
	}
	return flow.Workflow{
		Name: string(m), Finish: finish, Stages: stages, Unscored: m == Implement,
		Finishing: FinishMessage, Ended: endedMessage, Rewrites: always, Kept: keptRecord, Rounds: true, Heeds: true,
		Status: currentStatus, Line: logLine,
	}
}

// iteration is a stage of workers.
func iteration(role string, plan func(flow.Run) []flow.Task, gate func(flow.Run) flow.Verdict) flow.Stage {
	return flow.Stage{Name: role, Plan: plan, Gate: gate, Visits: flow.UnlimitedVisits, Spent: flow.Fail}
}

// programStage is a stage of the program's own.
func programStage(name, writes string, gate func(flow.Run) flow.Verdict) flow.Stage {
	return flow.Stage{Name: name, Plan: planRetriedProgram(name, writes), Gate: gate, Visits: flow.UnlimitedVisits, Spent: flow.Fail}
}

// planRetriedProgram plans one piece of the program's own work, which is tried for
// half an hour: what stands in its way is often in the person's hands.
func planRetriedProgram(name, writes string) func(flow.Run) []flow.Task {
	return func(r flow.Run) []flow.Task {
		tasks := flow.PlanProgram(name, writes)(r)
		tasks[0].Rule.Retries = measureRetries
		return tasks
	}
}

// Worker is the seat that does the iterations: the person's session where it
// owns the campaign, else the first seat.
func Worker(r flow.Run) flow.Seat {
	if r.Setup.Session != "" {
		return flow.HostSeat()
	}
	if len(r.Setup.Seats) == 0 {
		return flow.LibrarianSeat() // nobody is left who could do more
	}
	return r.Setup.Seats[0]
}

// rivalSeats are the seats beside the worker, but for those that are out for good.
func rivalSeats(r flow.Run) []flow.Seat {
	return slices.DeleteFunc(slices.Clone(r.Setup.Seats), func(s flow.Seat) bool { return s.Name == Worker(r).Name || isOutForGood(r, s.Name) })
}

// Critics are who may judge what the worker has done, each in a turn of its
// own: the rivals that have a model, else a fresh context, which is the seat
// set up for it or the worker's own program begun anew. Where nothing but the
// person's session is left, it is that, in a turn of its own.
func Critics(r flow.Run) []flow.Seat {
	list := slices.DeleteFunc(rivalSeats(r), func(s flow.Seat) bool { return s.Kind == flow.LibrarianSeat().Kind })
	worker := Worker(r)
	switch critic := r.Setup.Critic; {
	case len(list) > 0:
		return list
	case worker.Name == flow.Host && critic != nil && !isOutForGood(r, critic.Name):
		return []flow.Seat{*critic}
	}
	return []flow.Seat{worker}
}

// isOutForGood reports whether a seat's last task ended by a fault that stays.
func isOutForGood(r flow.Run, seat string) bool {
	for i := len(r.History); i >= 0; i-- {
		tasks := r.Tasks
		if i < len(r.History) {
			tasks = r.History[i].Tasks
		}
		for _, t := range tasks {
			if t.Seat == seat {
				return t.Loop.Fault != nil && t.Loop.Fault.Class == agent.Terminal && !t.Outcome.Good()
			}
		}
	}
	return false
}

// RecordFile is the name of the record of an iteration.
func RecordFile(role string, visit int) string { return fmt.Sprintf("%s-%d.md", role, visit) }

// iterationTask is one iteration of a seat. Outages are waited for; what an iteration
// leaves is judged by the program's measuring.
func iterationTask(r flow.Run, s flow.Seat, role string) flow.Task {
	t := flow.Task{
		Seat: s.Name, Brand: s.Brand, Role: role, Free: s.Free, Writes: RecordFile(role, r.Visits(role)+1),
		Rule: loop.Rule{Iterations: 1, Retries: outageRetries, Stuck: 1}, Whole: role == agent.Code,
	}
	if role != agent.Critique { // what a person says is for those who do the work
		t.Notes = r.PendingNotes()
	}
	return t
}

func planWorker(role string) func(flow.Run) []flow.Task {
	return func(r flow.Run) []flow.Task { return []flow.Task{iterationTask(r, Worker(r), role)} }
}

// planExplore asks the worker and every rival.
func planExplore(r flow.Run) []flow.Task {
	tasks := planWorker(agent.Explore)(r)
	for _, s := range rivalSeats(r) {
		tasks = append(tasks, iterationTask(r, s, agent.Explore))
	}
	return tasks
}

// planConclude asks the worker for the report's prose. It may use what was
// kept back: what was found is also written down.
func planConclude(r flow.Run) []flow.Task {
	tasks := planWorker(agent.Conclude)(r)
	tasks[0].Reserved, tasks[0].Reads = true, []string{claim.RegistryFile}
	return tasks
}

// planCritique asks the critics for what is wrong with the plan, once there is
// one. Each works in a folder of its own: what it leaves there is its word, and
// nobody else's.
func planCritique(r flow.Run) []flow.Task {
	if r.LastTasks(Settle) == nil && r.LastTasks(Adopt) == nil {
		return nil
	}
	var tasks []flow.Task
	for _, s := range Critics(r) {
		t := iterationTask(r, s, agent.Critique)
		t.Reads, t.Clean = []string{PlanText}, true
		if Of(r.Setup.Own).Mode != Implement { // else there may be none
			t.Reads = append(t.Reads, claim.RegistryFile)
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// gateExplore goes on to the measuring with whatever there is.
func gateExplore(r flow.Run) flow.Verdict {
	if why := hopelessReason(r); why != "" {
		return flow.Verdict{Move: flow.Fail, Reason: why}
	}
	return flow.Verdict{Move: flow.Next}
}

// gateWorker goes on to the measuring, or elsewhere when a limit of the run
// has let no iteration start.
func gateWorker(elsewhere string) func(flow.Run) flow.Verdict {
	return func(r flow.Run) flow.Verdict {
		if r.Refused != "" {
			return flow.Verdict{Move: flow.Jump, To: elsewhere, Reason: r.Refused}
		}
		return gateExplore(r)
	}
}

// hopelessReason says why no further iteration would fare better: every seat is out
// for good, or iterations leave nothing again and again.
func hopelessReason(r flow.Run) string {
	var why []string
	for _, t := range r.Tasks {
		if t.Loop.Fault == nil || t.Loop.Fault.Class != agent.Terminal || t.Outcome.Good() {
			return fruitlessReason(r)
		}
		why = append(why, t.Seat+": "+t.Reason)
	}
	return strings.Join(why, "; ")
}

func fruitlessReason(r flow.Run) string {
	row := 0
	visits := append(r.History[:len(r.History):len(r.History)], flow.Visit{Stage: r.Stage, Tasks: r.Tasks})
	for i := len(visits) - 1; i >= 0 && row < mostFailures; i-- {
		v := visits[i]
		if !IsIteration(v.Stage) || v.Stage == agent.Critique {
			continue
		}
		if slices.ContainsFunc(v.Tasks, func(t flow.TaskState) bool { return t.Outcome.Good() }) {
			return ""
		}
		row++
	}
	if row < mostFailures {
		return ""
	}
	return fmt.Sprintf("%s in a row have left nothing; the last: %s", plural.Of(row, "iteration"), r.Tasks[0].Reason)
}

// IsIteration reports whether a stage is a worker's.
func IsIteration(stage string) bool {
	switch stage {
	case agent.Explore, agent.Conclude, agent.Critique, agent.Design, agent.Breakdown, agent.Code:
		return true
	}
	return false
}

// FolderOf is the folder a seat works in, below those of the run's seats: the
// iterations of a campaign share one, since what they record adds up. A clean
// task, as a critic's, has one no other task has.
func FolderOf(t flow.Task) string {
	if IsIteration(t.Role) && !t.Clean {
		return t.Seat
	}
	return council.FolderOf(t)
}

// gateGather ends the research when it finds little more, or when what it was
// given is spent; the last iteration is kept for the prose.
func gateGather(r flow.Run) flow.Verdict {
	if t := r.Tasks[0]; !t.Outcome.Good() {
		return flow.Verdict{Move: flow.Fail, Reason: t.Reason}
	}
	c, st := *Of(r.Setup.Own), StateOf(r)
	switch {
	case r.Refused != "":
		return flow.Verdict{Move: flow.Next, Reason: r.Refused}
	case st.Iteration >= c.Iterations:
		return flow.Verdict{Move: flow.Jump, To: Publish, Reason: "the iterations are spent"}
	case st.Iteration >= c.Iterations-1:
		return flow.Verdict{Move: flow.Next, Reason: "the iterations are spent"}
	case c.Research > 0 && st.Researching >= c.Research:
		return flow.Verdict{Move: flow.Jump, To: Publish, Reason: "the iteration of research is done"}
	case c.Research > 0 && st.Researching >= c.Research-1:
		return flow.Verdict{Move: flow.Next, Reason: "the " + plural.Forms(c.Research, "iteration of research is done", "iterations of research are done")}
	case c.Research == 0 && st.Low >= c.Threshold:
		return flow.Verdict{Move: flow.Next, Reason: fmt.Sprintf("%d iterations in a row found fewer than %d new findings", st.Low, PoorBelow)}
	}
	return flow.Verdict{Move: flow.Jump, To: agent.Explore}
}

// gatePublish goes on while there are iterations left.
func gatePublish(r flow.Run) flow.Verdict {
	if t := r.Tasks[0]; !t.Outcome.Good() {
		return flow.Verdict{Move: flow.Fail, Reason: t.Reason}
	}
	if r.Refused != "" || noIterationsLeft(r) {
		return flow.Verdict{Move: flow.Jump, To: Close}
	}
	return flow.Verdict{Move: flow.Next}
}

// gateCritique waits for a person where nobody could read a plan that is only
// to be built. A plan that is still being made is read again by itself.
func gateCritique(r flow.Run) flow.Verdict {
	read := slices.ContainsFunc(r.Tasks, func(t flow.TaskState) bool { return t.Outcome.Good() })
	if read || len(r.Tasks) == 0 || r.Refused != "" || Of(r.Setup.Own).Mode != Implement {
		return flow.AlwaysNext(r)
	}
	var why []string
	for _, t := range r.Tasks {
		why = append(why, t.Seat+": "+t.Reason)
	}
	return flow.Verdict{Move: flow.Ask, Reason: fmt.Sprintf("no critic could read the plan (%s); `council campaign resume %s` asks again", strings.Join(why, "; "), Of(r.Setup.Own).Slug)}
}

// gateHear goes on to what mends the plan. Where no iteration is left for that,
// or a list of features has answered the critics, they were heard for the gate
// behind it.
func gateHear(r flow.Run) flow.Verdict {
	c, st := *Of(r.Setup.Own), StateOf(r)
	switch t := r.Tasks[0]; {
	case !t.Outcome.Good():
		return flow.Verdict{Move: flow.Fail, Reason: t.Reason}
	case c.Mode == Implement && r.LastTasks(Enlist) != nil:
		return flow.Verdict{Move: flow.Jump, To: Enlist}
	case c.Mode != Implement && c.Planning > 0 && st.Planning >= c.Planning:
		return flow.Verdict{Move: flow.Jump, To: Settle}
	}
	return flow.Verdict{Move: flow.Next}
}

// justCriticised reports whether critics have just been asked about the plan as it
// stands, whatever came of it.
func justCriticised(r flow.Run) bool {
	return len(r.History) > 0 && r.History[len(r.History)-1].Stage == Hear
}

// planGap says what the plan still needs; "" when nothing.
func planGap(st State) string {
	switch {
	case st.Plan == "":
		return "there is no plan"
	case len(st.Missing) > 0:
		return "the plan has no " + strings.Join(st.Missing, ", no ")
	case len(st.Blockers) > 0:
		return "open blockers: " + strings.Join(st.Blockers, "; ")
	case st.Criticised != st.Plan:
		return "no critic has read the plan as it stands"
	}
	return ""
}

// gateSettle ends the planning when every section is written, a critic has read
// the plan as it stands, no blocker is open and the plan has not changed.
func gateSettle(r flow.Run) flow.Verdict {
	if t := r.Tasks[0]; !t.Outcome.Good() {
		return flow.Verdict{Move: flow.Fail, Reason: t.Reason}
	}
	c, st := *Of(r.Setup.Own), StateOf(r)
	why, done := planGap(st), c.Planning > 0 && st.Planning >= c.Planning
	switch {
	case why == "" && c.Planning == 0 && st.Steady >= c.Stable:
		return flow.Verdict{Move: flow.Next, Reason: "no blocker is open and the plan has stood for " + plural.Of(st.Steady, "iteration")}
	case why == "" && done:
		return flow.Verdict{Move: flow.Next, Reason: "the " + plural.Forms(c.Planning, "iteration of planning is done", "iterations of planning are done")}
	case r.Refused != "" || noIterationsLeft(r) && !done || done && justCriticised(r):
		return flow.Verdict{Move: flow.Jump, To: Close, Reason: strings.TrimSuffix("the planning is not settled: "+why, ": ")}
	}
	return flow.Verdict{Move: flow.Jump, To: agent.Critique}
}

// gateAdopt goes straight to work where a feature list is there.
func gateAdopt(r flow.Run) flow.Verdict {
	t := r.Tasks[0]
	switch {
	case !t.Outcome.Good():
		return flow.Verdict{Move: flow.Fail, Reason: t.Reason}
	case tallyOf(t).Total > 0 && tallyOf(t).Next == "":
		return flow.Verdict{Move: flow.Jump, To: Close}
	case tallyOf(t).Total > 0:
		return flow.Verdict{Move: flow.Jump, To: Baseline}
	}
	return flow.Verdict{Move: flow.Next}
}

// gateEnlist goes to work once there is a list and nothing stands against it.
func gateEnlist(r flow.Run) flow.Verdict {
	t := r.Tasks[0]
	now := tallyOf(t)
	switch {
	case !t.Outcome.Good():
		return flow.Verdict{Move: flow.Fail, Reason: t.Reason}
	case now.Problem == "" && now.Total > 0 && noIterationsLeft(r):
		return flow.Verdict{Move: flow.Jump, To: Close}
	case now.Problem == "" && now.Total > 0:
		return flow.Verdict{Move: flow.Next}
	case r.Refused != "" || noIterationsLeft(r):
		return flow.Verdict{Move: flow.Jump, To: Close}
	case len(now.Blockers) > 0 && now.Total > 0 && !justCriticised(r):
		return flow.Verdict{Move: flow.Jump, To: agent.Critique}
	}
	return flow.Verdict{Move: flow.Jump, To: agent.Breakdown, Reason: now.Problem}
}

// gateBaseline goes to work where the tests are green, or where a person has
// accepted that they are not.
func gateBaseline(r flow.Run) flow.Verdict {
	if v, wait := waitVerdict(r); wait {
		return v
	}
	if tallyOf(r.Tasks[0]).Next == "" || r.Refused != "" || noIterationsLeft(r) {
		return flow.Verdict{Move: flow.Jump, To: Close}
	}
	return flow.Verdict{Move: flow.Next}
}

// gateTest hands what passes to somebody else to judge, and goes on to the next
// feature, or to another attempt, where it does not.
func gateTest(r flow.Run) flow.Verdict {
	if v, wait := waitVerdict(r); wait {
		return v
	}
	if tallyOf(r.Tasks[0]).Judge != "" {
		return flow.Verdict{Move: flow.Next}
	}
	return toNextFeature(r)
}

// gateKeep goes on to the next feature until all are settled.
func gateKeep(r flow.Run) flow.Verdict {
	if r.Input != nil && r.Tasks[0].Outcome.Good() { // a person has said what they make of the change
		return flow.Verdict{Move: flow.Again}
	}
	if v, wait := waitVerdict(r); wait {
		return v
	}
	if tallyOf(r.Tasks[0]).Judge != "" {
		return flow.Verdict{Move: flow.Jump, To: Test, Reason: "the project has changed since it was tested"}
	}
	return toNextFeature(r)
}

func toNextFeature(r flow.Run) flow.Verdict {
	if tallyOf(r.Tasks[0]).Next == "" || r.Refused != "" || noIterationsLeft(r) {
		return flow.Verdict{Move: flow.Jump, To: Close}
	}
	return flow.Verdict{Move: flow.Jump, To: agent.Code}
}

// waitVerdict is the verdict where the program's work needs a person: it could not
// be done for as long as it was tried, or what it found is theirs to decide.
// What lies in the environment's hands is never the end of a campaign.
func waitVerdict(r flow.Run) (flow.Verdict, bool) {
	t := r.Tasks[0]
	switch {
	case t.Outcome.Good() && tallyOf(t).Ask != "":
		return flow.Verdict{Move: flow.Ask, Reason: tallyOf(t).Ask}, true
	case t.Outcome.Good():
		return flow.Verdict{}, false
	case t.Loop.Fault != nil && t.Loop.Fault.Class == agent.Retryable:
		return flow.Verdict{Move: flow.Ask, Reason: fmt.Sprintf("%s; mend it, then `council campaign resume %s` goes on", t.Reason, Of(r.Setup.Own).Slug)}, true
	}
	return flow.Verdict{Move: flow.Fail, Reason: t.Reason}, true
}

// planJudge asks somebody who has not built the change to judge it, one of
// another family where there is one. Where there is nobody but the session that
// has built it, the change waits for a person.
func planJudge(r flow.Run) []flow.Task {
	list := slices.DeleteFunc(Critics(r), func(s flow.Seat) bool {
		return s.Name == flow.Host || s.Kind == flow.LibrarianSeat().Kind || isOutForGood(r, s.Name)
	})
	if len(list) == 0 {
		return nil
	}
	s := list[0]
	if i := slices.IndexFunc(list, func(s flow.Seat) bool { return s.Brand != Worker(r).Brand }); i >= 0 {
		s = list[i]
	}
	return []flow.Task{{
		Seat: s.Name, Brand: s.Brand, Role: agent.Judge, Free: s.Free, Writes: JudgementFile(r.Visits(agent.Judge) + 1), Reads: []string{ChangeText},
		Rule: loop.Rule{Iterations: 3, Retries: 5, Stuck: 2}, Clean: true, Whole: true,
	}}
}

// gateClose ends the campaign: completed when it has come to what its mode is
// for.
func gateClose(r flow.Run) flow.Verdict {
	if t := r.Tasks[0]; !t.Outcome.Good() {
		return flow.Verdict{Move: flow.Fail, Reason: t.Reason}
	}
	if why := unfinishedReason(r); why != "" {
		return flow.Verdict{Move: flow.Halt, Reason: why}
	}
	return flow.Verdict{Move: flow.Next, Reason: implementedText(r)}
}

// unfinishedReason says what the campaign has not come to; "" when it has.
func unfinishedReason(r flow.Run) string {
	c, st := *Of(r.Setup.Own), StateOf(r)
	left := fmt.Sprintf("%d of %d iterations are done", st.Iteration, c.Iterations)
	switch {
	case c.Mode == Research && c.Research == 0 && st.Iteration >= c.Iterations && st.Low < c.Threshold:
		return left + "; the research still found new things"
	case c.Mode == Research:
		return ""
	case c.Mode != Implement && !slices.Contains(st.Done, PhaseB):
		return strings.TrimSuffix(left+"; the plan is not settled: "+planGap(st), ": ")
	case c.Mode == ResearchAndPlan:
		return ""
	case st.Total == 0:
		return left + "; there is no feature list"
	case st.Next != "":
		return fmt.Sprintf("%s; %d of %d features pass", left, st.Complete, st.Total)
	}
	return ""
}

func implementedText(r flow.Run) string {
	st := StateOf(r)
	if st.Total == 0 {
		return ""
	}
	return Implemented(st)
}

// Implemented says what the implementation has come to.
func Implemented(st State) string {
	return fmt.Sprintf("Implementation complete — %d/%d features passing", st.Complete, st.Total)
}

// Finished reports whether a campaign has nothing left to do, whatever its
// limits.
func Finished(r flow.Run) bool {
	st := StateOf(r)
	return r.Status == flow.Completed && st.Total > 0 && st.Next == ""
}

// ResumeStage is the stage a run goes on with that waits for a person who has now
// seen to it: what was in the way is tried again.
func ResumeStage(r flow.Run) string {
	switch {
	case (r.Stage == Test || r.Stage == Keep) && tallyOf(r.Tasks[0]).Again:
		return Test // what was in the way of looking at it
	case r.Stage == Keep && r.Tasks[0].Outcome.Good():
		return agent.Judge // nobody could be asked
	case r.Stage == Test && r.Tasks[0].Outcome.Good():
		return agent.Code // its notes could not be read
	}
	return r.Stage
}

// judged are the stages between a campaign's end and its review: families vote
// on the passages its papers rest on, and the report is written with what that
// comes to. Nothing that is unjudged can be approved.
func judged() []flow.Stage {
	stages := []flow.Stage{
		{Name: council.Judgement, Plan: flow.PlanProgram(council.Judgement, claim.RegistryFile), Gate: flow.AlwaysNext},
		{Name: council.Support, Plan: council.PlanSupport(council.AllJudges), Gate: council.GateSupport},
		{Name: council.Assessment, Plan: flow.PlanProgram(council.Assessment, claim.RegistryFile), Gate: flow.AlwaysNext},
		{Name: council.Report, Plan: flow.PlanProgram(council.Report, flow.FinalReport), Gate: flow.AlwaysNext},
	}
	for i := range stages {
		stages[i].Part, stages[i].Phase, stages[i].Visits, stages[i].Spent = council.PartPanel, agent.Review, flow.Revisits, flow.Next
	}
	return stages
}

// WorkflowOf is the workflow of a campaign, with a review at its end where
// there is a panel; false where the run is none. Its report is written at its end,
// and there is nothing to go back to.
func WorkflowOf(s flow.Setup) (flow.Workflow, bool) {
	c := Of(s.Own)
	if c == nil || !slices.Contains(Modes(), Mode(s.Workflow)) {
		return flow.Workflow{}, false
	}
	w := Workflow(Mode(s.Workflow))
	if len(s.Panel) == 0 {
		return w, true
	}
	w.Stages = append(w.Stages[:len(w.Stages):len(w.Stages)], judged()...)
	return panel.Course{Part: council.PartPanel, Reads: []string{flow.FinalReport, claim.RegistryFile}}.Behind(w), true
}

// always is true: a campaign's report is written whenever it ends.
func always(flow.Status) (again, says bool) { return true, false }

// keptRecord is where the record of an iteration stays: in its worker's folder.
func keptRecord(t flow.Task) (file string, kept bool) {
	return path.Join(FolderOf(t), t.Writes), IsIteration(t.Role)
}
