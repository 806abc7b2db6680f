package status_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/status/statustest"
	"github.com/research-council/research-council/internal/product/council"
)

// Whatever stands in status.json, it is refused or read: what was read can be
// written, and is the same when it is read again.
func FuzzParse(f *testing.F) {
	p := begin()
	p.Ask(council.Research, 1, "claude")
	p.Turn(council.Research, "claude", statustest.Good(1))
	p.Ends(council.Research, "claude", loop.Complete, "")
	told, err := json.Marshal(p.Status())
	require.NoError(f, err)
	f.Add(told)
	p.Tell(flow.Event{Kind: flow.RunEnded, Status: flow.Completed})
	told, err = json.Marshal(p.Status())
	require.NoError(f, err)
	f.Add(told)
	for _, text := range []string{
		"", "null", "[]", "{", `{"id":1}`, `{"seats":null}`, `{"seats":[null,{}]}`, `{"spent":{"usd":1e309}}`, `{"spent":{"usd":-1e308,"tokens":-9223372036854775808}}`,
		`{"began":"0000-01-01T00:00:00Z","at":"9999-12-31T23:59:59.999999999+23:59"}`, `{"status":"\u0000\u001b[2J","folder":"\ud800"}`, `{"own":{"campaign":{}},"asking":{},"votes":{"panel":{}}}`, `{"own":{}}`, `{"own":{"a":1,"b":2}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := status.Parse(data)
		if err != nil {
			require.Zero(t, s)
			return
		}
		_, _ = s.IsOpen(), s.Spent.Cost()
		once, err := json.Marshal(s)
		require.NoError(t, err)
		again, err := status.Parse(once)
		require.NoError(t, err)
		twice, err := json.Marshal(again)
		require.NoError(t, err)
		require.JSONEq(t, string(once), string(twice))
	})
}
