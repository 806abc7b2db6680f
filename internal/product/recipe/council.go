// Package recipe holds the workflows, each a value of [flow.Workflow].
//
// A new workflow is one more file here; nothing below it changes. A number
// that belongs to one workflow stands in its file.
package recipe

import (
	"fmt"
	"slices"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/loop"
	"research-council/internal/evidence/claim"
	"research-council/internal/product/campaign"
	"research-council/internal/product/staged"
)

// Stages of the council.
const (
	Research   = agent.Research
	Registry   = "registry"
	Refinement = agent.Refinement
	Judgement  = "judgement"
	Support    = agent.Support
	Assessment = "assessment"
	Validation = agent.Validation
	Debate     = agent.Debate
	Tally      = "tally"
	Synthesis  = agent.Synthesis
	Report     = "report"
)

// Parts of the council's course. The plan is made before the run begins.
const (
	partPlan       = "0 Scope & Plan"
	partResearch   = "1 Parallel Research"
	partSynthesis  = "2 Synthesis + GapDetect"
	partValidation = "3 Conditional Validation"
)

const councilName = "council"

// validationPhase is what the state file calls the stages that validate.
const validationPhase = "validation"

// Names of what a council publishes in its run's folder.
const (
	RegistryFile  = claim.RegistryFile
	ScoreFile     = "score.json"
	DisputesFile  = "disputes.md" // what is open, for those who validate and debate
	DebateFile    = "debate.json"
	Transcript    = "debate.md"
	SynthesisFile = "synthesis.md"
	FinalReport   = flow.FinalReport
	ChangesFile   = "changes.md" // since an earlier run
	SourcesDir    = "sources"    // the archive of what was cited
)

// ReportFile is the name of a seat's report of the research stage.
func ReportFile(seat string) string { return seat + "-report.md" }

// RefinedFile is the name of a seat's report of the refinement stage.
func RefinedFile(seat string) string { return seat + "-refined.md" }

// BallotFile is the name of the claims a brand may vote on.
func BallotFile(brand string) string { return "ballot-" + brand + ".md" }

// VotesFile is the name of a seat's votes.
func VotesFile(seat string) string { return seat + "-votes.md" }

// VerdictsFile is the name of a seat's verdicts on what is disputed.
func VerdictsFile(seat string) string { return seat + "-verdicts.md" }

// PositionsFile is the name of a seat's positions in a round of debate.
func PositionsFile(seat string, round int) string { return fmt.Sprintf("%s-debate-%d.md", seat, round) }

// DebateRounds bounds a debate: in the third round a seat has heard answers to
// its answers, and what stands then stands.
const DebateRounds = 3

// Council is the research council: every seat alone, then every seat with all
// the others' findings before it, then, where the evidence asks for it, votes,
// validation and debate, then one synthesis. Between them the program gathers
// what was claimed, archives the sources and looks for the quotations.
func Council() flow.Workflow {
	return flow.Workflow{Name: councilName, Finish: finishCouncil, Close: closeCouncil, Line: councilLine, Planned: partPlan, Stages: []flow.Stage{
		{Name: Research, Title: titleResearch, Part: partResearch, Plan: planResearch, Gate: gateResearch, Visits: 2, Spent: flow.Fail},
		{Name: Registry, Part: partSynthesis, Plan: planProgram(Registry, RegistryFile), Gate: alwaysNext, Visits: 1, Spent: flow.Next},
		{Name: Refinement, Title: titleRefinement, Part: partSynthesis, Plan: planRefinement, Gate: alwaysNext, Visits: 1, Spent: flow.Next},
		{Name: Judgement, Part: partSynthesis, Phase: Refinement, Plan: planProgram(Judgement, RegistryFile), Gate: alwaysNext, Visits: 1, Spent: flow.Next},
		{Name: Support, Part: partSynthesis, Phase: validationPhase, Plan: planSupport, Gate: alwaysNext, Visits: 1, Spent: flow.Next},
		{Name: Assessment, Part: partSynthesis, Phase: validationPhase, Plan: planProgram(Assessment, RegistryFile), Gate: gateAssessment, Visits: 2, Spent: flow.Next},
		{Name: Validation, Part: partValidation, Phase: validationPhase, Plan: planValidation, Gate: gateValidation, Visits: 1, Spent: flow.Next},
		{Name: Debate, Part: partValidation, Phase: validationPhase, Plan: planDebate, Gate: alwaysNext, Visits: DebateRounds, Spent: flow.Next},
		{Name: Tally, Part: partValidation, Phase: validationPhase, Plan: planProgram(Tally, RegistryFile), Gate: gateTally, Visits: DebateRounds, Spent: flow.Next},
		{Name: Synthesis, Title: titleSynthesis, Plan: planSynthesis, Gate: gateSynthesis, Visits: synthesisTries * (staged.Revisions + 1), Spent: flow.Next},
		{Name: Report, Phase: Synthesis, Plan: planProgram(Report, FinalReport), Gate: gateProgram, Visits: staged.Revisions + 1, Spent: flow.Fail},
	}}
}

