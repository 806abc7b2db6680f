package codereview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/evidence/trial"
	"github.com/research-council/research-council/internal/product/codereview/finding"
)

// Name is the name of the workflow that reviews code.
const Name = "review"

// Stages of a review of code that are the program's own work.
const (
	Survey  = "survey"  // lists the files and cuts them into batches
	Collate = "collate" // takes in what the reviewers of a batch have found
	Merge   = "merge"   // makes one list of all findings
	Sift    = "sift"    // chooses what is looked at once more
	Publish = "publish" // report, documents, SARIF
)

// Parts of a review of code.
const (
	partDiscovery = "1 Discovery"
	partReview    = "2 Review"
	partReport    = "3 Synthesis"
)

// Names of what a review of code keeps in its run's folder.
const (
	SurveyFile    = "survey.json" // every file, and the batches
	ListFile      = "file-list.txt"
	DiscoveryFile = "discovery.md"
	BatchPlanFile = "batch-plan.md"
	NotesFile     = "notes.jsonl" // of the annotator
	MergedFile    = "merged.json"
	RankedFile    = "merged.jsonl"     // the same for the synthesizer, the gravest first
	JudgedFile    = "judgements.jsonl" // of the synthesizer
	FindingsFile  = "findings.json"    // the end of it
	SarifFile     = "findings.sarif"
	DocsFile      = "documents.json" // what became of each document
)

// BatchList is the name of the list of a batch's files.
func BatchList(batch int) string { return fmt.Sprintf("batch-%d-files.txt", batch) }

// BatchChanges is the name of what has changed in a batch's files, where only
// changes are reviewed.
func BatchChanges(batch int) string { return fmt.Sprintf("batch-%d-changes.diff", batch) }

// BatchFile is the name of what the program has made of a batch's findings.
func BatchFile(batch int) string { return fmt.Sprintf("batch-%d.json", batch) }

// ReviewerFile is the name of what a reviewer has found in a batch.
func ReviewerFile(batch int, reviewer, seat string) string {
	return fmt.Sprintf("batch-%d-%s-%s.jsonl", batch, reviewer, seat)
}

// CheckFile is the name of the findings a seat looks at once more, and
// CheckedFile that of what it says of them.
func CheckFile(seat string) string   { return "check-" + seat + ".jsonl" }
func CheckedFile(seat string) string { return "checked-" + seat + ".jsonl" }

// Bounds of a review of code.
const (
	reviewTries   = 2  // a reviewer that has left nothing is asked once more
	MaxSpotchecks = 10 // findings that another family looks at once more
	// Parallel is how many reviewers work at once: the five of a batch.
	Parallel = 5
)

// Workflow is the review of a repository: a survey, then batch after batch
// read by five reviewers at once, then one report. What a batch has come to is
// on disk before the next one begins. No single agent stops it.
func Workflow() flow.Workflow {
	stage := func(name, part string, plan func(flow.Run) []flow.Task, gate func(flow.Run) flow.Verdict) flow.Stage {
		return flow.Stage{Name: name, Part: part, Phase: reviewPhase(name), Plan: plan, Gate: gate, Visits: flow.UnlimitedVisits, Spent: flow.Next}
	}
	return flow.Workflow{Name: Name, Finish: finish, Copies: copies, Status: currentStatus, Line: logLine, Stages: []flow.Stage{
		stage(Survey, partDiscovery, flow.PlanProgram(Survey, SurveyFile), gateSurvey),
		stage(agent.Annotate, partDiscovery, planAnnotate, flow.AlwaysNext),
		stage(agent.Inspect, partReview, planInspect, flow.AlwaysNext),
		stage(Collate, partReview, planCollate, gateCollate),
		stage(Merge, partReport, flow.PlanProgram(Merge, MergedFile), flow.GateProgram),
		stage(agent.Synthesize, partReport, planSynthesize, gateSynthesize),
		stage(Sift, partReport, flow.PlanProgram(Sift, trial.ChecksFile), flow.AlwaysNext),
		stage(agent.Spotcheck, partReport, planSpotcheck, flow.AlwaysNext),
		stage(Publish, partReport, flow.PlanProgram(Publish, flow.FinalReport), gateIssue),
	}}
}

// Root is the top of the code a review is of.
func Root(s flow.Setup) string {
	if Of(s.Own) != nil && Of(s.Own).Code != "" {
		return Of(s.Own).Code
	}
	return s.Root
}

