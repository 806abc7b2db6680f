package stagedwork

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/prompt"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/notion"
	"github.com/research-council/research-council/internal/output/report"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
)

// gatherFacts registers what the agents have brought, looks for the quotations,
// and lays out the ballots.
func (s *work) gatherFacts(r flow.Run) (*flow.Assessment, error) {
	var reg claim.Registry
	var brought []staged.AgentAnswer
	for _, t := range staged.CollectedTasks(r) {
		brought = append(brought, s.gathered(t))
		reg.Entries = claim.Register(reg.Entries, s.collectedDrafts(t))
	}
	for _, t := range staged.EmptyTasks(r) {
		brought = append(brought, s.gathered(t))
	}
	if err := s.WriteJSON(map[string]any{staged.CollectionFile: staged.Collect(brought)}); err != nil {
		return nil, err
	}
	found, err := s.Assess(r, reg)
	if err != nil {
		return nil, err
	}
	return s.Ballots(r, found)
}

// checkFacts counts the votes, and what of the facts then is verified.
func (s *work) checkFacts(r flow.Run) (*flow.Assessment, error) {
	reg := s.Registry()
	reg.Entries = s.CountVotes(r, reg.Entries)
	found, err := s.Assess(r, reg)
	if err != nil {
		return nil, err
	}
	var brought staged.CollectionResult
	if data, err := s.Folder.Read(staged.CollectionFile); err == nil && json.Unmarshal(data, &brought) != nil {
		brought.Agents = nil // the subtopics are for reading alone
	}
	checked := staged.FactCheck(s.Registry(), len(r.LastTasks(council.Support)) > 0).WithSubtopics(brought.Agents)
	stats := checked.Stats
	found.Own = staged.OwnOutput(&staged.Output{Stats: &stats})
	return found, s.WriteJSON(map[string]any{staged.FactcheckFile: checked})
}

// deliver renders the report, and where pages are delivered puts it there.
func (s *work) deliver(r flow.Run) (*flow.Assessment, error) {
	if err := s.WriteFinalReport(r); err != nil {
		return nil, err
	}
	text, err := s.Folder.Read(flow.FinalReport)
	if err != nil {
		return nil, fmt.Errorf("read the report: %w", err)
	}
	res := staged.ReportResult{File: flow.FinalReport, Local: true, Blocks: notion.Count(notion.Blocks(text))}
	if staged.Of(r.Setup.Own) != nil && staged.Of(r.Setup.Own).Notion != "" {
		if res, err = s.putPage(text); err != nil {
			return nil, err
		}
	}
	return &flow.Assessment{Own: staged.OwnOutput(&staged.Output{Report: &res})}, s.WriteJSON(map[string]any{staged.DeliveryFile: res})
}

// pageFile keeps the page's id from before anything is written into it.
const pageFile = "notion.json"

// putPage makes the run's page hold the report: the same page each time, also
// where an earlier try broke off at any request.
func (s *work) putPage(text []byte) (staged.ReportResult, error) {
	res := staged.ReportResult{File: flow.FinalReport}
	if s.notion == nil {
		return res, errors.New("Notion is set up for this run and cannot be spoken to: " + s.notionProblem)
	}
	blocks := notion.Blocks(text)
	page, err := s.fill(blocks)
	if notion.IsGone(err) && s.Folder.Has(pageFile) { // somebody has thrown it away
		if err = s.Folder.Remove(pageFile); err == nil {
			page, err = s.fill(blocks)
		}
	}
	if err != nil {
		return res, s.reportUndelivered(err)
	}
	n, err := s.notion.Count(s.Life, page.ID)
	if err != nil {
		return res, s.reportUndelivered(err)
	}
	res.NotionURL, res.PageID, res.Blocks = page.URL, page.ID, n
	return res, nil
}

// fill makes the run's page hold these blocks and nothing else.
func (s *work) fill(blocks []notion.Block) (notion.Page, error) {
	page, err := s.page()
	if err != nil {
		return page, err
	}
	return page, s.notion.Replace(s.Life, page.ID, blocks)
}

