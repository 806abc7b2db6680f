package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

// claimFilter says which claims are to be shown.
type claimFilter struct{ claim.Filter }

func (w *claimFilter) flags(c *cobra.Command) {
	c.Flags().StringVar(&w.State, "state", "", "only claims whose quotation is located, not-found or unchecked, or that are withdrawn")
	c.Flags().StringVar(&w.Seat, "seat", "", "only what this seat claims")
	c.Flags().BoolVar(&w.Conflicts, "conflicts", false, "only claims that others disagree with")
}

func claimsCommand(e program.Env) *cobra.Command {
	var w claimFilter
	c := &cobra.Command{
		Use: "claims [RUN]", Short: "List what a run's seats have claimed, and what became of each claim",
		Example: "council claims\ncouncil claims 20260222-143000-a1b2c3 --state not-found\ncouncil claims --conflicts --json",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			f, reg, err := registryOfRun(c, e, args, w)
			if err != nil {
				return err
			}
			defer f.Close()
			if asJSON(c) {
				return encode(e.Stdout, reg)
			}
			if w.Conflicts {
				return view.Conflicts(e.Stdout, reg)
			}
			return view.Claims(e.Stdout, reg)
		},
	}
	w.flags(c)
	return c
}

// registryOfRun gives the wanted part of a run's registry, and the run's
// folder, which is to be closed.
func registryOfRun(c *cobra.Command, e program.Env, args []string, w claimFilter) (*workspace.Folder, claim.Registry, error) {
	if _, err := w.Apply(claim.Registry{}); err != nil {
		return nil, claim.Registry{}, err
	}
	project, id, err := pickByPrefix(c, e, args)
	if err != nil {
		return nil, claim.Registry{}, err
	}
	reg, err := runs.Registry(project, id)
	if err != nil {
		return nil, claim.Registry{}, err
	}
	reg, err = w.Apply(reg)
	if err != nil {
		return nil, claim.Registry{}, err
	}
	f, err := workspace.Open(project, id)
	return f, reg, err
}

func sourcesCommand(e program.Env) *cobra.Command {
	var w claimFilter
	c := &cobra.Command{
		Use: "sources [RUN]", Short: "List a run's sources: what they are, whether they could be read, which claims rest on them",
		Example: "council sources\ncouncil sources 20260222-143000-a1b2c3 --seat codex\ncouncil sources --state not-found --json",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			f, reg, err := registryOfRun(c, e, args, w)
			if err != nil {
				return err
			}
			defer f.Close()
			a, err := runs.Archive(f)
			if err != nil {
				return fmt.Errorf("open the run's archive: %w", err)
			}
			rows := view.SourceRows(reg, runs.Sources(a), w == claimFilter{})
			if asJSON(c) {
				return encode(e.Stdout, rows)
			}
			return view.Sources(e.Stdout, rows)
		},
	}
	w.flags(c)
	return c
}
