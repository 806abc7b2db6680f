package flow_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/agent"
	"research-council/internal/engine/budget"
	"research-council/internal/engine/flow"
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
