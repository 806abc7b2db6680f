package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/logs"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/campaign/steering"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/staged"
)

// runOptions is what `council run` was asked for.
type runOptions struct {
	request.Request
	recipe string // the kind of run
	file   string // of the question
	detach bool
	quiet  bool
}

// flagValue is a flag of a request on the command line.
type flagValue struct {
	request.Flag
	to    *request.Request
	given *[]string // values, as they were typed
}

func (s flagValue) String() string { return "" }

func (s flagValue) Type() string {
	if s.Value == "" {
		return "bool"
	}
	return s.Value
}

func (s flagValue) Set(v string) error {
	if s.Value == "" && v != "true" {
		return errors.New("it takes no value")
	}
	*s.given = append(*s.given, v)
	return s.Flag.Set(s.to, v)
}

// addFlag gives a command a flag of a request.
func addFlag(c *cobra.Command, f request.Flag, to *request.Request) {
	flag := c.Flags().VarPF(flagValue{f, to, new([]string)}, f.Name, "", f.Usage)
	if f.Value == "" {
		flag.NoOptDefVal = "true"
	}
}

func runCommand(e program.Env) *cobra.Command {
	var w runOptions
	c := &cobra.Command{
		Use:   "run QUESTION",
		Short: "Research a question",
		Long: `Research a question and print where the report is. The question is the
argument, or standard input where that is -, or a file. Ctrl-C stops the work;
the run can be taken up again.`,
		Example: `council run "How does the Go scheduler steal work?"
council run --test --seats claude,librarian "What changed in TLS 1.3?"
council run --seats librarian --scope docs "Which settings are deprecated?"
council run --detach --topic-file question.md --max-usd 5
echo "Why …?" | council run -`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return w.runRecipe(c, e, args) },
	}
	w.flags(c, request.Flags())
	w.topicFlags(c)
	c.Flags().StringVar(&w.recipe, "recipe", council.Workflow().Name, "what kind of run: council, staged, or review of code; the last two have commands of their own, with more flags")
	return c
}

// runRecipe begins the kind of run that was asked for.
func (w *runOptions) runRecipe(c *cobra.Command, e program.Env, args []string) error {
	switch w.recipe {
	case council.Workflow().Name:
		return w.run(c, e, args, prepare.Council)
	case staged.Name:
		if err := refuseForeignFlags(c, w.recipe, request.StagedFlags(), "topic-file", "scope-outside"); err != nil {
			return err
		}
		return w.run(c, e, args, prepare.Staged)
	case codereview.Name:
		if err := refuseForeignFlags(c, w.recipe, request.ReviewFlags()); err != nil {
			return err
		}
		if len(args) > 1 {
			return usage.Errorf("a review takes one folder or file, or nothing for the whole repository; %d were named", len(args))
		}
		return w.review(c, e, args)
	}
	return usage.Errorf("--recipe %q: use one of %s, %s, %s", w.recipe, council.Workflow().Name, staged.Name, codereview.Name)
}

// refuseForeignFlags refuses a flag that was given and that a kind of run does not have.
func refuseForeignFlags(c *cobra.Command, kind string, list []request.Flag, more ...string) (err error) {
	more = append(more, "recipe", "detach", "quiet", "json", "project")
	c.Flags().Visit(func(f *pflag.Flag) {
		own := slices.ContainsFunc(list, func(l request.Flag) bool { return l.Name == f.Name })
		if !own && !slices.Contains(more, f.Name) {
			err = usage.Errorf("--recipe %s has no --%s; `council %s --help` lists what it has", kind, f.Name, kind)
		}
	})
	return err
}

// flags gives a command what a person may ask of a run, and how it is worked on.
func (w *runOptions) flags(c *cobra.Command, list []request.Flag) {
	for _, f := range list {
		addFlag(c, f, &w.Request)
	}
	c.Flags().BoolVar(&w.detach, "detach", false, "work in the background and return at once")
	c.Flags().BoolVarP(&w.quiet, "quiet", "q", false, "no progress lines")
}

