package scale_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/scale"
)

var update = flag.Bool("update", false, "write the tables of docs/SCALE.md anew")

const page = "../../../docs/SCALE.md"

// The tables of docs/SCALE.md are computed from what was measured; -update writes them anew.
func TestTheTablesAreComputed(t *testing.T) {
	m, err := scale.Now()
	require.NoError(t, err)
	require.NotEmpty(t, m.Runs)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	is := string(text)
	for name, table := range map[string]string{"measured": m.Table(), "computed": m.Scale(m.Runs[len(m.Runs)-1], scale.Standard)} {
		begin, end := "<!-- computed: "+name+" -->\n", "<!-- end of "+name+" -->\n"
		before, rest, found := strings.Cut(is, begin)
		require.True(t, found, begin)
		_, after, found := strings.Cut(rest, end)
		require.True(t, found, end)
		is = before + begin + "\n" + strings.TrimSpace(table) + "\n\n" + end + after
	}
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(is), 0o644))
		return
	}
	require.Equal(t, is, string(text), "it is stale: go test ./internal/scale -update")
}

// Twice the workers ask twice as much, and work off twice as much; twice as long runs ask
// half as much.
func TestWhatIsNeededGrowsWithTheFleet(t *testing.T) {
	one := scale.Run{Facts: 100, Turns: 10, Commits: 20, Requests: scale.Requests{Put: 60, Get: 30, List: 10}, Bytes: 1e6, History: 2000, Events: 11, CPU: 4, Seconds: 100}
	a := scale.Assumed{AtOnce: 2, Minutes: 10, Turns: 10, Facts: 100, Cores: 2, Beat: 10, Days: 1, Put: 5, Get: 0.4}
	f := scale.Of(10, scale.Measured{}, one, a)
	require.InDelta(t, 120, f.RunsHour, 1e-9)             // 10 workers, 2 at once, six times an hour
	require.InDelta(t, 100./30, f.Asked, 1e-9)            // a run in 30 seconds, of 100 requests
	require.InDelta(t, 2, f.Heard, 1e-9)                  // 20 runs, each every 10 seconds
	require.InDelta(t, 2000*2880, f.History, 1e-6)        // 2,880 runs a day
	require.InDelta(t, 0.04, f.Busy, 1e-9)                // two runs that take a core 4 seconds in 100, on two cores
	require.InDelta(t, (70*5+30*0.4)/1e6, f.USDRun, 1e-9) // lists cost as writes do
	twice := scale.Of(20, scale.Measured{}, one, a)
	require.InDelta(t, 2*f.Asked, twice.Asked, 1e-9)
	a.Minutes = 20
	require.InDelta(t, f.Asked/2, scale.Of(10, scale.Measured{}, one, a).Asked, 1e-9)
	a.Looks, a.Look = 6, 2 // 240 writes more in 20 minutes
	require.InDelta(t, f.Asked/2+240./60, scale.Of(10, scale.Measured{}, one, a).Asked, 1e-9)
	a.Looks = 0
	idle := scale.Of(10, scale.Measured{Idle: scale.Requests{List: 12}}, one, a)
	require.InDelta(t, f.Asked/2+2, idle.Asked, 1e-9)
}
