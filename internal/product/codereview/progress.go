package codereview

import (
	"cmp"
	"fmt"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/project/survey"
)

// reviewPhase is the phase of a review a stage belongs to.
func reviewPhase(stage string) string {
	switch stage {
	case Survey, agent.Annotate, "":
		return survey.PhaseDiscovery
	case agent.Inspect, Collate:
		return survey.PhaseReview
	}
	return survey.PhaseSynthesis
}

// StateOf is how far a review of code is, from the journal alone.
func StateOf(r flow.Run) survey.State {
	found := surveyTally(r)
	st := survey.State{
		Run: r.Setup.ID, Phase: reviewPhase(r.Stage), Commit: found.Commit, Batches: found.Batches, Files: found.Files, Lines: found.Lines,
		Findings: map[string]int{}, Started: r.Began, Updated: r.At,
	}
	if Of(r.Setup.Own) != nil {
		st.Since = Of(r.Setup.Own).Since
	}
	switch r.Status {
	case "":
	case flow.Completed, flow.OutOfBudget:
		st.Phase, st.Ended = survey.PhaseDone, r.At
	default:
		st.Phase, st.Ended = survey.PhaseFailed, r.At
	}
	reviews(&st, BatchVisits(r))
	failures(&st, r)
	return st
}

// reviews enters what every reviewer has done.
func reviews(st *survey.State, rounds []BatchVisit) {
	latest := map[[2]string]int{} // of a batch: the place of a reviewer on a seat, or of one that was given away
	for _, round := range rounds {
		st.Batch = round.Batch
		if round.Try == 1 {
			clear(latest)
		}
		for i, t := range round.Tasks {
			w := survey.Work{Batch: round.Batch, Reviewer: t.Agent, Seat: t.Seat, State: workState(t, round), Tries: round.Try}
			if t.Running != nil {
				w.Started = t.Running.Since
			}
			key := [2]string{t.Agent, t.Seat}
			if round.Try > 1 {
				key[1] = cmp.Or(originalSeat(rounds, round, i), t.Seat)
			}
			at, again := latest[key]
			if !again {
				at = len(st.Reviews)
				latest[key] = at
				st.Reviews = append(st.Reviews, w)
			}
			st.Reviews[at] = w
		}
		counts(st, round)
	}
	tallies(st, rounds)
}

// originalSeat is the seat that left nothing where the i-th task of a second try
// was its.
func originalSeat(rounds []BatchVisit, second BatchVisit, i int) string {
	for n := range rounds {
		if r := rounds[n]; r.Batch == second.Batch && r.Try == second.Try-1 && r.Counted != nil && i < len(r.Counted.Missing) {
			return r.Counted.Missing[i].Seat
		}
	}
	return ""
}

func workState(t flow.TaskState, round BatchVisit) string {
	switch {
	case t.Outcome.Good():
		return survey.Done
	case t.Ended() && round.Try == reviewTries:
		return survey.Missing
	case t.Running != nil || t.Turn > 0:
		return survey.Running
	}
	return survey.Waiting
}

// counts enters what was counted of each reviewer in a batch.
func counts(st *survey.State, round BatchVisit) {
	if round.Counted == nil {
		return
	}
	for i, w := range st.Reviews {
		for _, c := range round.Counted.Works {
			if w.Batch == round.Batch && w.Reviewer == c.Reviewer && w.Seat == c.Seat {
				st.Reviews[i].Findings, st.Reviews[i].Dropped = c.Findings, c.Dropped
			}
		}
	}
}

// tallies adds up the findings of all batches; of a batch the last count
// holds.
func tallies(st *survey.State, rounds []BatchVisit) {
	last := map[int]Tally{}
	for _, round := range rounds {
		if round.Counted != nil {
			last[round.Batch] = *round.Counted
		}
	}
	for _, t := range last {
		for severity, n := range t.Findings {
			st.Findings[severity] += n
		}
	}
}

// failures enters every task that has left nothing.
func failures(st *survey.State, r flow.Run) {
	batch := 0
	rounds := BatchVisits(r)
	at := 0
	for v := range flow.Visits(r) {
		batch = 0
		if v.Stage == agent.Inspect {
			batch = rounds[at].Batch
			at++
		}
		for _, t := range v.Tasks {
			if t.Ended() && !t.Outcome.Good() {
				st.Failures = append(st.Failures, survey.Failure{
					Batch: batch, Reviewer: cmp.Or(t.Agent, t.Role), At: v.Ended,
					Reason: fmt.Sprintf("%s: %s", t.Seat, t.Reason),
				})
			}
		}
	}
}

// UnseenGaps are the parts of the code that a reviewer has not seen, with the
// reason: who has left nothing, and batches nobody has come to.
func UnseenGaps(r flow.Run) []finding.Gap {
	var gaps []finding.Gap
	rounds := BatchVisits(r)
	done := 0
	for i, round := range rounds {
		done = round.Batch
		if i+1 < len(rounds) && rounds[i+1].Batch == round.Batch {
			continue // asked once more
		}
		gaps = append(gaps, batchGaps(round)...)
	}
	for batch := done + 1; batch <= surveyTally(r).Batches; batch++ {
		for _, reviewer := range finding.Reviewers() {
			gaps = append(gaps, finding.Gap{Reviewer: reviewer, Batch: batch, Reason: notReachedReason(r)})
		}
	}
	return gaps
}

func batchGaps(round BatchVisit) []finding.Gap {
	var gaps []finding.Gap
	if round.Counted == nil {
		for _, t := range round.Tasks {
			if !t.Outcome.Good() {
				gaps = append(gaps, finding.Gap{Reviewer: t.Agent, Batch: round.Batch, Reason: cmp.Or(t.Reason, "it had not come to its end")})
			}
		}
		return gaps
	}
	for _, w := range round.Counted.Works {
		if w.CutReason != "" {
			gaps = append(gaps, finding.Gap{Reviewer: w.Reviewer, Batch: round.Batch, Reason: w.Seat + ": its answer was cut short: " + w.CutReason})
		}
	}
	for _, m := range round.Counted.Missing {
		gaps = append(gaps, finding.Gap{Reviewer: m.Reviewer, Batch: round.Batch, Reason: m.Seat + ": " + m.Reason})
	}
	return gaps
}

func notReachedReason(r flow.Run) string {
	return cmp.Or(r.Refused, r.Cancel, "the review did not come so far")
}