// topicFlags are those of a run that has a question.
func (w *runOptions) topicFlags(c *cobra.Command) {
	c.Flags().BoolVar(&w.ScopeOutside, "scope-outside", false, "the scope may lie outside the project")
	c.Flags().StringVar(&w.file, "topic-file", "", "read the question from a file")
}

// prepareFunc makes of a wish what a run is set up with.
type prepareFunc func(e program.Env, project string, req request.Request) (flow.Setup, error)

func (w *runOptions) run(c *cobra.Command, e program.Env, args []string, setUp prepareFunc) error {
	if err := w.checkEditor(c, e); err != nil {
		return err
	}
	var err error
	if w.Topic, err = (prepare.Question{Command: c.Name(), File: w.file, Plan: w.DryRun}).Read(e, args); err != nil {
		return err
	}
	project, err := projectForNewRun(c, e)
	if err != nil {
		return err
	}
	w.ScopeFrom = e.Dir
	setup, err := setUp(e, project, w.Request)
	if err != nil {
		return err
	}
	if w.DryRun && asJSON(c) {
		return encode(e.Stdout, view.NewPlannedRun(setup, runs.Forecast(setup)))
	}
	if w.DryRun {
		_, err := fmt.Fprint(e.Stdout, view.Plan(setup, runs.Forecast(setup)))
		return err
	}
	if !w.quiet {
		fmt.Fprint(e.Stderr, view.Plan(setup, runs.Forecast(setup)))
	}
	return launch(c, e, setup, workMode{detach: w.detach, quiet: w.quiet})
}

// checkEditor refuses to let a person edit a plan where nobody can be asked.
func (w *runOptions) checkEditor(c *cobra.Command, e program.Env) error {
	switch {
	case !w.EditPlan || w.DryRun:
		return nil
	case w.detach || w.quiet || asJSON(c):
		return usage.Errorf("--edit-plan asks you at the terminal, and --detach, --quiet and --json ask nobody: leave one out")
	case dialogue.AtTerminal(e) == nil:
		return usage.Errorf("--edit-plan opens an editor, and nobody is at a terminal here: leave it out, or run this in a terminal of your own")
	}
	_, err := dialogue.Editor(e)
	return err
}

// workMode is how a run is worked on.
type workMode struct {
	detach bool              // in the background
	quiet  bool              // without progress lines
	files  []supervisor.File // that it begins with
}

// launch lays a run down and works on it.
func launch(c *cobra.Command, e program.Env, setup flow.Setup, how workMode) error {
	f, err := product.Begin(setup, time.Now(), how.files...)
	if err != nil {
		return err
	}
	defer f.Close()
	if !how.quiet {
		announce(e.Stderr, setup, f)
	}
	if how.detach {
		printSeats(e.Stderr, setup, how.quiet)
		return detach(c, e, f, setup.Root)
	}
	return workOn(c, e, f, setup.Root, how.quiet)
}

// printSeats says who takes part; in the foreground the first line of the
// progress log does.
func printSeats(w io.Writer, s flow.Setup, quiet bool) {
	if quiet {
		return
	}
	fmt.Fprintf(w, "Run %s: %s (%s)\n", s.ID, view.SeatNames(s), s.Tier)
	for _, m := range s.Missing {
		fmt.Fprintln(w, plain.Terminal("MISSING: "+m.Seat+": "+m.Reason))
	}
}

// announce says where a run's files are, and what its limits do not see.
func announce(w io.Writer, s flow.Setup, f *workspace.Folder) {
	if text := prepare.LimitNote(s); text != "" {
		fmt.Fprintln(w, text)
	}
	fmt.Fprintln(w, "Files:", f.Path)
}

