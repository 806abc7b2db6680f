package status

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"research-council/internal/engine/flow"
	"research-council/internal/product/recipe"
	"research-council/internal/product/staged"
)

// StagedStatus is where staged research stands.
type StagedStatus struct {
	Stage      string        `json:"current_stage"`
	Number     int           `json:"number"` // of Stages, from 1; one more when all are done
	Stages     int           `json:"stages"`
	Iteration  int           `json:"iteration"`      // times reviewers have sent the work back
	Iterations int           `json:"max_iterations"` // at most
	Gates      []staged.Gate `json:"gates,omitempty"`
	Verdict    string        `json:"verdict,omitempty"`  // of the last review
	Families   []string      `json:"families,omitempty"` // that truly voted in it
	Page       string        `json:"page,omitempty"`     // address of the report in Notion
}

// Asking is what a run wants of a person.
type Asking struct {
	Since   time.Time `json:"since"`
	Reason  string    `json:"reason"`
	File    string    `json:"file"`    // absolute: what they are shown
	Confirm bool      `json:"confirm"` // their word opens the gate; otherwise answers do
}

// withStaged adds what staged research, and any run that asks a person, has beyond
// the rest.
func (s Status) withStaged(r flow.Run, folder string) Status {
	s.Issues = r.Issues
	if r.IsWaiting() {
		s.Status = staged.Paused
		s.Asking = newAsking(r, folder)
	}
	if staged.Of(r.Setup.Own) == nil {
		return s
	}
	st := recipe.StagedState(r)
	stages := staged.Stages()
	p := StagedStatus{
		Stage: st.CurrentStage, Number: slices.Index(stages, st.CurrentStage) + 1, Stages: len(stages),
		Iteration: st.Iteration, Iterations: st.MaxIterations, Gates: st.Gates,
	}
	if st.CurrentStage == staged.Done {
		p.Number = len(stages) + 1
	}
	if o, ok := recipe.PanelOutput(r); ok {
		p.Verdict, p.Families = o.Verdict, o.Families
	}
	p.Page = pageURL(r)
	s.Staged = &p
	return s
}

// pageURL is the address of what was delivered last; "" where that is a file
// alone.
func pageURL(r flow.Run) string {
	for _, t := range r.LastTasks(recipe.Delivery) {
		if t.Found != nil && staged.OutputOf(t.Found.Own) != nil && staged.OutputOf(t.Found.Own).Report != nil {
			return staged.OutputOf(t.Found.Own).Report.NotionURL
		}
	}
	return ""
}

// IsOpen reports whether a run has not ended: it is under way, or waits for a
// person.
func (s Status) IsOpen() bool { return s.Status == "running" || s.Status == staged.Paused }

// CanReopen reports whether a run that has ended can be gone on with where it
// ended: staged research that a gate or a limit has stopped.
func (s Status) CanReopen() bool {
	return s.Staged != nil && (s.Status == string(flow.Failed) || s.Status == string(flow.OutOfBudget))
}

func newAsking(r flow.Run, folder string) *Asking {
	a := Asking{Since: r.Asked, File: folder + "/" + recipe.QuestionsFile}
	if r.Judged != nil {
		a.Reason = r.Judged.Reason
	}
	if a.Confirm = recipe.AsksToConfirm(r); a.Confirm {
		a.File = folder + "/" + recipe.BriefFile
	}
	return &a
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
		return fmt.Sprintf("Staged research %s: %s; reviewers: %s", r.Setup.ID, seatList(r), strings.Join(panel, ", ")), true
	case flow.StageEntered:
		return recipe.StageLine(r), true
	case flow.SessionMoved: // it was no seat
		if e.Session == "" {
			return "The session has ended; the research goes on", true
		}
	}
	return "", false
}
