package trial

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A pause begins nothing new, and a run under way goes on, though its worker is killed.
func TestAPauseHoldsOnlyWhatIsNew(t *testing.T) {
	w := newWorld(t, 2*time.Second)
	a := w.worker("a", 1)
	a.run()
	first := w.submit([]string{w.scripted(0)}, "--beat", "10s").Runs
	await(t, "the worker works", time.Minute, func() bool { return len(w.model.all()) > 0 })
	require.JSONEq(t, `{"paused":{"seats":["librarian","one"]}}`, w.must("pause", "--seat", "one,librarian"))
	second := w.submit([]string{w.scripted(1), w.librarian(1)}).Runs
	a.kill()
	b := w.worker("b", 3)
	b.run()
	await(t, "the run under way is over", 2*time.Minute, func() bool { return w.over(first[0]) })
	s, err := w.status()
	require.NoError(t, err)
	require.Equal(t, []string{"librarian", "one"}, s.Paused.Seats)
	require.EqualValues(t, 2, s.Runs["Running"])
	for _, run := range second {
		l, err := w.store().Ledger(t.Context(), run)
		require.NoError(t, err)
		require.Zero(t, l.N, "it was not begun")
	}
	require.JSONEq(t, `{"paused":{}}`, w.must("resume", "--seat", "one,librarian"))
	w.awaitAll(2 * time.Minute)
	w.collected(append(first, second...))
	table, err := os.ReadFile(filepath.Join(w.dir, "collected", "runs.tsv"))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(table), "run\tid\tstatus\t"), string(table))
	require.Contains(t, string(table), first[0]+"\ts0\tcompleted\t")
}

// A worker that drains finishes what it has, takes nothing new, and ends well.
func TestAWorkerDrains(t *testing.T) {
	w := newWorld(t, 2*time.Second)
	_, err := w.fleet("drain", "nobody")
	require.ErrorContains(t, err, "nobody: no worker of this name answers")
	a := w.worker("a", 1)
	a.run()
	runs := w.submit([]string{w.scripted(0)}).Runs
	await(t, "the worker works", time.Minute, func() bool { return len(w.model.all()) > 0 })
	more := w.submit([]string{w.librarian(1)}).Runs
	require.JSONEq(t, `{"worker":"a","finishes":1}`, w.must("drain", "a"))
	require.NoError(t, a.wait(), "it ends by itself")
	require.True(t, w.over(runs[0]))
	l, err := w.store().Ledger(t.Context(), more[0])
	require.NoError(t, err)
	require.Zero(t, l.N, "it was not begun")
	a.run()
	w.awaitAll(time.Minute)
	l = w.collected(append(runs, more...))[runs[0]]
	require.Equal(t, 1, l.Epoch)
	a.end(interrupt)
}

// A worker that is started while the server is down says so once, and waits for it.
func TestAWorkerWaitsForTheServer(t *testing.T) {
	w := newWorld(t, 0)
	w.server.kill()
	a := w.worker("a", 1)
	a.run()
	said := func() string {
		text, _ := os.ReadFile(filepath.Join(w.dir, "a.log")) // none is no word
		return string(text)
	}
	await(t, "it says so", time.Minute, func() bool { return said() != "" })
	time.Sleep(5 * time.Second)
	w.server.start()
	w.submit([]string{w.librarian(0)})
	w.awaitAll(time.Minute)
	require.Equal(t, "council-fleet: the Temporal server at "+w.server.address+" does not answer; waiting for it\n", said())
	s, err := w.status()
	require.NoError(t, err)
	text, err := json.Marshal(s.Workers)
	require.NoError(t, err)
	require.Contains(t, string(text), `"name":"a"`)
	a.end(interrupt)
}
