package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/product/codereview/reviewwork"
)

func reviewCommand(e program.Env) *cobra.Command {
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

func (w *runOptions) review(c *cobra.Command, e program.Env, args []string) error {
	project, err := projectForNewRun(c, e)
	if err != nil {
		return err
	}
	named := ""
	if len(args) > 0 {
		named = cmp.Or(args[0], ".")
	}
	where, err := prepare.FindRegion(project, e.Dir, named)
	if err != nil {
		return err
	}
	r, err := prepare.Review(c.Context(), e, where, w.Request)
	if err != nil {
		return err
	}
	switch {
	case w.SurveyOnly:
		return surveyOnly(c, e, r)
	case w.DryRun && asJSON(c):
		return encode(e.Stdout, r.Plan())
	case w.DryRun:
		_, err := fmt.Fprint(e.Stdout, r.Plan().Text())
		return err
	}
	if err := reviewwork.CheckNoReview(where.Project); err != nil {
		return err
	}
	if !w.quiet {
		fmt.Fprint(e.Stderr, r.Plan().Text())
	}
	return launch(c, e, r.Setup, workMode{w.detach, w.quiet, r.Files})
}

// surveyOnly writes what a survey has found, and no more.
func surveyOnly(c *cobra.Command, e program.Env, r prepare.CodeReview) error {
	if err := r.WriteSurvey(); err != nil {
		return err
	}
	if asJSON(c) {
		return encode(e.Stdout, r.Plan())
	}
	fmt.Fprint(e.Stderr, r.Plan().Text())
	_, err := fmt.Fprintln(e.Stdout, filepath.Join(r.Setup.Root, reviewwork.ReviewFolder, codereview.DiscoveryFile))
	return err
}

// reviewAnswer is the answer of a review for programs.
type reviewAnswer struct {
	reviewwork.Reviewed
	Report string `json:"report"` // absolute
	SARIF  string `json:"sarif"`  // absolute
}

// reportReview says how a review ended.
func reportReview(c *cobra.Command, e program.Env, project string, r flow.Run) error {
	done, err := reviewwork.Findings(project, r.Setup.ID)
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
	case runs.MissingCopy(project, r) != "":
		code = exitCode(codeFailed)
	}
	report := reviewwork.ReviewReportPath(project, r.Setup.ID)
	if asJSON(c) {
		sarif := filepath.Join(project, workspace.Runs, r.Setup.ID, codereview.SarifFile)
		return errors.Join(encode(e.Stdout, reviewAnswer{done, report, sarif}), code)
	}
	if r.Status != flow.Completed {
		fmt.Fprintln(e.Stderr, "council: run", r.Setup.ID, r.Status.Words()+";", "`council status` tells more")
	}
	fmt.Fprintln(e.Stderr, runs.FindingsLine(done))
	fmt.Fprint(e.Stderr, runs.SkippedText(done))
	if worse > 0 {
		fmt.Fprintf(e.Stderr, "council: %s %s or graver\n", plural.Forms(worse, "finding is", "findings are"), codereview.Of(r.Setup.Own).FailOn)
	}
	_, err = fmt.Fprintln(e.Stdout, report)
	return errors.Join(err, code)
}
