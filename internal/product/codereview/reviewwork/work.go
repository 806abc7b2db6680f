// Package reviewwork is what the program does in a review of code: it surveys the
// repository, once, for the plan and the run; it has its batches read, looks quotations up, merges what was found and
// writes the report.
package reviewwork

import (
	"sync"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/prompt"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/codereview"
)

// repository is the code that is reviewed, and what was found in it.
type repository struct {
	supervisor.Base
	surveying sync.Mutex      // held while the survey is read
	survey    *CodeSurvey     // once it was read
	listed    map[string]bool // its files that may be quoted
	reviewed  map[string]bool // its files that are reviewed
}

// tester lets those who look once more try findings out.
type tester struct{ *repository }

// reporter writes the report and the documents.
type reporter struct{ *tester }

// work is the work of a review of code in one run.
type work struct{ *reporter }

// Product is the review of code.
type Product struct{}

// Workflow is the course of a run of this product.
func (p Product) Workflow(s flow.Setup) (flow.Workflow, bool) {
	return codereview.WorkflowOf(s)
}

// Demand is what a review of so many files as there are will ask of its seats,
// which is known once they are counted: nothing before.
func (p Product) Demand(s flow.Setup) forecast.Demand { return codereview.Demand(s, 0) }

// Reserve keeps a project's reviews for this one.
func (p Product) Reserve(s flow.Setup, working bool, now time.Time) error {
	return lockReviews(s.Root, reviewHolder{Run: s.ID, At: now.UTC(), Work: working})
}

func (p Product) Release(s flow.Setup) { unlockReviews(s.Root, s.ID) }

func (p Product) Session(_ flow.Setup, st workspace.State) workspace.State { return st }

func (p Product) Reopened(r flow.Run) (stage string, moves bool) {
	if r.Status == "" {
		return "", false
	}
	return r.Stage, false
}

// Open makes ready what it works with in a run.
func (p Product) Open(r *supervisor.Run) (supervisor.Work, error) {
	return &work{&reporter{&tester{&repository{Base: supervisor.Base{Run: r}}}}}, nil
}

func (s *work) Resume() { s.refreshReviewFolder() }

// Perform finds the program's own work in a review of code.
func (s *work) Perform(t flow.TaskState) func() (*flow.Assessment, error) {
	r := s.Now
	return map[string]func() (*flow.Assessment, error){
		codereview.Survey:  func() (*flow.Assessment, error) { return s.surveyCode(r) },
		codereview.Collate: func() (*flow.Assessment, error) { return s.collateBatch(r) },
		codereview.Merge:   func() (*flow.Assessment, error) { return s.mergeFindings(r) },
		codereview.Sift:    func() (*flow.Assessment, error) { return s.assignSpotchecks(r) },
		codereview.Publish: func() (*flow.Assessment, error) { return s.finishReview(r) },
	}[t.Role]
}

// Equip lets a turn read the repository, without the desk of sources and the web:
// there are none to look for, and what strangers wrote into the code finds no
// way out. Its CLI asks git how its folder stands, which would run what the
// repository around it names.
func (s *work) Equip(ask agent.Turn, t flow.Task) agent.Turn {
	ask.Scope, ask.Offline = s.codeRoot(), true
	ask.Desk = s.trialDesk(t)
	ask.Trials = len(ask.Desk) > 0
	if ask.Env != nil {
		ask.Env["GIT_CEILING_DIRECTORIES"] = s.Folder.Path
	}
	return ask
}

func (s *work) Lend(ask agent.Turn, t flow.Task) error {
	if !ask.Trials {
		return nil
	}
	return s.lendTrials(t.Seat)
}

func (s *work) Reclaim(ask agent.Turn) {
	if ask.Trials {
		s.dropTrials(ask.Seat)
	}
}

func (s *work) Prompt(t flow.Task, ask agent.Turn, inputs []string) (string, error) {
	return s.reviewPrompt(t, ask, inputs)
}

func (s *work) ResumePrompt(t flow.TaskState, ask agent.Turn) (string, error) {
	return prompt.Mend(ask.Report, s.Folder.Join(s.OpenItemsFile(t.Task)))
}

func (s *work) Measure(t flow.Task, data []byte) loop.Artefact {
	return s.measureReviewAnswer(t, data)
}

// Settle journals what the program has run for a second look.
func (s *work) Settle(t flow.TaskState, res *flow.Result) { res.Files = s.trialHash(t.Task) }

func (s *work) WriteState() { s.writeReviewState() }

// Finish writes the report of a review that has none, and puts away what seats
// were lent.
func (s *work) Finish() error {
	if !s.Folder.Filled(flow.FinalReport) {
		if err := s.writeReviewReport(s.Now); err != nil {
			return err
		}
	}
	for _, seat := range s.Setup.Seats {
		s.dropTrials(seat.Name)
	}
	s.refreshReviewFolder()
	return nil
}
