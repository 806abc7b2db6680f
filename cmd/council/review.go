package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"research-council/internal/agent/kinds"
	"research-council/internal/base/plural"
	"research-council/internal/base/usage"
	"research-council/internal/engine/config"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/forecast"
	"research-council/internal/engine/loop"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/host/request"
	"research-council/internal/host/view"
	"research-council/internal/product/codereview"
	"research-council/internal/product/codereview/finding"
	"research-council/internal/product/recipe"
	"research-council/internal/project/survey"
	"research-council/internal/project/top"
)

func reviewCommand(e env) *cobra.Command {
	var w runOptions
	c := &cobra.Command{
		Use:   "review [PATH]",
		Short: "Review code, batch after batch, and document it",
		Long: `Review a repository, a folder or a file. A program lists the files and cuts
them into batches, the riskiest first; five reviewers read each batch, every
one for another kind of fault: bugs, security, error handling, performance, and
how languages and libraries are used. Every finding quotes its code, and the
program looks the quotation up. One report is made of all of them, in
.deep-review/REVIEW_REPORT.md, and kept in .deep-review/reports; proposals for
AGENTS.md documents lie beside it.

Code of another repository, or outside of the project you stand in, is only
read: the report and all else goes into .deep-review and research here.
AGENTS.md documents are only shown, unless --docs write is said.

Nothing of the code is run, but for one case: another seat looks at the gravest
findings once more, and may run tests it has written on a copy of the code,
confined by bubblewrap, without network. What was run and how it ended stands
with the finding. Where bubblewrap does not work, and with --no-run, nothing is
run, which the plan and the report say.

What is left out is named with its reason: prose, data, what is generated or
vendored, what is no text or too large. Of a change (--since) its base says what
is generated or vendored.

Exit codes: 6, with --fail-on, where a finding is at least so grave; 7 where
parts of the code were not read by every reviewer, so that no finding there
means nothing; 7, with --fail-on, also where a change has files that may be code
and were left out, or a tree has code that could not be read, unless
--allow-unread names them, and where nothing was read at all, unless nothing has
changed.`,
		Example: `council review
council review --since main --fail-on high --sarif review.sarif
council review --since main --fail-on high --allow-unread vendor,*.pb.go
council review internal/auth --seats claude,codex --rivals
council review --dry-run
council review --survey-only`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return w.review(c, e, args) },
	}
	w.flags(c, request.ReviewFlags())
	return c
}

func (w *runOptions) review(c *cobra.Command, e env, args []string) error {
	where, err := findReviewTarget(c, e, args)
	if err != nil {
		return err
	}
	r, err := prepareReview(c.Context(), e, where, w.Request)
	if err != nil {
		return err
	}
	switch {
	case w.SurveyOnly:
		return r.survey(c, e)
	case w.DryRun && asJSON(c):
		return encode(e.stdout, r.plan())
	case w.DryRun:
		_, err := fmt.Fprint(e.stdout, r.plan().Text())
		return err
	}
	if err := supervisor.CheckNoReview(where.project); err != nil {
		return err
	}
	if !w.quiet {
		fmt.Fprint(e.stderr, r.plan().Text())
	}
	return launch(c, e, r.setup, workMode{w.detach, w.quiet})
}

// region is what is reviewed: a part of a project, "" for all of it, or of code
// elsewhere, of which nothing is the project's.
type region struct{ project, code, under string }

