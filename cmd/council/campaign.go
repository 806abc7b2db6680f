package main

import (
	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/host/program"
)

func campaignCommand(e program.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "campaign",
		Short: "Research, plan and code for days, unattended",
		Long: `A campaign goes on in iterations, each one turn of one worker: it researches
until little more is found, plans until the plan stands, and builds the plan
feature by feature, each decided by the project's own tests. Its report, plan
and state stand in docs/research-<name>/.`,
		Example: `council campaign run research 'tls-1.3' 'What did TLS 1.3 change for middleboxes?'
council campaign run full-auto 'parser' 'A streaming JSON parser for …' --max-usd 200
council campaign list
council campaign note parser "No dependencies, please"
council campaign resume parser`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(campaignRunCommand(e), campaignResumeCommand(e), campaignNoteCommand(e), campaignRetryCommand(e), campaignBeginCommand(e), campaignListCommand(e), restoreTranscriptCommand(e), campaignShellCommand(e))
	c.AddCommand(campaignDecisionCommand(e, "accept", "Accept a change that nobody else could judge", true), campaignDecisionCommand(e, "refuse", "Refuse a change that nobody else could judge", false))
	c.AddCommand(recordingCommands(e)...)
	return c
}
