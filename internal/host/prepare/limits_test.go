package prepare

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/flow"
)

func TestALimitInMoneySaysHowItIsHeld(t *testing.T) {
	claude, codex := flow.Seat{Name: "claude", Kind: "claude", Model: "big"}, flow.Seat{Name: "codex", Kind: "codex", Model: "other"}
	local, librarian := flow.Seat{Name: "local", Kind: "command", Model: "small"}, flow.Seat{Name: "librarian", Kind: "librarian", Free: true}
	c := config.Config{Prices: map[string]flow.Price{"big": {Input: 3, Output: 15}, "nothing": {}}}
	c.Limits.TokensPerUSD = map[string]int64{"cheap": 500_000}
	limit := budget.Limits{USD: 1}
	for name, x := range map[string]struct {
		setup flow.Setup
		says  []string
		not   string
	}{
		"a price for all":         {flow.Setup{Seats: []flow.Seat{claude, librarian}}, nil, ""},
		"a price of nothing":      {flow.Setup{Seats: []flow.Seat{{Name: "free", Kind: "chat", Model: "nothing"}}}, nil, ""},
		"a seat without a price":  {flow.Setup{Seats: []flow.Seat{claude, codex}}, []string{"$1.00", "500,000 tokens", "(codex;", "prices: {other: {input: …", "at the end of a turn alone by codex"}, "big"},
		"reviewers cost, too":     {flow.Setup{Seats: []flow.Seat{claude}, Panel: []flow.Seat{codex, codex}}, []string{"(codex;"}, "codex, codex"},
		"a program tells nothing": {flow.Setup{Seats: []flow.Seat{local}}, []string{"(local;", "What is not told of the use of local is reckoned from the text"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := x.setup
			s.Tier, s.Limits = "cheap", limit
			require.NoError(t, price(&s, c))
			if x.says == nil {
				require.Empty(t, LimitNote(s))
			}
			for _, words := range x.says {
				require.Contains(t, LimitNote(s), words)
			}
			if x.not != "" {
				require.NotContains(t, LimitNote(s), x.not)
			}
			s.Limits.USD = 0
			require.Empty(t, LimitNote(s), "there is no limit")
		})
	}
}

func TestALimitThatWouldSeeNothingIsRefused(t *testing.T) {
	s := flow.Setup{Tier: "max", Limits: budget.Limits{USD: 2.5}, Seats: []flow.Seat{{Name: "codex", Kind: "codex", Model: "other"}}}
	err := price(&s, config.Config{})
	require.ErrorContains(t, err, "a limit of $2.50 cannot be held")
	require.ErrorContains(t, err, "prices: {other: {input: …")
	require.ErrorContains(t, err, "tokens_per_usd: {max: …}")
	require.ErrorAs(t, err, new(usage.Mistake))
}

func TestALimitInMoneySeesServersWithAPriceAlone(t *testing.T) {
	c, err := config.Parse([]byte("prices: {m: {input: 1}}\nchat: {a: {base_url: 'https://models.invalid', max: {model: m}}, b: {base_url: 'https://models.invalid', max: {model: n}}}"))
	require.NoError(t, err)
	seats, missing := c.Roster([]string{"a", "b"}, "max", config.Resolver{Getenv: func(string) string { return "" }})
	require.Empty(t, missing)
	s := flow.Setup{Seats: seats}
	s.Limits.USD = 1
	require.Equal(t, []string{"b"}, namesOf(unpriced(s)))
}