// Alone is one seat's research and nothing else.
func Alone() flow.Workflow {
	return flow.Workflow{Name: "alone", Finish: finishCouncil, Close: closeCouncil, Line: councilLine, Planned: partPlan, Stages: []flow.Stage{
		{Name: Research, Title: titleResearch, Plan: planResearch, Gate: gateResearch, Visits: 1, Spent: flow.Fail},
	}}
}

// Find gives the workflow of a name.
func Find(name string) (flow.Workflow, bool) {
	for _, w := range []flow.Workflow{Council(), Staged(), CodeReview(), Alone()} {
		if w.Name == name {
			return w, true
		}
	}
	if m := campaign.Mode(name); slices.Contains(campaign.Modes(), m) {
		return Campaign(m), true
	}
	return flow.Workflow{}, false
}

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
	for _, t := range goodTasks(r, Research) {
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

// closeCouncil says what a council has come to that went through all its stages:
// one whose every seat that was asked for has failed has failed, though the
// librarian stepped in, and one of whose claims none was located has no
// evidence.
func closeCouncil(r flow.Run) (flow.Status, string) {
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
	good := goodTasks(r, Research)
	for _, own := range good {
		t := own.Task
		t.Role, t.Writes, t.Reads, t.Shard = agent.Refinement, RefinedFile(t.Seat), []string{ReportFile(t.Seat)}, ""
		for _, other := range good {
			if other.Seat != t.Seat {
				t.Reads = append(t.Reads, other.Writes)
			}
		}
		t.Reads = append(t.Reads, RegistryFile)
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
		Role: agent.Synthesis, Reads: append(readsWithRevision(Best(r)...)(r), RegistryFile), Writes: SynthesisFile,
		Rule: loop.Rule{Iterations: 3, Retries: 3, Stuck: 3}, Reserved: true, Clean: isRevision(r),
	}
	writers := synthesizers(r)
	w := writers[min(attempts(r, Synthesis), len(writers)-1)]
	t.Seat, t.Brand, t.Free = w.Name, w.Brand, w.Free
	return []flow.Task{t}
}

// synthesizers lists who may write the synthesis, in the order to ask them.
func synthesizers(r flow.Run) []flow.Seat {
	var list []flow.Seat
	if r.Setup.Session != "" {
		list = append(list, hostSeat())
	}
	if s, ok := bestWithModel(r); ok {
		list = append(list, s)
	}
	return append(list, flow.LibrarianSeat())
}

// bestWithModel is the first seat with a model that has refined its report, or
// where none has, that has one.
func bestWithModel(r flow.Run) (flow.Seat, bool) {
	for _, t := range append(goodTasks(r, Refinement), goodTasks(r, Research)...) {
		if s, ok := r.Seat(t.Seat); ok && s.HasModel() {
			return s, true
		}
	}
	return flow.Seat{}, false
}

// hostSeat is the session a run belongs to. It is Claude Code: a seat of that
// family is no rival of its.
func hostSeat() flow.Seat { return flow.Seat{Name: flow.Host, Brand: "anthropic"} }

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
	if attempts(r, Synthesis) >= synthesisTries {
		v.Move = flow.Next
	}
	return v
}

// planProgram plans one piece of the program's own work.
func planProgram(role, writes string) func(flow.Run) []flow.Task {
	return func(r flow.Run) []flow.Task {
		return []flow.Task{{
			Seat: flow.Program, Brand: flow.Program, Role: role, Reads: Best(r), Writes: writes,
			Rule: loop.Rule{Iterations: 1, Retries: 1, Stuck: 1}, Free: true, Reserved: true,
		}}
	}
}

// alwaysNext goes on whatever came out: what failed is missing from then on and
// is named in the report.
func alwaysNext(flow.Run) flow.Verdict { return flow.Verdict{Move: flow.Next} }

// Best lists the best report of each seat: the refined one, or where refining
// failed the first one.
func Best(r flow.Run) []string {
	refined := map[string]string{}
	for _, t := range goodTasks(r, Refinement) {
		refined[t.Seat] = t.Writes
	}
	var list []string
	for _, t := range goodTasks(r, Research) {
		if better, ok := refined[t.Seat]; ok {
			list = append(list, better)
			continue
		}
		list = append(list, t.Writes)
	}
	return list
}

// goodTasks is the tasks of a stage that left something.
func goodTasks(r flow.Run, stage string) []flow.TaskState {
	var good []flow.TaskState
	for _, t := range r.LastTasks(stage) {
		if t.Outcome.Good() {
			good = append(good, t)
		}
	}
	return good
}
