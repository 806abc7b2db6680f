package librarian_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/agenttest"
	"github.com/research-council/research-council/internal/agent/librarian"
)

func line(t *testing.T, v any) string {
	data, err := json.Marshal(v)
	if t != nil {
		require.NoError(t, err)
	}
	return string(data) + "\n"
}

func result(text string) string { return line(nil, map[string]string{"type": "result", "text": text}) }

var suite = agenttest.Suite{
	Kind: librarian.Kind(),
	Good: func(text string) string {
		return `{"type":"start","note":"opening the files"}` + "\n" + `{"type":"iteration","n":1,"note":"8 new findings"}` + "\n" + result(text)
	},
	Cases: []agenttest.Case{
		{Name: "a result", Stdout: result("done"), Text: "done", Session: "-"},
		{Name: "the last result counts", Stdout: result("a") + result("b"), Text: "b"},
		{Name: "no result is no success", Stdout: `{"type":"iteration","n":1}`, Class: agent.Degenerate, Message: "without a result"},
		{Name: "nothing at all", Class: agent.Degenerate},
		{Name: "what it refuses it will always refuse", Exit: 1, Stdout: `{"type":"refusal","text":"there are no files"}`, Class: agent.Terminal, Message: "there are no files"},
		{Name: "any other failure may pass", Exit: 1, Stderr: "council: disk full\n", Class: agent.Degenerate, Message: "disk full"},
		{Name: "ended by KILL under a shell", Exit: 137, Class: agent.Lost},
	},
	Notes: map[string]string{
		`{"type":"iteration","n":2,"note":"3 new findings on \u001b[1mheap"}`: "3 new findings on heap",
		`{"type":"refusal","text":"there are no files"}`:                      "there are no files",
		`{"type":"result","text":"done"}`:                                     "",
		"a panic":                                                             "",
	},
}

func TestLibrarian(t *testing.T) { suite.Run(t) }

func FuzzRead(f *testing.F) { suite.Fuzz(f) }

func TestATurnNeedsNoProgramAndNoHook(t *testing.T) {
	turn := agent.Turn{
		Run: "20260101-120000-abcdef", Seat: "librarian-code", Role: agent.Refinement, MaxIterations: 3, Council: "/opt/council", Scope: "/src",
		Dir: "/run/seats/librarian-code/refinement", Report: "/run/seats/librarian-code/refinement/r.md", State: "/run/seats/librarian-code/refinement/s.txt",
		Topic: "\xff\x00?", Inputs: []string{"/run/a.md", "/run/registry.json"},
	}
	spec, err := librarian.Kind().Spec(turn)
	require.NoError(t, err)
	require.Equal(t, []string{"/opt/council", "librarian", turn.Dir + "/turn.json"}, spec.Argv)
	require.Equal(t, turn.Topic, string(spec.Files[0].Data), "any bytes arrive")
	var told map[string]any
	require.NoError(t, json.Unmarshal(spec.Files[1].Data, &told))
	require.Equal(t, "/run/corpus.db", told["index"], "all librarians of a run share one index")
	require.Equal(t, "code", told["shard"])
	require.Equal(t, turn.Dir+"/claims.jsonl", told["claims"])
	require.Equal(t, []any{"/run/a.md", "/run/registry.json"}, told["inputs"])
}

func TestASeatsNameSaysWhichFilesItReads(t *testing.T) {
	for seat, want := range map[string]librarian.Shard{
		"librarian": librarian.All, "librarian-official": librarian.Official, "librarian-code": librarian.Code, "librarian-community": librarian.Community,
		"librarian-": librarian.All, "code": librarian.All,
	} {
		require.Equal(t, want, librarian.ShardOf(seat), seat)
	}
}
