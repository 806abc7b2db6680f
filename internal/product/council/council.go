// Package council is the research council: its workflow, what the gates between
// its stages say, who judges in it, and what it asks of its seats. Staged
// research and campaigns have claims voted on as it does.
//
// A run's facts are all it looks at; what the program does for a task is in
// councilwork.
package council

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/product/panel"
)

// Stages of the council.
const (
	Research   = agent.Research
	Registry   = "registry"
	Refinement = agent.Refinement
	Judgement  = "judgement"
	Comparison = agent.Comparison
	Grouping   = "grouping"
	Support    = agent.Support
	Assessment = "assessment"
	Validation = agent.Validation
	Debate     = agent.Debate
	Tally      = "tally"
	Synthesis  = agent.Synthesis
	Report     = "report"
)

// Parts of the council's course. The plan is made before the run begins, but for the
// questions that somebody plans.
const (
	partPlan       = "0 Scope & Plan"
	partResearch   = "1 Parallel Research"
	partSynthesis  = "2 Synthesis + GapDetect"
	partValidation = "3 Conditional Validation"
	partReport     = "4 Report"
)

// plainParts are the parts in the words of who watches.
func plainParts() map[string]string {
	return map[string]string{partPlan: "Plan", partResearch: "Research", partSynthesis: "Claims compared", partValidation: "Disputes settled", partReport: "Report"}
}

const councilName = "council"

// validationPhase is what the state file calls the stages that validate.
const validationPhase = "validation"

// Names of what a council publishes in its run's folder.
const (
	ScoreFile     = "score.json"
	DisputesFile  = "disputes.md" // what is open, for those who validate and debate; in the end all that was disputed
	DebateFile    = "debate.json"
	Transcript    = "debate.md"
	SynthesisFile = "synthesis.md"
	ChangesFile   = "changes.md" // since an earlier run
	SourcesDir    = "sources"    // the archive of what was cited
	PagesDir      = "webpages"   // texts of pages laid down for the librarian
)

// ReportFile is the name of a seat's report of the research stage.
func ReportFile(seat string) string { return seat + "-report.md" }

// RefinedFile is the name of a seat's report of the refinement stage.
func RefinedFile(seat string) string { return seat + "-refined.md" }

// BallotFile is the name of a batch of the claims a brand may vote on, from 1.
func BallotFile(brand string, batch int) string {
	return "ballot-" + brand + batchSuffix(batch) + ".md"
}

// VotesFile is the name of a seat's votes on a batch.
func VotesFile(seat string, batch int) string { return seat + "-votes" + batchSuffix(batch) + ".md" }

// batchSuffix tells batches apart; most runs have one.
func batchSuffix(batch int) string {
	if batch == 1 {
		return ""
	}
	return "-" + strconv.Itoa(batch)
}

// VerdictsFile is the name of a seat's verdicts on what is disputed.
func VerdictsFile(seat string) string { return seat + "-verdicts.md" }

// PositionsFile is the name of a seat's positions in a round of debate.
func PositionsFile(seat string, round int) string { return fmt.Sprintf("%s-debate-%d.md", seat, round) }

// mostJudged bounds the batches of a stage of judges: those of what was researched, and
// one of what a debate has brought.
const mostJudged = MostBatches + 1

// DebateRounds bounds a debate: in the third round a seat has heard answers to
// its answers, and what stands then stands.
const DebateRounds = 3

