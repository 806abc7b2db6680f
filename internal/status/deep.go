package status

import (
	"cmp"
	"fmt"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/flow"
	"research-council/internal/recipe"
	"research-council/internal/survey"

	"research-council/internal/plural"
)

// ReviewStatus is how far a deep review of code is.
type ReviewStatus struct {
	Phase    string         `json:"phase"`
	Batch    int            `json:"batch"`   // under review, from 1; 0 before the first
	Batches  int            `json:"batches"` // of the plan
	Files    int            `json:"files"`
	Lines    int            `json:"lines"`
	Findings map[string]int `json:"findings"`         // by severity, as they were found
	Missing  int            `json:"missing"`          // reviewers that have left nothing in a batch, also when asked again
	Folder   string         `json:"folder,omitempty"` // what was reviewed, relative to the project; "" for all of it
}

// deep adds how far a review of code is.
func (s Status) deep(r flow.Run) Status {
	if r.Setup.Deep == nil {
		return s
	}
	st := recipe.SweepState(r)
	v := ReviewStatus{Phase: st.Phase, Batch: st.Batch, Batches: st.Batches, Files: st.Files, Lines: st.Lines, Findings: st.Findings, Folder: r.Setup.Deep.Under}
	for _, w := range st.Reviews {
		if w.State == survey.Missing {
			v.Missing++
		}
	}
	s.Review = &v
	return s
}

// deepLine is a line of the log of a review, where it is another than that of
// other runs.
func deepLine(r flow.Run, e flow.Event) (line string, said bool) {
	switch e.Kind {
	case flow.RunBegun:
		return fmt.Sprintf("Review %s: %s", r.Setup.ID, seatList(r)), true
	case flow.StageEntered:
		return deepEntering(r), true
	case flow.TurnStarted:
		return deepStarting(r, e), true
	case flow.TurnEnded:
		return deepFault(r, e), true
	case flow.TaskEnded:
		return deepEnded(r, e), true
	case flow.StageJudged:
		return deepJudged(r, e), true
	}
	return "", false
}

// deepPart is what people call the stage a review is in.
func deepPart(r flow.Run) string {
	readings := recipe.Readings(r)
	switch {
	case r.Stage == recipe.Survey || r.Stage == agent.Annotate:
		return "Discovery"
	case (r.Stage == agent.Inspect || r.Stage == recipe.Collate) && len(readings) > 0:
		return fmt.Sprintf("Batch %d/%d", readings[len(readings)-1].Batch, recipe.SweepState(r).Batches)
	}
	return "Synthesis"
}

// who is a reviewer and the seat it sits on.
func who(t flow.TaskState) string { return fmt.Sprintf("%s (%s)", cmp.Or(t.Agent, t.Role), t.Seat) }

func deepEntering(r flow.Run) string {
	if r.Stage != agent.Inspect || len(r.Tasks) == 0 {
		return ""
	}
	var names []string
	for _, t := range r.Tasks {
		names = append(names, who(t))
	}
	line := deepPart(r) + ": " + strings.Join(names, ", ")
	if readings := recipe.Readings(r); readings[len(readings)-1].Try > 1 {
		line += ", asked once more"
	}
	return line
}

func deepStarting(r flow.Run, e flow.Event) string {
	t, ok := r.Task(e.Task)
	switch {
	case !ok || t.Seat == flow.Program || t.Role == agent.Inspect && t.Turn == 1:
		return "" // whoever reads a batch was told together
	case t.Turn > 1:
		return fmt.Sprintf("%s: %s again, iteration %d/%d", deepPart(r), who(t), t.Loop.Iterations+1, t.Rule.Iterations)
	}
	return fmt.Sprintf("%s: %s starting", deepPart(r), who(t))
}

func deepFault(r flow.Run, e flow.Event) string {
	t, ok := r.Task(e.Task)
	if !ok || e.Result == nil || e.Result.Fault == nil || e.Result.Stopped {
		return ""
	}
	return fmt.Sprintf("%s: %s: %s", deepPart(r), who(t), e.Result.Fault.Message)
}

func deepEnded(r flow.Run, e flow.Event) string {
	t, ok := r.Task(e.Task)
	switch {
	case !ok || t.Seat == flow.Program && t.Outcome.Good():
		return ""
	case t.Outcome.Good():
		return fmt.Sprintf("%s: %s done", deepPart(r), who(t))
	}
	return fmt.Sprintf("%s: %s left nothing: %s", deepPart(r), who(t), t.Reason)
}

func deepJudged(r flow.Run, e flow.Event) string {
	why := ""
	if e.Verdict != nil {
		why = e.Verdict.Reason
	}
	readings := recipe.Readings(r)
	if r.Stage != recipe.Collate || len(readings) == 0 || readings[len(readings)-1].Counted == nil {
		if why == "" {
			return ""
		}
		return deepPart(r) + ": " + why
	}
	findings, dropped := 0, 0
	for _, w := range readings[len(readings)-1].Counted.Works {
		findings, dropped = findings+w.Findings, dropped+w.Dropped
	}
	line := fmt.Sprintf("%s: %s, %d dropped", deepPart(r), plural.Of(findings, "finding"), dropped)
	return strings.TrimSuffix(line+"; "+why, "; ")
}
