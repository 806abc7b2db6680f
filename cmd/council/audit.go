package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/audit"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

// auditOptions is what `council audit` was asked for.
type auditOptions struct {
	offline        bool
	archive, scope string
	audit.Gate
}

func auditCommand(e program.Env) *cobra.Command {
	var o auditOptions
	c := &cobra.Command{
		Use: "audit FILE|URL…", Short: "Grade anybody's report: its references, links, quotations and numbers",
		Long: "Read reports in Markdown or HTML, whoever wrote them, and tell what does not hold:\n" +
			"markers without a reference, sources that are dead or were never there,\n" +
			"quotations and numbers that do not stand in the source they are attributed to,\n" +
			"statements their source does not speak of, retracted papers.\n\n" +
			"Sources are fetched politely, and each is counted: one that cannot be read is\n" +
			"never left out. " + audit.Note + "\n\n" +
			"References are read as tools and people write them: [1] and raised numbers,\n" +
			"bare numbers behind a sentence with a list at the end, links in it or behind it,\n" +
			"footnotes, <cite> tags, 【1†…】, author and year, \"Sources:\" at the end of a\n" +
			"section. A report that refers to its sources in another way gets no grade: what\n" +
			"was seen is told instead.\n\n" +
			"Exit codes: 0 nothing found, 1 something found, 2 a report that cannot be read,\n" +
			"7 nothing found, and not all sources were read or not all quotations could be\n" +
			"looked for: what could not be checked is no pass. --allow-unread lets it pass,\n" +
			"and so does --fail-on with kinds alone that are found without reading sources.\n" +
			"Remarks alone, as that a page has moved, are nothing found, unless --fail-on\n" +
			"names them. What can be found, the worst first:\n\n" + audit.KindList() + "\n\n" +
			"With --json the answer is {scope, run, grade: {letter, score, parts, why},\n" +
			"understood, seen: [{form, times, line, examples}], counts, findings: [{kind,\n" +
			"severity, line, what, report, source, key, times}], sources: [{key, address,\n" +
			"labels, state, reason, …}], statements: [{text, line, markers, sources,\n" +
			"quotations, numbers, coverage, about}]}, for several reports a list of these.",
		Example: `council audit report.md
council audit --offline --fail-on dangling,duplicate docs/*.md
council audit --json https://example.org/report.html | jq .grade
council audit --archive .sources report.md && council audit --archive .sources --offline report.md
pandoc report.docx -t markdown | council audit -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return auditAll(c, e, o, args) },
	}
	f := c.Flags()
	f.BoolVar(&o.offline, "offline", false, "fetch nothing: structure, local files, and what --archive holds")
	f.StringVar(&o.archive, "archive", "", "the folder to keep sources in (default: they are thrown away)")
	f.StringVar(&o.scope, "scope", "", "the folder that paths in a report are below (default: of a report of ours the scope of its run, else the repository the report is in, or its folder)")
	f.StringSliceVar(&o.FailOn, "fail-on", nil, "end with exit code 1 for these kinds or severities alone, separated by commas; none: for no kind")
	f.BoolVar(&o.AllowUnread, "allow-unread", false, "let a report pass though not all its sources were read")
	return c
}

func auditAll(c *cobra.Command, e program.Env, o auditOptions, args []string) error {
	if err := o.Check(); err != nil {
		return err
	}
	kept, done, err := o.open(c, e)
	if err != nil {
		return err
	}
	defer done()
	// All are read before any is fetched for: a mistake in the last name
	// should not cost the work on the first.
	from := audit.Reader{Dir: e.Dir, Stdin: e.Stdin, Archive: kept, Offline: o.offline}
	reports := make([]audit.Subject, 0, len(args))
	for _, name := range args {
		r, err := from.Read(c.Context(), name)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	var results []audit.Result
	for _, r := range reports {
		result, err := o.audit(c.Context(), e, kept, r)
		if err != nil {
			return err
		}
		results = append(results, result)
	}
	return o.writeResults(c, e, results)
}

// open opens the archive: the one named, or one for this call alone. Off line
// without a folder there is none.
func (o auditOptions) open(c *cobra.Command, e program.Env) (a *archive.Archive, done func(), err error) {
	dir, done := o.archive, func() {}
	switch {
	case dir == "" && o.offline:
		return nil, done, nil
	case dir == "":
		if dir, err = os.MkdirTemp("", "council-audit-"); err != nil {
			return nil, done, fmt.Errorf("make a folder for sources: %w", err)
		}
		done = func() { _ = os.RemoveAll(dir) } // it lies where the system clears up
	default:
		folder, name, err := resolveOutput(c, e, dir)
		if err != nil {
			return nil, done, usage.Errorf("--archive %q: %w", dir, err)
		}
		dir = filepath.Join(folder, name)
	}
	conf, err := e.Config()
	if err != nil {
		done()
		return nil, func() {}, err
	}
	a, err = archive.Open(dir, e.ArchiveOptions(e.AllowedNetwork(conf.Network)))
	if err != nil {
		done()
		return nil, func() {}, fmt.Errorf("open the archive: %w", err)
	}
	return a, done, nil
}

func (o auditOptions) audit(ctx context.Context, e program.Env, kept *archive.Archive, r audit.Subject) (audit.Result, error) {
	scope, run, err := o.scopeOf(e, r)
	if err != nil {
		return audit.Result{}, err
	}
	files, err := audit.OpenScope(scope, run)
	if err != nil {
		return audit.Result{}, err
	}
	options := audit.Options{Offline: o.offline, Scope: scope, Progress: view.Progress(e.Stderr, r.Name)}
	if run == "" {
		options.Folder = r.Dir
	}
	if kept != nil {
		options.Archive = kept
	}
	if files != nil {
		defer files.Close()
		options.Files = files.ArchivedOnly()
	}
	result, err := audit.Report(ctx, r.Name, r.Document, options)
	if err != nil {
		return audit.Result{}, fmt.Errorf("audit %s: %w", r.Name, err)
	}
	result.Scope, result.Run = scope, run
	return result, nil
}

// scopeOf is the folder below which a report's files lie, and the run that says
// so: what --scope names, or what the report itself tells.
func (o auditOptions) scopeOf(e program.Env, r audit.Subject) (dir, run string, err error) {
	switch {
	case filepath.IsAbs(o.scope):
		return o.scope, "", nil
	case o.scope != "":
		return filepath.Join(e.Dir, o.scope), "", nil
	}
	return runs.ScopeOfReport(r.Run, r.Dir, e.Dir)
}

// writeResults writes the results and settles the exit code.
func (o auditOptions) writeResults(c *cobra.Command, e program.Env, results []audit.Result) error {
	var err error
	switch {
	case asJSON(c) && len(results) == 1:
		err = encode(e.Stdout, results[0])
	case asJSON(c):
		err = encode(e.Stdout, results)
	default:
		for i, r := range results {
			if i > 0 {
				fmt.Fprintln(e.Stdout)
			}
			err = errors.Join(err, audit.Write(e.Stdout, r))
		}
	}
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	switch {
	case o.Fails(results):
		return exitCode(codeFailed)
	case o.LeavesOpen(results):
		return exitCode(codeUnread)
	}
	return nil
}
