package main

import (
	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/session"
	"github.com/research-council/research-council/internal/host/view"
)

func statusLineCommand(e program.Env) *cobra.Command {
	var wrapped string
	c := &cobra.Command{
		Use: "statusline [--wrap COMMAND]", Short: "Print one line on the session's run, for Claude Code's status line",
		Long: `Print one line on the run of a Claude Code session: how far it is, each seat with
its iteration, quotations located and not found, cost, time; for ten minutes
after its end how it ended, its score and its report. Nothing where the session
has no run. Claude Code calls it: put this into ~/.claude/settings.json,
with the path of this program, and --wrap with the command that stood there
before, whose lines then stay above it:

{"statusLine": {"type": "command", "command": "` + e.Self + ` statusline", "refreshInterval": 5}}`,
		Example: `council statusline < status.json
council statusline --wrap '~/.claude/statusline.sh' < status.json`,
		RunE: func(c *cobra.Command, _ []string) error {
			if view.IsTerminal(e.Stdin) {
				return usage.Errorf("the status line is fed by Claude Code; `council statusline --help` shows how it is set")
			}
			return session.WriteStatusLine(c.Context(), e, wrapped)
		},
	}
	c.Flags().StringVar(&wrapped, "wrap", "", "a status line command of your own, whose lines are shown above")
	return c
}
