package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"research-council/internal/base/plural"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/host/prepare"
	"research-council/internal/host/request"
	"research-council/internal/host/runs"
	"research-council/internal/product/codereview"
	"research-council/internal/product/codereview/finding"
	"research-council/internal/product/recipe"
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
	project, err := projectForNewRun(c, e)
	if err != nil {
		return err
	}
	where, err := prepare.FindRegion(project, e.Dir, strings.Join(args, ""))
	if err != nil {
		return err
	}
	r, err := prepare.Review(c.Context(), e.Env, where, w.Request)
	if err != nil {
		return err
	}
	switch {
	case w.SurveyOnly:
		return surveyOnly(c, e, r)
	case w.DryRun && asJSON(c):
		return encode(e.stdout, r.Plan())
	case w.DryRun:
		_, err := fmt.Fprint(e.stdout, r.Plan().Text())
		return err
	}
	if err := supervisor.CheckNoReview(where.Project); err != nil {
		return err
	}
	if !w.quiet {
		fmt.Fprint(e.stderr, r.Plan().Text())
	}
	return launch(c, e, r.Setup, workMode{w.detach, w.quiet})
}

// surveyOnly writes what a survey has found, and no more.
func surveyOnly(c *cobra.Command, e env, r prepare.CodeReview) error {
	if err := r.WriteSurvey(); err != nil {
		return err
	}
	if asJSON(c) {
		return encode(e.stdout, r.Plan())
	}
	fmt.Fprint(e.stderr, r.Plan().Text())
	_, err := fmt.Fprintln(e.stdout, filepath.Join(r.Setup.Root, supervisor.ReviewFolder, recipe.DiscoveryFile))
	return err
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
	case runs.MissingCopy(project, r) != "":
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
