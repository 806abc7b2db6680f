package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
)

// superviseCommand is the detached process that works on a run.
func superviseCommand(e program.Env) *cobra.Command {
	var project string
	c := &cobra.Command{Use: "supervise ID", Short: "Work on a run until it ends", Hidden: true, Args: cobra.ExactArgs(1), RunE: func(c *cobra.Command, args []string) error {
		err := dialogue.RetryWhileHeld(func() error {
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
