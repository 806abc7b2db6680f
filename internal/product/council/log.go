package council

import (
	"fmt"

	"research-council/internal/agent"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/status"
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
		return fmt.Sprintf("Research council %s: %s", r.Setup.ID, status.SeatList(r)), true
	case e.Kind == flow.StageEntered && e.Stage == agent.Refinement:
		return titleRefinement + ": Starting refinement...", true
	case e.Kind == flow.StageEntered && e.Stage == agent.Synthesis:
		return titleSynthesis + ": Starting synthesis...", true
	case e.Kind != flow.StageJudged, e.Verdict != nil && (e.Verdict.Move == flow.Ask || e.Verdict.Reason != ""):
		return "", false
	case r.Stage == agent.Research:
		return titleResearch + ": All agents complete", true
	case r.Stage == agent.Refinement:
		return titleRefinement + ": All agents complete", true
	}
	return "", false
}
