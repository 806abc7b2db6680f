package supervisor_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/internal/agent/claude"
	"github.com/research-council/research-council/internal/agent/codex"
	"github.com/research-council/research-council/internal/agent/command"
	"github.com/research-council/research-council/internal/agent/gemini"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
)

var meters = map[string]agent.Adapter{
	"claude": claude.Kind(), "codex": codex.Kind(), "gemini": gemini.Kind(), "command": command.Kind(), "chat": chat.Kind(),
}

var listed = map[string]flow.Price{
	"priced-m": {Input: 3, Output: 15}, "big-m": {Input: 15, Output: 75}, "local-m": {},
}

// metered is what a turn has cost after each line of its stream.
func metered(t *testing.T, kind, model, stream string) []flow.Cost {
	return priced(t, listed, flow.Seat{Kind: kind, Model: model}, stream)
}

func priced(t *testing.T, prices map[string]flow.Price, seat flow.Seat, stream string) []flow.Cost {
	data, err := os.ReadFile(filepath.Join("testdata", "use", stream+".jsonl"))
	require.NoError(t, err)
	m := meters[seat.Kind].Meter(agent.Turn{Prompt: strings.Repeat("Instructions. ", 100), Topic: "Why?"})
	var costs []flow.Cost
	for line := range bytes.Lines(data) {
		m.Add(bytes.TrimSpace(line))
		var res flow.Result
		res.AddUsage(flow.Setup{Prices: prices}, seat, flow.SessionTotal{}, m.Used())
		costs = append(costs, res.Cost())
	}
	return costs
}

// endedAt is the first line, from 1, after which a limit is passed; 0 for none.
func endedAt(costs []flow.Cost, l budget.Limits) int {
	for i, c := range costs {
		if l.ExceededLimit(c.Spent(), true) != "" {
			return i + 1
		}
	}
	return 0
}

func TestATurnIsMeasuredWhileItRuns(t *testing.T) {
	t.Parallel()
	for stream, c := range map[string]struct {
		kind, model string
		limit       float64
		line        int     // it is ended after, 0 for not at all
		usd         float64 // then, or in the end
	}{
		"claude-steady":              {"claude", "priced-m", 0.50, 9, 0.54},
		"claude-repeated-id":         {"claude", "priced-m", 0.20, 0, 0.12},
		"claude-under":               {"claude", "priced-m", 0.50, 0, 0.03},
		"claude-one-huge-call":       {"claude", "priced-m", 1, 2, 3.606},
		"claude-killed-midway":       {"claude", "priced-m", 5, 0, 0.30},
		"claude-resumed-cumulative":  {"claude", "priced-m", 0.15, 0, 0.12},
		"claude-subagent-model":      {"claude", "priced-m", 0.50, 3, 0.66},
		"claude-negative":            {"claude", "priced-m", 0.10, 3, 0.12},
		"claude-half-line":           {"claude", "priced-m", 0.50, 0, 0.06},
		"codex-token-count":          {"codex", "priced-m", 0.50, 10, 0.54},
		"codex-two-turns-one-thread": {"codex", "priced-m", 0.60, 0, 0.48},
		"codex-counter-reset":        {"codex", "priced-m", 0.60, 0, 0.39},
		"codex-only-at-end":          {"codex", "priced-m", 1, 3, 12},
		"gemini-result-only":         {"gemini", "priced-m", 0.20, 3, 0.45},
		"gemini-two-results":         {"gemini", "priced-m", 0.10, 2, 0.12},
		"claude-cost-zero-login":     {"claude", "priced-m", 0, 0, 0},
	} {
		t.Run(stream, func(t *testing.T) {
			costs := metered(t, c.kind, c.model, stream)
			at := endedAt(costs, budget.Limits{USD: c.limit})
			require.Equal(t, c.line, at)
			if at == 0 {
				at = len(costs)
			}
			require.InDelta(t, c.usd, costs[at-1].USD, 1e-6)
			require.Zero(t, costs[at-1].Unpriced)
		})
	}
}

// Tokens that nobody prices are held by the tokens the limit stands for, and
// never called money.
func TestTokensWithoutAPriceAreHeldAsTokens(t *testing.T) {
	t.Parallel()
	limits := budget.Limits{USD: 0.5, Unpriced: 50_000}
	for stream, line := range map[string]int{"claude-no-price": 5, "codex-no-price": 5} {
		kind, _, _ := strings.Cut(stream, "-")
		costs := metered(t, kind, "unpriced-m", stream)
		at := endedAt(costs, limits)
		require.Equal(t, line, at, stream)
		require.Zero(t, costs[at-1].USD)
		require.EqualValues(t, 60_000, costs[at-1].Unpriced)
		require.Equal(t, "unknown: 60,000 tokens without a price", costs[at-1].Spent().Cost())
	}
}

func TestWhatACostIsCalled(t *testing.T) {
	t.Parallel()
	for stream, c := range map[string]struct{ kind, model, want string }{
		"claude-cost-zero-login": {"claude", "priced-m", "$0.00 (as the providers report)"},
		"claude-cost-absent":     {"claude", "unpriced-m", "unknown: 36,000 tokens without a price"},
		"claude-cost-null":       {"claude", "unpriced-m", "unknown: 12,000 tokens without a price"},
		"claude-killed-midway":   {"claude", "priced-m", "$0.30 (estimated from tokens and configured prices)"},
	} {
		costs := metered(t, c.kind, c.model, stream)
		require.Equal(t, c.want, costs[len(costs)-1].Spent().Cost(), stream)
	}
	for stream, kind := range map[string]string{"gemini-no-stats": "gemini", "command-nothing": "command"} {
		costs := metered(t, kind, "priced-m", stream)
		last := costs[len(costs)-1]
		require.True(t, last.Reckoned, "what nobody tells is reckoned from the text, and is not nothing")
		require.Positive(t, last.USD, stream)
	}
	seat := flow.Seat{Kind: "chat", Model: "local-m"}
	var res flow.Result
	res.AddUsage(flow.Setup{Prices: listed}, seat, flow.SessionTotal{}, []agent.Usage{{Input: 2000, Output: 100}})
	require.Equal(t, "$0.00 (estimated from tokens and configured prices)", res.Cost().Spent().Cost(), "a price of nothing is the configuration's word")
	mixed := flow.Cost{USD: 0.12, Estimated: true, Tokens: 36_000, Unpriced: 12_000, Counted: 12_000}
	require.Equal(t, "$0.12 (estimated from tokens and configured prices) and 12,000 tokens without a price", mixed.Spent().Cost())
	require.Equal(t, "none: no model was paid for", budget.Spent{}.Cost())
}

