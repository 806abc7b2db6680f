package supervisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"research-council/internal/agent"
	"research-council/internal/base/plain"
	"research-council/internal/engine/flow"
	"research-council/internal/evidence/claim"
	"research-council/internal/output/notion"
	"research-council/internal/output/report"
	"research-council/internal/product/panel"
	"research-council/internal/product/recipe"
	"research-council/internal/product/staged"
)

// stagedWork is the program's own work in staged research, and in any review.
func (s *supervisor) stagedWork(r flow.Run) map[string]func() (*flow.Assessment, error) {
	return map[string]func() (*flow.Assessment, error){
		recipe.Gathering: func() (*flow.Assessment, error) { return s.gatherFacts(r) },
		recipe.Factcheck: func() (*flow.Assessment, error) { return s.checkFacts(r) },
		recipe.Delivery:  func() (*flow.Assessment, error) { return s.deliver(r) },
		recipe.Verdict:   func() (*flow.Assessment, error) { return s.countReviews(r) },
	}
}

// gatherFacts registers what the agents have brought, looks for the quotations,
// and lays out the ballots.
func (s *supervisor) gatherFacts(r flow.Run) (*flow.Assessment, error) {
	var reg claim.Registry
	var brought []staged.AgentAnswer
	for _, t := range recipe.CollectedTasks(r) {
		brought = append(brought, s.gathered(t))
		reg.Entries = claim.Register(reg.Entries, s.collectedDrafts(t))
	}
	for _, t := range recipe.EmptyTasks(r) {
		brought = append(brought, s.gathered(t))
	}
	if err := s.record(map[string]any{recipe.CollectionFile: staged.Collect(brought)}); err != nil {
		return nil, err
	}
	found, err := s.assess(r, reg)
	if err != nil {
		return nil, err
	}
	return s.ballots(r, found)
}

// checkFacts counts the votes, and what of the facts then is verified.
func (s *supervisor) checkFacts(r flow.Run) (*flow.Assessment, error) {
	reg := s.registry()
	reg.Entries = s.countVotes(r, reg.Entries)
	found, err := s.assess(r, reg)
	if err != nil {
		return nil, err
	}
	var brought staged.CollectionResult
	if data, err := s.folder.Read(recipe.CollectionFile); err == nil && json.Unmarshal(data, &brought) != nil {
		brought.Agents = nil // the subtopics are for reading alone
	}
	checked := staged.FactCheck(s.registry(), len(r.LastTasks(recipe.Support)) > 0).WithSubtopics(brought.Agents)
	stats := checked.Stats
	found.Own = staged.OwnOutput(&staged.Output{Stats: &stats})
	return found, s.record(map[string]any{recipe.FactcheckFile: checked})
}

// deliver renders the report, and where pages are delivered puts it there.
func (s *supervisor) deliver(r flow.Run) (*flow.Assessment, error) {
	if err := s.writeFinalReport(r); err != nil {
		return nil, err
	}
	text, err := s.folder.Read(recipe.FinalReport)
	if err != nil {
		return nil, fmt.Errorf("read the report: %w", err)
	}
	res := staged.ReportResult{File: recipe.FinalReport, Local: true, Blocks: notion.Count(notion.Blocks(text))}
	if staged.Of(r.Setup.Own) != nil && staged.Of(r.Setup.Own).Notion != "" {
		if res, err = s.putPage(text); err != nil {
			return nil, err
		}
	}
	return &flow.Assessment{Own: staged.OwnOutput(&staged.Output{Report: &res})}, s.record(map[string]any{recipe.DeliveryFile: res})
}

// pageFile keeps the page's id from before anything is written into it.
const pageFile = "notion.json"

// putPage makes the run's page hold the report: the same page each time, also
// where an earlier try broke off at any request.
func (s *supervisor) putPage(text []byte) (staged.ReportResult, error) {
	res := staged.ReportResult{File: recipe.FinalReport}
	if s.Notion == nil {
		return res, errors.New("Notion is set up for this run and cannot be spoken to: " + s.NotionProblem)
	}
	blocks := notion.Blocks(text)
	page, err := s.fill(blocks)
	if notion.IsGone(err) && s.folder.Has(pageFile) { // somebody has thrown it away
		if err = s.folder.Remove(pageFile); err == nil {
			page, err = s.fill(blocks)
		}
	}
	if err != nil {
		return res, s.reportUndelivered(err)
	}
	n, err := s.Notion.Count(s.life, page.ID)
	if err != nil {
		return res, s.reportUndelivered(err)
	}
	res.NotionURL, res.PageID, res.Blocks = page.URL, page.ID, n
	return res, nil
}

