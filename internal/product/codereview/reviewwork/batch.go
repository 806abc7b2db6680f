package reviewwork

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/trial"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
)

// batchFindings is what a batch has come to.
type batchFindings struct {
	Batch    int               `json:"batch"`
	Findings []finding.Finding `json:"findings"`
	Dropped  []finding.Finding `json:"dropped"` // their code is not in the files
	Outside  []finding.Finding `json:"outside"` // their files are not reviewed
	Refused  map[string]int    `json:"refused"` // by reviewer, lines that are no finding
}

// collateBatch takes in what the reviewers of a batch have found, in all their
// tries, and shows it.
func (s *repository) collateBatch(r flow.Run) (*flow.Assessment, error) {
	readings := codereview.BatchVisits(r)
	last := readings[len(readings)-1]
	tally := codereview.Tally{Batch: last.Batch, Findings: map[string]int{}, Missing: absentReviewers(last)}
	all := batchFindings{Batch: last.Batch, Findings: []finding.Finding{}, Dropped: []finding.Finding{}, Outside: []finding.Finding{}, Refused: map[string]int{}}
	for _, reading := range readings {
		if reading.Batch != last.Batch {
			continue
		}
		for _, t := range reading.Tasks {
			if t.Outcome.Good() {
				tally.Works = append(tally.Works, s.addFindings(t, &all))
			}
		}
	}
	for _, f := range all.Findings {
		tally.Findings[f.Severity]++
	}
	if err := s.WriteJSON(map[string]any{codereview.BatchFile(last.Batch): all}); err != nil {
		return nil, err
	}
	return &flow.Assessment{Own: codereview.OwnTally(&tally)}, WithReviewFolder(s.Project, func(f *workspace.Folder) error { return s.writeBatchPages(f, last.Batch) })
}

// absentReviewers are those who have left nothing in a visit.
func absentReviewers(reading codereview.BatchVisit) []codereview.Absent {
	var list []codereview.Absent
	for _, t := range reading.Tasks {
		if !t.Outcome.Good() {
			list = append(list, codereview.Absent{Reviewer: t.Agent, Seat: t.Seat, Reason: plain.Line(t.Reason, supervisor.MaxForeignRunes)})
		}
	}
	return list
}

// addFindings adds what a reviewer has found.
func (s *repository) addFindings(t flow.TaskState, all *batchFindings) codereview.ReviewerTally {
	w := codereview.ReviewerTally{Reviewer: t.Agent, Seat: t.Seat}
	data, err := s.Folder.Read(t.Writes)
	if err != nil {
		return w
	}
	if !marker.IsComplete(data) {
		w.CutReason = plain.Line(t.Reason, supervisor.MaxForeignRunes)
	}
	list, refused := finding.Decode(bytes.NewReader(data), findingAuthor(t.Task, all.Batch))
	for _, r := range refused {
		s.Log(fmt.Sprintf("%s of %s, line %d: %s", t.Agent, t.Seat, r.Line, r.Reason))
	}
	if n := len(refused); n > 0 {
		all.Refused[t.Agent] += n
	}
	for _, f := range s.locateFindings(list) {
		switch {
		case f.State == finding.Unreadable || s.reviewed[f.File] && !f.IsLocated():
			w.Dropped++
			all.Dropped = append(all.Dropped, f)
		case !s.reviewed[f.File]:
			w.Outside++
			all.Outside = append(all.Outside, f)
		default:
			w.Findings++
			all.Findings = append(all.Findings, f)
		}
	}
	return w
}

// batch reads what a batch has come to; nothing is the zero value.
func (s *repository) batch(n int) batchFindings {
	var b batchFindings
	if data, err := s.Folder.Read(codereview.BatchFile(n)); err == nil && json.Unmarshal(data, &b) != nil {
		return batchFindings{}
	}
	return b
}

