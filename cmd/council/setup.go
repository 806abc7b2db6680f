package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/setup"
)

func setupCommand(e program.Env) *cobra.Command {
	var o setup.Options
	c := &cobra.Command{
		Use: "setup", Short: "Choose seats, a limit in money and notices, and try them",
		Long: `Look at what is on this machine and who pays for it, choose who takes part, a
limit in money and notices, write that into your configuration, try a call of
each seat, and say what a first run takes. It asks at a terminal; elsewhere
--yes is needed, or --dry-run, which writes and spends nothing.

What else stands in the configuration stays as it is, comments too. Where
nothing is said the limit of each run is the one you have, else 20 dollars. A
call of each seat costs some twenty thousand tokens of its cheap model. Exit
code 1 where something was not set up, or a seat did not answer.`,
		Example: `council setup
council setup --dry-run
council setup --seats claude,codex --max-usd 5 --yes`,
		RunE: func(c *cobra.Command, _ []string) error { return setUp(c, e, o) },
	}
	o.Flags(c.Flags())
	return c
}

func setUp(c *cobra.Command, e program.Env, o setup.Options) error {
	if err := o.Check(); err != nil {
		return err
	}
	if who := caller.Agent(e.Getenv); who != "" && !o.DryRun {
		return usage.Errorf("what may be spent is a person's to say, and this was started by %s: type /research-council:setup in the session, or council setup in a terminal of your own; --dry-run shows what there is", who)
	}
	project, err := projectForNewRun(c, e)
	if err != nil {
		return err
	}
	var r setup.Result
	if person := dialogue.AtTerminal(e); person != nil && !o.Yes && !o.DryRun && !asJSON(c) {
		r, err = setup.Run(c.Context(), e, project, o, person)
	} else {
		r, err = setup.Run(c.Context(), e, project, o, nil)
	}
	if asJSON(c) && (err == nil || r.Changed) {
		return errors.Join(encode(e.Stdout, r), err, failedIf(len(r.Problems) > 0))
	}
	for _, line := range r.Said {
		fmt.Fprintln(e.Stdout, plain.Terminal(line))
	}
	for _, problem := range r.Problems {
		fmt.Fprintln(e.Stderr, "council: "+plain.Terminal(problem))
	}
	if err == nil {
		err = failedIf(len(r.Problems) > 0)
	}
	return err
}

// failedIf is the exit code of what has been said to have failed.
func failedIf(failed bool) error {
	if failed {
		return exitCode(codeFailed)
	}
	return nil
}