// findReviewTarget finds what is to be reviewed, and the project that gets what is
// written: the one the person stands in. Code of another repository, or outside
// of that project, is only read.
func findReviewTarget(c *cobra.Command, e env, args []string) (region, error) {
	project, err := projectForNewRun(c, e)
	if err != nil || len(args) == 0 {
		return region{project: project}, err
	}
	target := args[0]
	if !filepath.IsAbs(target) {
		target = filepath.Join(e.Dir, target)
	}
	target, err = filepath.EvalSymlinks(target)
	if err != nil {
		return region{}, usage.Errorf("%q: %w; name a folder or a file that exists", args[0], usage.Cause(err))
	}
	info, err := os.Stat(target)
	if err != nil {
		return region{}, usage.Errorf("%q: %w; name a folder or a file that exists", args[0], usage.Cause(err))
	}
	folder := target
	if !info.IsDir() {
		folder = filepath.Dir(target)
	}
	repository, ok := top.Upwards(folder, top.IsRepository)
	real, err := filepath.EvalSymlinks(project)
	if err != nil {
		return region{}, usage.Errorf("the project %q: %w", project, usage.Cause(err))
	}
	if under, is := relativeInside(real, target); is {
		if _, nested := relativeInside(real, repository); !ok || repository == real || !nested {
			return region{project: project, under: under}, nil
		}
	}
	if !ok {
		repository = folder
	}
	under, _ := relativeInside(repository, target)
	return region{project, repository, under}, nil
}

// relativeInside is the slash path of a target inside a folder; "" for the folder
// itself.
func relativeInside(folder, target string) (string, bool) {
	rel, err := filepath.Rel(folder, target)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	if rel == "." {
		return "", true
	}
	return filepath.ToSlash(rel), true
}

// preparedReview is one before it begins.
type preparedReview struct {
	setup flow.Setup
	found supervisor.CodeSurvey

	noTesting string // why the second look can run no tests
}

// prepareReview makes of a wish what a review is set up with. Nothing is
// created.
func prepareReview(ctx context.Context, e env, p region, req request.Request) (preparedReview, error) {
	c, err := e.Config()
	if err != nil {
		return preparedReview{}, err
	}
	r := preparedReview{setup: flow.Setup{
		Workflow: recipe.ReviewName, Parallel: recipe.ReviewParallel, PerBrand: c.PerBrand,
		Own: codereview.Own(&codereview.Setup{
			Code: p.code, Under: p.under, Since: req.Since, Files: req.BatchFiles, Lines: req.BatchLines, Docs: cmp.Or(req.Docs, codereview.DocsPreview),
			FailOn: req.FailOn, AllowUnread: req.Unread, SARIF: req.SARIF, Rivals: req.Rivals, Testing: !req.NoRun,
		}),
	}}
	s := &r.setup
	if s.Root, err = filepath.Abs(p.project); err != nil {
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
	if r.found, err = supervisor.Survey(ctx, recipe.CodeRoot(*s), *codereview.Of(s.Own)); err != nil {
		return r, usage.Of(err)
	}
	if err := codereview.Of(s.Own).Valid(); err != nil {
		return r, usage.Of(err)
	}
	r.noTesting = supervisor.NoTesting(ctx, *s)
	s.Topic = r.topic()
	limit(s, c, req)
	s.Loop = loop.Rule{Iterations: 2, Retries: 2, Stuck: 2}
	s.Limits.Turns = first(c.Limits.Turns, r.mostTurns())
	s.Release = e.Release
	s.ID, err = workspace.NewID(time.Now(), rand.Reader)
	return r, err
}

// topic says what is reviewed.
func (r preparedReview) topic() string {
	text := "Review of the code of " + r.found.Map.Name
	if d := codereview.Of(r.setup.Own); d.Under != "" {
		text += ", in " + survey.Quote(d.Under)
	}
	if d := codereview.Of(r.setup.Own); d.Since != "" {
		text += ", what changed since " + survey.Quote(d.Since)
	}
	return text
}

// chooseReviewers settles who reviews: those named, else the host's own, else the first of
// those configured that has a model. What only looks words up reviews nothing.
func chooseReviewers(e env, c config.Config, req request.Request, tier string) ([]flow.Seat, []flow.Missing, error) {
	usual := kinds.Host().Name
	names := req.Seats
	if len(names) == 0 {
		names = append([]string{usual}, c.Seats...)
	}
	names, err := c.Expand(names)
	if err != nil {
		return nil, nil, usage.Of(err)
	}
	if len(req.Seats) == 0 { // each once
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a, usual), rank(b, usual)) })
		names = slices.Compact(names)
	}
	able, missing := c.Roster(names, tier, e.Resolver())
	seats := slices.DeleteFunc(slices.Clone(able), withoutModel)
	switch {
	case len(seats) == 0:
		why := "no seat with a model can take part"
		if len(missing) > 0 {
			why += " (" + missingReasons(missing) + ")"
		}
		return nil, nil, fmt.Errorf("%s: code is reviewed by models alone; `council doctor` tells more, and --survey-only needs none", why)
	case len(req.Seats) == 0:
		seats, missing = seats[:1], nil
	}
	if _, err := e.HookProgram(); err != nil && slices.ContainsFunc(seats, func(s flow.Seat) bool { return !s.Free }) {
		return nil, nil, err
	}
	return seats, missing, nil
}

