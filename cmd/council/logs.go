package main

import (
	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/host/logs"
	"github.com/research-council/research-council/internal/host/program"
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