// fill makes the run's page hold these blocks and nothing else.
func (s *supervisor) fill(blocks []notion.Block) (notion.Page, error) {
	page, err := s.page()
	if err != nil {
		return page, err
	}
	return page, s.Notion.Replace(s.life, page.ID, blocks)
}

// page is the page of this run: the one it knows, the one it made and did not
// come to know, or a new one.
func (s *supervisor) page() (notion.Page, error) {
	var page notion.Page
	if data, err := s.folder.Read(pageFile); err == nil && json.Unmarshal(data, &page) == nil && page.ID != "" {
		return page, nil
	}
	page, found, err := s.Notion.Find(s.life, s.ID)
	if err != nil {
		return page, err
	}
	if !found {
		if page, err = s.Notion.Create(s.life, notion.Title(s.setup.Topic, s.ID)); err != nil {
			return page, err
		}
	}
	return page, s.record(map[string]any{pageFile: page})
}

// reportUndelivered tells of a delivery that failed.
func (s *supervisor) reportUndelivered(err error) error {
	s.reportIssue(flow.DeliveryFailed, "", err.Error())
	return fmt.Errorf("deliver the report to Notion: %w", err)
}

// reportIssue makes a fact, from outside the supervisor's own goroutine, of something
// that went wrong and stops nothing.
func (s *supervisor) reportIssue(code, seat, detail string) {
	is := flow.Issue{Code: code, Seat: seat, Detail: plain.Line(detail, maxForeignRunes)}
	select {
	case s.signals <- signal{event: &flow.Event{Kind: flow.IssueMet, Issue: &is}}:
	case <-s.life.Done(): // nobody listens any more
	}
}

// notifyStage tells people of a stage of staged research.
func (s *supervisor) notifyStage(e flow.Event) {
	if staged.Of(s.setup.Own) == nil {
		return
	}
	for _, n := range recipe.Notices(s.run, e) {
		s.sendNotice(n)
	}
}