// gateSurvey has nothing reviewed where there is nothing.
func gateSurvey(r flow.Run) flow.Verdict {
	t := r.Tasks[0]
	switch {
	case !t.Outcome.Good():
		return flow.Verdict{Move: flow.Fail, Reason: t.Reason}
	case surveyTally(r).Files == 0:
		return flow.Verdict{Move: flow.Jump, To: Publish, Reason: NothingToReview(r)}
	}
	return flow.Verdict{Move: flow.Next, Reason: plural.Of(surveyTally(r).Files, "file") + " in " + plural.Forms(surveyTally(r).Batches, "batch", "batches")}
}

// NothingToReview says that a survey has found nothing to review.
func NothingToReview(r flow.Run) string {
	switch {
	case surveyTally(r).Same:
		return "there is nothing to review: nothing has changed"
	case Of(r.Setup.Own) != nil && Of(r.Setup.Own).Since != "":
		return "there is nothing to review: no file that has changed is one that reviewers read"
	}
	return "there is nothing to review: no source files"
}

// surveyTally is what the survey has counted.
func surveyTally(r flow.Run) Tally {
	for _, t := range r.LastTasks(Survey) {
		if t.Found != nil && TallyOf(t.Found.Own) != nil {
			return *TallyOf(t.Found.Own)
		}
	}
	return Tally{}
}

// planAnnotate asks one seat what the folders are for; nobody where no
// documents are wanted.
func planAnnotate(r flow.Run) []flow.Task {
	if Of(r.Setup.Own).Docs == DocsOff {
		return nil
	}
	return []flow.Task{reviewTask(flow.Writers(r.Setup)[0], agent.Annotate, NotesFile, []string{DiscoveryFile, BatchPlanFile})}
}

// reviewTask is a task of a review of code: a first attempt, and one that mends it.
func reviewTask(s flow.Seat, role, writes string, reads []string) flow.Task {
	return flow.Task{
		Seat: s.Name, Brand: s.Brand, Role: role, Free: s.Free, Reads: reads, Writes: writes, Clean: true,
		Rule: loop.Rule{Iterations: 2, Retries: 2, Stuck: 2},
	}
}

// BatchVisit is one visit to the reviewers of a batch.
type BatchVisit struct {
	Batch, Try int // from 1
	Tasks      []flow.TaskState
	Counted    *Tally // nil before it was collated
}

// BatchVisits are the visits to reviewers, in order.
func BatchVisits(r flow.Run) []BatchVisit {
	var list []BatchVisit
	for v := range flow.Visits(r) {
		switch {
		case v.Stage == agent.Inspect:
			batch, try, _ := nextBatch(list)
			list = append(list, BatchVisit{Batch: batch, Try: try, Tasks: v.Tasks})
		case v.Stage == Collate && len(list) > 0 && len(v.Tasks) > 0 && v.Tasks[0].Found != nil:
			list[len(list)-1].Counted = TallyOf(v.Tasks[0].Found.Own)
		}
	}
	return list
}

// nextBatch is the batch that comes after these rounds, and whom of its
// reviewers to ask; nil stands for all.
func nextBatch(rounds []BatchVisit) (batch, try int, only []Absent) {
	if len(rounds) == 0 {
		return 1, 1, nil
	}
	last := rounds[len(rounds)-1]
	if last.Counted != nil && len(last.Counted.Missing) > 0 && last.Try < reviewTries {
		return last.Batch, last.Try + 1, last.Counted.Missing
	}
	return last.Batch + 1, 1, nil
}

// planInspect asks the reviewers of the next batch, or those of this one that
// have left nothing.
func planInspect(r flow.Run) []flow.Task {
	batch, try, only := nextBatch(BatchVisits(r))
	if only == nil {
		return inspectTasks(r, batch, assignReviewers(r, batch))
	}
	seats := flow.Writers(r.Setup)
	again := slices.Clone(only)
	for i, a := range again {
		at := slices.IndexFunc(seats, func(s flow.Seat) bool { return s.Name == a.Seat })
		if !Of(r.Setup.Own).Rivals { // with rivals each other seat has read it already
			again[i].Seat = seats[(at+try-1)%len(seats)].Name
		}
	}
	return inspectTasks(r, batch, absentReviewers(r, again))
}

