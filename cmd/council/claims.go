package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"research-council/internal/base/usage"
	"research-council/internal/engine/workspace"
	"research-council/internal/evidence/claim"
	"research-council/internal/host/program"
	"research-council/internal/host/view"
)

// claimFilter says which claims are to be shown.
type claimFilter struct {
	state, seat string
	conflicts   bool
}

func (w *claimFilter) flags(c *cobra.Command) {
	c.Flags().StringVar(&w.state, "state", "", "only claims whose quotation is located, not-found or unchecked")
	c.Flags().StringVar(&w.seat, "seat", "", "only what this seat claims")
	c.Flags().BoolVar(&w.conflicts, "conflicts", false, "only claims that others disagree with")
}

// apply gives the part of a registry that is wanted.
func (w claimFilter) apply(reg claim.Registry) (claim.Registry, error) {
	if w.state != "" && !slices.Contains([]claim.State{claim.Located, claim.NotFound, claim.Unchecked}, claim.State(w.state)) {
		return claim.Registry{}, usage.Errorf("--state %q is none; there are %s, %s and %s", w.state, claim.Located, claim.NotFound, claim.Unchecked)
	}
	out := claim.Registry{Entries: []claim.Entry{}, Copies: reg.Copies}
	kept := map[string]bool{}
	for _, e := range reg.Entries {
		if w.fits(e, reg.Conflicts) {
			out.Entries = append(out.Entries, e)
			kept[e.ID] = true
		}
	}
	for _, g := range reg.Groups {
		if slices.ContainsFunc(g.Members, func(id string) bool { return kept[id] }) {
			out.Groups = append(out.Groups, g)
		}
	}
	for _, d := range reg.Conflicts {
		if kept[d.A] || kept[d.B] {
			out.Conflicts = append(out.Conflicts, d)
		}
	}
	return out, nil
}

func (w claimFilter) fits(e claim.Entry, conflicts []claim.Conflict) bool {
	return (w.state == "" || string(e.Location.State) == w.state) &&
		(w.seat == "" || slices.Contains(e.Seats, w.seat)) &&
		(!w.conflicts || slices.ContainsFunc(conflicts, func(d claim.Conflict) bool { return d.A == e.ID || d.B == e.ID }))
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
			if w.conflicts {
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
	if _, err := w.apply(claim.Registry{}); err != nil {
		return nil, claim.Registry{}, err
	}
	project, id, err := pickByPrefix(c, e, args)
	if err != nil {
		return nil, claim.Registry{}, err
	}
	reg, err := registryOf(project, id)
	if err != nil {
		return nil, claim.Registry{}, err
	}
	reg, err = w.apply(reg)
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
			a, err := archiveOf(f)
			if err != nil {
				return fmt.Errorf("open the run's archive: %w", err)
			}
			rows := view.SourceRows(reg, sourcesOf(a), w == claimFilter{})
			if asJSON(c) {
				return encode(e.Stdout, rows)
			}
			return view.Sources(e.Stdout, rows)
		},
	}
	w.flags(c)
	return c
}
