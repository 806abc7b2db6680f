package council

import (
	"fmt"

	"research-council/internal/agent"
	"research-council/internal/engine/flow"
	"research-council/internal/evidence/claim"
)

// PairsFile is the name of a batch of pairs of claims to be compared, from 1.
func PairsFile(batch int) string { return fmt.Sprintf("pairs-%d.md", batch) }

// ComparisonFile is the name of what a seat says of a batch.
func ComparisonFile(seat string, batch int) string {
	return fmt.Sprintf("%s-comparison-%d.json", seat, batch)
}

// Bounds of a comparison: a batch that is read with care, and as many as cover
// nearly all pairs of a council's claims that have to do with each other.
const (
	PairsInBatch = 40
	MostBatches  = 3
)

// planComparison asks each family of judges about the next batch of pairs.
func planComparison(r flow.Run) []flow.Task {
	var tasks []flow.Task
	batch := comparisons(r) + 1
	if batch > flow.LastAssessment(r).Batches {
		return nil
	}
	for _, s := range Judges(r) {
		tasks = append(tasks, judgeTask(s, agent.Comparison, ComparisonFile(s.Name, batch), PairsFile(batch)))
	}
	return tasks
}

// comparisons is how many batches have been judged.
func comparisons(r flow.Run) int {
	n := 0
	for _, v := range r.History {
		if v.Stage == Comparison {
			n++
		}
	}
	return n
}

// gateComparison goes on to the next batch while there is one and judges answer.
func gateComparison(r flow.Run) flow.Verdict {
	for _, t := range r.Tasks {
		if t.Outcome.Good() && comparisons(r)+1 < flow.LastAssessment(r).Batches {
			return flow.Verdict{Move: flow.Again}
		}
	}
	return flow.Verdict{Move: flow.Next}
}

// Compared are the tasks in which claims were compared, of all batches.
func Compared(r flow.Run) []flow.TaskState {
	var list []flow.TaskState
	for _, v := range append(r.History[:len(r.History):len(r.History)], flow.Visit{Stage: r.Stage, Tasks: r.Tasks}) {
		if v.Stage == Comparison {
			list = append(list, v.Tasks...)
		}
	}
	return list
}

// planGrouping has the program make groups and conflicts of what was agreed.
func planGrouping(r flow.Run) []flow.Task {
	return planProgramOnReports(Grouping, claim.RegistryFile)(r)
}
