package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/project/shell"
)

// campaignShellCommand runs a command line for a worker that has no desk: what it
// could not do at the desk it cannot do here.
func campaignShellCommand(e program.Env) *cobra.Command {
	var at string
	c := &cobra.Command{
		Use:   "shell --at FILE 'COMMAND LINE'",
		Short: "Run a command line in a campaign's project, confined to it",
		Long: `Run a command line in a campaign's project as its worker may: it writes the
project and caches, not what agents, shells or git obey, sees no other files of
yours, and asks the registries of packages alone. The campaign writes the file
that says so before a feature is built, and tells a worker without a desk of it
in RESEARCH_SHELL. It ends as the command does.`,
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if at == "" {
				return usage.Errorf("a shell needs --at, the file that says how commands are run")
			}
			o, err := shell.LoadOptions(at, e.Environ)
			if err != nil {
				return err
			}
			s, err := shell.Open(c.Context(), o)
			if err != nil {
				return err
			}
			return errors.Join(runConfined(c, e, s, args[0]), s.Close())
		},
	}
	c.Flags().StringVar(&at, "at", "", "the file that says how commands are run")
	return c
}

func runConfined(c *cobra.Command, e program.Env, s *shell.Shell, line string) error {
	r, err := s.RunConfined(c.Context(), line, e.Stdout)
	if err != nil {
		return err
	}
	for _, name := range r.PutBack {
		fmt.Fprintf(e.Stderr, "put back as it was: %s\n", name)
	}
	for _, host := range s.RefusedHosts() {
		fmt.Fprintf(e.Stderr, "not on this campaign's list of hosts: %s\n", host)
	}
	switch {
	case r.Err != nil:
		return r.Err
	case r.Late:
		return fmt.Errorf("it took longer than %s", shell.MaxWorkerTime)
	case r.Code != 0:
		return exitCode(r.Code)
	}
	return nil
}
