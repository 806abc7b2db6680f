package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/net/html/charset"

	"research-council/internal/base/usage"
	"research-council/internal/engine/journal"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/evidence/archive"
	"research-council/internal/evidence/audit"
	"research-council/internal/evidence/citation"
	"research-council/internal/evidence/library"
	"research-council/internal/evidence/provenance"
	"research-council/internal/host/program"
	"research-council/internal/host/view"
	"research-council/internal/project/top"
)

// auditOptions is what `council audit` was asked for.
type auditOptions struct {
	offline        bool
	archive, scope string
	failOn         []string
	allowUnread    bool
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
			"Exit codes: 0 nothing found, 1 something found, 2 a report that cannot be read,\n" +
			"7 nothing found, and not all sources were read or not all quotations could be\n" +
			"looked for: what could not be checked is no pass. --allow-unread lets it pass,\n" +
			"and so does --fail-on with kinds alone that are found without reading sources.\n" +
			"Remarks alone, as that a page has moved, are nothing found, unless --fail-on\n" +
			"names them. What can be found, the worst first:\n\n" + kindList() + "\n\n" +
			"With --json the answer is {scope, run, grade: {letter, score, parts, why}, counts, findings:\n" +
			"[{kind, severity, line, what, report, source, key}], sources: [{key, address,\n" +
			"labels, state, reason, …}], statements: [{text, line, sources, quotations, numbers,\n" +
			"coverage, about}]}, for several reports a list of these.",
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
	f.StringSliceVar(&o.failOn, "fail-on", nil, "end with exit code 1 for these kinds or severities alone, separated by commas; none: for no kind")
	f.BoolVar(&o.allowUnread, "allow-unread", false, "let a report pass though not all its sources were read")
	return c
}

func kindList() string {
	var b strings.Builder
	for _, k := range audit.Kinds() {
		fmt.Fprintf(&b, "  %-12s %s (%s)\n", k.Name, k.What, k.Severity)
	}
	return strings.TrimRight(b.String(), "\n")
}

