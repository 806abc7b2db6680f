package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// contender is a program to start, as often as the others and in turn with
// them, so that whatever else the machine does falls on all alike.
type contender struct {
	argv  []string
	env   []string
	stdin []byte
	took  []time.Duration
}

func (c *contender) start(b *testing.B) {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Env = append([]string{}, c.env...)
	var in *os.File
	if c.stdin != nil {
		r, w, err := os.Pipe()
		require.NoError(b, err)
		in = r
		go func() {
			_, _ = w.Write(c.stdin) // the program may close its end early
			_ = w.Close()
		}()
	}
	cmd.Stdin = in
	began := time.Now()
	require.NoError(b, cmd.Run())
	c.took = append(c.took, time.Since(began))
	if in != nil {
		require.NoError(b, in.Close())
	}
}

func (c *contender) median() float64 {
	slices.Sort(c.took)
	return float64(c.took[len(c.took)/2])
}

// peak is the most memory the program has held, in MiB, once it has read all
// its input and waits for more.
func (c *contender) peak(b *testing.B) float64 {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Env = append([]string{}, c.env...)
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	_, err = in.Write(c.stdin)
	require.NoError(b, err)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	require.NoError(b, err)
	_, text, found := strings.Cut(string(status), "VmHWM:")
	require.True(b, found)
	var kib float64
	_, err = fmt.Sscan(text, &kib)
	require.NoError(b, err)
	require.NoError(b, in.Close())
	require.NoError(b, cmd.Wait())
	return kib / 1024
}

func build(b *testing.B, dir, name, source string) string {
	b.Helper()
	bin := filepath.Join(dir, name)
	cmd := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", bin, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, string(out))
	return bin
}

// BenchmarkStart compares the hook with an empty Go program, in one interleaved
// run. The figures are ratios of medians, idle/empty and loop/empty, and the
// most memory the hook holds over 50 MB of input.
func BenchmarkStart(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("memory is read as Linux counts it")
	}
	dir := b.TempDir()
	empty := filepath.Join(dir, "empty.go")
	require.NoError(b, os.WriteFile(empty, []byte("package main\n\nfunc main() {}\n"), 0o600))
	hook := build(b, dir, "council-hook", ".")
	report := filepath.Join(dir, "report.md")
	require.NoError(b, os.WriteFile(report, bytes.Repeat([]byte("a line of a report of forty-eight kilobytes...\n"), 1024), 0o600))
	small := []byte(`{"session_id":"s","cwd":"` + dir + `","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"` + strings.Repeat("x", 900) + `"}`)
	large := []byte(`{"session_id":"s","cwd":"` + dir + `","last_assistant_message":"` + strings.Repeat("x", 50<<20) + `"`) // and more to come
	none := &contender{argv: []string{build(b, dir, "empty", empty)}}
	idle := &contender{argv: []string{hook, "stop"}, env: []string{"CLAUDE_PROJECT_DIR=" + dir}, stdin: small}
	loop := &contender{argv: []string{hook, "loop", "--report", report, "--state", filepath.Join(dir, "state"), "--max", "1000000"}, stdin: small}
	flood := &contender{argv: []string{hook, "stop"}, stdin: large}
	for b.Loop() {
		for range 200 {
			none.start(b)
			idle.start(b)
			loop.start(b)
		}
	}
	b.ReportMetric(idle.median()/none.median(), "idle/empty")
	b.ReportMetric(loop.median()/none.median(), "loop/empty")
	b.ReportMetric(flood.peak(b), "MiB-after-50MB")
	b.ReportMetric(none.median()/1e6, "empty-ms")
	b.ReportMetric(0, "ns/op")
}