// detach leaves a run to a supervisor in the background.
func detach(c *cobra.Command, e program.Env, f *workspace.Folder, project string) error {
	pid, err := supervisor.Detach(e.SupervisorOptions(project, f.ID))
	if errors.Is(err, supervisor.ErrForeign) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w; the run is laid down, `council resume %s` works on it", err, f.ID)
	}
	if asJSON(c) {
		return encode(e.Stdout, map[string]any{"id": f.ID, "folder": f.Path, "supervisor": pid})
	}
	fmt.Fprintf(e.Stderr, "Working in the background (process %d). Follow it: council watch %s (in a browser: council serve)   Have it report what there is: council finish %s   End it: council cancel %s\n", pid, f.ID, f.ID, f.ID)
	_, err = fmt.Fprintln(e.Stdout, f.ID)
	return err
}

// work is a run somebody works on in the foreground.
type work struct {
	folder  *workspace.Folder
	project string
	quiet   bool
	from    int64 // where in the progress log the lines begin that are new
}

// progressEnd is where the progress log ends now.
func (w work) progressEnd() int64 {
	info, err := os.Stat(w.folder.Join(workspace.Progress))
	if err != nil {
		return 0 // it is not there yet
	}
	return info.Size()
}

// workOn works on a new run in the foreground and tells how it ended.
func workOn(c *cobra.Command, e program.Env, f *workspace.Folder, project string, quiet bool) error {
	return workAndReport(c, e, work{folder: f, project: project, quiet: quiet})
}

// continueWork is the same for a run that was worked on before: what it told then is
// not told again.
func continueWork(c *cobra.Command, e program.Env, f *workspace.Folder, project string, quiet bool) error {
	w := work{folder: f, project: project, quiet: quiet}
	w.from = w.progressEnd()
	return workAndReport(c, e, w)
}

func workAndReport(c *cobra.Command, e program.Env, w work) error {
	r, err := workAndAsk(c, e, w)
	if err != nil {
		return err
	}
	return reportEnd(c, e, w.project, r)
}

// superviseShowing works on a run and shows its progress.
func superviseShowing(c *cobra.Command, e program.Env, w work) (flow.Run, error) {
	done := make(chan struct{})
	told := make(chan error, 1)
	go func() {
		if w.quiet {
			told <- nil
			return
		}
		at := int64(0)
		told <- logs.Follow(done, []string{w.folder.Join(workspace.Progress)}, func(_ string, line []byte) error {
			if at += int64(len(line)) + 1; at <= w.from {
				return nil
			}
			_, err := fmt.Fprintln(e.Stderr, plain.Terminal(string(line)))
			return err
		})
	}()
	r, err := supervisor.Supervise(c.Context(), e.AttendedOptions(w.project, w.folder.ID, e.Stderr))
	close(done)
	return r, errors.Join(err, <-told)
}

// reportEnd says how a run ended and where its report is; the progress lines
// have told why.
func reportEnd(c *cobra.Command, e program.Env, project string, r flow.Run) error {
	if r.IsWaiting() {
		return printWaiting(c, e, project, r)
	}
	if r.Status == "" {
		fmt.Fprintf(e.Stderr, "Stopped. `council resume %s` goes on where it stood; `council cancel %s` ends it for good.\n", r.Setup.ID, r.Setup.ID)
		return exitCode(codeInterrupted)
	}
	if missing := runs.MissingCopy(project, r); missing != "" {
		defer fmt.Fprintln(e.Stderr, "council: "+missing)
	}
	if codereview.Of(r.Setup.Own) != nil {
		return reportReview(c, e, project, r)
	}
	st, err := runs.Status(project, r.Setup.ID)
	if err != nil {
		return err
	}
	if asJSON(c) {
		return errors.Join(encode(e.Stdout, st), statusExit(r.Status))
	}
	if short := steering.UnfinishedFeatures(r); short != "" {
		fmt.Fprintln(e.Stderr, "council: "+short)
	}
	if r.Status != flow.Completed {
		fmt.Fprintln(e.Stderr, "council: run", r.Setup.ID, r.Status.Words()+";", "`council status` tells more")
	}
	if st.Report != "" {
		fmt.Fprintln(e.Stdout, st.Report)
	}
	if steering.UnfinishedFeatures(r) != "" || r.Status == flow.Completed && runs.MissingCopy(project, r) != "" {
		return exitCode(codeFailed)
	}
	return statusExit(r.Status)
}
