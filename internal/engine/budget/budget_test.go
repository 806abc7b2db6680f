package budget_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research-council/internal/engine/budget"
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
		"free":    {Turns: 3},
		"unknown": {Tokens: 9, Unpriced: 9},
		"$0.00":   {Tokens: 9, Reported: true},
		"$0.42":   {Tokens: 9, USD: 0.42, Reported: true},
		"~$0.42":  {Tokens: 9, USD: 0.42, Estimated: true},
		"$0.42+":  {Tokens: 9, USD: 0.42, Reported: true, Unpriced: 4},
	} {
		require.Equal(t, want, s.Brief())
	}
}
