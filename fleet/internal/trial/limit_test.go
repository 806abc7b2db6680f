package trial

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A vendor's limit of 60 turns a minute holds over three workers whose runs would take
// more, and is used.
func TestAVendorsTurnsAMinuteHoldOverAllWorkers(t *testing.T) {
	const limit = 60
	w := newWorld(t, 200*time.Millisecond)
	require.JSONEq(t, `{"limits":{"a":{"turns_a_minute":60,"spent_today":0}}}`, w.must("limit", "a", "--turns-a-minute", "60"))
	for _, name := range []string{"x", "y", "z"} {
		w.worker(name, 8).run()
	}
	var lines []string
	for i := range number(t, "COUNCIL_TRIAL_LIMITED", 12) {
		lines = append(lines, w.scripted(i))
	}
	runs := w.submit(lines).Runs
	w.awaitAll(10 * time.Minute)
	w.collected(runs)
	var began []time.Time
	by := map[string]int{}
	for _, c := range w.model.all() {
		if strings.Contains(c.Turn, "one") {
			began = append(began, c.Began)
			by[c.Worker]++
		}
	}
	slices.SortFunc(began, time.Time.Compare)
	most := 0
	for i, from := range began {
		n := 0
		for n < len(began)-i && began[i+n].Sub(from) < time.Minute {
			n++
		}
		most = max(most, n)
	}
	t.Logf("%d turns of the limited vendor by %v in %s: at most %d in any minute", len(began), by, began[len(began)-1].Sub(began[0]).Round(time.Second), most)
	require.Len(t, by, 3, "all workers took part")
	require.Greater(t, len(began), limit*11/10, "there was more to do than a minute holds")
	require.LessOrEqual(t, most, limit+limit/50, "the limit is not passed by more than 2 %")
	require.GreaterOrEqual(t, most, limit*95/100, "95 % of it are used once the runs have begun")
}

// What a vendor may cost in a day is counted over all runs; who waits for it goes on when it is
// raised.
func TestMoneyOfADayHoldsBackTurns(t *testing.T) {
	w := newWorld(t, 0)
	w.must("limit", "a", "--usd-a-day", "0.02")
	w.worker("x", 2).run()
	runs := w.submit([]string{w.scripted(0)}).Runs
	await(t, "a seat waits, and the run says for what", 2*time.Minute, func() bool {
		found, err := filepath.Glob(filepath.Join(w.dir, "workers", "x", runs[0], "project", "research", "*", "status.json"))
		if err != nil || len(found) != 1 {
			return false
		}
		text, err := os.ReadFile(found[0])
		return err == nil && strings.Contains(string(text), "waits for a new day: $0.02 of $0.02")
	})
	require.JSONEq(t, `{"limits":{"a":{"usd_a_day":0.02,"spent_today":0.02}}}`, w.must("limit"))
	require.False(t, w.over(runs[0]))
	calls := len(w.model.all())
	w.must("limit", "a", "--none")
	require.JSONEq(t, `{"limits":{}}`, w.must("limit"))
	w.awaitAll(2 * time.Minute)
	w.collected(runs)
	require.Greater(t, len(w.model.all()), calls)
}