// Workflow is the research council: every seat alone, then every seat with all
// the others' findings before it, then judges who compare the claims and vote on
// them, then, where the evidence asks for it, validation and debate, whose own claims
// are compared and voted on too, then one synthesis. Between them the program gathers
// what was claimed, archives the sources and looks for the quotations.
func Workflow() flow.Workflow {
	return flow.Workflow{Name: councilName, Heeds: true, Finish: finish, Close: closing, Line: logLine, Planned: partPlan, Plain: plainParts(), Stages: []flow.Stage{
		{Name: Research, Title: titleResearch, Part: partResearch, Plan: planResearch, Gate: gateResearch, Visits: 2, Spent: flow.Fail},
		{Name: Registry, Part: partSynthesis, Plan: planProgramOnReports(Registry, claim.RegistryFile), Gate: flow.AlwaysNext, Visits: 1, Spent: flow.Next},
		{Name: Refinement, Title: titleRefinement, Part: partSynthesis, Plan: planRefinement, Gate: flow.AlwaysNext, Visits: 1, Spent: flow.Next},
		{Name: Judgement, Part: partSynthesis, Phase: Refinement, Plan: planProgramOnReports(Judgement, claim.RegistryFile), Gate: flow.AlwaysNext, Visits: 1, Spent: flow.Next},
		{Name: Comparison, Part: partSynthesis, Phase: validationPhase, Plan: planComparison(Judges), Gate: gateComparison, Visits: mostJudged, Spent: flow.Next},
		{Name: Grouping, Part: partSynthesis, Phase: validationPhase, Plan: planGrouping, Gate: flow.AlwaysNext, Visits: 2, Spent: flow.Next},
		{Name: Support, Part: partSynthesis, Phase: validationPhase, Plan: PlanSupport(Judges), Gate: GateSupport, Visits: mostJudged, Spent: flow.Next},
		{Name: Assessment, Part: partSynthesis, Phase: validationPhase, Plan: planProgramOnReports(Assessment, claim.RegistryFile), Gate: gateAssessment, Visits: 3, Spent: flow.Next},
		{Name: Validation, Part: partValidation, Phase: validationPhase, Plan: planValidation, Gate: gateValidation, Visits: 1, Spent: flow.Next},
		{Name: Debate, Part: partValidation, Phase: validationPhase, Plan: planDebate, Gate: flow.AlwaysNext, Visits: DebateRounds, Spent: flow.Next},
		{Name: Tally, Part: partValidation, Phase: validationPhase, Plan: planProgramOnReports(Tally, claim.RegistryFile), Gate: gateTally, Visits: DebateRounds, Spent: flow.Next},
		{Name: Synthesis, Title: titleSynthesis, Part: partReport, Plan: planSynthesis, Gate: gateSynthesis, Visits: synthesisTries * (panel.DefaultRevisions + 1), Spent: flow.Next},
		{Name: Report, Part: partReport, Phase: Synthesis, Plan: planProgramOnReports(Report, flow.FinalReport), Gate: flow.GateProgram, Visits: panel.DefaultRevisions + 1, Spent: flow.Fail},
	}}
}

// Alone is one seat's research and nothing else.
func Alone() flow.Workflow {
	return flow.Workflow{Name: "alone", Heeds: true, Finish: finish, Close: closing, Line: logLine, Planned: partPlan, Stages: []flow.Stage{
		{Name: Research, Title: titleResearch, Plan: planResearch, Gate: gateResearch, Visits: 1, Spent: flow.Fail},
	}}
}

// WorkflowOf is the workflow of a council's run: that of its name, with a review at
// its end where there is a panel; false where the run is none.
func WorkflowOf(s flow.Setup) (flow.Workflow, bool) {
	for _, w := range []flow.Workflow{withPlanning(Workflow(), s), Alone(), Merging()} {
		switch {
		case w.Name == s.Workflow && len(s.Panel) > 0:
			return panel.Course{Part: PartPanel, Back: Synthesis, Reads: []string{flow.FinalReport, claim.RegistryFile}}.Behind(w), true
		case w.Name == s.Workflow:
			return w, true
		}
	}
	return flow.Workflow{}, false
}

// PartPanel is the part of the course that a review of the report is, where it is
// not a stage of its own.
const PartPanel = "Review"

// planResearch gives every seat its part. Where all have failed, the one that
// needs no model searches what local sources there are.
func planResearch(r flow.Run) []flow.Task {
	if last := flow.LibrarianSeat(); r.Stage == Research {
		return []flow.Task{{
			Seat: last.Name, Brand: last.Brand, Role: agent.Research, Free: last.Free,
			Writes: ReportFile(last.Name), Rule: r.Setup.Loop,
		}}
	}
	var tasks []flow.Task
	for _, s := range r.Setup.Seats {
		tasks = append(tasks, flow.Task{
			Seat: s.Name, Brand: s.Brand, Role: agent.Research, Free: s.Free,
			Writes: ReportFile(s.Name), Rule: r.Setup.Loop, Shard: shardOf(r, s.Name),
		})
	}
	return tasks
}

// shardOf is what the plan gives a seat to cover first.
func shardOf(r flow.Run, seat string) string {
	for _, w := range r.Setup.Plan.Work {
		if w.Seat == seat {
			return w.Shard
		}
	}
	return ""
}

