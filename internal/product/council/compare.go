package council

import (
	"fmt"
	"iter"
	"slices"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// PairsFile is the name of a batch of pairs of claims to be compared, from 1.
func PairsFile(batch int) string { return fmt.Sprintf("pairs-%d.md", batch) }

// ComparisonFile is the name of what a seat says of a batch.
func ComparisonFile(seat string, batch int) string {
	return fmt.Sprintf("%s-comparison-%d.json", seat, batch)
}

// Bounds of what a family is asked to judge: a batch that is read with care, and
// as many as cover nearly all pairs of a council's claims that have to do with each
// other, and what its claims say once.
const (
	PairsInBatch  = 40
	ClaimsInBatch = 40
	MostBatches   = 3
)

// Batches parts a list into as few batches of at most so many as there can be, all about
// as long as each other.
func Batches[T any](list []T, most int) iter.Seq[[]T] {
	batches := max(1, (len(list)+most-1)/most)
	return slices.Chunk(list, max(1, (len(list)+batches-1)/batches))
}

// planComparison asks each family of judges about the next batch of pairs.
func planComparison(judges func(flow.Run) []flow.Seat) func(flow.Run) []flow.Task {
	return func(r flow.Run) []flow.Task {
		var tasks []flow.Task
		found := flow.LastAssessment(r)
		visits := r.VisitsInRow(Comparison)
		if visits >= found.Batches {
			return nil
		}
		batch := found.Earlier + visits + 1
		for _, s := range judges(r) {
			tasks = append(tasks, judgeTask(s, agent.Comparison, ComparisonFile(s.Name, batch), PairsFile(batch)))
		}
		return tasks
	}
}

// gateComparison goes on to the next batch while there is one and judges answer.
func gateComparison(r flow.Run) flow.Verdict {
	return nextBatch(r, flow.LastAssessment(r).Batches)
}

// nextBatch goes on to the next of some batches while judges answer.
func nextBatch(r flow.Run, batches int) flow.Verdict {
	answered := slices.ContainsFunc(r.Tasks, func(t flow.TaskState) bool { return t.Outcome.Good() })
	if answered && r.VisitsInRow(r.Stage) < batches {
		return flow.Verdict{Move: flow.Again}
	}
	return flow.Verdict{Move: flow.Next}
}

// planGrouping has the program make groups and conflicts of what was agreed.
func planGrouping(r flow.Run) []flow.Task {
	return planProgramOnReports(Grouping, claim.RegistryFile)(r)
}

// Pairs is the stage in which claims that nobody here has made are laid out in pairs.
const Pairs = "pairs"

// MostMergeBatches bounds the pairs of claims that are compared where that is all
// that is asked for.
const MostMergeBatches = 12

// Merging is the comparison of claims that are there already, and nothing else.
func Merging() flow.Workflow {
	return flow.Workflow{Name: "merge", Close: closeMerging, Stages: []flow.Stage{
		{Name: Pairs, Plan: flow.PlanProgram(Pairs, PairsFile(1)), Gate: flow.GateProgram, Visits: 1, Spent: flow.Fail},
		{Name: Comparison, Plan: planComparison(AllJudges), Gate: gateComparison, Visits: MostMergeBatches, Spent: flow.Next},
		{Name: Grouping, Plan: flow.PlanProgram(Grouping, claim.RegistryFile), Gate: flow.GateProgram, Visits: 1, Spent: flow.Fail},
	}}
}

// IsMerging reports whether a run compares claims and does nothing else.
func IsMerging(s flow.Setup) bool { return s.Workflow == Merging().Name }

// closeMerging fails a run in which no judge has answered, though there were pairs.
func closeMerging(r flow.Run) (flow.Status, string) {
	tasks := r.TasksInRow(Comparison)
	if len(tasks) > 0 && !slices.ContainsFunc(tasks, func(t flow.TaskState) bool { return t.Outcome.Good() }) {
		return flow.Failed, "no judge has answered: " + tasks[0].Seat + ": " + tasks[0].Reason
	}
	return flow.Completed, ""
}

// mergeDemand is what a comparison will ask of the judges, whose loop has as many
// iterations as there are batches of pairs.
func mergeDemand(s flow.Setup) forecast.Demand {
	a := forecast.NewBuilder(s)
	batches := max(s.Loop.Iterations, 1)
	for _, s := range flow.Families(a.SeatsWithModel()) {
		a.AddPart(s, forecast.Part{Given: true, Roles: []string{agent.Comparison}, Likely: batches, Max: batches * flow.MaxAnswerTurns})
	}
	return a.Demand
}
