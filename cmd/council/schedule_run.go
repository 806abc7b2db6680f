package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/standing"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/output/notify"
	"github.com/research-council/research-council/internal/product"
)

func scheduleRunCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "run NAME", Short: "Run a standing question now, as its timer does", Args: cobra.ExactArgs(1), ValidArgsFunction: standingNames(e),
		Long: `Run a standing question now: take up its last run where that was interrupted, else
begin one; compare it with the last one that was completed; and send what has
changed to the configured channels. Nothing is sent where no claim has changed, but
for the first of runs that do not complete. The timer names the question's
folder in the place of its name; then nothing is begun while it is paused.`,
		Example: "council schedule run heater",
		RunE: func(c *cobra.Command, args []string) error {
			name, byTimer := args[0], filepath.IsAbs(args[0])
			keeper, err := keeperOf(e)
			if byTimer {
				keeper, name, err = standing.Keeper{Dir: filepath.Dir(name)}, filepath.Base(name), nil
			}
			if err == nil {
				_, err = readStanding(keeper, name)
			}
			if err != nil {
				return err
			}
			letGo, err := keeper.Hold(name)
			if errors.Is(err, standing.ErrBusy) {
				fmt.Fprintln(e.Stderr, "council:", err)
				return nil
			}
			if err != nil {
				return err
			}
			defer func() { _ = letGo() }() // the process ends anyway
			s, err := keeper.Read(name)
			if err != nil {
				return err
			}
			if err := keeper.TrimLog(name); err != nil {
				fmt.Fprintln(e.Stderr, "council:", err)
			}
			if byTimer && s.Paused {
				fmt.Fprintf(e.Stderr, "council: %s is paused\n", name)
				return nil
			}
			e, err := environOf(e, s)
			if err != nil {
				return err
			}
			w := standingWork{Env: e, keeper: keeper, Standing: s}
			return w.work(c)
		},
	}
}

// environOf is what surrounds a run of a standing question: what this process has, with
// programs and configuration found where they were when it was added.
func environOf(e program.Env, s standing.Standing) (program.Env, error) {
	getenv, kept := e.Getenv, s.Environ
	e.Getenv = func(name string) string {
		if v, is := kept[name]; is {
			return v
		}
		return getenv(name)
	}
	e.Environ = slices.Clone(e.Environ)
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		if err := os.Setenv(name, kept[name]); err != nil {
			return e, fmt.Errorf("set %s: %w", name, err)
		}
		e.Environ = append(e.Environ, name+"="+kept[name]) // of two the last one holds
	}
	e.Dir = s.From
	return e, nil
}

// standingWork is one run of a standing question.
type standingWork struct {
	program.Env
	standing.Standing
	keeper standing.Keeper
}

// stood is what `schedule run` answers.
type stood struct {
	Name       string            `json:"name"`
	Run        string            `json:"run,omitempty"`
	Status     flow.Status       `json:"status,omitempty"` // "" where it was interrupted
	Report     string            `json:"report,omitempty"`
	Previous   string            `json:"previous,omitempty"` // the run it was compared with
	Changed    bool              `json:"changed"`            // a claim
	Difference *claim.Difference `json:"difference,omitempty"`
}

func (w *standingWork) work(c *cobra.Command) error {
	out, err := w.run(c.Context())
	var held *journal.LeaseHeld
	if errors.Is(err, standing.ErrBusy) || errors.As(err, &held) {
		fmt.Fprintln(w.Stderr, "council:", err)
		return nil
	}
	if c.Context().Err() != nil || err == nil && out.Status == "" {
		fmt.Fprintf(w.Stderr, "Stopped. The next run of %s goes on with it; `council schedule run %s` does at once.\n", w.Name, w.Name)
		return exitCode(codeInterrupted)
	}
	failed := err != nil || out.Status != flow.Completed
	failing := failed && w.Failing
	if failed && !w.Failing {
		failing = w.tell(c.Context(), notify.Message{Title: "Did not complete: " + w.Name, Body: why(out, err), Level: notify.Warning, Run: out.Run})
	}
	if w.Failing != failing {
		err = errors.Join(err, w.change(func(s *standing.Standing) { s.Failing = failing }))
	}
	if err != nil {
		return err
	}
	told := !failed
	if out.Changed {
		body := view.Difference(*out.Difference) + out.Report
		told = w.tell(c.Context(), notify.Message{Title: "Changed: " + w.Name, Body: body, Run: out.Run, Folder: filepath.Join(w.Project, workspace.Runs, out.Run)})
	}
	if told {
		err = w.change(func(s *standing.Standing) { s.Told = out.Run })
	}
	return errors.Join(w.say(c, out), err, statusExit(out.Status))
}

func why(out stood, err error) string {
	if err != nil {
		return view.ErrorLine(err)
	}
	return "The run " + out.Run + " " + out.Status.Words() + "."
}

func (w *standingWork) say(c *cobra.Command, out stood) error {
	if asJSON(c) {
		return encode(w.Stdout, out)
	}
	text := "Nothing has changed.\n"
	switch {
	case out.Changed:
		text = view.Difference(*out.Difference)
	case out.Difference == nil:
		text = "There is no earlier run to compare with.\n"
	case !out.Difference.IsEmpty():
		text = "No claim has changed.\n" + view.Difference(*out.Difference)
	}
	_, err := fmt.Fprint(w.Stdout, text, out.Report, "\n")
	return err
}

