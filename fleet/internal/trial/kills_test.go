package trial

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Workers are killed, the server is, and the store fails one request of twenty: every
// run is completed and holds, and what is paid twice was under way at a kill.
func TestRunsOutliveWorkersTheServerAndAFailingStore(t *testing.T) {
	w := newWorld(t, 150*time.Millisecond)
	n, kills, downs := number(t, "COUNCIL_FLEET_RUNS", 12), number(t, "COUNCIL_FLEET_KILLS", 4), number(t, "COUNCIL_FLEET_SERVER", 1)
	workers := []*worker{w.worker("a", 2), w.worker("b", 2), w.worker("c", 2)}
	for _, k := range workers {
		k.run()
	}
	beat := []string{"--beat", "15s"}
	undisturbed := w.submit([]string{w.scripted(-1), w.librarian(-1)}, beat...)
	w.awaitAll(3 * time.Minute)
	calls, needed, _ := w.paid(undisturbed.Runs[0], workers)
	require.Positive(t, calls)
	require.Equal(t, needed, calls, "an undisturbed run pays each turn once")

	var lines []string
	for i := range n {
		lines = append(lines, w.scripted(2*i), w.librarian(2*i+1))
	}
	lines = lines[:n]
	w.shaky.fail.Store(50)
	began := time.Now()
	submitted := w.submit(lines, beat...)
	require.Equal(t, n, submitted.New)
	again := w.submit(lines, beat...)
	require.Equal(t, n, again.There, "a batch that is submitted again begins nothing")
	for i := range kills {
		if downs > 0 && i%(kills/downs) == 0 && i/(kills/downs) < downs {
			w.server.kill()
			time.Sleep(time.Second)
			w.server.start()
		}
		k := w.busy(workers, time.Now())
		if k == nil {
			t.Logf("nobody works any more after %d kills", i)
			break
		}
		k.kill()
		time.Sleep(time.Second)
		k.run()
		time.Sleep(time.Duration(1000+rand.IntN(2000)) * time.Millisecond)
	}
	w.awaitAll(15 * time.Minute)
	took := time.Since(began)

	all := w.collected(append(submitted.Runs, undisturbed.Runs...))
	asked, turns, repeated, killed := 0, 0, 0, 0
	for _, k := range workers {
		killed += len(k.killed)
	}
	var most int64
	for run, l := range all {
		calls, needed, lost := w.paid(run, workers)
		asked, turns, repeated = asked+calls, turns+needed, repeated+lost
		require.GreaterOrEqual(t, calls, needed, "calls of run %s", run)
		require.LessOrEqual(t, calls, needed+lost, "calls of run %s, which has %d turns, and %d were under way at a kill; it was taken %d times: %+v", run, needed, lost, l.Epoch, w.callsOf(run))
		bytes, _ := w.history(run)
		most = max(most, bytes)
	}
	require.LessOrEqual(t, most, int64(1<<20), "bytes the server keeps of a run")
	for _, k := range workers {
		k.end(interrupt)
	}
	t.Logf("%d runs in %s, %d kills of workers and %d of the server, %d of %d requests to the store failed: %d calls of the model for %d turns, %d were under way at a kill; at most %d bytes of a run at the server",
		n, took.Round(time.Second), killed, downs, w.shaky.done, w.shaky.asked, asked, turns, repeated, most)
}

// busy is a worker that has a call under way, nil where none has for long.
func (w *world) busy(workers []*worker, since time.Time) *worker {
	for time.Since(since) < time.Minute {
		for _, c := range w.model.all() {
			if !c.Ended.IsZero() {
				continue
			}
			for _, k := range workers {
				if k.name == c.Worker {
					return k
				}
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

// ending is how long the keepers of a killed worker may take to end what it had started.
const ending = time.Second

// paid are the calls of a run, how many of its turns have come to an end by one, and how many
// calls were under way when their worker was killed: their turn's end was not in the store.
func (w *world) paid(run string, workers []*worker) (calls, turns, lost int) {
	ended, called := map[string]time.Time{}, map[string]bool{}
	for _, f := range w.facts(run) {
		if _, is := ended[f.Turn]; f.Kind == "turn.ended" && !is {
			ended[f.Turn] = f.Kept
		}
	}
	for _, c := range w.callsOf(run) {
		calls++
		at, is := ended[c.Turn]
		if is && !called[c.Turn] {
			turns++
		}
		called[c.Turn] = true
		for _, k := range workers {
			if k.name == c.Worker && k.killedBetween(c.Began, at) {
				lost++
			}
		}
	}
	return calls, turns, lost
}

// killedBetween reports whether a worker was killed while a call of it was under way; to is zero
// of one that came to no end.
func (k *worker) killedBetween(from, to time.Time) bool {
	return slices.ContainsFunc(k.killed, func(at time.Time) bool {
		return from.Before(at.Add(ending)) && (to.IsZero() || to.After(at))
	})
}

func (w *world) callsOf(run string) (list []call) {
	for _, c := range w.model.all() {
		if c.Run == run {
			list = append(list, c)
		}
	}
	return list
}