func rank(name, usual string) int {
	if name == usual {
		return 0
	}
	return 1
}

// families is how many families of models review.
func (r preparedReview) families() int {
	seen := map[string]bool{}
	for _, s := range r.setup.Seats {
		seen[s.Brand] = true
	}
	if !codereview.Of(r.setup.Own).Rivals {
		return min(1, len(seen))
	}
	return len(seen)
}

// mostTurns is what a review can come to at the very most.
func (r preparedReview) mostTurns() int {
	const turns, tries, others = 5, 2, 6 // of one task; of a reviewer; tasks that are no reviewer's
	return turns * (len(r.found.Batches)*len(finding.Reviewers())*r.families()*tries + others*(len(r.setup.Seats)+1))
}

// plan is what the review will be.
func (r preparedReview) plan() view.ReviewPlan {
	d := codereview.Of(r.setup.Own)
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
	if p.Notes = r.found.Map.Notes; p.Files > 0 && len(r.setup.Seats) > 0 {
		p.Testing, p.NoTesting = r.noTesting == "", r.noTesting
	}
	if len(r.setup.Seats) > 0 {
		f := forecast.Of(recipe.ReviewDemand(r.setup, len(p.Batches)), finishedRuns(r.setup.Root))
		p.Estimate = &f
	}
	return p.WithSeats(r.setup)
}

// survey writes what a survey has found, and no more.
func (r preparedReview) survey(c *cobra.Command, e env) error {
	if err := r.writeSurveyPages(); err != nil {
		return err
	}
	if asJSON(c) {
		return encode(e.stdout, r.plan())
	}
	fmt.Fprint(e.stderr, r.plan().Text())
	_, err := fmt.Fprintln(e.stdout, filepath.Join(r.setup.Root, supervisor.ReviewFolder, recipe.DiscoveryFile))
	return err
}

// writeSurveyPages writes the pages of the survey into the review's folder, and nothing
// elsewhere in the project.
func (r preparedReview) writeSurveyPages() error {
	if err := supervisor.CheckNoReview(r.setup.Root); err != nil {
		return err
	}
	return supervisor.WithReviewFolder(r.setup.Root, func(f *workspace.Folder) error {
		for name, data := range r.found.Pages() {
			if err := f.Write(name, data); err != nil {
				return err
			}
		}
		return nil
	})
}

// reviewAnswer is the answer of a review for programs.
type reviewAnswer struct {
	supervisor.Reviewed
	Report string `json:"report"` // absolute
	SARIF  string `json:"sarif"`  // absolute
}

