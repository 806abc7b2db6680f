package main

import (
	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/host/control"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/campaign/steering"
)

// What a person says of a change of a campaign that nobody else could judge.

func campaignDecisionCommand(e program.Env, use, short string, accept bool) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: use + " NAME FEATURE", Short: short, Args: cobra.ExactArgs(2),
		Long: short + `. A campaign waits for this where the tests pass and no
other seat and no fresh context can look at the change: no worker has the last
word on its own work, and no model may say this. "council status" tells what
there is to judge. Where the project has changed since it was tested, nothing is
noted: "council campaign resume" tests it again.`,
		Example: "council campaign " + use + ` parser F003 --reason "read the change; the table covers both cases"`,
		RunE: func(c *cobra.Command, args []string) error {
			project, r, err := namedCampaign(c, e, args[0])
			if err != nil {
				return err
			}
			if err := control.DecideChange(e, project, r, campaignwork.PersonVerdict{Feature: args[1], Accept: accept, Reason: reason}); err != nil {
				return err
			}
			return writeReply(c, e, map[string]any{"feature": args[1], "accept": accept}, steering.DecidedText(r))
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why, as it is kept")
	return c
}
