package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"research-council/internal/base/proc"
	"research-council/internal/engine/status"
	"research-council/internal/engine/workspace"
	"research-council/internal/host/logs"
	"research-council/internal/host/program"
	"research-council/internal/host/runs"
	"research-council/internal/host/view"
)

func logsCommand(e program.Env) *cobra.Command {
	b := logs.Book{Out: e.Stdout}
	c := &cobra.Command{
		Use: "logs [ID]", Short: "Show what has happened in a run",
		Long: "Show the progress log of a run, or with --seat what that seat did in all its turns.",
		Example: `council logs -f
council logs --seat claude
council logs 20260222-143000-a1b2c3 --seat codex --json`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if b.Project, b.ID, err = pick(c, e, args); err != nil {
				return err
			}
			b.JSON = asJSON(c)
			return b.Write(c.Context().Done())
		},
	}
	c.Flags().BoolVarP(&b.Follow, "follow", "f", false, "go on until the run has ended")
	c.Flags().StringVar(&b.Seat, "seat", "", "what this seat did")
	return c
}

func watchCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "watch [ID]", Short: "Watch a run live",
		Long:    "Watch a run until it ends. On a terminal q leaves and c cancels the run after a question; elsewhere every change is a line.",
		Example: "council watch\ncouncil watch 20260222-143000-a1b2c3\ncouncil watch --json",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			project, id, err := pick(c, e, args)
			if err != nil {
				return err
			}
			src := watchSource(c, e, project, id)
			if asJSON(c) || view.Width(e.Stdout) == 0 || !view.IsTerminal(e.Stdin) {
				return view.Follow(c.Context(), src, changePrinter(c, e))
			}
			s, err := view.Watch(c.Context(), src, e.Stdin, e.Stdout)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(e.Stdout, view.Screen(s, time.Now(), view.Width(e.Stdout)))
			return err
		},
	}
}

// maxWatchLines is how many progress lines a watcher is shown at most.
const maxWatchLines = 100

func watchSource(c *cobra.Command, e program.Env, project, id string) view.Source {
	return view.Source{
		Now:    time.Now,
		Cancel: func() error { return cancel(c.Context(), e, project, id) },
		Look: func() (status.Status, []string, error) {
			s, err := runs.Status(project, id)
			if err != nil {
				return s, nil, err
			}
			data, err := proc.LastBytes(filepath.Join(s.Folder, workspace.Progress), maxWatchLines*200)
			if errors.Is(err, os.ErrNotExist) {
				return s, nil, nil
			}
			lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
			return s, lines[max(0, len(lines)-maxWatchLines):], err
		},
	}
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
			if _, err := fmt.Fprintln(e.Stdout, line); err != nil {
				return err
			}
		}
		return nil
	}
}