// reviewerSeat is a reviewer on a seat.
type reviewerSeat struct {
	reviewer string
	seat     flow.Seat
}

func absentReviewers(r flow.Run, list []Absent) []reviewerSeat {
	var all []reviewerSeat
	for _, a := range list {
		if s, ok := r.Seat(a.Seat); ok {
			all = append(all, reviewerSeat{a.Reviewer, s})
		}
	}
	return all
}

// assignReviewers gives the reviewers to the seats in turn, beginning with another one
// in each batch, so that each seat comes to each kind of fault; with rivals
// every family has all of them.
func assignReviewers(r flow.Run, batch int) []reviewerSeat {
	var all []reviewerSeat
	seats := flow.Writers(r.Setup)
	if Of(r.Setup.Own).Rivals {
		for _, s := range flow.Families(seats) {
			for _, reviewer := range finding.Reviewers() {
				all = append(all, reviewerSeat{reviewer, s})
			}
		}
		return all
	}
	for i, reviewer := range finding.Reviewers() {
		all = append(all, reviewerSeat{reviewer, seats[(i+batch-1)%len(seats)]})
	}
	return all
}

func inspectTasks(r flow.Run, batch int, who []reviewerSeat) []flow.Task {
	var tasks []flow.Task
	for _, w := range who {
		t := reviewTask(w.seat, agent.Inspect, ReviewerFile(batch, w.reviewer, w.seat.Name), []string{BatchList(batch), DiscoveryFile})
		if Of(r.Setup.Own).Since != "" {
			t.Reads = append(t.Reads, BatchChanges(batch))
		}
		t.Agent = w.reviewer
		tasks = append(tasks, t)
	}
	return tasks
}

func planCollate(r flow.Run) []flow.Task {
	rounds := BatchVisits(r)
	return flow.PlanProgram(Collate, BatchFile(rounds[len(rounds)-1].Batch))(r)
}

// gateCollate goes on with whom is missing, with the next batch, or to the
// end. A batch without any answer is named, and the next one is read; where so
// many in a row have none, no further one is tried.
func gateCollate(r flow.Run) flow.Verdict {
	if t := r.Tasks[0]; !t.Outcome.Good() {
		return flow.Verdict{Move: flow.Fail, Reason: t.Reason}
	}
	rounds := BatchVisits(r)
	batch, try, only := nextBatch(rounds)
	switch {
	case r.Refused != "":
		return flow.Verdict{Move: flow.Next, Reason: r.Refused}
	case try > 1:
		return flow.Verdict{Move: flow.Jump, To: agent.Inspect, Reason: fmt.Sprintf("batch %d: asked once more: %s", batch, absentNames(only))}
	case emptyBatches(rounds) >= maxEmptyBatches:
		return flow.Verdict{Move: flow.Next, Reason: fmt.Sprintf("%s %d times in a row", emptyBatchReason, maxEmptyBatches)}
	case batch > surveyTally(r).Batches:
		return flow.Verdict{Move: flow.Next, Reason: "all batches are reviewed"}
	}
	return flow.Verdict{Move: flow.Jump, To: agent.Inspect, Reason: fmt.Sprintf("batch %d of %d", batch, surveyTally(r).Batches)}
}

// maxEmptyBatches is how many batches in a row may come to nothing: after that many
// the reviewers are taken to be out.
const maxEmptyBatches = 3

const emptyBatchReason = "no reviewer left anything in a whole batch"

func absentNames(list []Absent) string {
	var names []string
	for _, a := range list {
		names = append(names, a.Reviewer)
	}
	return strings.Join(names, ", ")
}

// emptyBatches counts the batches, from the last one back, in which nobody has left
// anything though they were asked twice.
func emptyBatches(rounds []BatchVisit) int {
	n := 0
	for _, r := range slices.Backward(rounds) {
		switch {
		case r.Counted == nil || len(r.Counted.Works) > 0:
			return n
		case r.Try == reviewTries:
			n++
		}
	}
	return n
}

// Left reports whether any reviewer has left anything in any batch.
func Left(r flow.Run) bool {
	return slices.ContainsFunc(BatchVisits(r), func(b BatchVisit) bool { return b.Counted != nil && len(b.Counted.Works) > 0 })
}

// mergeTally is how many findings there are.
func mergeTally(r flow.Run) Tally {
	for _, t := range r.LastTasks(Merge) {
		if t.Found != nil && TallyOf(t.Found.Own) != nil {
			return *TallyOf(t.Found.Own)
		}
	}
	return Tally{}
}