// writeBatchPages writes the pages of a batch for people, one for each reviewer.
func (s *repository) writeBatchPages(f *workspace.Folder, n int) error {
	b := s.batch(n)
	for _, kind := range finding.Kinds() {
		of := func(list []finding.Finding) []finding.Finding {
			return slices.DeleteFunc(slices.Clone(list), func(f finding.Finding) bool { return f.Reviewer != finding.ReviewerOf(kind) })
		}
		page := finding.Batch(kind, n, of(b.Findings), of(b.Dropped))
		if err := writeIfChanged(f, path.Join(batchFolder(n), finding.FileOf(kind)), page); err != nil {
			return err
		}
	}
	return nil
}

// mergeFindings makes one list of all findings, and one of a bounded length
// for the synthesizer.
func (s *repository) mergeFindings(r flow.Run) (*flow.Assessment, error) {
	list := s.mergeBatches(r)
	if err := s.WriteJSON(map[string]any{codereview.MergedFile: list}); err != nil {
		return nil, err
	}
	if err := s.Folder.Write(codereview.RankedFile, rankedLines(list)); err != nil {
		return nil, err
	}
	return &flow.Assessment{Own: codereview.OwnTally(&codereview.Tally{Merged: len(list), Findings: finding.Count(list).Severity})}, nil
}

// mergeBatches merges what there is of all batches.
func (s *repository) mergeBatches(r flow.Run) []finding.Merged {
	var all []finding.Finding
	for _, n := range collatedBatches(r) {
		all = append(all, s.batch(n).Findings...)
	}
	if list := finding.Merge(all); list != nil {
		return list
	}
	return []finding.Merged{}
}

// collatedBatches are the batches that were collated, in order.
func collatedBatches(r flow.Run) []int {
	var list []int
	for _, reading := range codereview.BatchVisits(r) {
		if reading.Counted != nil && !slices.Contains(list, reading.Batch) {
			list = append(list, reading.Batch)
		}
	}
	return list
}

// Bounds of what a synthesizer is shown.
const (
	maxRankedBytes = 400 << 10 // bytes of all
	maxRankedRunes = 700       // runes of one text
)

