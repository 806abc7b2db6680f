package supervisor

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/loop"
)

// BenchmarkFold reads and folds a journal of 100,000 facts, as every
// supervisor that takes a run up does.
func BenchmarkFold(b *testing.B) {
	dir := b.TempDir()
	j, _, err := journal.Open(dir)
	require.NoError(b, err)
	const facts = 100_000
	at := time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC)
	setup := flow.Setup{ID: "20260222-143000-a1b2c3", Workflow: "council", Loop: loop.Default()}
	var group [][]byte
	add := func(e flow.Event) {
		e.At = at.Add(time.Duration(e.Seq) * time.Second)
		line, err := json.Marshal(e)
		require.NoError(b, err)
		group = append(group, line)
	}
	add(flow.Event{Seq: 1, Kind: flow.RunBegun, Setup: &setup})
	var tasks []flow.Task
	for i := range 5 {
		tasks = append(tasks, flow.Task{ID: fmt.Sprintf("research.1/seat%d", i), Seat: fmt.Sprintf("seat%d", i), Rule: loop.Default()})
	}
	add(flow.Event{Seq: 2, Kind: flow.StageEntered, Stage: "research", Visit: 1, Tasks: tasks})
	for seq := 3; seq <= facts; seq += 2 {
		task := tasks[seq%len(tasks)].ID
		add(flow.Event{Seq: seq, Kind: flow.TurnStarted, Task: task, Session: "5101920b-e288-44c1-b61c-6a291ff6de15"})
		add(flow.Event{Seq: seq + 1, Kind: flow.TurnEnded, Task: task, Result: &flow.Result{Iterations: 1, USD: 0.1, Artefact: loop.Artefact{Bytes: 900, SHA256: fmt.Sprint(seq), Usable: true}}})
	}
	require.NoError(b, j.Append(group...))
	require.NoError(b, j.Close())
	b.ResetTimer()
	for b.Loop() {
		lines, err := journal.Read(dir)
		require.NoError(b, err)
		events, err := decode(lines)
		require.NoError(b, err)
		r := flow.Replay(events)
		require.GreaterOrEqual(b, r.Seq, facts)
	}
}
