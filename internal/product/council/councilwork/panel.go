package councilwork

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/report"
	"github.com/research-council/research-council/internal/product/panel"
)

// opinions are the reviewers' opinions of this review.
func (s *author) opinions(r flow.Run) []panel.Opinion {
	last := map[string]*panel.Review{}
	if len(r.LastTasks(agent.Reconsider)) > 0 {
		for _, t := range r.LastTasks(agent.Reconsider) {
			last[t.Agent] = s.review(t)
		}
	}
	var list []panel.Opinion
	for _, t := range r.LastTasks(agent.Review) {
		seat, _ := r.Seat(t.Seat)
		o := panel.Opinion{Agent: t.Agent, Seat: t.Seat, Family: t.Brand, Model: seat.Model, First: s.review(t)}
		if o.First == nil {
			o.Reason = strings.TrimSpace(t.Reason + " " + strings.Join(t.Loop.Artefact.Problems, "; "))
		}
		if o.Last = last[t.Agent]; o.Last == nil && o.First != nil {
			o.Reason = silenceReason(r.LastTasks(agent.Reconsider), t.Agent)
		}
		list = append(list, o)
	}
	return list
}

// silenceReason says why a reviewer has not written again.
func silenceReason(tasks []flow.TaskState, reviewer string) string {
	for _, t := range tasks {
		if t.Agent == reviewer {
			return t.Reason
		}
	}
	return "no other reviewer was there to be heard"
}

// review is what a reviewer has written; nil where that is no review.
func (s *author) review(t flow.TaskState) *panel.Review {
	if !t.Outcome.Good() {
		return nil
	}
	data, err := s.Folder.Read(t.Writes)
	if err != nil {
		return nil
	}
	r, err := panel.Decode(data)
	if err != nil {
		return nil
	}
	return &r
}

// CountReviews counts the votes, and writes what the reviewers want mended.
func (s *author) CountReviews(r flow.Run) (*flow.Assessment, error) {
	result := panel.Conclude(s.opinions(r), s.reportEvidence())
	if err := s.WriteJSON(map[string]any{panel.VerdictFile: result}); err != nil {
		return nil, err
	}
	if err := s.Folder.Write(panel.RevisionFile, []byte(result.RevisionBrief())); err != nil {
		return nil, err
	}
	if err := s.WriteFinalReport(r); err != nil { // it says what came of the review
		return nil, err
	}
	why := result.Reason
	if result.FinalVerdict == panel.NoQuorum {
		why = "" // the gate says it
	}
	return &flow.Assessment{Own: panel.OwnCount(&panel.Count{
		Verdict: result.FinalVerdict, Score: result.ConsensusScore, Valid: result.Valid, Families: result.Families, Reason: why,
	})}, nil
}

// reportEvidence is what the report that is reviewed rests on.
func (s *author) reportEvidence() panel.Evidence {
	entries := s.Registry().Entries
	found := panel.Evidence{Claims: len(entries)}
	for _, e := range entries {
		switch e.Verdict() {
		case claim.Supports:
			found.Verified++
		case claim.Unjudged:
			found.Unjudged++
		}
	}
	return found
}

// PanelResult is what the review of the report that stands came to; nil where it
// has not been counted.
func (s *author) PanelResult(r flow.Run) *panel.Result {
	if r.Stage != panel.Verdict || r.Status != "" && !r.Tasks[0].Outcome.Good() {
		return nil
	}
	data, err := s.Folder.Read(panel.VerdictFile)
	if err != nil {
		return nil
	}
	var result panel.Result
	if json.Unmarshal(data, &result) != nil {
		return nil
	}
	return &result
}

// writeOtherOpinions gives a reviewer what the others have said, without their names.
func (s *author) writeOtherOpinions(t flow.Task, inputs []string) ([]string, error) {
	if t.Role != agent.Reconsider {
		return inputs, nil
	}
	name := path.Join(s.TaskFolder(t), supervisor.InputsDir, OthersFile)
	if err := s.Folder.Mkdir(path.Dir(name)); err != nil {
		return nil, err
	}
	if err := s.Folder.Write(name, []byte(panel.OtherReviews(t.Agent, s.opinions(s.Now)))); err != nil {
		return nil, err
	}
	return append(inputs, s.Folder.Join(name)), nil
}

// addReview adds what reviewers have said of a report.
func (s *author) addReview(r flow.Run, f report.Final) report.Final {
	result := s.PanelResult(r)
	if result != nil {
		f.Review, f.Approved = result.Markdown(), result.FinalVerdict == panel.Approved
	}
	switch {
	case r.Setup.Unreviewed:
		f.Unread = "A review was asked for, and no reviewer with a model could take part."
	case result != nil && result.Valid == 0:
		f.Unread = fmt.Sprintf("None of %d reviewers gave a valid vote.", result.Asked)
	}
	return f
}
