package recipe

import (
	"fmt"
	"slices"
	"strings"

	"research-council/internal/engine/flow"
	"research-council/internal/engine/status"
	"research-council/internal/product/staged"
)

// stagedStatus is where staged research stands.
func stagedStatus(r flow.Run) flow.Own {
	if staged.Of(r.Setup.Own) == nil {
		return flow.Own{}
	}
	st := StagedState(r)
	stages := staged.Stages()
	p := staged.Status{
		Stage: st.CurrentStage, Number: slices.Index(stages, st.CurrentStage) + 1, Stages: len(stages),
		Iteration: st.Iteration, Iterations: st.MaxIterations, Gates: st.Gates,
	}
	if st.CurrentStage == staged.Done {
		p.Number = len(stages) + 1
	}
	if o, ok := PanelOutput(r); ok {
		p.Verdict, p.Families = o.Verdict, o.Families
	}
	p.Page = pageURL(r)
	return staged.OwnStatus(&p)
}

// pageURL is the address of what was delivered last; "" where that is a file
// alone.
func pageURL(r flow.Run) string {
	for _, t := range r.LastTasks(Delivery) {
		if t.Found != nil && staged.OutputOf(t.Found.Own) != nil && staged.OutputOf(t.Found.Own).Report != nil {
			return staged.OutputOf(t.Found.Own).Report.NotionURL
		}
	}
	return ""
}

// stagedAsks is what a person is shown of staged research.
func stagedAsks(r flow.Run) (file string, confirm bool) {
	if AsksToConfirm(r) {
		return BriefFile, true
	}
	return QuestionsFile, false
}

// stagedLine is a line of the log of staged research, where it is another than
// that of other runs.
func stagedLine(r flow.Run, e flow.Event) (line string, said bool) {
	switch e.Kind {
	case flow.RunBegun:
		var panel []string
		for _, s := range r.Setup.Panel {
			panel = append(panel, s.Name)
		}
		return fmt.Sprintf("Staged research %s: %s; reviewers: %s", r.Setup.ID, status.SeatList(r), strings.Join(panel, ", ")), true
	case flow.StageEntered:
		return StageLine(r), true
	case flow.SessionMoved: // it was no seat
		if e.Session == "" {
			return "The session has ended; the research goes on", true
		}
	}
	return "", false
}
