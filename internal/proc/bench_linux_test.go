package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
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
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
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

func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return cpu(u)
}

const herd = 100 // children at once

// superviseHerd starts the children and follows them until all have ended. It
// returns the share of one core this process has used meanwhile.
func superviseHerd(b *testing.B, parse bool) float64 {
	dir := b.TempDir()
	var running []*Process
	var tails []*Tail
	for i := range herd {
		out := filepath.Join(dir, fmt.Sprint(i))
		p, err := NewStarter(self()).Start(Spec{Argv: []string{self(), "writer", "5s"}, Dir: dir, Stdout: out, Mark: "PROC_BENCH_MARK=1"})
		require.NoError(b, err)
		running, tails = append(running, p), append(tails, NewTail(out))
	}
	began, used := time.Now(), ownCPU()
	seen := 0
	if parse {
		tick := time.NewTicker(250 * time.Millisecond)
		for range 12 {
			<-tick.C
			for _, t := range tails {
				lines, err := t.Next()
				require.NoError(b, err)
				for _, l := range lines {
					seen += len(gjson.GetBytes(l, "type").Str)
				}
			}
		}
		tick.Stop()
		require.Positive(b, seen)
	} else {
		<-time.After(3 * time.Second)
	}
	share := float64(ownCPU()-used) / float64(time.Since(began))
	for i, p := range running {
		p.End()
		p.Wait()
		require.NoError(b, tails[i].Close())
	}
	return share
}

// BenchmarkSupervise is what a hundred children that write one megabyte a
// second each cost their supervisor, in percent of a core: with their events
// followed and parsed four times a second, and without.
func BenchmarkSupervise(b *testing.B) {
	for name, parse := range map[string]bool{"parsed": true, "logged": false} {
		b.Run(name, func(b *testing.B) {
			var share float64
			for b.Loop() {
				share = superviseHerd(b, parse)
			}
			b.ReportMetric(100*share, "%core")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkNextStart is the time from a child's end to the start of the next
// one, as its supervisor sees it.
func BenchmarkNextStart(b *testing.B) {
	dir := b.TempDir()
	var gap time.Duration
	n := 0
	for b.Loop() {
		p, err := NewStarter(self()).Start(Spec{Argv: []string{"true"}, Env: []string{"PATH=" + os.Getenv("PATH")}, Dir: dir})
		require.NoError(b, err)
		p.Wait()
		began := time.Now()
		next, err := NewStarter(self()).Start(Spec{Argv: []string{"true"}, Env: []string{"PATH=" + os.Getenv("PATH")}, Dir: dir})
		require.NoError(b, err)
		gap += time.Since(began)
		n++
		next.Wait()
	}
	b.ReportMetric(float64(gap)/float64(n)/1e6, "ms-to-next")
}
