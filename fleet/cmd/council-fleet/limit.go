package main

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/fleet/internal/share"
	"github.com/research-council/research-council/fleet/internal/store"
	"github.com/research-council/research-council/internal/base/usage"
)

const turnsFlag, usdFlag = "turns-a-minute", "usd-a-day"

func limitCommand(p *place) *cobra.Command {
	var asked store.Limit
	var none bool
	c := &cobra.Command{
		Use: "limit [VENDOR]", Short: "Bound what all runs together do with a vendor, or list the limits",
		Long: `Bound what all runs of the fleet do with a vendor together: how many turns begin in a
minute, and what is spent in a day of UTC. A turn is one piece of work of a seat: a command
line, and a server under chat:, makes as many requests in it as the work needs, and those
are not counted. A vendor is the brand of its seats, as anthropic, openai, google, or what
the configuration of council names. A limit holds from now on, for runs under way too:
their turns wait. What is not given stays as it is. Money is counted when a turn ends, so a
day may cost more by the turns that were under way.`,
		Example: "  council-fleet limit anthropic --turns-a-minute 60 --usd-a-day 50\n  council-fleet limit anthropic --none\n  council-fleet limit",
	}
	c.Flags().IntVar(&asked.Turns, turnsFlag, 0, "turns (not requests) that begin in a minute, at most (0: no limit)")
	c.Flags().Float64Var(&asked.USD, usdFlag, 0, "dollars a day, at most (0: no limit)")
	c.Flags().BoolVar(&none, "none", false, "take the limits of the vendor back")
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage.Errorf("use it as in: council-fleet limit [VENDOR]")
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		turns, usd := c.Flags().Changed(turnsFlag), c.Flags().Changed(usdFlag)
		if err := checkLimit(args, asked, turns || usd, none); err != nil {
			return err
		}
		s, err := p.openStore(c.Context())
		if err != nil {
			return err
		}
		if len(args) == 1 {
			now, err := s.Limit(c.Context(), args[0])
			if err != nil {
				return err
			}
			if turns || none {
				now.Turns = asked.Turns
			}
			if usd || none {
				now.USD = asked.USD
			}
			if err := s.SetLimit(c.Context(), args[0], now); err != nil {
				return err
			}
		}
		list, err := limitsOf(c.Context(), s)
		if err != nil {
			return err
		}
		return json.NewEncoder(c.OutOrStdout()).Encode(map[string]any{"limits": list})
	}
	return c
}

func checkLimit(args []string, asked store.Limit, given, none bool) error {
	switch {
	case len(args) == 0 && (given || none):
		return usage.Errorf("say of which vendor: council-fleet limit VENDOR …")
	case len(args) == 0:
		return nil
	case given == none:
		return usage.Errorf("say what the limit is (--%s, --%s), or --none", turnsFlag, usdFlag)
	case asked.Turns < 0 || asked.Turns > share.MostTurns:
		return usage.Errorf("--%s: use a whole number up to %d", turnsFlag, share.MostTurns)
	case !(asked.USD >= 0) || math.IsInf(asked.USD, 0):
		return usage.Errorf("--%s: use a number that is not negative", usdFlag)
	case !share.IsVendor(args[0]):
		return usage.Errorf("%q is no name of a vendor", args[0])
	}
	return nil
}

// limited is a vendor's limit, and what of it is spent.
type limited struct {
	store.Limit
	Today float64 `json:"spent_today"` // dollars
}

func limitsOf(ctx context.Context, s *store.Store) (map[string]limited, error) {
	vendors, err := s.Limited(ctx)
	if err != nil {
		return nil, err
	}
	list := map[string]limited{}
	for _, v := range vendors {
		l, err := s.Limit(ctx, v)
		if err != nil {
			return nil, err
		}
		spent, _, err := s.Spent(ctx, v, share.Day(time.Now()), "")
		if err != nil {
			return nil, err
		}
		list[v] = limited{l, spent}
	}
	return list, nil
}