// uncoveredShards lists the shards whose seats have left nothing.
func uncoveredShards(r flow.Run) []string {
	covered := map[string]bool{}
	for _, t := range flow.GoodTasks(r, Research) {
		for id := range strings.SplitSeq(t.Shard, "+") {
			covered[id] = true
		}
	}
	var left []string
	for _, w := range r.Setup.Plan.Work {
		for _, s := range w.Shards {
			if !covered[s.ID] && !slices.Contains(left, s.ID) {
				left = append(left, s.ID)
			}
		}
	}
	return left
}

// gateResearch is content with one good report. A seat that did its work and
// wrote too little to be a report has not failed, and has found nothing.
func gateResearch(r flow.Run) flow.Verdict {
	var why []string
	last := flow.Fail
	for _, t := range r.Tasks {
		if t.Outcome.Good() {
			return flow.Verdict{Move: flow.Next}
		}
		why = append(why, t.Seat+": "+t.Reason)
		if a := t.Loop.Artefact; t.Loop.Fault == nil && a.Bytes > 0 && a.Standing == 0 {
			last = flow.Empty
		}
	}
	reason := "no seat left a report (" + strings.Join(why, "; ") + ")"
	if r.Setup.Scope != "" && r.Visit == 1 && r.Setup.Workflow == councilName && !hasModellessSeat(r.Setup.Seats) {
		return flow.Verdict{Move: flow.Again, Reason: reason}
	}
	return flow.Verdict{Move: last, Reason: reason}
}

// closing says what a council has come to that went through all its stages:
// one whose every seat that was asked for has failed has failed, though the
// librarian stepped in, and one of whose claims none was located has no
// evidence.
func closing(r flow.Run) (flow.Status, string) {
	if asked, why := missingReports(r); r.Finish == "" && asked > 0 && len(why) == asked {
		return flow.Failed, "every seat that was asked for has failed (" + strings.Join(why, "; ") + ")"
	}
	if e := evidence(r); e != nil && e.Located == 0 {
		return flow.NoEvidence, e.NoEvidenceReason()
	}
	return flow.Completed, ""
}

// missingReports are the seats that were asked for: how many, and why those failed
// that have left no report. Those that could not take part were asked for too.
func missingReports(r flow.Run) (asked int, why []string) {
	good := map[string]bool{}
	last := map[string]string{}
	for _, v := range append(r.History[:len(r.History):len(r.History)], flow.Visit{Stage: r.Stage, Tasks: r.Tasks}) {
		for _, t := range v.Tasks {
			if v.Stage == Research {
				good[t.Seat] = good[t.Seat] || t.Outcome.Good()
				last[t.Seat] = t.Reason
			}
		}
	}
	for _, s := range r.Setup.Seats {
		asked++
		if !good[s.Name] {
			why = append(why, s.Name+": "+last[s.Name])
		}
	}
	return asked, why
}

// evidence is what became of the quotations, as it was counted last; nil where
// it never was.
func evidence(r flow.Run) *flow.Evidence {
	visits := append(r.History[:len(r.History):len(r.History)], flow.Visit{Tasks: r.Tasks})
	for _, v := range slices.Backward(visits) {
		for _, t := range v.Tasks {
			if t.Found != nil && t.Found.Evidence != nil {
				return t.Found.Evidence
			}
		}
	}
	return nil
}

// hasModellessSeat reports whether a seat that needs no model takes part already.
func hasModellessSeat(seats []flow.Seat) bool {
	return slices.ContainsFunc(seats, func(s flow.Seat) bool { return !s.HasModel() })
}

// planRefinement gives each seat that has a report its own report first and
// then all the others. What failed seats were to cover is dealt out to those
// that live, to those with a model first.
func planRefinement(r flow.Run) []flow.Task {
	var tasks []flow.Task
	good := flow.GoodTasks(r, Research)
	for _, own := range good {
		t := own.Task
		t.Role, t.Writes, t.Reads, t.Shard = agent.Refinement, RefinedFile(t.Seat), []string{ReportFile(t.Seat)}, ""
		for _, other := range good {
			if other.Seat != t.Seat {
				t.Reads = append(t.Reads, other.Writes)
			}
		}
		t.Reads = append(t.Reads, claim.RegistryFile)
		tasks = append(tasks, t)
	}
	for i, id := range uncoveredShards(r) {
		if heir := shardTaker(r, tasks, i); heir != nil {
			heir.Shard = strings.TrimPrefix(heir.Shard+"+"+id, "+")
		}
	}
	return tasks
}

