package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/control"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/host/watch"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/campaign/steering"
)

func watchCommand(e program.Env) *cobra.Command {
	asLines := false
	c := &cobra.Command{
		Use: "watch [ID]", Short: "Watch a run live, and steer it",
		Long: `Watch a run: how far it is, what each seat does, its transcript and its claims.
On a terminal ? shows the keys; q leaves and the run goes on, c cancels it and f
has it finish, each after a question. With --lines, into a pipe or on a terminal
that can no more, every change is a line, until the run ends.`,
		Example: "council watch\ncouncil watch 20260222-143000-a1b2c3\ncouncil watch --lines\ncouncil watch --json",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			project, id, err := pick(c, e, args)
			if err != nil {
				return err
			}
			if asLines || asJSON(c) || !hasScreen(e) {
				return view.Follow(c.Context(), func() (status.Status, error) { return runs.Status(project, id) }, changePrinter(c, e))
			}
			return showScreen(c, e, project, id)
		},
	}
	c.Flags().BoolVar(&asLines, "lines", false, "lines instead of a screen, as for a screen reader")
	return c
}

// hasScreen reports whether there is a terminal to draw on and somebody to type.
func hasScreen(e program.Env) bool {
	term := e.Getenv("TERM")
	return view.Width(e.Stdout) > 0 && view.IsTerminal(e.Stdin) && term != "" && term != "dumb"
}

// showScreen shows a run, or where its id is "" the project's runs to choose from,
// and says at the end how the run stands.
func showScreen(c *cobra.Command, e program.Env, project, id string) error {
	s, err := watch.Run(c.Context(), watchDoors(c, e, project), id, e.Stdin, e.Stdout)
	if err != nil || s.ID == "" {
		return err
	}
	_, err = fmt.Fprint(e.Stdout, view.Screen(s, time.Now(), view.Width(e.Stdout)))
	return err
}

// watchDoors are what a watcher may do: what the commands do.
func watchDoors(c *cobra.Command, e program.Env, project string) watch.Doors {
	return watch.Doors{
		Project: project, Getenv: e.Getenv, Now: time.Now,
		Cancel: func(id string) error { return control.Cancel(c.Context(), e, project, id) },
		Finish: func(id string) (string, error) { return control.Finish(e, project, id) },
		Means:  func(id string) (string, error) { return finishMeans(project, id) },
		Note: func(id, text string) (string, error) {
			r, err := supervisor.Read(project, id)
			if err != nil {
				return "", err
			}
			if _, err := control.Note(e, project, r, text); err != nil {
				return "", err
			}
			return "Noted: " + control.NoteReaches(r) + ".", nil
		},
	}
}

// finishMeans is what finishing a run now means, or why it cannot be.
func finishMeans(project, id string) (string, error) {
	w, r, err := product.Load(project, id)
	switch {
	case err != nil:
		return "", err
	case r.Status != "":
		return "", fmt.Errorf("the run has ended already (%s); there is nothing to finish", steering.PlainStatus(r.Status))
	case r.Finish != "":
		return "", fmt.Errorf("it finishes already: %s", w.FinishMessage(r))
	}
	if why := w.WhyUnfinishable(r); why != "" {
		return "", fmt.Errorf("it cannot finish now: %s", why)
	}
	return w.FinishMessage(r), nil
}

// changePrinter tells a run's changes in lines, or in JSON one a line.
func changePrinter(c *cobra.Command, e program.Env) func(was, now status.Status) error {
	return func(was, now status.Status) error {
		changes := view.Changes(was, now)
		switch {
		case asJSON(c) && (was.ID == "" || len(changes) > 0):
			return encodeLine(e.Stdout, now)
		case asJSON(c):
			return nil
		case was.ID == "":
			_, err := fmt.Fprint(e.Stdout, view.Text(now, time.Now()))
			return err
		}
		for _, line := range changes {
			if _, err := fmt.Fprintln(e.Stdout, time.Now().Format(time.TimeOnly)+" "+line); err != nil {
				return err
			}
		}
		return nil
	}
}
