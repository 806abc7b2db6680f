// Package stagedwork is what the program does in staged research: a council's work,
// with the questions, brief, plan, fact-check and delivery around it.
package stagedwork

import (
	"errors"

	"research-council/internal/agent"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/supervisor"
	"research-council/internal/output/notion"
	"research-council/internal/product/council/councilwork"
	"research-council/internal/product/recipe"
	"research-council/internal/product/staged"
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
	if staged.Of(s.Own) == nil {
		return flow.Workflow{}, false
	}
	return recipe.Of(s)
}

// Open makes ready what it works with in a run.
func (p Product) Open(r *supervisor.Run) (supervisor.Work, error) {
	council, err := councilwork.New(r, p.Reader)
	s := &work{Work: council, notion: p.Notion, notionProblem: p.NotionProblem}
	s.Variant = councilwork.Variant{Final: s.addStagedParts, Lint: s.lintAnswer, Normalise: s.normaliseStaged, Complete: s.completeTurn}
	return s, err
}

// Perform finds the program's own work in staged research.
func (s *work) Perform(t flow.TaskState) func() (*flow.Assessment, error) {
	r := s.Now
	own := map[string]func() (*flow.Assessment, error){
		recipe.Gathering: func() (*flow.Assessment, error) { return s.gatherFacts(r) },
		recipe.Factcheck: func() (*flow.Assessment, error) { return s.checkFacts(r) },
		recipe.Delivery:  func() (*flow.Assessment, error) { return s.deliver(r) },
		recipe.Verdict:   func() (*flow.Assessment, error) { return s.countVerdict(r) },
	}[t.Role]
	if own == nil {
		own = s.Work.Perform(t)
	}
	return own
}

func (s *work) Outputs(role string) []string {
	return map[string][]string{
		recipe.Gathering: {recipe.RegistryFile, recipe.ScoreFile}, recipe.Factcheck: {recipe.RegistryFile, recipe.ScoreFile},
		recipe.Delivery: {recipe.FinalReport}, recipe.Verdict: {recipe.FinalReport},
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
	for _, n := range recipe.Notices(s.Now, e) {
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