// shardTaker is the task that takes the i-th shard over; nil when there is none.
func shardTaker(r flow.Run, tasks []flow.Task, i int) *flow.Task {
	var thinking, all []*flow.Task
	for j := range tasks {
		all = append(all, &tasks[j])
		if s, ok := r.Seat(tasks[j].Seat); ok && s.HasModel() {
			thinking = append(thinking, &tasks[j])
		}
	}
	if len(thinking) > 0 {
		all = thinking
	}
	if len(all) == 0 {
		return nil
	}
	return all[i%len(all)]
}

// planSynthesis asks the host's session first, then the seat that did best,
// and at last one that needs no model.
func planSynthesis(r flow.Run) []flow.Task {
	t := flow.Task{
		Role: agent.Synthesis, Reads: append(panel.RevisionReads(Best(r)...)(r), claim.RegistryFile), Writes: SynthesisFile,
		Rule: loop.Rule{Iterations: 3, Retries: 3, Stuck: 3}, Reserved: true, Clean: panel.IsRevision(r),
	}
	writers := synthesizers(r)
	w := writers[min(flow.Attempts(r, Synthesis), len(writers)-1)]
	t.Seat, t.Brand, t.Free = w.Name, w.Brand, w.Free
	return []flow.Task{t}
}

// synthesizers lists who may write the synthesis, in the order to ask them.
func synthesizers(r flow.Run) []flow.Seat {
	var list []flow.Seat
	if r.Setup.Session != "" && !r.Setup.Unwoken {
		list = append(list, flow.HostSeat())
	}
	if s, ok := bestWithModel(r); ok {
		list = append(list, s)
	}
	return append(list, flow.LibrarianSeat())
}

// bestWithModel is the first seat with a model that has refined its report, or
// where none has, that has one.
func bestWithModel(r flow.Run) (flow.Seat, bool) {
	for _, t := range append(flow.GoodTasks(r, Refinement), flow.GoodTasks(r, Research)...) {
		if s, ok := r.Seat(t.Seat); ok && s.HasModel() {
			return s, true
		}
	}
	return flow.Seat{}, false
}

// synthesisTries is how many are asked for a synthesis, one after another.
const synthesisTries = 3

func gateSynthesis(r flow.Run) flow.Verdict {
	for _, t := range r.Tasks {
		if t.Outcome.Good() {
			return flow.Verdict{Move: flow.Next}
		}
	}
	t := r.Tasks[0]
	v := flow.Verdict{Move: flow.Again, Reason: fmt.Sprintf("%s wrote no synthesis: %s", t.Seat, t.Reason)}
	if flow.Attempts(r, Synthesis) >= synthesisTries {
		v.Move = flow.Next
	}
	return v
}

// FolderOf is the folder a seat works in, below those of the run's seats: one
// for its first report, and one below it for each later role, so that a role
// starts with a clean place and nothing of it is lost. A clean task has one no
// other task has.
func FolderOf(t flow.Task) string {
	if t.Role == agent.Research {
		return t.Seat
	}
	return t.Folder()
}

// Best lists the best report of each seat: the refined one, or where refining
// failed the first one.
func Best(r flow.Run) []string {
	refined := map[string]string{}
	for _, t := range flow.GoodTasks(r, Refinement) {
		refined[t.Seat] = t.Writes
	}
	var list []string
	for _, t := range flow.GoodTasks(r, Research) {
		if better, ok := refined[t.Seat]; ok {
			list = append(list, better)
			continue
		}
		list = append(list, t.Writes)
	}
	return list
}

// planProgramOnReports plans one piece of the program's own work, which reads the best
// report of each seat.
func planProgramOnReports(role, writes string) func(flow.Run) []flow.Task {
	return func(r flow.Run) []flow.Task {
		tasks := flow.PlanProgram(role, writes)(r)
		tasks[0].Reads = Best(r)
		return tasks
	}
}

// finish writes up what reports and claims there are.
func finish(r flow.Run, own flow.Verdict) flow.Verdict {
	if r.Stage == Research || r.Stage == Plan {
		return flow.Proceed(r, own)
	}
	return panel.Finish(r, own)
}

// ReopenStage is the stage a council that has ended goes on with: the one it ended
// in. What reviewers have rejected goes back to the synthesis; where too few of
// them have answered, they are asked again.
func ReopenStage(r flow.Run) string {
	count, _ := panel.LastCount(r)
	switch {
	case r.Stage != panel.Verdict:
		return r.Stage
	case count.Verdict == panel.NoQuorum:
		return agent.Review
	}
	return Synthesis
}
