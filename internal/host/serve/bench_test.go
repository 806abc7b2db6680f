package serve

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// around is how the program that reads and writes around a measured server is told
// what it reads and writes: a file's name, in its environment.
const around = "SERVE_BENCHMARK_AROUND"

// watchedRuns are runs under way, and the pages that follow them.
type watchedRuns struct {
	Open      string // the address with its token
	Followed  []string
	Dirs, IDs []string
}

// What twenty runs under way, watched, take of one core, in percent. The server alone is
// measured: a program of its own follows each run and the list of them, and between two
// looks writes to each run a new status and a claim.
func BenchmarkTwentyRunsWatched(b *testing.B) {
	if file := os.Getenv(around); file != "" {
		readAndWrite(b, file)
		return
	}
	project := b.TempDir()
	var w watchedRuns
	for i := range 20 {
		id := fmt.Sprintf("20260222-1430%02d-a1b2c3", i)
		dir := begin(b, project, id, "Is it under way?")
		attend(b, dir)
		underWay(b, dir, id, 1)
		w.Dirs, w.IDs = append(w.Dirs, dir), append(w.IDs, id)
	}
	x := serveProject(b, project)
	w.Open, w.Followed = x.server.URL(), []string{x.base + "/events"}
	for _, id := range w.IDs {
		w.Followed = append(w.Followed, x.run(id, "events"))
	}
	moment := beside(b, w)
	moment()
	before := proctest.Spent()
	b.ResetTimer()
	for range b.N {
		moment()
		time.Sleep(lookEvery)
	}
	spent, passed := proctest.Spent()-before, b.Elapsed()
	b.ReportMetric(100*spent.Seconds()/passed.Seconds(), "%core")
}

// beside starts the program that reads and writes; each call has it write once.
func beside(b *testing.B, w watchedRuns) (moment func()) {
	b.Helper()
	dir := b.TempDir()
	writeJSON(b, dir, "around.json", w)
	cmd := exec.Command(os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkTwentyRunsWatched$", "-test.benchtime=1x")
	cmd.Env = append(os.Environ(), around+"="+filepath.Join(dir, "around.json"))
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StderrPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // what it came to is not measured
	})
	written := bufio.NewReader(out)
	return func() {
		_, err := io.WriteString(in, "\n")
		require.NoError(b, err)
		said, err := written.ReadString('\n')
		require.NoError(b, err)
		require.Equal(b, "written\n", said)
	}
}

// readAndWrite follows runs, and writes to them once for each line it is told.
func readAndWrite(b *testing.B, file string) {
	var w watchedRuns
	data, err := os.ReadFile(file)
	require.NoError(b, err)
	require.NoError(b, json.Unmarshal(data, &w))
	jar, err := cookiejar.New(nil)
	require.NoError(b, err)
	x := &served{t: b, client: &http.Client{Jar: jar}}
	x.get(w.Open)
	for _, address := range w.Followed {
		next := x.events(address)
		go func() {
			for name := ""; name != "closed"; name, _ = next() {
			}
		}()
	}
	told := bufio.NewScanner(os.Stdin)
	for n := 2; told.Scan(); n++ {
		for i := range w.IDs {
			underWay(b, w.Dirs[i], w.IDs[i], n)
			records(b, w.Dirs[i], fmt.Sprintf("A kettle of %d watts boils a litre in three minutes.", n))
		}
		fmt.Fprintln(os.Stderr, "written")
	}
}

// A run of twenty thousand claims: how long its page of claims takes that is opened first,
// and those that sort, filter and search; time by the clock and of processors, the asking
// browser's part in both.
func BenchmarkManyClaims(b *testing.B) {
	project := b.TempDir()
	dir := finished(b, project)
	writeJSON(b, dir, claim.RegistryFile, manyClaims(20_000))
	x := serveProject(b, project)
	for _, c := range []struct{ name, query string }{
		{"open", ""}, {"sort", "?sort=source"}, {"filter", "?state=located&sort=source"}, {"search", "?q=steals+77"},
	} {
		b.Run(c.name, func(b *testing.B) {
			x.page(doneID, "claims")
			before := proctest.Spent()
			for b.Loop() {
				if c.name == "open" {
					x.server.kept.forget()
				}
				x.page(doneID, "claims"+c.query)
			}
			b.ReportMetric(float64((proctest.Spent()-before).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

// forget lets go of the registries that were read.
func (k *registries) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = nil
}
