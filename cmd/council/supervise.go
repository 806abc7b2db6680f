package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"research-council/internal/engine/journal"
	"research-council/internal/engine/supervisor"
	"research-council/internal/host/runs"
)

// superviseCommand is the detached process that works on a run.
func superviseCommand(e env) *cobra.Command {
	var project string
	c := &cobra.Command{Use: "supervise ID", Short: "Work on a run until it ends", Hidden: true, Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		err := retryWhileHeld(func() error {
			if runs.Cancelled(project, args[0]) {
				return nil // while this process began, or waited: nothing is left to do
			}
			_, err := supervisor.Supervise(c.Context(), e.SupervisorOptions(project, args[0]))
			return err
		})
		var held *journal.LeaseHeld
		if errors.As(err, &held) {
			return nil // another supervisor was faster, and works
		}
		return err
	}}
	c.Flags().StringVar(&project, "project", "", "the folder whose research/ holds the run")
	return c
}

// retryWhileHeld does something to a run that somebody else may have in hand for a
// moment: a supervisor that is about to go, or a person whose word is heard.
func retryWhileHeld(do func() error) error {
	const most, pause = 2 * time.Second, 20 * time.Millisecond
	for began := time.Now(); ; time.Sleep(pause) {
		err := do()
		var held *journal.LeaseHeld
		if !errors.As(err, &held) || time.Since(began) > most {
			return err
		}
	}
}