// change changes what is kept of the standing question.
func (w *standingWork) change(how func(*standing.Standing)) error {
	s, err := w.keeper.Change(w.Name, how)
	if err == nil {
		w.Standing = s
	}
	return err
}

// run takes up the last run or begins one, and compares it.
func (w *standingWork) run(ctx context.Context) (stood, error) {
	out := stood{Name: w.Name}
	f, err := w.open(&out)
	if err != nil {
		return out, err
	}
	defer f.Close()
	over := w.watchOver(ctx, f.ID)
	r, err := supervisor.Supervise(ctx, w.AttendedOptions(w.Project, f.ID, w.Stderr))
	over()
	if err != nil {
		return out, err
	}
	out.Status, out.Previous = r.Status, r.Setup.Previous
	if st, err := runs.Status(w.Project, f.ID); err == nil && st.Report != "" {
		out.Report = st.Report
	}
	if r.Status != flow.Completed || out.Previous == "" {
		return out, nil
	}
	d, err := difference(w.Project, out.Previous, f.ID)
	if err != nil {
		return out, err
	}
	out.Difference, out.Changed = &d, d.TouchesClaims()
	return out, nil
}

// lookAtRun is how often it is looked whether a run goes on.
const lookAtRun = time.Minute

// watchOver tells people once of a run that cannot go on, as on a full disk, until it is over:
// nobody sits in front of it, and the timer begins no other one meanwhile.
func (w *standingWork) watchOver(ctx context.Context, id string) (over func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		look := time.NewTicker(lookAtRun)
		defer look.Stop()
		for told := false; !told; {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
				told = w.tellOfWaiting(ctx, id)
			}
		}
	})
	return func() { cancel(); watch.Wait() }
}

// tellOfWaiting reports whether a run waits, and people were told so.
func (w *standingWork) tellOfWaiting(ctx context.Context, id string) bool {
	st, err := runs.Status(w.Project, id)
	return err == nil && st.Paused != "" && w.tell(ctx, notify.Message{Title: "Waits: " + w.Name, Body: st.Paused, Level: notify.Warning, Run: id})
}

// open is the folder of the run to work on.
func (w *standingWork) open(out *stood) (*workspace.Folder, error) {
	if n := len(w.Runs); n > 0 {
		st, err := runs.Checked(w.Project, w.Runs[n-1])
		switch {
		case err == nil && st.Supervisor != 0: // somebody has taken it up by hand
			return nil, fmt.Errorf("%s: %w: %s", w.Name, standing.ErrBusy, st.ID)
		case err == nil && runs.WhyNotResumable(st) == "":
			out.Run = st.ID
			return workspace.Open(w.Project, out.Run)
		}
	}
	req, err := w.request()
	if err != nil {
		return nil, err
	}
	req.Previous = w.lastCompleted()
	setup, err := prepare.Council(w.Env, w.Project, req)
	if err != nil {
		return nil, err
	}
	f, err := product.Begin(setup, time.Now())
	if err != nil {
		return nil, err
	}
	out.Run = f.ID
	return f, w.change(func(s *standing.Standing) { s.Began(f.ID) })
}

// request is what was asked for when the question was added.
func (w *standingWork) request() (request.Request, error) {
	var o runOptions
	c := &cobra.Command{}
	o.flags(c, request.Flags())
	o.topicFlags(c)
	if err := c.ParseFlags(w.Flags); err != nil {
		return o.Request, fmt.Errorf("flags of the standing question %s: %w", w.Name, err)
	}
	text, err := w.keeper.Question(w.Name)
	o.Topic, o.ScopeFrom = text, w.From
	return o.Request, err
}

// lastCompleted is the run to compare with, "" for none: of the completed ones that can be
// read the newest whose changes were told, so that none is lost where telling failed; else
// the next one after it. What cannot be read is told of and passed over.
func (w *standingWork) lastCompleted() string {
	for _, id := range w.toCompareWith() {
		st, err := runs.Checked(w.Project, id)
		if err == nil && st.Status != string(flow.Completed) {
			continue
		}
		if err == nil {
			_, err = runs.Registry(w.Project, id)
		}
		if err == nil {
			return id
		}
		fmt.Fprintln(w.Stderr, plain.Terminal(fmt.Sprintf("council: run %s cannot be compared with and is passed over: %v", id, err)))
	}
	return ""
}

// toCompareWith are the runs, that comes first which is best to compare with.
func (w *standingWork) toCompareWith() []string {
	told := 1 + slices.Index(w.Runs, w.Told)
	if told == 0 {
		told = len(w.Runs)
	}
	order := slices.Clone(w.Runs)
	slices.Reverse(order[:told])
	return order
}

// tell sends a message to the configured channels, and reports whether it has come to
// people by one of them, or whether there is none; what fails is said, and stops nothing.
func (w *standingWork) tell(ctx context.Context, m notify.Message) bool {
	conf, err := w.Config()
	if err != nil {
		fmt.Fprintln(w.Stderr, "council:", err)
		return false
	}
	sent := notify.New(conf.Notify, w.Getenv).WithTerminal(w.Stderr).SendAll(ctx, m)
	told := len(sent) == 0
	for _, o := range sent {
		if told = told || o.Err == nil; o.Err != nil {
			fmt.Fprintln(w.Stderr, "council: the notice was not sent:", o.Err)
		}
	}
	return told
}
