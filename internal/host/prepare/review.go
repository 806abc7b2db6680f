package prepare

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/product/codereview/reviewwork"
	"github.com/research-council/research-council/internal/project/survey"
	"github.com/research-council/research-council/internal/project/top"
)

// Region is what is reviewed: a part of a project, "" for all of it, or of code
// elsewhere, of which nothing is the project's.
type Region struct{ Project, code, Under string }

// CodeReview is one before it begins.
type CodeReview struct {
	Setup flow.Setup
	Files []supervisor.File // that the run begins with: the survey the plan was made from
	found reviewwork.CodeSurvey

	noTesting string // why the second look can run no tests
}

// Review prepares a review of the code of a region.
func Review(ctx context.Context, e program.Env, p Region, req request.Request) (CodeReview, error) {
	c, err := e.Config()
	if err != nil {
		return CodeReview{}, err
	}
	r := CodeReview{Setup: flow.Setup{
		Workflow: codereview.Name, Parallel: codereview.Parallel, PerBrand: c.PerBrand,
		Own: codereview.Own(&codereview.Setup{
			Code: p.code, Under: p.Under, Since: req.Since, Files: req.BatchFiles, Lines: req.BatchLines, Docs: cmp.Or(req.Docs, codereview.DocsPreview),
			FailOn: req.FailOn, AllowUnread: req.Unread, SARIF: req.SARIF, Rivals: req.Rivals, Testing: !req.NoRun,
		}),
	}}
	s := &r.Setup
	if s.Root, err = filepath.Abs(p.Project); err != nil {
		return r, fmt.Errorf("find the project: %w", err)
	}
	if s.Tier, err = tierOf(c, req); err != nil {
		return r, err
	}
	if err := setCopies(s, req); err != nil {
		return r, err
	}
	if !req.SurveyOnly {
		if s.Seats, s.Missing, err = chooseReviewers(e, c, req, s.Tier); err != nil {
			return r, err
		}
	}
	if r.found, err = reviewwork.Survey(ctx, codereview.Root(*s), *codereview.Of(s.Own)); err != nil {
		return r, usage.Of(err)
	}
	if err := codereview.Of(s.Own).Valid(); err != nil {
		return r, usage.Of(err)
	}
	file, digest, err := r.found.File()
	if err != nil {
		return r, err
	}
	codereview.Of(s.Own).Survey, r.Files = digest, []supervisor.File{file}
	r.noTesting = reviewwork.NoTesting(ctx, *s)
	s.Topic = r.topic()
	limit(s, c, req)
	s.Loop = loop.Rule{Iterations: 2, Retries: 2, Stuck: 2}
	s.Limits.Turns = first(c.Limits.Turns, r.mostTurns())
	s.Release = e.Release
	s.ID, err = workspace.NewID(time.Now(), rand.Reader)
	return r, err
}

// topic says what is reviewed.
func (r CodeReview) topic() string {
	text := "Review of the code of " + r.found.Map.Name
	if d := codereview.Of(r.Setup.Own); d.Under != "" {
		text += ", in " + survey.Quote(d.Under)
	}
	if d := codereview.Of(r.Setup.Own); d.Since != "" {
		text += ", what changed since " + survey.Quote(d.Since)
	}
	return text
}

// families is how many families of models review.
func (r CodeReview) families() int {
	seen := map[string]bool{}
	for _, s := range r.Setup.Seats {
		seen[s.Brand] = true
	}
	if !codereview.Of(r.Setup.Own).Rivals {
		return min(1, len(seen))
	}
	return len(seen)
}

// mostTurns is what a review can come to at the very most.
func (r CodeReview) mostTurns() int {
	const turns, tries, others = 5, 2, 6 // of one task; of a reviewer; tasks that are no reviewer's
	return turns * (len(r.found.Batches)*len(finding.Reviewers())*r.families()*tries + others*(len(r.Setup.Seats)+1))
}

// Plan is what the review will be.
func (r CodeReview) Plan() view.ReviewPlan {
	d := codereview.Of(r.Setup.Own)
	p := view.ReviewPlan{
		Path: survey.Quote(cmp.Or(d.Under, ".")), Since: d.Since, Commit: r.found.Map.Commit, LeftOut: map[string]int{}, Docs: d.Docs,
		Batches: []view.ReviewPlanBatch{},
	}
	p.Files, p.Lines = r.found.CountReviewed()
	var size int64
	for _, f := range r.found.Map.Files {
		if f.Skip != "" {
			p.LeftOut[f.Skip]++
		}
	}
	for _, f := range r.found.UnreadFiles(d.AllowUnread) {
		p.Unread = append(p.Unread, survey.Quote(f.Path)+": "+f.Skip)
	}
	for _, b := range r.found.Batches {
		size += b.Size
		p.Batches = append(p.Batches, view.ReviewPlanBatch{Files: len(b.Files), Lines: b.Lines, Risk: b.Risk, First: survey.Quote(b.Files[0].Path)})
	}
	const bytesPerToken, others = 4, 3 // annotator, synthesizer, second look
	readers := len(finding.Reviewers()) * r.families()
	p.Turns, p.Tokens = len(p.Batches)*readers+min(others*r.families(), others), size/bytesPerToken*int64(readers)
	if p.Files == 0 {
		p.Turns = 0
	}
	if p.Notes = r.found.Map.Notes; p.Files > 0 && len(r.Setup.Seats) > 0 {
		p.Testing, p.NoTesting = r.noTesting == "", r.noTesting
	}
	if len(r.Setup.Seats) > 0 {
		f := forecast.Of(codereview.Demand(r.Setup, len(p.Batches)), runs.Finished(r.Setup.Root))
		p.Estimate = &f
	}
	return p.WithSeats(r.Setup)
}

// WriteSurvey writes the pages of the survey into the review's folder, and nothing
// elsewhere in the project.
func (r CodeReview) WriteSurvey() error {
	if err := reviewwork.CheckNoReview(r.Setup.Root); err != nil {
		return err
	}
	return reviewwork.WithReviewFolder(r.Setup.Root, func(f *workspace.Folder) error {
		for name, data := range r.found.Pages() {
			if err := f.Write(name, data); err != nil {
				return err
			}
		}
		return nil
	})
}

// FindRegion finds what a person means who names a folder or a file from dir, ""
// for the whole project; the project gets what is written. Code of another
// repository, or outside of the project, is only read.
func FindRegion(project, dir, named string) (Region, error) {
	if named == "" {
		return Region{Project: project}, nil
	}
	target := named
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	target, err := filepath.EvalSymlinks(target)
	if err != nil {
		return Region{}, usage.Errorf("%q: %w; name a folder or a file that exists", named, usage.Cause(err))
	}
	info, err := os.Stat(target)
	if err != nil {
		return Region{}, usage.Errorf("%q: %w; name a folder or a file that exists", named, usage.Cause(err))
	}
	folder := target
	if !info.IsDir() {
		folder = filepath.Dir(target)
	}
	repository, ok := top.Upwards(folder, top.IsRepository)
	real, err := filepath.EvalSymlinks(project)
	if err != nil {
		return Region{}, usage.Errorf("the project %q: %w", project, usage.Cause(err))
	}
	if under, is := top.Inside(real, target); is {
		if _, nested := top.Inside(real, repository); !ok || repository == real || !nested {
			return Region{Project: project, Under: under}, nil
		}
	}
	if !ok {
		repository = folder
	}
	under, _ := top.Inside(repository, target)
	return Region{project, repository, under}, nil
}
