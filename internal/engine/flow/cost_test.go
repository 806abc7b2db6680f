package flow_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
)

// A seat that tells absurd figures passes every limit; it neither turns the sum
// round nor makes a fact that cannot be written down.
func TestAbsurdFiguresPassEveryLimit(t *testing.T) {
	priced := flow.Seat{Price: flow.Price{Input: 3, Output: 15}}
	for _, c := range []struct {
		name  string
		seat  flow.Seat
		usage agent.Usage
	}{
		{"input", priced, agent.Usage{Input: math.MaxInt64}},
		{"output", priced, agent.Usage{Output: math.MaxInt64}},
		{"both", priced, agent.Usage{Input: math.MaxInt64, Output: math.MaxInt64, CachedInput: math.MaxInt64}},
		{"of a session", priced, agent.Usage{Input: math.MaxInt64, Output: math.MaxInt64, Cumulative: true}},
		{"without a price", flow.Seat{}, agent.Usage{Input: math.MaxInt64, Output: math.MaxInt64}},
		{"a price told", priced, agent.Usage{Input: 1 << 40, USD: math.Inf(1), Reported: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			limits := budget.Limits{USD: 100, Unpriced: 1e6, Tokens: 1e6}
			var spent budget.Spent
			for range 10_000 {
				var r flow.Result
				r.AddUsage(flow.Setup{}, c.seat, flow.SessionTotal{}, []agent.Usage{c.usage, c.usage})
				_, err := json.Marshal(r)
				require.NoError(t, err)
				require.GreaterOrEqual(t, min(r.Tokens, r.Input, r.Output, r.Cached, r.Unpriced, r.Counted, r.Total.Tokens), int64(0))
				spent = spent.Plus(r.Cost().Spent())
				require.NotEmpty(t, limits.ExceededLimit(spent, true))
				require.NotEmpty(t, budget.Limits{USD: 100, Unpriced: 1e6}.ExceededLimit(spent, true))
			}
			require.Positive(t, spent.Tokens)
		})
	}
}

// What a seat costs that tells no price is reckoned with the one that fits best.
func TestWhichPriceASeatHas(t *testing.T) {
	large, small, own := flow.Price{Input: 10, Output: 50}, flow.Price{Input: 1, Output: 5}, flow.Price{Input: 2, Output: 8}
	setup := flow.Setup{Prices: map[string]flow.Price{"large": large, "small": small}}
	for name, c := range map[string]struct {
		seat  flow.Seat
		model string
		want  flow.Price
		known bool
	}{
		"the model that has answered is configured":         {flow.Seat{Model: "large", Price: own}, "small", small, true},
		"the one that has answered is not, the seat's is":   {flow.Seat{Model: "large", Price: own}, "large-next", large, true},
		"no model is configured, but the seat has a price":  {flow.Seat{Model: "unheard-of", Price: own}, "", own, true},
		"nobody knows: its tokens are told, not their cost": {flow.Seat{Model: "unheard-of"}, "", flow.Price{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			price, known := setup.PriceOf(c.seat, c.model)
			require.Equal(t, c.want, price)
			require.Equal(t, c.known, known)
		})
	}
}
