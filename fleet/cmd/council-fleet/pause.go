package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/fleet/internal/batch"
	"github.com/research-council/research-council/fleet/internal/store"
	"github.com/research-council/research-council/internal/base/usage"
)

func pauseCommand(p *place) *cobra.Command {
	return gateCommand(p, &cobra.Command{
		Use: "pause", Short: "Begin nothing new; what runs goes on", Args: exactly(0),
		Long:    "Begin nothing new in the fleet, or nothing that needs a seat. Runs under way go on,\non other workers too; what is submitted waits.",
		Example: "  council-fleet pause\n  council-fleet pause --seat claude,codex",
	}, (*store.Store).Pause)
}

func resumeCommand(p *place) *cobra.Command {
	return gateCommand(p, &cobra.Command{
		Use: "resume", Short: "Begin runs again after a pause", Args: exactly(0),
		Long:    "Begin runs again. A seat that was paused by its name is resumed by its name.",
		Example: "  council-fleet resume\n  council-fleet resume --seat claude",
	}, (*store.Store).Resume)
}

// gateCommand pauses or resumes, and tells what is paused then.
func gateCommand(p *place, c *cobra.Command, do func(*store.Store, context.Context, string) error) *cobra.Command {
	var seats []string
	c.Flags().StringSliceVar(&seats, "seat", nil, "only runs that need this seat (more than one: separated by commas)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if c.Flags().Changed("seat") {
			if err := batch.CheckSeats(seats); err != nil {
				return usage.Errorf("--seat: %w", err)
			}
		} else {
			seats = []string{""} // the whole fleet
		}
		s, err := p.openStore(c.Context())
		if err != nil {
			return err
		}
		for _, seat := range seats {
			if err := do(s, c.Context(), seat); err != nil {
				return err
			}
		}
		now, err := s.Paused(c.Context())
		if err != nil {
			return err
		}
		return json.NewEncoder(c.OutOrStdout()).Encode(map[string]store.Paused{"paused": now})
	}
	return c
}

func drainCommand(p *place) *cobra.Command {
	return &cobra.Command{
		Use: "drain WORKER", Short: "Have a worker take nothing new, finish what it has, and end", Args: exactly(1),
		Long:    "Have a worker take nothing new, finish the runs it has, and end with exit code 0.\nA signal to the worker has it hand them over instead.",
		Example: "  council-fleet drain build-3:/var/lib/council-fleet",
		RunE: func(c *cobra.Command, args []string) error {
			fleet, err := p.open(c.Context())
			if err != nil {
				return err
			}
			runs, err := fleet.Drain(c.Context(), args[0])
			if err != nil {
				return err
			}
			return json.NewEncoder(c.OutOrStdout()).Encode(map[string]any{"worker": args[0], "finishes": runs})
		},
	}
}