// opinions are the reviewers' opinions of this review.
func (s *supervisor) opinions(r flow.Run) []panel.Opinion {
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
func (s *supervisor) review(t flow.TaskState) *panel.Review {
	if !t.Outcome.Good() {
		return nil
	}
	data, err := s.folder.Read(t.Writes)
	if err != nil {
		return nil
	}
	r, err := panel.Decode(data)
	if err != nil {
		return nil
	}
	return &r
}

// countReviews counts the votes, and writes what the reviewers want mended.
func (s *supervisor) countReviews(r flow.Run) (*flow.Assessment, error) {
	result := panel.Conclude(s.opinions(r), s.reportEvidence())
	if err := s.record(map[string]any{recipe.VerdictFile: result}); err != nil {
		return nil, err
	}
	if err := s.folder.Write(recipe.RevisionFile, []byte(result.RevisionBrief())); err != nil {
		return nil, err
	}
	if err := s.writeFinalReport(r); err != nil { // it says what came of the review
		return nil, err
	}
	s.renewPage(r)
	why := result.Reason
	if result.FinalVerdict == panel.NoQuorum {
		why = "" // the gate says it
	}
	return &flow.Assessment{Own: staged.OwnOutput(&staged.Output{
		Verdict: result.FinalVerdict, Score: result.ConsensusScore, Valid: result.Valid, Families: result.Families, Reason: why,
	})}, nil
}

// reportEvidence is what the report that is reviewed rests on.
func (s *supervisor) reportEvidence() panel.Evidence {
	entries := s.registry().Entries
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

// renewPage puts the reviewed report in the place of the unreviewed one. That
// it cannot is an issue: the gate of the delivery has been passed.
func (s *supervisor) renewPage(r flow.Run) {
	if staged.Of(r.Setup.Own) == nil || staged.Of(r.Setup.Own).Notion == "" {
		return
	}
	if text, err := s.folder.Read(recipe.FinalReport); err == nil {
		_, _ = s.putPage(text) // it has told of what failed
	}
}

// panelResult is what the review of the report that stands came to; nil where it
// has not been counted.
func (s *supervisor) panelResult(r flow.Run) *panel.Result {
	if r.Stage != recipe.Verdict || r.Status != "" && !r.Tasks[0].Outcome.Good() {
		return nil
	}
	data, err := s.folder.Read(recipe.VerdictFile)
	if err != nil {
		return nil
	}
	var result panel.Result
	if json.Unmarshal(data, &result) != nil {
		return nil
	}
	return &result
}

// addStagedParts adds to a final report what staged research knows beyond it.
func (s *supervisor) addStagedParts(r flow.Run, f report.Final) report.Final {
	result := s.panelResult(r)
	if result != nil {
		f.Review, f.Approved = result.Markdown(), result.FinalVerdict == panel.Approved
	}
	switch {
	case r.Setup.Unreviewed:
		f.Unread = "A review was asked for, and no reviewer with a model could take part."
	case result != nil && result.Valid == 0:
		f.Unread = fmt.Sprintf("None of %d reviewers gave a valid vote.", result.Asked)
	}
	if staged.Of(r.Setup.Own) == nil {
		return f
	}
	f.Form, f.Plan.Agents = report.Staged, 0
	if st := s.factcheck().Stats; st != (staged.Stats{}) {
		f.Notes = append(f.Notes, fmt.Sprintf("Fact-check, counted by the program: %d facts from %d sources; quotations located %d; verified (supported by the votes on their passages) %d, qualified %d, located and unjudged %d, not verified %d.",
			st.Total, st.Sources, st.Located, st.Verified, st.Qualified, st.Unjudged, st.Unverified))
	}
	if n := recipe.Revisions(r); n > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("Reviewers sent the work back to the synthesis %d times.", n))
	}
	if result == nil {
		f.Notes = append(f.Notes, "No reviewer has read this report yet.")
	}
	return f
}

// confirmBrief marks the brief as confirmed once a person has confirmed it.
func (s *supervisor) confirmBrief() error {
	if staged.Of(s.setup.Own) == nil || !recipe.Confirmed(s.run) {
		return nil
	}
	data, err := s.folder.Read(recipe.BriefFile)
	if err != nil {
		return fmt.Errorf("read the brief: %w", err)
	}
	sealed, err := staged.ConfirmBrief(data)
	if err != nil {
		return fmt.Errorf("confirm the brief: %w", err)
	}
	return s.folder.Write(recipe.BriefFile, sealed)
}

// writeStagedState writes the run's state as staged research tells it. It repeats
// what the journal says, so nothing stops when it cannot be written.
func (s *supervisor) writeStagedState() {
	if staged.Of(s.setup.Own) == nil {
		return
	}
	st := recipe.StagedState(s.run)
	for stage, name := range recipe.Outputs(s.run) {
		if data, err := s.folder.Read(name); err == nil && json.Valid(data) {
			if st.Outputs == nil {
				st.Outputs = map[string]json.RawMessage{}
			}
			st.Outputs[stage] = data
		}
	}
	_ = s.folder.Write(recipe.StateFile, st.Encode())
}

// reportOverdue tells, once, of a stage that takes longer than it was given.
func (s *supervisor) reportOverdue(now time.Time) error {
	if staged.Of(s.setup.Own) == nil || s.run.Stage == "" || s.run.Status != "" {
		return nil
	}
	stage := recipe.StagedPart(s.run)
	most := staged.Of(s.setup.Own).SLA[stage]
	began := recipe.StagedPartBegan(s.run)
	if most == 0 || now.Sub(began) <= most || recipe.IsLateTold(s.run, stage) {
		return nil
	}
	is := flow.Issue{Code: flow.TooSlow, Stage: stage, Detail: fmt.Sprintf("%s has taken longer than the %s it was given", stage, most)}
	return s.recordFacts(flow.Event{Kind: flow.IssueMet, Issue: &is})
}
