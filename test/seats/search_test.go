package seats_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
	"github.com/research-council/research-council/test/engines"
	"github.com/research-council/research-council/test/loopback"
)

// TestASeatSearchesTheWebWithAKey has the key of an engine reach the desk through each
// command line's environment, and no model.
func TestASeatSearchesTheWebWithAKey(t *testing.T) {
	bin := council(t)
	each(t, func(t *testing.T, s seat) {
		web := engines.Start(t, []engines.Result{{Title: "How kettles boil", URL: "https://kettles.example/boil", Snippet: "Water boils at 100 °C."}})
		server := vendors[s.Name](t, loopback.Scenario{Rules: []loopback.Rule{{Steps: []loopback.Step{
			call("search_web", map[string]any{"query": "kettles", "kind": "web"}),
			{Text: "done"},
		}}}})
		turn := atDesk(t, s.turn(t, &model{url: server.URL}), bin)
		turn.MaxIterations = 1
		const variable = "BRAVE_API_KEY"
		turn.Env[variable], turn.DeskEnv = web.Key("brave"), []string{variable}
		how, err := json.Marshal(flow.Network{Private: []string{"127.0.0.1"}, Pace: 1, Search: []engine.Service{{Engine: "brave", URL: web.Base("brave"), KeyEnv: variable, USD: 0.005}}})
		require.NoError(t, err)
		turn.Desk[len(turn.Desk)-1] = string(how)
		reply, _ := s.run(t, turn)
		require.Nil(t, reply.Fault)
		turns := server.Turns()
		require.Len(t, turns, 2)
		require.Contains(t, plainly(turns[1].Body), "https://kettles.example/boil")
		require.Len(t, web.Requests("brave"), 1)
		for _, q := range turns {
			require.NotContains(t, string(q.Body), web.Key("brave"))
		}
	})
}