// anonymousFinding is a finding as judges are shown it: without who says so.
type anonymousFinding struct {
	ID          string `json:"id"`
	Severity    string `json:"severity"`
	Confidence  string `json:"confidence"`
	Kind        string `json:"kind"`
	Category    string `json:"category"`
	File        string `json:"file"`
	Line        int    `json:"line"`
	EndLine     int    `json:"end_line,omitempty"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Impact      string `json:"impact,omitempty"`
	Fix         string `json:"fix,omitempty"`
	Code        string `json:"code,omitempty"`
	State       string `json:"state,omitempty"`
	FoundBy     int    `json:"found_by"` // reviewers
}

func anonymise(m finding.Merged) anonymousFinding {
	cut := func(text string) string {
		if words := []rune(text); len(words) > maxRankedRunes {
			return string(words[:maxRankedRunes]) + "…"
		}
		return text
	}
	return anonymousFinding{
		ID: m.ID, Severity: m.Severity, Confidence: m.Confidence, Kind: m.Kind, Category: m.Category, File: m.File, Line: m.Line, EndLine: m.EndLine,
		Title: m.Title, Description: cut(m.Description), Impact: cut(m.Impact), Fix: cut(m.Fix), Code: cut(m.Code), State: m.State,
		FoundBy: max(1, len(m.Members)),
	}
}

// rankedLines is a list of findings a line each, the gravest first, and how many
// more of each severity there are.
func rankedLines(list []finding.Merged) []byte {
	var b bytes.Buffer
	left := map[string]int{}
	for _, m := range list {
		line, err := json.Marshal(anonymise(m))
		if err != nil || b.Len()+len(line) > maxRankedBytes || len(left) > 0 {
			left[m.Severity]++
			continue
		}
		b.Write(append(line, '\n'))
	}
	if len(left) > 0 {
		if line, err := json.Marshal(map[string]any{"left_out": left}); err == nil {
			b.Write(append(line, '\n'))
		}
	}
	return b.Bytes()
}

// assignSpotchecks chooses what is looked at once more, and by whom.
func (s *tester) assignSpotchecks(r flow.Run) (*flow.Assessment, error) {
	answer := s.synthesis(r)
	list := finding.Apply(s.mergedFindings(), answer.Judgements)
	worst := finding.Gravest(slices.DeleteFunc(finding.NotDismissed(list), func(m finding.Merged) bool { return !m.IsLocated() }), codereview.MaxSpotchecks)
	checks := codereview.AssignSpotchecks(r, worst)
	tally := codereview.Tally{Checks: map[string]int{}}
	for seat, ids := range checks {
		tally.Checks[seat] = len(ids)
		mine := slices.DeleteFunc(slices.Clone(worst), func(m finding.Merged) bool { return !slices.Contains(ids, m.ID) })
		if err := s.Folder.Write(codereview.CheckFile(seat), rankedLines(mine)); err != nil {
			return nil, err
		}
	}
	tally = s.tested(tally, checks)
	return &flow.Assessment{Own: codereview.OwnTally(&tally)}, s.WriteJSON(map[string]any{trial.ChecksFile: checks})
}

// synthesis is what the synthesizer has said, where it has said anything.
func (s *repository) synthesis(r flow.Run) codereview.Synthesis {
	for _, t := range r.LastTasks(agent.Synthesize) {
		if !t.Outcome.Good() {
			continue
		}
		if data, err := s.Folder.Read(t.Writes); err == nil {
			answer, _ := codereview.DecodeSynthesis(data, "synthesizer, "+t.Seat)
			answer.Judgements = slices.DeleteFunc(answer.Judgements, func(j finding.Judgement) bool { return isSpotcheckVerdict(j) })
			return answer
		}
	}
	return codereview.Synthesis{}
}

// spotcheckJudgements is what those say that have looked at findings once more.
func (s *repository) spotcheckJudgements(r flow.Run) []finding.Judgement {
	var all []finding.Judgement
	for _, t := range r.LastTasks(agent.Spotcheck) {
		data, err := s.Folder.Read(t.Writes)
		if err != nil || !t.Outcome.Good() {
			continue
		}
		asked := s.spotcheckAssignments()[t.Seat]
		list, _ := finding.DecodeJudgements(bytes.NewReader(data), "second look, "+t.Seat)
		for _, j := range list {
			if isSpotcheckVerdict(j) && slices.Contains(asked, j.ID) {
				all = append(all, j)
			}
		}
	}
	return all
}

// rejectedCounts counts, by reviewer, what was not taken in.
type rejectedCounts struct {
	dropped map[string]int // findings whose code is not in the files
	outside map[string]int // findings in files that are not reviewed
	refused map[string]int // lines that are no finding
}

func (s *repository) leftAside(r flow.Run) rejectedCounts {
	n := rejectedCounts{map[string]int{}, map[string]int{}, map[string]int{}}
	for _, batch := range collatedBatches(r) {
		b := s.batch(batch)
		for _, f := range b.Dropped {
			n.dropped[f.Reviewer]++
		}
		for _, f := range b.Outside {
			n.outside[f.Reviewer]++
		}
		for reviewer, lines := range b.Refused {
			n.refused[reviewer] += lines
		}
	}
	return n
}

// reviewers are the seats and what became of their work, a line for each role
// and outcome.
func reviewers(r flow.Run) []finding.Seat {
	var list []finding.Seat
	for _, v := range append(r.History[:len(r.History):len(r.History)], flow.Visit{Stage: r.Stage, Tasks: r.Tasks}) {
		for _, t := range v.Tasks {
			if !isReviewRole(t.Role) {
				continue
			}
			seat, _ := r.Seat(t.Seat)
			line := finding.Seat{Name: t.Seat, Role: cmp.Or(t.Agent, t.Role), Model: seat.Model, Family: t.Brand, Outcome: outcomeText(t)}
			if !slices.Contains(list, line) {
				list = append(list, line)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b finding.Seat) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Role, b.Role))
	})
	return list
}

func outcomeText(t flow.TaskState) string {
	switch {
	case t.Outcome.Good():
		return "answered"
	case t.Ended():
		return "left nothing: " + plain.Line(t.Reason, supervisor.MaxForeignRunes)
	}
	return "had not come to its end"
}
