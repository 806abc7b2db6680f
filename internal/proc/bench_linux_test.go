package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
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

// ownCPU is what this process has used, without its children and keepers.
func ownCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return cpu(u)
}

// spent is time and what of one core's was used.
type spent struct{ cpu, wall time.Duration }

func (s *spent) add(b *testing.B, do func()) {
	began, used := time.Now(), ownCPU(b)
	do()
	s.wall += time.Since(began)
	s.cpu += ownCPU(b) - used
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

// BenchmarkNextStart is the time from a child's end to the moment the next one
// runs: the child writes the time as the last thing it does.
func BenchmarkNextStart(b *testing.B) {
	dir := b.TempDir()
	out := filepath.Join(dir, "out")
	var gap time.Duration
	start := func() *Process {
		p, err := NewStarter(self(), "").Start(Spec{
			Argv: []string{"date", "+%s%N"}, Env: []string{"PATH=" + os.Getenv("PATH")}, Dir: dir, Stdout: out, Mark: markOf(b),
		})
		require.NoError(b, err)
		return p
	}
	for b.Loop() {
		require.NoError(b, os.RemoveAll(out))
		first := start()
		require.Zero(b, first.Wait().Code)
		second := start()
		runs := time.Now()
		second.Wait()
		data, err := os.ReadFile(out)
		require.NoError(b, err)
		var ended int64
		_, err = fmt.Sscan(string(data), &ended)
		require.NoError(b, err)
		gap += runs.Sub(time.Unix(0, ended))
	}
	b.ReportMetric(float64(gap)/float64(b.N)/1e6, "ms-to-next")
}