// planSynthesize asks one seat, once more another one; nobody where nothing
// was found.
func planSynthesize(r flow.Run) []flow.Task {
	if mergeTally(r).Merged == 0 {
		return nil
	}
	t := reviewTask(flow.NextSeat(r, agent.Synthesize, flow.Writers(r.Setup)), agent.Synthesize, JudgedFile, []string{RankedFile, DiscoveryFile})
	t.Reserved = true
	return []flow.Task{t}
}

// gateSynthesize asks once more; without a synthesis the findings are told as
// they are.
func gateSynthesize(r flow.Run) flow.Verdict {
	if len(r.Tasks) == 0 || r.Tasks[0].Outcome.Good() || flow.Attempts(r, agent.Synthesize) > 1 || r.Refused != "" {
		return flow.Verdict{Move: flow.Next}
	}
	return flow.Verdict{Move: flow.Again, Reason: flow.FailureReason(r.Tasks[0], "there is no synthesis")}
}

// planSpotcheck asks the seats that were given findings to look at.
func planSpotcheck(r flow.Run) []flow.Task {
	var tasks []flow.Task
	for _, t := range r.LastTasks(Sift) {
		if t.Found == nil || TallyOf(t.Found.Own) == nil {
			continue
		}
		for _, s := range flow.Writers(r.Setup) {
			if TallyOf(t.Found.Own).Checks[s.Name] > 0 {
				task := reviewTask(s, agent.Spotcheck, CheckedFile(s.Name), []string{CheckFile(s.Name)})
				task.Reserved = true
				tasks = append(tasks, task)
			}
		}
	}
	return tasks
}

// Testing reports whether a second look may have tests run on a copy of the
// code, or why not.
func Testing(r flow.Run) (may bool, why string) {
	for _, t := range r.LastTasks(Sift) {
		if t.Found != nil && TallyOf(t.Found.Own) != nil {
			may, why = TallyOf(t.Found.Own).Testing, TallyOf(t.Found.Own).NoTesting
		}
	}
	return may, why
}

// AssignSpotchecks deals findings to the seats that look at them once more: each to a
// seat of another family than those that have found it, where there is one.
// A seat whose spot-check would be the only one of its family's own findings
// is better than nobody.
func AssignSpotchecks(r flow.Run, worst []finding.Merged) map[string][]string {
	checks := map[string][]string{}
	seats := flow.Families(flow.Writers(r.Setup))
	for i, m := range worst {
		who := seats[i%len(seats)]
		for n := range seats {
			if s := seats[(i+n)%len(seats)]; !slices.Contains(m.Families, s.Brand) {
				who = s
				break
			}
		}
		checks[who.Name] = append(checks[who.Name], m.ID)
	}
	return checks
}

// gateIssue is the end. A review in which no reviewer has left anything has
// failed, however good its report looks.
func gateIssue(r flow.Run) flow.Verdict {
	switch {
	case !r.Tasks[0].Outcome.Good():
		return flow.Verdict{Move: flow.Fail, Reason: r.Tasks[0].Reason}
	case surveyTally(r).Files == 0:
		return flow.Verdict{Move: flow.Done, Reason: NothingToReview(r)}
	case len(BatchVisits(r)) > 0 && !Left(r):
		return flow.Verdict{Move: flow.Fail, Reason: "no reviewer left anything in any batch"}
	}
	return flow.Verdict{Move: flow.Done}
}

// finish reads no further batch.
func finish(r flow.Run, own flow.Verdict) flow.Verdict {
	switch {
	case r.Stage == Collate && own.Move == flow.Jump:
		return flow.Proceed(r, own)
	case r.Stage == Publish && own.Move == flow.Done && surveyTally(r).Files > 0 && !Left(r):
		return flow.Verdict{Move: flow.Fail, Reason: r.Finish + ", before any reviewer had answered"}
	}
	return own
}

// WorkflowOf is the workflow of a review of code; false where the run is none.
func WorkflowOf(s flow.Setup) (flow.Workflow, bool) {
	return Workflow(), Of(s.Own) != nil
}

// copies are the findings in the form that hosts of code read, where they are
// asked for.
func copies(s flow.Setup) []string {
	if Of(s.Own) == nil {
		return nil
	}
	return []string{Of(s.Own).SARIF}
}
