// Package stagedwork is what the program does in staged research: a council's work,
// with the questions, brief, plan, fact-check and delivery around it.
package stagedwork

import (
	"errors"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/prompt"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/notion"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/council/councilwork"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
)

// work is the work of staged research in one run: a council's, with the
// stages before and after it.
type work struct {
	*councilwork.Work
	notion        *notion.Client // delivers the report; nil where it is not set up
	notionProblem string         // why it cannot be, where it is set up
}

// Product is staged research.
type Product struct {
	councilwork.Product
	Notion        *notion.Client // delivers the report; nil where it is not set up
	NotionProblem string         // why it cannot be, where it is set up
}

// Workflow is the course of a run of this product.
func (p Product) Workflow(s flow.Setup) (flow.Workflow, bool) {
	return staged.WorkflowOf(s)
}

// Demand is what a run will ask of its seats.
func (p Product) Demand(s flow.Setup) forecast.Demand { return staged.Demand(s) }

func (p Product) Reopened(r flow.Run) (stage string, moves bool) {
	if r.Status == "" {
		return "", false
	}
	return staged.ReopenStage(r), false
}

// Open makes ready what it works with in a run.
func (p Product) Open(r *supervisor.Run) (supervisor.Work, error) {
	base, err := councilwork.New(r, p.Reader)
	s := &work{Work: base, notion: p.Notion, notionProblem: p.NotionProblem}
	s.Variant = councilwork.Variant{
		Judges: council.AllJudges, Final: s.addStagedParts, Voters: true,
		Lint: s.lintAnswer, Normalise: s.normaliseStaged, Count: countAnswer, Place: placeInput, Complete: s.completeTurn,
	}
	return s, err
}

// Perform finds the program's own work in staged research.
func (s *work) Perform(t flow.TaskState) func() (*flow.Assessment, error) {
	r := s.Now
	own := map[string]func() (*flow.Assessment, error){
		staged.Gathering: func() (*flow.Assessment, error) { return s.gatherFacts(r) },
		staged.Factcheck: func() (*flow.Assessment, error) { return s.checkFacts(r) },
		staged.Delivery:  func() (*flow.Assessment, error) { return s.deliver(r) },
		panel.Verdict:    func() (*flow.Assessment, error) { return s.countVerdict(r) },
	}[t.Role]
	if own == nil {
		own = s.Work.Perform(t)
	}
	return own
}

func (s *work) Outputs(role string) []string {
	return map[string][]string{
		staged.Gathering: {claim.RegistryFile, council.ScoreFile}, staged.Factcheck: {claim.RegistryFile, council.ScoreFile},
		staged.Delivery: {flow.FinalReport}, panel.Verdict: {flow.FinalReport},
	}[role]
}

// FaultClass has a service asked again that may answer better.
func (s *work) FaultClass(err error) agent.Class {
	var e *notion.Error
	if errors.As(err, &e) && !e.Terminal {
		return agent.Retryable
	}
	return s.Work.FaultClass(err)
}

// Told tells people of a stage.
func (s *work) Told(e flow.Event) {
	for _, n := range staged.Notices(s.Now, e) {
		s.SendNotice(supervisor.Notice{Text: n.Text, Level: n.Level})
	}
}

func (s *work) Entered() error { return s.confirmBrief() }
func (s *work) WriteState()    { s.writeStagedState() }

// Finish writes the report anew where a gate has failed.
func (s *work) Finish() error {
	if s.Now.Status == flow.Completed {
		return s.Work.Finish()
	}
	return s.WriteFinalReport(s.Now)
}

// countVerdict counts the votes, and puts the reviewed report in the place of the
// unreviewed one.
func (s *work) countVerdict(r flow.Run) (*flow.Assessment, error) {
	found, err := s.CountReviews(r)
	if err == nil {
		s.renewPage(r)
	}
	return found, err
}

// countAnswer counts in an answer what its gate asks for.
func countAnswer(role string, object []byte) (flow.Own, error) {
	out, err := staged.Count(role, object)
	return staged.OwnOutput(&out), err
}

// placeInput is where a file that a task reads is named in what it is asked.
func placeInput(v *prompt.StagedTurn, name string) *string {
	if strings.HasPrefix(name, "answers-") {
		return &v.Answers
	}
	return map[string]*string{
		staged.QuestionsFile: &v.Questions, staged.BriefFile: &v.Brief, staged.PlanningFile: &v.Plan,
		staged.FactcheckFile: &v.Facts, staged.FindingsFile: &v.Findings, staged.AdvocateFile: &v.Advocate,
	}[name]
}