func auditAll(c *cobra.Command, e program.Env, o auditOptions, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	kept, done, err := o.open(c, e)
	if err != nil {
		return err
	}
	defer done()
	// All are read before any is fetched for: a mistake in the last name
	// should not cost the work on the first.
	reports := make([]report, 0, len(args))
	for _, name := range args {
		r, err := o.read(c.Context(), e, kept, name)
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

// check refuses kinds of findings there are not.
func (o auditOptions) check() error {
	for _, name := range o.failOn {
		known := slices.ContainsFunc(audit.Kinds(), func(k audit.Kind) bool { return k.Name == name || string(k.Severity) == name })
		if !known && name != "none" {
			return usage.Errorf("--fail-on %q is no kind of finding; `council audit --help` lists them", name)
		}
	}
	return nil
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

// report is a report that was read.
type report struct {
	name string
	dir  string // where it lies; "" for one that is no file
	run  string // the run it says it was written in; "" for none
	citation.Document
}

func (o auditOptions) read(ctx context.Context, e program.Env, kept *archive.Archive, name string) (report, error) {
	r := report{name: name}
	var data []byte
	var mime string
	var err error
	switch {
	case name == "-":
		r.dir = e.Dir
		data, err = io.ReadAll(io.LimitReader(e.Stdin, citation.Limit+1))
	case isURL(name):
		data, mime, err = o.fetch(ctx, kept, name)
	default:
		r.dir, data, mime, err = readReport(e, name)
	}
	if err != nil {
		return r, err
	}
	r.Document, err = citation.Parse(data, mime)
	if err != nil {
		return r, usage.Errorf("%s is no report that can be read: %w", name, err)
	}
	r.run = provenance.RunID(data)
	return r, nil
}

func isURL(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// fetch gives a page's bytes in UTF-8.
func (o auditOptions) fetch(ctx context.Context, kept *archive.Archive, url string) (data []byte, mime string, err error) {
	if o.offline {
		return nil, "", usage.Errorf("%s cannot be fetched with --offline; save it as a file", url)
	}
	s, err := kept.Fetch(ctx, url)
	if err != nil {
		return nil, "", fmt.Errorf("fetch %s: %w", url, err)
	}
	if s.Body == "" || !s.State.Readable() {
		return nil, "", usage.Errorf("%s cannot be read: %s", url, library.SnapshotProblem(s))
	}
	if data, err = kept.Bytes(s); err != nil {
		return nil, "", fmt.Errorf("read %s from the archive: %w", url, err)
	}
	if !strings.HasPrefix(s.MIME, "text/") && !strings.Contains(s.MIME, "html") {
		return nil, "", usage.Errorf("%s is %s; only Markdown and HTML can be audited", url, s.MIME)
	}
	if s.Charset != "" && !strings.EqualFold(s.Charset, "utf-8") {
		if enc, _ := charset.Lookup(s.Charset); enc != nil {
			data, err = enc.NewDecoder().Bytes(data)
		}
	}
	return data, s.MIME, err
}

// readReport reads a file.
func readReport(e program.Env, name string) (dir string, data []byte, mime string, err error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, "", usage.Errorf("there is no file %s", name)
	case err != nil:
		return "", nil, "", usage.Errorf("%s: %w", name, usage.Cause(err))
	case !info.Mode().IsRegular():
		return "", nil, "", usage.Errorf("%s is no file", name)
	case info.Size() > citation.Limit:
		return "", nil, "", usage.Errorf("%s is no report that can be read: %w", name, citation.ErrTooLarge)
	}
	if data, err = os.ReadFile(path); err != nil {
		return "", nil, "", usage.Errorf("%s: %w", name, usage.Cause(err))
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html", ".htm", ".xhtml":
		mime = "text/html"
	case ".md", ".markdown":
		mime = "text/markdown"
	}
	return filepath.Dir(path), data, mime, nil
}

func (o auditOptions) audit(ctx context.Context, e program.Env, kept *archive.Archive, r report) (audit.Result, error) {
	scope, run, err := o.scopeOf(e, r)
	if err != nil {
		return audit.Result{}, err
	}
	files, err := localSources(scope, run)
	if err != nil {
		return audit.Result{}, err
	}
	options := audit.Options{Offline: o.offline, Scope: scope, Progress: progress(e.Stderr, r.name)}
	if kept != nil {
		options.Archive = kept
	}
	if files != nil {
		defer files.Close()
		options.Files = files.ArchivedOnly()
	}
	result, err := audit.Report(ctx, r.name, r.Document, options)
	if err != nil {
		return audit.Result{}, fmt.Errorf("audit %s: %w", r.name, err)
	}
	result.Scope, result.Run = scope, run
	return result, nil
}

// scopeOf is the folder below which a report's files lie: what --scope names,
// or for a report of ours the scope of its run, or the repository it lies in, or
// its folder; "" for none. The run is named where the scope is taken from it.
func (o auditOptions) scopeOf(e program.Env, r report) (dir, run string, err error) {
	switch {
	case filepath.IsAbs(o.scope):
		return o.scope, "", nil
	case o.scope != "":
		return filepath.Join(e.Dir, o.scope), "", nil
	case r.dir == "":
		return "", "", nil
	}
	if dir, err = scopeOfRun(r.run, r.dir, e.Dir); dir != "" || err != nil {
		return dir, r.run, err
	}
	if top, ok := top.Upwards(r.dir, top.IsRepository); ok {
		return top, "", nil
	}
	return r.dir, "", nil
}

// scopeOfRun is the scope of a run of a project around one of some folders; ""
// where there is no such run, or it had none.
func scopeOfRun(run string, around ...string) (string, error) {
	if run == "" {
		return "", nil
	}
	for _, dir := range around {
		project, ok := top.Upwards(dir, func(dir string) bool { return exists(filepath.Join(dir, workspace.Runs, run, journal.Name)) })
		if !ok {
			continue
		}
		r, err := supervisor.Read(project, run)
		if err != nil {
			return "", fmt.Errorf("read the scope of run %s, which wrote the report (--scope names another): %w", run, err)
		}
		return r.Setup.Scope, nil
	}
	return "", nil
}

// localSources are the local sources of a report; nil without a scope.
func localSources(scope, run string) (*library.Library, error) {
	if scope == "" {
		return nil, nil
	}
	l, err := library.Open(scope, nil)
	switch {
	case err != nil && run != "":
		return nil, usage.Errorf("the scope of run %s, %q: %w; name another with --scope", run, scope, usage.Cause(err))
	case err != nil:
		return nil, usage.Errorf("--scope %q: %w", scope, usage.Cause(err))
	}
	return l, nil
}

// progress tells how far an audit is, where somebody looks on.
func progress(w io.Writer, name string) func(done, all int) {
	if view.Width(w) == 0 {
		return nil
	}
	return func(done, all int) {
		end := ""
		if done == all {
			end = "\r\x1b[K"
		}
		fmt.Fprintf(w, "\r%s: %d of %d sources%s", name, done, all, end)
	}
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
	if slices.ContainsFunc(results, o.hasFailing) {
		return exitCode(codeFailed)
	}
	if o.needsSources() && slices.ContainsFunc(results, func(r audit.Result) bool { return r.Open() != "" }) {
		return exitCode(codeUnread)
	}
	return nil
}

// needsSources reports whether sources have to be read for a report to pass.
func (o auditOptions) needsSources() bool {
	return !o.allowUnread && (len(o.failOn) == 0 || slices.ContainsFunc(audit.Kinds(), func(k audit.Kind) bool {
		return k.Reads && (slices.Contains(o.failOn, k.Name) || slices.Contains(o.failOn, string(k.Severity)))
	}))
}

func (o auditOptions) hasFailing(r audit.Result) bool {
	return slices.ContainsFunc(r.Findings, func(f audit.Finding) bool {
		if len(o.failOn) > 0 {
			return slices.Contains(o.failOn, f.Kind) || slices.Contains(o.failOn, string(f.Severity))
		}
		return f.Severity != audit.Remark
	})
}
