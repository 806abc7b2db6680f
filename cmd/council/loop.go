package main

import (
	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/session"
)

// loopCommand shows and ends the loops of sessions; a session begins its own.
func loopCommand(e program.Env) *cobra.Command {
	show := func(*cobra.Command, []string) error { return session.Loops(e) }
	c := &cobra.Command{Use: "loop", Short: "The loops of sessions that /research-loop has begun", Args: cobra.NoArgs, RunE: show}
	c.AddCommand(
		&cobra.Command{Use: "status", Short: "Show them", Args: cobra.NoArgs, RunE: show},
		&cobra.Command{Use: "cancel [SESSION]", Short: "End one", Args: cobra.MaximumNArgs(1), RunE: func(_ *cobra.Command, args []string) error {
			return session.CancelLoop(e, append(args, "")[0])
		}},
	)
	return c
}
