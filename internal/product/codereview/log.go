package codereview

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/project/survey"
)

// currentStatus is how far a review of code is.
func currentStatus(r flow.Run) flow.Own {
	st, setup := StateOf(r), Of(r.Setup.Own)
	v := Status{Phase: st.Phase, Batch: st.Batch, Batches: st.Batches, Files: st.Files, Lines: st.Lines, Findings: st.Findings}
	if setup != nil {
		v.Folder = setup.Under
	}
	for _, w := range st.Reviews {
		if w.State == survey.Missing {
			v.Missing++
		}
	}
	return OwnStatus(&v)
}

// logLine is a line of the log of a review, where it is another than that of
// other runs.
func logLine(r flow.Run, e flow.Event) (line string, said bool) {
	switch e.Kind {
	case flow.RunBegun:
		return fmt.Sprintf("Review %s: %s", r.Setup.ID, status.SeatList(r)), true
	case flow.StageEntered:
		return reviewEnteredLine(r), true
	case flow.TurnStarted:
		return reviewStartedLine(r, e), true
	case flow.TurnEnded:
		return reviewFaultLine(r, e), true
	case flow.TaskEnded:
		return reviewEndedLine(r, e), true
	case flow.StageJudged:
		return reviewJudgedLine(r, e), true
	}
	return "", false
}

// reviewPart is what people call the stage a review is in.
func reviewPart(r flow.Run) string {
	readings := BatchVisits(r)
	switch {
	case r.Stage == Survey || r.Stage == agent.Annotate:
		return "Discovery"
	case (r.Stage == agent.Inspect || r.Stage == Collate) && len(readings) > 0:
		return fmt.Sprintf("Batch %d/%d", readings[len(readings)-1].Batch, StateOf(r).Batches)
	}
	return "Synthesis"
}

// reviewerName is a reviewer and the seat it sits on.
func reviewerName(t flow.TaskState) string {
	return fmt.Sprintf("%s (%s)", cmp.Or(t.Agent, t.Role), t.Seat)
}

func reviewEnteredLine(r flow.Run) string {
	if r.Stage != agent.Inspect || len(r.Tasks) == 0 {
		return ""
	}
	var names []string
	for _, t := range r.Tasks {
		names = append(names, reviewerName(t))
	}
	line := reviewPart(r) + ": " + strings.Join(names, ", ")
	if readings := BatchVisits(r); readings[len(readings)-1].Try > 1 {
		line += ", asked once more"
	}
	return line
}

func reviewStartedLine(r flow.Run, e flow.Event) string {
	t, ok := r.Task(e.Task)
	switch {
	case !ok || t.Seat == flow.Program || t.Role == agent.Inspect && t.Turn == 1:
		return "" // whoever reads a batch was told together
	case t.Turn > 1:
		return fmt.Sprintf("%s: %s again, iteration %d/%d", reviewPart(r), reviewerName(t), t.Loop.Iterations+1, t.Rule.Iterations)
	}
	return fmt.Sprintf("%s: %s starting", reviewPart(r), reviewerName(t))
}

func reviewFaultLine(r flow.Run, e flow.Event) string {
	t, ok := r.Task(e.Task)
	if !ok || e.Result == nil || e.Result.Fault == nil || e.Result.Stopped {
		return ""
	}
	return fmt.Sprintf("%s: %s: %s", reviewPart(r), reviewerName(t), e.Result.Fault.Message)
}

func reviewEndedLine(r flow.Run, e flow.Event) string {
	t, ok := r.Task(e.Task)
	switch {
	case !ok || t.Seat == flow.Program && t.Outcome.Good():
		return ""
	case t.Outcome.Good():
		return fmt.Sprintf("%s: %s done", reviewPart(r), reviewerName(t))
	}
	return fmt.Sprintf("%s: %s left nothing: %s", reviewPart(r), reviewerName(t), t.Reason)
}

func reviewJudgedLine(r flow.Run, e flow.Event) string {
	why := ""
	if e.Verdict != nil {
		why = e.Verdict.Reason
	}
	readings := BatchVisits(r)
	if r.Stage != Collate || len(readings) == 0 || readings[len(readings)-1].Counted == nil {
		if why == "" {
			return ""
		}
		return reviewPart(r) + ": " + why
	}
	findings, dropped := 0, 0
	for _, w := range readings[len(readings)-1].Counted.Works {
		findings, dropped = findings+w.Findings, dropped+w.Dropped
	}
	line := fmt.Sprintf("%s: %s, %d dropped", reviewPart(r), plural.Of(findings, "finding"), dropped)
	return strings.TrimSuffix(line+"; "+why, "; ")
}
