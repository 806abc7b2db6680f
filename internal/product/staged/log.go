package staged

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/product/panel"
)

// currentStatus is where staged research stands.
func currentStatus(r flow.Run) flow.Own {
	if Of(r.Setup.Own) == nil {
		return flow.Own{}
	}
	st := StateOf(r)
	stages := Stages()
	p := Status{
		Stage: st.CurrentStage, Number: slices.Index(stages, st.CurrentStage) + 1, Stages: len(stages),
		Iteration: st.Iteration, Iterations: st.MaxIterations, Gates: st.Gates,
	}
	if st.CurrentStage == Done {
		p.Number = len(stages) + 1
	}
	if count, ok := panel.LastCount(r); ok {
		p.Verdict, p.Families = count.Verdict, count.Families
	}
	p.Page = pageURL(r)
	return OwnStatus(&p)
}

// pageURL is the address of what was delivered last; "" where that is a file
// alone.
func pageURL(r flow.Run) string {
	for _, t := range r.LastTasks(Delivery) {
		if t.Found != nil && OutputOf(t.Found.Own) != nil && OutputOf(t.Found.Own).Report != nil {
			return OutputOf(t.Found.Own).Report.NotionURL
		}
	}
	return ""
}

// shownFile is what a person is shown of staged research.
func shownFile(r flow.Run) (file string, confirm bool) {
	if AsksToConfirm(r) {
		return BriefFile, true
	}
	return QuestionsFile, false
}

// logLine is a line of the log of staged research, where it is another than
// that of other runs.
func logLine(r flow.Run, e flow.Event) (line string, said bool) {
	switch e.Kind {
	case flow.RunBegun:
		var panel []string
		for _, s := range r.Setup.Panel {
			panel = append(panel, s.Name)
		}
		return fmt.Sprintf("Staged research %s: %s; reviewers: %s", r.Setup.ID, status.SeatList(r), cmp.Or(strings.Join(panel, ", "), "none")), true
	case flow.StageEntered:
		return StageLine(r), true
	case flow.SessionMoved: // it was no seat
		if e.Session == "" {
			return "The session has ended; the research goes on", true
		}
	}
	return "", false
}

// StageLine announces the stage of staged research that has just begun, as
// "Stage 2/8: planning"; "" where the run is in the middle of one.
func StageLine(r flow.Run) string {
	part := Part(r)
	if n := len(r.History); n > 0 && partOf(r.History[n-1].Stage) == part {
		return ""
	}
	stages := Stages()
	return fmt.Sprintf("Stage %d/%d: %s", slices.Index(stages, part)+1, len(stages), part)
}
