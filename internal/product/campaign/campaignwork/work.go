// Package campaignwork is what the program does in a campaign: it asks a worker
// for each iteration, writes the papers, runs the tests and commits what passes.
package campaignwork

import (
	"fmt"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/agent/prompt"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/council/councilwork"
	"github.com/research-council/research-council/internal/project/shell"
)

// records are what workers, critics and the program have left in a run's folder.
type records struct{ *councilwork.Work }

// press writes what people read of a campaign: papers, state, feature list, log.
type press struct {
	*records
	papers        *workspace.Folder // what it writes for people
	templates     string            // folder of the user's own templates of papers; "" for none
	building      sync.Mutex        // held while papers are built
	keepShownList bool              // the feature list people see is left as it is
}

// box runs commands in the project, confined where that can be, with what is
// protected put back.
type box struct {
	*press
	shelling sync.Mutex   // held while the shell is opened
	commands *shell.Shell // in which commands of the project run; nil before the first
}

// attempts tell what an attempt at a feature has changed from what a person does,
// and set aside what does not pass.
type attempts struct{ *box }

// gate looks at a change, has it judged, and commits what passes.
type gate struct{ *attempts }

// worker asks for iterations.
type worker struct{ *gate }

// work is the work of a campaign in one run: a council's, with papers for people
// and features that are built. It stands on the types above it, each on the one
// before: what it does otherwise than the council is not seen from below, where
// the council's own methods are called.
type work struct{ *worker }

// Product is the campaign.
type Product struct {
	councilwork.Product
	Templates string // folder of the user's own templates of papers; "" for none
}

// Workflow is the course of a run of this product.
func (p Product) Workflow(s flow.Setup) (flow.Workflow, bool) {
	return campaign.WorkflowOf(s)
}

// Demand is what a run will ask of its seats.
func (p Product) Demand(s flow.Setup) forecast.Demand { return campaign.Demand(s) }

// Reserve makes the campaign's folder.
func (p Product) Reserve(s flow.Setup, working bool, _ time.Time) error {
	if working {
		return nil
	}
	c := campaign.Of(s.Own)
	f, err := workspace.OpenPublic(s.Root, c.Folder())
	if err != nil {
		return fmt.Errorf("a campaign writes into %s: %w", c.Folder(), err)
	}
	_ = f.Close() // it was only to be there
	return nil
}

func (p Product) Session(s flow.Setup, st workspace.State) workspace.State {
	c := campaign.Of(s.Own)
	st.Campaign, st.Loop, st.MaxIterations = c.Slug, c.Loop, c.Iterations
	return st
}

func (p Product) Reopened(r flow.Run) (stage string, moves bool) {
	if r.Status == "" && r.IsWaiting() && r.Stage != "" {
		return campaign.ResumeStage(r), true
	}
	if r.Status == "" {
		return "", true
	}
	return campaign.ReopenStage(r), true
}

// Open makes ready what it works with in a run.
func (p Product) Open(r *supervisor.Run) (supervisor.Work, error) {
	base, err := councilwork.New(r, p.Reader)
	paper := &press{records: &records{base}, templates: p.Templates, keepShownList: r.Amends}
	s := &work{&worker{&gate{&attempts{&box{press: paper}}}}}
	s.Variant = councilwork.Variant{Judges: council.AllJudges, Voters: true, VotedOn: s.restedOn, Final: s.withPapers, Render: s.renderReport}
	if err != nil {
		return s, err
	}
	return s, s.openPapers()
}

func (s *work) Close() error {
	_ = s.closeShell() // nobody waits for its way out any more
	if s.papers != nil {
		_ = s.papers.Close()
	}
	return s.Work.Close()
}

func (s *work) TakeUp(facts []flow.Event) error {
	if err := s.applyEdits(); err != nil {
		return err
	}
	s.catchUpCampaignLog(facts)
	return nil
}

// Resume makes PDFs: whoever takes a campaign up sees how far it is.
func (s *work) Resume() { s.buildPDFsInBackground() }

// Perform finds what the program does between the iterations of a campaign.
func (s *work) Perform(t flow.TaskState) func() (*flow.Assessment, error) {
	r := s.Now
	own := map[string]func() (*flow.Assessment, error){
		campaign.Adopt:    func() (*flow.Assessment, error) { return s.adoptFeatureList(r) },
		campaign.Gather:   func() (*flow.Assessment, error) { return s.assessResearch(r) },
		campaign.Publish:  func() (*flow.Assessment, error) { return s.endPhase(r) },
		campaign.Hear:     func() (*flow.Assessment, error) { return s.assessCriticism(r) },
		campaign.Settle:   func() (*flow.Assessment, error) { return s.assessPlan(r) },
		campaign.Handover: func() (*flow.Assessment, error) { return s.endPhase(r) },
		campaign.Enlist:   func() (*flow.Assessment, error) { return s.importFeatureList(r) },
		campaign.Baseline: func() (*flow.Assessment, error) { return s.baseline(r) },
		campaign.Keep:     func() (*flow.Assessment, error) { return s.withRepository(r, s.applyVerdict) },
		campaign.Test:     func() (*flow.Assessment, error) { return s.withRepository(r, s.test) },
		campaign.Close:    func() (*flow.Assessment, error) { return s.endPhase(r) },

		council.Judgement:  func() (*flow.Assessment, error) { return s.Ballots(r, &flow.Assessment{}) },
		council.Assessment: func() (*flow.Assessment, error) { return s.voted(r) },
	}[t.Role]
	if own == nil {
		own = s.Work.Perform(t)
	}
	if err := s.reopenPapers(); err != nil {
		return func() (*flow.Assessment, error) { return nil, err }
	}
	return own
}

