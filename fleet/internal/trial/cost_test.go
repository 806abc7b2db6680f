package trial

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a fleet adds to a run: wall clock, and how long a fact is on its way into the store.
func TestWhatAFleetCosts(t *testing.T) {
	w := newWorld(t, 500*time.Millisecond)
	const n = 5
	k := w.worker("a", 1)
	k.run()
	w.submit([]string{w.scripted(-1)})
	w.awaitAll(3 * time.Minute)

	var alone time.Duration
	for i := range n {
		project := filepath.Join(w.dir, fmt.Sprint("alone", i))
		require.NoError(t, os.MkdirAll(project, 0o700))
		question := filepath.Join(project, "question.txt")
		w.write(question, "When does the kettle rest?")
		out, err := exec.Command("git", "clone", "-q", w.git, filepath.Join(project, "scope")).CombinedOutput()
		require.NoError(t, err, string(out))
		c := exec.Command(filepath.Join(programs, "council"), "run", "--quiet", "--json", "--seats", "one,two", "--no-plan", "--max-iterations=2", "--scope", "scope", "--topic-file", question, "--project="+project)
		c.Dir, c.Env = project, append(w.environ, "RESEARCH_COUNCIL_IN_PLACE=1")
		began := time.Now()
		out, err = c.CombinedOutput()
		require.NoError(t, err, string(out))
		alone += time.Since(began)
	}

	var lines []string
	for i := range n {
		lines = append(lines, w.scripted(i))
	}
	runs := w.submit(lines).Runs
	w.awaitAll(5 * time.Minute)
	w.collected(runs)
	var late []time.Duration
	var first, last time.Time
	for _, run := range runs {
		for _, f := range w.facts(run) {
			late = append(late, f.Kept.Sub(f.At))
		}
		w.shaky.mu.Lock()
		for name, at := range w.shaky.kept {
			if filepath.Dir(filepath.Dir(name)) != run {
				continue
			}
			if first.IsZero() || at.Before(first) {
				first = at
			}
			if at.After(last) {
				last = at
			}
		}
		w.shaky.mu.Unlock()
	}
	require.NotEmpty(t, late)
	slices.Sort(late)
	fleet := last.Sub(first)
	t.Logf("%d runs one after the other: %s alone, %s by a fleet (%+.1f %%); a fact is in the store after %s (median), %s (95 of 100), %s at most",
		n, alone.Round(10*time.Millisecond), fleet.Round(10*time.Millisecond), 100*(fleet.Seconds()/alone.Seconds()-1),
		late[len(late)/2].Round(time.Millisecond), late[len(late)*95/100].Round(time.Millisecond), late[len(late)-1].Round(time.Millisecond))
	require.Less(t, fleet, 2*alone)
	k.end(interrupt)
}

// Many runs wait for workers that are not there yet.
func TestALongQueue(t *testing.T) {
	w := newWorld(t, time.Second)
	n := number(t, "COUNCIL_FLEET_QUEUED", 300)
	var lines []string
	for i := range n {
		lines = append(lines, w.librarian(i))
	}
	began := time.Now()
	submitted := w.submit(lines)
	took := time.Since(began)
	require.Equal(t, n, submitted.New)
	await(t, "all are counted", time.Minute, func() bool {
		s, err := w.status()
		return err == nil && s.Runs["Running"] == int64(n)
	})
	began = time.Now()
	_, err := w.status()
	require.NoError(t, err)
	status := time.Since(began)
	bytes, events := w.history(submitted.Runs[0])
	began = time.Now()
	w.must("cancel", submitted.Runs[0])
	t.Logf("%d runs: submitted in %s, status in %s; %d bytes and %d events of one at the server", n, took.Round(10*time.Millisecond), status.Round(10*time.Millisecond), bytes, events)
}