// reportReview says how a review ended.
func reportReview(c *cobra.Command, e env, project string, r flow.Run) error {
	done, err := supervisor.Findings(project, r.Setup.ID)
	if err != nil {
		return errors.Join(err, statusExit(r.Status))
	}
	done.Status, done.Reason = string(r.Status), r.Reason
	worse := 0
	if least := codereview.Of(r.Setup.Own).FailOn; least != "" {
		worse = finding.CountAtLeast(done.Findings, least)
	}
	code := statusExit(r.Status)
	switch {
	case code != nil:
	case worse > 0:
		code = exitCode(codeFindings)
	case len(done.Unseen) > 0, codereview.Of(r.Setup.Own).FailOn != "" && (len(done.Unread) > 0 || done.NothingRead):
		code = exitCode(codeUnread)
	case missingCopy(project, r) != "":
		code = exitCode(codeFailed)
	}
	report := supervisor.ReviewReportPath(project, r.Setup.ID)
	if asJSON(c) {
		sarif := filepath.Join(project, workspace.Runs, r.Setup.ID, recipe.SarifFile)
		return errors.Join(encode(e.stdout, reviewAnswer{done, report, sarif}), code)
	}
	if r.Status != flow.Completed {
		fmt.Fprintln(e.stderr, "council: run", r.Setup.ID, r.Status.Words()+";", "`council status` tells more")
	}
	fmt.Fprintln(e.stderr, findingsLine(done))
	fmt.Fprint(e.stderr, skippedText(done))
	if worse > 0 {
		fmt.Fprintf(e.stderr, "council: %s %s or graver\n", plural.Forms(worse, "finding is", "findings are"), codereview.Of(r.Setup.Own).FailOn)
	}
	_, err = fmt.Fprintln(e.stdout, report)
	return errors.Join(err, code)
}

// maxNamedFiles bounds the names of one sort that the terminal is told.
const maxNamedFiles = 10

// skippedText names the files that no reviewer was given, a line each where they
// may be code and one for each other reason.
func skippedText(done supervisor.Reviewed) string {
	var b strings.Builder
	few := func(names []string, all int) string {
		names = names[:min(len(names), maxNamedFiles)]
		if more := all - len(names); more > 0 {
			names = append(slices.Clone(names), fmt.Sprintf("and %d more", more))
		}
		return strings.Join(names, ", ")
	}
	if len(done.Deleted) > 0 {
		fmt.Fprintf(&b, "deleted: %s\n", few(done.Deleted, len(done.Deleted)))
	}
	for _, reason := range slices.Sorted(maps.Keys(done.LeftOut)) {
		var names []string
		for _, s := range done.Skipped {
			if s.Reason == reason {
				names = append(names, s.File)
			}
		}
		fmt.Fprintf(&b, "left out, %s, %s: %s\n", reason, plural.Forms(done.LeftOut[reason], "file", "files"), few(names, done.LeftOut[reason]))
	}
	if n := len(done.Unread); n > 0 {
		fmt.Fprintf(&b, "%s may be code, and nobody has read %s; --allow-unread names what needs no reading:\n", plural.Forms(n, "file that was left out", "files that were left out"), finding.ItOrThem(n))
		for _, s := range done.Unread[:min(n, maxNamedFiles)] {
			fmt.Fprintf(&b, "  %s: %s\n", s.File, strings.TrimSuffix(s.Reason+", "+s.Why, ", "))
		}
		if n > maxNamedFiles {
			fmt.Fprintf(&b, "  and %d more\n", n-maxNamedFiles)
		}
	}
	return b.String()
}

// findingsLine is how many findings there are, in one line.
func findingsLine(done supervisor.Reviewed) string {
	if done.Files == 0 {
		return "nothing was reviewed: " + cmp.Or(done.Reason, "there was no source file to review")
	}
	var parts []string
	for _, severity := range finding.Severities() {
		parts = append(parts, fmt.Sprintf("%d %s", done.Counts.Severity[severity], severity))
	}
	text := plural.Forms(done.Counts.Total, "finding", "findings") + ": " + strings.Join(parts, ", ")
	outside := 0
	for _, n := range done.Outside {
		outside += n
	}
	if outside > 0 {
		text += fmt.Sprintf("; %d more outside of what was reviewed", outside)
	}
	if n := len(done.Unseen); n > 0 {
		text += "; " + plural.Forms(n, "part", "parts") + " of the code not seen by every reviewer"
	}
	if n := len(done.Unread); n > 0 {
		text += "; " + plural.Forms(n, "file", "files") + " that may be code read by nobody"
	}
	return text
}
