package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/host/control"
	"github.com/research-council/research-council/internal/host/program"
)

func finishCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "finish [RUN]",
		Short: "End a run's research early, and write up what there is",
		Long: `End the research of a run early, of whatever kind: a council, staged research, a
review of code or a campaign. What is under way is ended and kept as far as it
has come, nothing more is searched or read, and the run goes on to its report
with what is known. A feature that is being built is built to its end. Asking
again changes nothing, and whoever works on the run cannot ask. ` + "`council cancel`" + `
ends a run without more ado.`,
		Example: `council finish
council finish 20260222-143000-a1b2c3
council finish shelf --json`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			list, how := ids(e)(c, args, typed)
			return append(campaignNames(c, e, args), list...), how
		},
		RunE: func(c *cobra.Command, args []string) error { return finishRun(c, e, args) },
	}
}

// finishAnswer is what `council finish` answers.
type finishAnswer struct {
	Run  string `json:"run"`
	Next string `json:"next"` // what becomes of the run
}

func finishRun(c *cobra.Command, e program.Env, args []string) error {
	project, id, err := pick(c, e, args)
	if err != nil {
		return err
	}
	if err := refuseAmbiguous(project, args); err != nil {
		return err
	}
	next, err := control.Finish(e, project, id)
	if err != nil {
		return err
	}
	said := finishAnswer{Run: id, Next: next}
	return writeReply(c, e, said, strings.TrimSpace(fmt.Sprintf("Run %s finishes. %s", id, said.Next)), "Follow it: council watch "+id)
}
