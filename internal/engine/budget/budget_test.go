package budget_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/budget"
)

func TestRefusal(t *testing.T) {
	cases := map[string]struct {
		limits   budget.Limits
		spent    budget.Spent
		reserved bool
		want     string
	}{
		"nothing spent":                       {budget.Limits{USD: 1, Turns: 10}, budget.Spent{}, false, ""},
		"no limit but turns":                  {budget.Limits{Turns: 10}, budget.Spent{USD: 99, Tokens: 1e9, Time: time.Hour}, false, ""},
		"the reserve is not for research":     {budget.Limits{USD: 1}, budget.Spent{USD: 0.95}, false, "$0.95 of $1.00 spent"},
		"the reserve is for synthesis":        {budget.Limits{USD: 1}, budget.Spent{USD: 0.95}, true, ""},
		"nothing is left for synthesis":       {budget.Limits{USD: 1}, budget.Spent{USD: 1}, true, "$1.00 of $1.00 spent"},
		"tokens":                              {budget.Limits{Tokens: 100}, budget.Spent{Tokens: 90}, false, "90 of 100 tokens used"},
		"time":                                {budget.Limits{Time: time.Hour}, budget.Spent{Time: 54 * time.Minute}, false, "54m0s of 1h0m0s passed"},
		"turns":                               {budget.Limits{Turns: 10}, budget.Spent{Turns: 9}, false, "9 of 10 turns taken"},
		"the last turns belong to synthesis":  {budget.Limits{Turns: 10}, budget.Spent{Turns: 9}, true, ""},
		"no turn beyond the limit, whosoever": {budget.Limits{Turns: 10}, budget.Spent{Turns: 10}, true, "10 of 10 turns taken"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, c.limits.RefusalReason(c.spent, c.reserved)) })
	}
}

func TestLeft(t *testing.T) {
	l := budget.Limits{USD: 10, Time: time.Hour}
	require.InDelta(t, 4.0, l.Left(budget.Spent{USD: 5}, false), 1e-9)
	require.InDelta(t, 5.0, l.Left(budget.Spent{USD: 5}, true), 1e-9)
	require.Zero(t, l.Left(budget.Spent{USD: 11}, true))
	require.Zero(t, budget.Limits{}.Left(budget.Spent{}, true))
	require.Equal(t, 54*time.Minute, l.EndsAfter(false))
	require.Equal(t, time.Hour, l.EndsAfter(true))
}

func TestACostInAColumn(t *testing.T) {
	for want, s := range map[string]budget.Spent{
		"free":       {Turns: 3},
		"unknown":    {Tokens: 9, Unpriced: 9},
		"$0.00":      {Tokens: 9, Reported: true},
		"$0.42":      {Tokens: 9, USD: 0.42, Reported: true},
		"~$0.42":     {Tokens: 9, USD: 0.42, Estimated: true},
		"over $0.42": {Tokens: 9, USD: 0.42, Reported: true, Unpriced: 4},
	} {
		require.Equal(t, want, s.Brief())
	}
}

// A limit in money is one in tokens too, where nobody knows what they cost: a
// seat without a price cannot run on for ever under a limit of ten dollars.
func TestTokensWithoutAPriceCountAgainstTheMoney(t *testing.T) {
	limits := budget.Limits{USD: 10, Unpriced: 1_000_000}
	cases := map[string]struct {
		limits budget.Limits
		spent  budget.Spent
		want   string
		left   float64
	}{
		"half of the tokens are half of the money":              {limits, budget.Spent{Counted: 500_000}, "", 5},
		"all of the tokens, and no money was told":              {limits, budget.Spent{Counted: 1_200_000}, "1,200,000 of 1,000,000 tokens without a price used", 0},
		"neither alone is the whole, both together are":         {limits, budget.Spent{USD: 6, Counted: 400_000}, "$6.00 of $10.00 spent and 400,000 of 1,000,000 tokens without a price used, which together are the whole", 0},
		"money alone is not told of with tokens nobody used":    {limits, budget.Spent{USD: 10}, "$10.00 of $10.00 spent", 0},
		"what was read again from a cache counts as it is told": {limits, budget.Spent{Unpriced: 9_000_000, Counted: 900_000}, "", 1},
		"tokens stand for nothing where nobody has said so":     {budget.Limits{USD: 10}, budget.Spent{USD: 4, Counted: 9_000_000}, "", 6},
		"without a limit in money they pass none":               {budget.Limits{Unpriced: 1_000_000}, budget.Spent{Counted: 9_000_000}, "", 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, c.limits.ExceededLimit(c.spent, true))
			require.InDelta(t, c.left, c.limits.Left(c.spent, true), 1e-9)
		})
	}
}

// The report and the status tell people what a run has cost. Where that is not
// known they must not read "$0.00".
func TestACostSaysWhereItIsFrom(t *testing.T) {
	for name, c := range map[string]struct {
		spent budget.Spent
		want  string
	}{
		"the librarian alone worked":                {budget.Spent{Turns: 3}, "none: no model was paid for"},
		"the provider has told it":                  {budget.Spent{Tokens: 900, USD: 0.42, Reported: true}, "$0.42 (as the providers report)"},
		"the provider says it was nothing":          {budget.Spent{Tokens: 900, Reported: true}, "$0.00 (as the providers report)"},
		"we have reckoned it from prices":           {budget.Spent{Tokens: 900, USD: 0.42, Estimated: true}, "$0.42 (estimated from tokens and configured prices)"},
		"one seat tells it, the other is reckoned":  {budget.Spent{Tokens: 900, USD: 0.42, Reported: true, Estimated: true}, "$0.42 (as the providers report, in part estimated from tokens and configured prices)"},
		"one seat tells it, the other has no price": {budget.Spent{Tokens: 9_500, USD: 0.42, Reported: true, Unpriced: 8_600}, "$0.42 (as the providers report) and 8,600 tokens without a price"},
		"no seat has a price":                       {budget.Spent{Tokens: 1_234_567, Unpriced: 1_234_567}, "unknown: 1,234,567 tokens without a price"},
		"not even the tokens were told":             {budget.Spent{Tokens: 900, Unpriced: 900, Reckoned: true}, "unknown: 900 tokens without a price, as far as they can be reckoned from the text"},
		"tokens, and no word of money":              {budget.Spent{Tokens: 900}, "unknown"},
		"money of an older journal":                 {budget.Spent{USD: 0.42}, "$0.42 (nobody has said where from)"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, c.spent.Cost()) })
	}
}

// What a run has spent is the sum of its turns: nothing is lost on the way, and
// one turn that was estimated makes the whole an estimate.
func TestWhatARunHasSpentIsTheSumOfItsTurns(t *testing.T) {
	first := budget.Spent{USD: 0.25, Reported: true, Tokens: 1_000, Time: time.Minute, Turns: 1}
	second := budget.Spent{USD: 0.5, Estimated: true, Reckoned: true, Tokens: 2_000, Unpriced: 300, Counted: 30, Time: 2 * time.Minute, Turns: 1}
	want := budget.Spent{
		USD: 0.75, Reported: true, Estimated: true, Reckoned: true,
		Tokens: 3_000, Unpriced: 300, Counted: 30, Time: 3 * time.Minute, Turns: 2,
	}
	require.Equal(t, want, first.Plus(second))
	require.Equal(t, want, second.Plus(first))
}

func TestThousandsStandApart(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1_000: "1,000", 123_456: "123,456", 1_234_567: "1,234,567",
		-999: "-999", -1_000: "-1,000", // a difference to an earlier run may be less than nothing
	} {
		require.Equal(t, want, budget.Grouped(n))
	}
}