// Outputs is nothing: a campaign's report is made anew whenever it ends.
func (s *work) Outputs(string) []string { return nil }

// FaultClass has everything tried again: a campaign has days in which what stands
// in its way may pass, a locked index, a full disk.
func (s *work) FaultClass(error) agent.Class { return agent.Retryable }

func (s *work) BeginTurn(t flow.TaskState, first bool) error {
	if t.Role != agent.Code {
		return nil
	}
	return s.beginTurn(t, first)
}

func (s *work) EndTurn(t flow.Task) error { return s.endTurn(t) }

func (s *work) Interrupted(t flow.Task, last time.Time) error {
	return s.excludeLateChanges(t, last)
}

func (s *work) Equip(ask agent.Turn, t flow.Task) agent.Turn {
	seat, _ := s.Seat(t.Seat)
	if t.Role == agent.Judge {
		ask.Scope, ask.Desk, ask.Offline = s.Setup.Root, nil, true
		return ask
	}
	ask = s.Work.Equip(ask, t)
	if !isIteration(t) {
		return ask
	}
	return s.equip(ask, seat.Kind)
}

func (s *work) Lend(ask agent.Turn, _ flow.Task) error {
	if len(ask.Shell) == 0 {
		return nil
	}
	return s.writeShellSettings(ask)
}

// Cleared are the judgement and the criticism of a task: nobody has their word
// before they do.
func (s *work) Cleared(t flow.TaskState) []string {
	if (t.Role == agent.Critique || t.Role == agent.Judge) && t.Loop.Turns == 0 {
		return []string{campaign.IssuesFile, t.Writes}
	}
	return nil
}

func (s *work) Prompt(t flow.Task, ask agent.Turn, inputs []string) (string, error) {
	switch {
	case isIteration(t):
		return s.workerPrompt(t, ask.Report)
	case t.Role == agent.Judge:
		return s.judgePrompt(t, ask, inputs)
	}
	return s.Work.Prompt(t, ask, inputs)
}

// ResumePrompt asks everything again of a program without a session.
func (s *work) ResumePrompt(t flow.TaskState, ask agent.Turn) (string, error) {
	if !isIteration(t.Task) {
		return s.Work.ResumePrompt(t, ask)
	}
	if seat, _ := s.Seat(t.Seat); kinds.Of(seat.Kind).HidesEnd {
		return "", nil
	}
	return prompt.Interrupted(prompt.Values{Campaign: prompt.Campaign{Records: ask.Dir, Record: ask.Report}})
}

func (s *work) AskSession(t *supervisor.HostTurn) (func() flow.Result, error) {
	if !isIteration(t.Task.Task) {
		return s.Work.AskSession(t)
	}
	if err := s.BeginTurn(t.Task, t.Number == 1); err != nil {
		return nil, err
	}
	return s.askForIteration(t)
}

// HearsStop is false for an iteration, which ends by its record.
func (s *work) HearsStop(t flow.Task) bool { return !isIteration(t) }

func (s *work) TakeReply(t flow.Task, reply agent.Reply) {
	switch {
	case isIteration(t):
		s.saveReplyAsRecord(t, reply)
	case t.Role == agent.Judge:
		s.saveReplyAsVerdict(t, reply)
	default:
		s.Work.TakeReply(t, reply)
	}
}

func (s *work) Measure(t flow.Task, data []byte) loop.Artefact {
	switch {
	case t.Role == agent.Judge:
		return s.measureVerdict(data)
	case isIteration(t):
		return s.Base.Measure(t, data)
	}
	return s.Work.Measure(t, data)
}

// Settle does not have an iteration paid for twice that is done.
func (s *work) Settle(t flow.TaskState, res *flow.Result) {
	if isIteration(t.Task) {
		if res.Artefact.Complete {
			res.Fault = nil
		}
		return
	}
	s.Work.Settle(t, res)
}

// Publishes is false for an iteration, whose record stays where it is.
func (s *work) Publishes(t flow.Task) bool { return !isIteration(t) }

func (s *work) SeatFolder(t flow.Task) string { return campaign.FolderOf(t) }

func (s *work) Told(e flow.Event) { s.updateCampaign(e) }

func (s *work) Note(n workspace.Note) {
	if n.Kind == workspace.BuildPapers {
		s.buildPDFsInBackground()
	}
}

// Finish writes the report anew: the campaign may have been opened again since it
// was written.
func (s *work) Finish() error { return s.WriteFinalReport(s.Now) }

// Unheard is false: a campaign's session hears of its end by its loop.
func (s *work) Unheard() bool { return false }