// page is the page of this run: the one it knows, the one it made and did not
// come to know, or a new one.
func (s *work) page() (notion.Page, error) {
	var page notion.Page
	if data, err := s.Folder.Read(pageFile); err == nil && json.Unmarshal(data, &page) == nil && page.ID != "" {
		return page, nil
	}
	page, found, err := s.notion.Find(s.Life, s.ID)
	if err != nil {
		return page, err
	}
	if !found {
		if page, err = s.notion.Create(s.Life, notion.Title(s.Setup.Topic, s.ID)); err != nil {
			return page, err
		}
	}
	return page, s.WriteJSON(map[string]any{pageFile: page})
}

// reportUndelivered tells of a delivery that failed.
func (s *work) reportUndelivered(err error) error {
	s.ReportIssue(flow.DeliveryFailed, "", err.Error())
	return fmt.Errorf("deliver the report to Notion: %w", err)
}

// renewPage puts the reviewed report in the place of the unreviewed one. That
// it cannot is an issue: the gate of the delivery has been passed.
func (s *work) renewPage(r flow.Run) {
	if staged.Of(r.Setup.Own).Notion == "" {
		return
	}
	if text, err := s.Folder.Read(flow.FinalReport); err == nil {
		_, _ = s.putPage(text) // it has told of what failed
	}
}

// addStagedParts adds to a final report what staged research knows beyond it.
func (s *work) addStagedParts(r flow.Run, f report.Final) report.Final {
	f.Form, f.Plan.Agents = report.Staged, 0
	if st := s.factcheck().Stats; st != (staged.Stats{}) {
		f.Notes = append(f.Notes, fmt.Sprintf("Fact-check, counted by the program: %d facts from %d sources; quotations located %d; verified (supported by the votes on their passages) %d, qualified %d, located and unjudged %d, not verified %d.",
			st.Total, st.Sources, st.Located, st.Verified, st.Qualified, st.Unjudged, st.Unverified))
	}
	if n := panel.Revisions(r); n > 0 {
		f.Notes = append(f.Notes, "Reviewers sent the work back to the synthesis "+plural.Of(n, "time")+".")
	}
	if s.PanelResult(r) == nil {
		f.Notes = append(f.Notes, "No reviewer has read this report yet.")
	}
	return f
}

// confirmBrief marks the brief as confirmed once a person has confirmed it.
func (s *work) confirmBrief() error {
	if !staged.Confirmed(s.Now) {
		return nil
	}
	data, err := s.Folder.Read(staged.BriefFile)
	if err != nil {
		return fmt.Errorf("read the brief: %w", err)
	}
	sealed, err := staged.ConfirmBrief(data)
	if err != nil {
		return fmt.Errorf("confirm the brief: %w", err)
	}
	return s.Folder.Write(staged.BriefFile, sealed)
}

// writeStagedState writes the run's state as staged research tells it. It repeats
// what the journal says, so nothing stops when it cannot be written.
func (s *work) writeStagedState() {
	st := staged.StateOf(s.Now)
	for stage, name := range staged.Outputs(s.Now) {
		if data, err := s.Folder.Read(name); err == nil && json.Valid(data) {
			if st.Outputs == nil {
				st.Outputs = map[string]json.RawMessage{}
			}
			st.Outputs[stage] = data
		}
	}
	_ = s.Folder.Write(staged.StateFile, st.Encode())
}

// Overdue tells, once, of a stage that takes longer than it was given.
func (s *work) Overdue(now time.Time) (e flow.Event, is bool) {
	if s.Now.Stage == "" || s.Now.Status != "" {
		return e, false
	}
	stage := staged.Part(s.Now)
	most := staged.Of(s.Setup.Own).SLA[stage]
	began := staged.PartBegan(s.Now)
	if most == 0 || now.Sub(began) <= most || staged.IsLateTold(s.Now, stage) {
		return e, false
	}
	late := flow.Issue{Code: flow.TooSlow, Stage: stage, Detail: fmt.Sprintf("%s has taken longer than the %s it was given", stage, most)}
	return flow.Event{Kind: flow.IssueMet, Issue: &late}, true
}

// normaliseStaged takes out of a brief what only a person may say in it, and makes
// a plan what is carried out.
func (s *work) normaliseStaged(role string, object []byte) ([]byte, error) {
	switch role {
	case agent.Brief:
		return staged.CleanBrief(object)
	case agent.Planning:
		var p staged.Plan
		if err := json.Unmarshal(object, &p); err != nil {
			return nil, fmt.Errorf("read the plan: %w", err)
		}
		plan, err := json.MarshalIndent(staged.Normalise(p, s.collectors()), "", "  ")
		return append(plan, '\n'), err
	}
	return nil, nil
}

