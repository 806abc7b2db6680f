package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/host/mcp"
	"github.com/research-council/research-council/internal/host/program"
)

func mcpCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve the project's runs to any MCP client, on stdin and stdout",
		Long: `Serve the runs of a project as tools over MCP, on stdin and stdout, for a host that
starts it: plan a council, begin it after a yes to its plan and estimate, wait with
progress, read claims, passages and the report, leave a note, cancel.

A run that is begun here goes on when the host leaves. Where the host can ask you
itself, it is your answer that begins a run; else your yes to the model that shows
you the plan. What only you may say (answers, a brief, a change of a campaign) is
said in a terminal.

The project is the folder the host starts this in, or that of --project.`,
		Example: `council mcp --project /path/to/project
claude mcp add council -- council mcp
codex mcp add council -- council mcp`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			project, err := projectWithRuns(c, e)
			if err != nil {
				return err
			}
			if project, err = filepath.Abs(project); err != nil {
				return err
			}
			o := mcp.Options{Env: e, Project: project}
			if !c.Flags().Changed("project") && (project == filepath.Dir(project) || project == e.Getenv("HOME")) {
				o.Unfit = project + " is no project's folder: have the host start this server in one, or with --project DIR (`council mcp --project DIR`)"
			}
			if err := mcp.Serve(c.Context(), o); !errors.Is(err, context.Canceled) {
				return err
			}
			return nil // its host has ended it
		},
	}
}