// What is read again from a cache counts as a tenth where no price is known,
// and as input where the price does not tell it apart.
func TestCacheReadsAreNotPassedOver(t *testing.T) {
	t.Parallel()
	costs := priced(t, nil, flow.Seat{Kind: "claude"}, "claude-cache-reads")[:9] // before the result
	last := costs[len(costs)-1]
	require.Greater(t, last.Tokens, int64(1_000_000))
	require.Equal(t, last.Tokens, last.Unpriced)
	require.Less(t, last.Counted, last.Unpriced)
	require.NotZero(t, endedAt(costs, budget.Limits{Tokens: 1_000_000}))
}

// However a session's total goes up, and however often it begins anew, no use
// is given back and none is billed twice.
func TestTotalsAreDifferenced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var before flow.SessionTotal
		var counter, want, billed int64
		for range rapid.IntRange(1, 20).Draw(t, "turns") {
			more := rapid.Int64Range(0, 1000).Draw(t, "more")
			if rapid.IntRange(0, 4).Draw(t, "anew") == 0 && more < counter {
				counter = 0
			}
			counter += more
			want += more
			var res flow.Result
			res.AddUsage(flow.Setup{}, flow.Seat{}, before, []agent.Usage{{Input: counter, Cumulative: true}})
			require.GreaterOrEqual(t, res.Tokens, int64(0))
			billed += res.Tokens
			before = res.Total
		}
		require.Equal(t, want, billed)
	})
}

// spender is a fake seat that prints a line of use a call, as claude does, and
// goes on until it is ended.
const spender = `for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
echo '{"type":"assistant","message":{"id":"m'$n'","model":"priced-m","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":10000,"output_tokens":2000}},"session_id":"s1"}'
echo call >> "$CALLS/spent"
[ $n -lt 10 ] || { echo wait >> "$CALLS/waits"; sleep 3600; }
done
`

func newSpender(t *testing.T, seats map[string]string) *councilRun {
	c := newCouncil(t, seats)
	for i := range c.setup.Seats {
		c.setup.Seats[i].Kind, c.setup.Seats[i].Model = "claude", "priced-m"
	}
	c.setup.Prices, c.setup.Limits.USD, c.setup.Scope = listed, 0.60, ""
	return c
}

// A turn that passes what is left is ended, however long it would go on; the
// run ends by its limit, with its report.
func TestATurnThatPassesTheLimitIsEnded(t *testing.T) {
	t.Parallel()
	c := newSpender(t, map[string]string{"ada": spender})
	c.begin()
	r, err := supervisor.Supervise(t.Context(), c.options())
	require.NoError(t, err)
	require.Equal(t, flow.OutOfBudget, r.Status, r.Reason)
	require.Contains(t, r.Reason, "$0.60 of $0.60 spent")
	require.InDelta(t, 0.60, r.Spent.USD, 1e-6, "what the stream told is kept")
	require.True(t, r.Spent.Estimated)
	require.Equal(t, 1, r.Spent.Turns, "no further turn is paid for")
	require.Contains(t, c.file("final-report.md"), "Cost: $0.60 (estimated from tokens and configured prices)")
	var st status.Status
	require.NoError(t, json.Unmarshal([]byte(c.file("status.json")), &st))
	require.Equal(t, "$0.60 (estimated from tokens and configured prices)", st.Spent.Cost())
}

// The limit is the run's: seats side by side are ended by what they use
// together.
func TestSeatsSideBySideShareTheLimit(t *testing.T) {
	t.Parallel()
	half := strings.Replace(spender, "-lt 10", "-lt 5", 1)
	c := newSpender(t, map[string]string{"ada": half, "bea": half})
	c.begin()
	r, err := supervisor.Supervise(t.Context(), c.options())
	require.NoError(t, err)
	require.Equal(t, flow.OutOfBudget, r.Status, r.Reason)
	require.InDelta(t, 0.60, r.Spent.USD, 1e-6)
	require.Equal(t, 2, r.Spent.Turns)
}

// A supervisor that is killed has not forgotten what the turn had used.
func TestUseOutlivesItsSupervisor(t *testing.T) {
	t.Parallel()
	part := strings.Replace(spender, "-lt 10", "-lt 5", 1)
	c := newSpender(t, map[string]string{"ada": part})
	c.begin()
	cmd := exec.Command(self(), "supervise", "--project", c.project, c.setup.ID)
	cmd.Env = os.Environ()
	require.NoError(t, cmd.Start())
	until(t, "five calls are paid", func() bool { return c.waits() == 1 })
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	r, err := supervisor.Supervise(t.Context(), c.options())
	require.NoError(t, err)
	require.Equal(t, flow.OutOfBudget, r.Status, r.Reason)
	require.InDelta(t, 0.60, r.Spent.USD, 1e-6, "over both lives")
	require.Equal(t, 2, r.Spent.Turns)
}
