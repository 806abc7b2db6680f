package proc

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/base/proc/proctest"
)

// writeEvents writes events of an agent to standard output for a while, at one
// megabyte a second in ten writes.
func writeEvents(seconds string) {
	until, err := time.ParseDuration(seconds)
	must(err)
	event := `{"type":"assistant","message":{"content":[{"type":"text","text":"` + strings.Repeat("word ", 190) + `"}]}}` + "\n"
	tenth := bytes.Repeat([]byte(event), 100_000/len(event))
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(until); time.Now().Before(end); <-tick.C {
		if _, err := os.Stdout.Write(tenth); err != nil {
			return
		}
	}
}

// spent is time and what of one core's was used.
type spent struct{ cpu, wall time.Duration }

func (s *spent) add(b *testing.B, do func()) {
	began, used := time.Now(), proctest.Spent()
	do()
	s.wall += time.Since(began)
	s.cpu += proctest.Spent() - used
}

func (s *spent) percent() float64 { return 100 * float64(s.cpu) / float64(s.wall) }

const (
	herd   = 100 // children at once
	window = 2 * time.Second
	pace   = 250 * time.Millisecond // between two looks at their events
)

// keepHerd starts the herd and returns where its members write.
func keepHerd(b *testing.B) []*Tail {
	dir, mark := b.TempDir(), markOf(b)
	var tails []*Tail
	for i := range herd {
		out := filepath.Join(dir, strconv.Itoa(i))
		p, err := NewStarter(self(), "").Start(Spec{Argv: []string{self(), "writer", "5m"}, Dir: dir, Stdout: out, Mark: mark})
		require.NoError(b, err)
		tail := NewTail(out)
		tails = append(tails, tail)
		b.Cleanup(func() {
			p.End()
			p.Wait()
			require.NoError(b, tail.Close())
		})
	}
	return tails
}

// follow reads what is new in every file and tells how many bytes that was.
func follow(b *testing.B, tails []*Tail) (size int) {
	for _, t := range tails {
		for {
			lines, err := t.Next()
			require.NoError(b, err)
			if len(lines) == 0 {
				break
			}
			for _, l := range lines {
				if gjson.GetBytes(l, "type").Str != "assistant" {
					b.Fatalf("not an event: %s", l)
				}
				size += len(l) + 1
			}
		}
	}
	return size
}

// BenchmarkSupervise is what a hundred children that write one megabyte a
// second each cost their supervisor, in percent of a core: while they are
// merely kept, and while their events are followed and parsed four times a
// second. Both are measured in turns, on the same children.
func BenchmarkSupervise(b *testing.B) {
	tails := keepHerd(b)
	var kept, followed spent
	size := 0
	for b.Loop() {
		kept.add(b, func() { <-time.After(window) })
		follow(b, tails) // what has come meanwhile is none of the next window's
		followed.add(b, func() {
			tick := time.NewTicker(pace)
			defer tick.Stop()
			for range window / pace {
				<-tick.C
				size += follow(b, tails)
			}
		})
	}
	b.ReportMetric(kept.percent(), "%core-kept")
	b.ReportMetric(followed.percent(), "%core-followed")
	b.ReportMetric(float64(size)/1e6/followed.wall.Seconds(), "MB/s-followed")
}

// BenchmarkIdleTail is a look at a file that has not grown.
func BenchmarkIdleTail(b *testing.B) {
	path := filepath.Join(b.TempDir(), "log")
	require.NoError(b, os.WriteFile(path, []byte("line\nhalf a li"), 0o600))
	t := NewTail(path)
	for b.Loop() {
		if _, err := t.Next(); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, t.Close())
}

// program builds a program of ours as it is shipped.
func program(b *testing.B, name string) string {
	b.Helper()
	bin := filepath.Join(b.TempDir(), name)
	c := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", bin, "github.com/research-council/research-council/cmd/"+name)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := c.CombinedOutput()
	require.NoError(b, err, string(out))
	return bin
}

// gap is the time from a child's end to the moment the next one runs: both
// write the time, as the last and the first thing they do.
func gap(b *testing.B, out string, start func()) time.Duration {
	require.NoError(b, os.RemoveAll(out))
	start()
	start()
	data, err := os.ReadFile(out)
	require.NoError(b, err)
	var ended, runs int64
	_, err = fmt.Sscan(string(data), &ended, &runs)
	require.NoError(b, err)
	return time.Duration(runs - ended)
}

// BenchmarkNextStart is the least and the median time from a child's end to the
// moment the next one runs, in ms: under a keeper that is the hook's program,
// under one that is the whole program, and without a keeper. The three take
// turns, so that whatever else the machine does falls on all alike.
func BenchmarkNextStart(b *testing.B) {
	out := filepath.Join(b.TempDir(), "out")
	argv, env := []string{"date", "+%s%N"}, []string{"PATH=" + os.Getenv("PATH")}
	under := func(keeper string) func() {
		s := Starter{Keepers: []string{keeper}}
		return func() {
			p, err := s.Start(Spec{Argv: argv, Env: env, Stdout: out, Mark: markOf(b)})
			require.NoError(b, err)
			require.Zero(b, p.Wait().Code)
		}
	}
	bare := func() {
		f, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		require.NoError(b, err)
		c := exec.Command(argv[0], argv[1:]...)
		c.Env, c.Stdout = env, f
		require.NoError(b, c.Run())
		require.NoError(b, f.Close())
	}
	starts := map[string]func(){"hook": under(program(b, "council-hook")), "council": under(program(b, "council")), "bare": bare}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for range 40 {
			for name, start := range starts {
				took[name] = append(took[name], gap(b, out, start))
			}
		}
	}
	for name, list := range took {
		slices.Sort(list)
		b.ReportMetric(float64(list[0])/1e6, name+"-min-ms")
		b.ReportMetric(float64(list[len(list)/2])/1e6, name+"-ms")
	}
	b.ReportMetric(0, "ns/op")
}
