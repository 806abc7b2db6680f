package trial

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/scale"
)

// What one run and one worker ask of the store, the server and the machine: the figures that
// docs/SCALE.md computes with. COUNCIL_FLEET_MEASURED names the file they are written to.
func TestWhatOneRunAsks(t *testing.T) {
	path := os.Getenv("COUNCIL_FLEET_MEASURED")
	if path == "" {
		t.Skip("COUNCIL_FLEET_MEASURED names no file")
	}
	w := newWorld(t, 0)
	const n = 2
	var m scale.Measured
	counted := func() (map[string]int, int64) {
		w.shaky.mu.Lock()
		defer w.shaky.mu.Unlock()
		return maps.Clone(w.shaky.kinds), w.shaky.bytes
	}
	since := func(before map[string]int) scale.Requests {
		now, _ := counted()
		return scale.Requests{Put: float64(now["put"] - before["put"]), Get: float64(now["get"] - before["get"]), List: float64(now["list"] - before["list"])}
	}
	k := w.worker("a", 1)
	k.run()
	w.submit([]string{w.librarian(-1)})
	w.awaitAll(3 * time.Minute)
	idle, _ := counted()
	const rest = 30 * time.Second
	time.Sleep(rest) // what is measured is what happens when nothing does
	m.Idle = since(idle).Times(float64(time.Minute) / float64(rest))

	for _, kind := range []struct {
		name string
		line func(int) string
		hold time.Duration
	}{{"librarian", w.librarian, 0}, {"two seats, models that take 2 s", w.scripted, 2 * time.Second}} {
		w.model.hold = kind.hold
		var lines []string
		for i := range n {
			lines = append(lines, kind.line(i))
		}
		before, bytes := counted()
		cpu := processorTime(t, k.cmd.Process.Pid)
		runs := w.submit(lines).Runs
		for _, run := range runs {
			await(t, "a run is over", 2*time.Minute, func() bool {
				_, err := os.Stat(filepath.Join(k.dir, run))
				return err != nil && len(w.commits(run)) > 2
			})
		}
		w.awaitAll(3 * time.Minute)
		cpu = processorTime(t, k.cmd.Process.Pid) - cpu
		_, after := counted()
		one := scale.Run{Name: kind.name, Requests: since(before).Times(1. / n), Bytes: float64(after-bytes) / n, CPU: cpu.Seconds() / n}
		for _, run := range runs {
			l, err := w.store().Ledger(t.Context(), run)
			require.NoError(t, err)
			require.Equal(t, "completed", l.End.Status)
			history, events := w.history(run)
			one.Facts += float64(l.End.Facts) / n
			one.Commits += float64(l.N) / n
			one.Seconds += l.End.Seconds / n
			one.History += float64(history) / n
			one.Events += float64(events) / n
			for _, f := range w.facts(run) {
				if f.Kind == "turn.ended" {
					one.Turns += 1. / n
				}
			}
		}
		m.Runs = append(m.Runs, one)
	}
	data, err := json.MarshalIndent(m, "", "\t")
	require.NoError(t, err)
	t.Logf("%s", data)
	require.NoError(t, os.WriteFile(path, append(data, '\n'), 0o644))
	k.end(interrupt)
}

// commits are those of a run that the store has taken.
func (w *world) commits(run string) (names []string) {
	w.shaky.mu.Lock()
	defer w.shaky.mu.Unlock()
	for name := range w.shaky.kept {
		if strings.HasPrefix(name, run+"/") {
			names = append(names, name)
		}
	}
	return names
}

// processorTime is what a process and those it has waited for have had of processors, by /proc.
func processorTime(t *testing.T, pid int) time.Duration {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(data), ") ") // the name may hold blanks
	fields := strings.Fields(rest)
	ticks := 0
	for _, f := range fields[11:15] { // utime, stime, and those of children
		n, err := strconv.Atoi(f)
		require.NoError(t, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