// completeTurn adds how many agents a plan may have, and what one of the collection
// is to look into.
func (s *work) completeTurn(t flow.Task, v prompt.StagedTurn) prompt.StagedTurn {
	v.Agents = s.collectors()
	if t.Role == agent.Collection {
		s.fillAssignment(&v, t.Agent)
	}
	return v
}

// usableFactIDs are the facts an answer may rest on.
func (s *work) usableFactIDs() map[string]bool {
	ids := map[string]bool{}
	for _, f := range s.factcheck().Usable() {
		ids[f.ID] = true
	}
	return ids
}

// factcheck reads what the fact-check came to; nothing is the zero value.
func (s *work) factcheck() staged.FactCheckResult {
	var checked staged.FactCheckResult
	if data, err := s.Folder.Read(staged.FactcheckFile); err == nil && json.Unmarshal(data, &checked) != nil {
		return staged.FactCheckResult{}
	}
	return checked
}

// collectors is how many agents a plan may have.
func (s *work) collectors() int {
	return staged.Of(s.Setup.Own).Agents
}

// fillAssignment tells an agent of the collection what it is to look into.
func (s *work) fillAssignment(v *prompt.StagedTurn, id string) {
	plan := s.assignments()
	for _, a := range plan.Agents {
		if a.ID != id {
			continue
		}
		v.Agent, v.Focus, v.Queries = a.ID, a.Focus, a.Queries
		for _, topic := range plan.Subtopics {
			for _, id := range a.Subtopics {
				if topic.ID == id {
					v.Subtopics = append(v.Subtopics, topic.ID+" "+topic.Title)
				}
			}
		}
	}
}

// assignments reads the plan of the collection, as it is carried out.
func (s *work) assignments() staged.Plan {
	var p staged.Plan
	if data, err := s.Folder.Read(staged.PlanningFile); err == nil && json.Unmarshal(data, &p) != nil {
		return staged.Plan{}
	}
	return p
}

// collectedDrafts are the claims of an agent of the collection: the facts of its
// answer, and what it has recorded beside it.
func (s *work) collectedDrafts(t flow.TaskState) []claim.Draft {
	g := s.gathered(t)
	return append(staged.Drafts(g), s.Recorded(t)...)
}

// gathered is what an agent of the collection has brought.
func (s *work) gathered(t flow.TaskState) staged.AgentAnswer {
	g := staged.AgentAnswer{}
	if data, err := s.Folder.Read(t.Writes); err == nil {
		err := json.Unmarshal(data, &g)
		if g.Problem = ""; err != nil {
			g.Problem = "its answer cannot be read"
		}
	}
	if g.Agent, g.Seat, g.Family = t.Agent, t.Seat, t.Brand; !t.Outcome.Good() {
		g = staged.AgentAnswer{Agent: t.Agent, Seat: t.Seat, Family: t.Brand, Problem: t.Reason}
	}
	return g
}

// lintAnswer finds ids of facts that are not there.
func (s *work) lintAnswer(role string, object []byte) []string {
	if role != agent.Findings && role != agent.Advocate {
		return nil
	}
	known := s.usableFactIDs()
	return staged.Lint(role, object, func(id string) bool { return known[id] })
}

// GiveInput tells a run that waits for a person what they have said: answers, as
// they are to be kept, or that they confirm. A run that does not wait any more as
// it was when they saw it, or has nothing to be confirmed, is
// [supervisor.ErrNotAsked]. Nobody works on it afterwards.
func GiveInput(o supervisor.Options, seen flow.Run, answers []byte, confirmed bool) error {
	return supervisor.Amend(o, func(a supervisor.Amendment) error {
		s, is := a.Work().(*work)
		r := a.Now()
		if !is || !r.IsWaiting() || !r.Asked.Equal(seen.Asked) || confirmed && !staged.AsksToConfirm(r) {
			return supervisor.ErrNotAsked
		}
		in := flow.Input{Confirmed: confirmed}
		if !confirmed {
			in.File = staged.AnswersFile(len(r.Given) + 1)
			if err := s.Folder.Write(in.File, answers); err != nil {
				return err
			}
		}
		return a.Record(flow.Event{Kind: flow.InputGiven, Input: &in})
	})
}
