package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/issues"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product"
)

func reportLogCommand(e program.Env) *cobra.Command {
	var stages, codes []string
	c := &cobra.Command{
		Use: "report-log [ID]", Short: "List what went wrong in a run",
		Long: `List what went wrong in a run, in the order of time: sources that could not be
had, turns that failed and answers that were refused, gates that did not let it
pass, seats that were missing, limits. It is read from the run's journal, so it
also serves for a run under way or a campaign by its name.`,
		Example: `council report-log
council report-log 20260222-143000-a1b2c3 --stage collection
council report-log --code answer_refused --code turn_failed
council report-log --json`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			project, id, err := pick(c, e, args)
			if err != nil {
				return err
			}
			events, err := supervisor.Facts(project, id)
			if err != nil {
				return err
			}
			w, _, err := product.Load(project, id)
			if err != nil {
				return err
			}
			log, unmet := issues.Of(w, events).Only(w, stages, codes)
			for _, why := range unmet {
				fmt.Fprintln(e.Stderr, "council: "+plain.Terminal(why))
			}
			if asJSON(c) {
				return encode(e.Stdout, log)
			}
			if len(unmet) > 0 && len(log.Issues) == 0 {
				return nil
			}
			return log.Print(e.Stdout)
		},
	}
	c.Flags().StringSliceVar(&stages, "stage", nil, "only what happened in this stage, or part of the way; may be given again")
	c.Flags().StringSliceVar(&codes, "code", nil, "only issues of this code; may be given again")
	return c
}
