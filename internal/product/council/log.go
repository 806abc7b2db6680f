package council

import (
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
)

// What people count as the phases of a council, for its log.
const (
	titleResearch   = "Phase 1"
	titleRefinement = "Phase 2"
	titleSynthesis  = "Phase 3"
)

// logLine is a line of the log of a council, where it is another than that
// of other runs.
func logLine(r flow.Run, e flow.Event) (line string, said bool) {
	switch {
	case e.Kind == flow.RunBegun:
		return fmt.Sprintf("Research council %s: %s", r.Setup.ID, status.SeatList(r)) + ruledText(r.Setup), true
	case e.Kind == flow.StageEntered && e.Stage == Plan && r.Setup.Planner == nil:
		return "", true
	case e.Kind == flow.StageEntered && e.Stage == agent.Refinement:
		return titleRefinement + ": Starting refinement...", true
	case e.Kind == flow.StageEntered && e.Stage == agent.Synthesis:
		return titleSynthesis + ": Starting synthesis...", true
	case r.Stage == Plan && (e.Kind == flow.StageJudged || e.Kind == flow.Edited):
		return planLine(r), true
	case r.Stage == Plan && e.Kind == flow.InputGiven:
		return "A person goes on with the plan", true
	case e.Kind != flow.StageJudged, e.Verdict != nil && (e.Verdict.Move == flow.Ask || e.Verdict.Reason != ""):
		return "", false
	case r.Stage == agent.Research:
		return titleResearch + ": All agents complete", true
	case r.Stage == agent.Refinement:
		return titleRefinement + ": All agents complete", true
	}
	return "", false
}

// ruledText says that rules have split the question, where nobody else is to.
func ruledText(s flow.Setup) string {
	if s.Planner != nil || s.EditPlan || len(s.Plan.Questions) == 0 {
		return ""
	}
	text := PlannedText(s.Plan)
	return "; " + strings.ToLower(text[:1]) + text[1:]
}

// planLine tells a run's questions in one line.
func planLine(r flow.Run) string {
	p := PlanOf(r)
	line := PlannedText(p)
	for _, q := range p.Questions[min(1, len(p.Questions)):] {
		line += " | " + q.ID + " " + q.Text
	}
	if r.IsWaiting() {
		line += " | waiting for you to edit it"
	}
	return line
}
