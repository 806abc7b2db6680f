package main

import (
	"bytes"
	"crypto/sha256"
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

	"github.com/research-council/research-council/internal/engine/workspace"
)

// contender is a program to start, as often as the others, in turn with them
// and with the same input, so that whatever else the machine does falls on all
// alike.
type contender struct {
	argv []string
	env  []string
	took []time.Duration
}

// start runs the program once. Its input fits a pipe's buffer, so nothing but
// the program is at work.
func (c *contender) start(b *testing.B, stdin []byte) {
	r, w, err := os.Pipe()
	require.NoError(b, err)
	_, err = w.Write(stdin)
	require.NoError(b, err)
	require.NoError(b, w.Close())
	cmd := c.command()
	cmd.Stdin = r
	began := time.Now()
	require.NoError(b, cmd.Run())
	c.took = append(c.took, time.Since(began))
	require.NoError(b, r.Close())
}

func (c *contender) command() *exec.Cmd {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, c.env...)
	return cmd
}

func (c *contender) median() float64 {
	slices.Sort(c.took)
	return float64(c.took[len(c.took)/2])
}

// flood writes a long input and returns the most memory the program has held,
// in MiB, once it has read all of it and waits for more, and the processor time
// it took in ms.
func (c *contender) flood(b *testing.B, stdin []byte) (peak, cpu float64) {
	cmd := c.command()
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	_, err = in.Write(stdin)
	require.NoError(b, err)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	require.NoError(b, err)
	require.NoError(b, in.Close())
	require.NoError(b, cmd.Wait())
	_, text, found := strings.Cut(string(status), "VmHWM:")
	require.True(b, found)
	_, err = fmt.Sscan(text, &peak)
	require.NoError(b, err)
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return peak / 1024, float64(used.Nanoseconds()) / 1e6
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

// shell is the same loop as a script of bash and jq, without the sync.
const shell = `in=$(cat); jq -e . >/dev/null <<<"$in" || exit 0
tail -n 1 "$REPORT" | grep -qx '<!-- RESEARCH_COMPLETE -->' && exit 0
n=$(cat "$STATE"); [ "$n" -ge 1000000 ] && exit 0
n=$((n+1)); echo "$n" >"$STATE"
jq -n --arg m "Research iteration $n/1000000" '{decision:"block",reason:"go on",systemMessage:$m}'`

// crowded is a project with so many runs, each another session's.
func crowded(b *testing.B, runs int) string {
	root := b.TempDir()
	for n := range runs {
		run := fmt.Sprintf("20260222-143000-%06x", n)
		require.NoError(b, os.MkdirAll(filepath.Join(root, "research", run), 0o700))
		s := workspace.State{Active: true, Phase: "research", ResearchID: run, SessionID: fmt.Sprintf("session-%d", n), Topic: "why?"}
		require.NoError(b, workspace.CreateState(root, s))
	}
	return root
}

// launched lays a plugin down whose program is found by the launcher, with or
// without a manifest to check it by.
func launched(b *testing.B, hook string, checked bool) *contender {
	bin := filepath.Join(b.TempDir(), "bin")
	require.NoError(b, os.Mkdir(bin, 0o700))
	for from, to := range map[string]string{hook: "council-hook-" + strings.Replace(runtime.GOARCH, "amd64", "x86_64", 1) + "-unknown-linux-musl", "../../bin/council-hook": "council-hook"} {
		data, err := os.ReadFile(from)
		require.NoError(b, err)
		require.NoError(b, os.WriteFile(filepath.Join(bin, to), data, 0o755))
		if checked && from == hook {
			line := fmt.Sprintf("%x  %s\n", sha256.Sum256(data), to)
			require.NoError(b, os.WriteFile(filepath.Join(bin, "SHA256SUMS"), []byte(line), 0o600))
		}
	}
	return &contender{argv: []string{filepath.Join(bin, "council-hook"), "stop"}}
}

// BenchmarkStart compares the hook with an empty Go program, in one interleaved
// run: idle has nothing to do, beside does so in a project with a run of
// another session, among does so with a thousand of them, own belongs to the
// session that owns the last of the thousand, loop sends a seat back to its
// report, launched has nothing to do and is found by the plugin's launcher,
// checked by its manifest too. Those figures are ratios of medians; the others are what 50 MB of
// input cost.
func BenchmarkStart(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("memory is read as Linux counts it")
	}
	dir := b.TempDir()
	empty := filepath.Join(dir, "empty.go")
	require.NoError(b, os.WriteFile(empty, []byte("package main\n\nfunc main() {}\n"), 0o600))
	hook, report, state := build(b, dir, "council-hook", "."), filepath.Join(dir, "report.md"), filepath.Join(dir, "state")
	require.NoError(b, os.WriteFile(report, bytes.Repeat([]byte("a line of a report of forty-eight kilobytes...\n"), 1024), 0o600))
	require.NoError(b, os.WriteFile(state, []byte("1\n"), 0o600))
	others, thousand := crowded(b, 1), crowded(b, 1000)
	small := []byte(`{"session_id":"s","cwd":"` + dir + `","hook_event_name":"Stop","last_assistant_message":"` + strings.Repeat("x", 900) + `"}`)
	large := []byte(`{"session_id":"s","cwd":"` + dir + `","last_assistant_message":"` + strings.Repeat(`a line of prose, with an escape\n`, 50<<20/33) + `"`) // and more to come
	none := &contender{argv: []string{build(b, dir, "empty", empty)}}
	idle := &contender{argv: []string{hook, "stop"}, env: []string{"CLAUDE_PROJECT_DIR=" + dir}}
	beside := &contender{argv: []string{hook, "stop"}, env: []string{"CLAUDE_PROJECT_DIR=" + others}}
	among := &contender{argv: []string{hook, "stop"}, env: []string{"CLAUDE_PROJECT_DIR=" + thousand}}
	starting := &contender{argv: []string{hook, "session-start"}, env: []string{"CLAUDE_PROJECT_DIR=" + thousand}}
	own := &contender{argv: []string{hook, "stop"}, env: []string{"CLAUDE_PROJECT_DIR=" + thousand}}
	bare, checked := launched(b, hook, false), launched(b, hook, true)
	loop := &contender{argv: []string{hook, "loop", "--report", report, "--state", state, "--max", "1000000"}}
	for b.Loop() {
		for range 200 {
			for _, c := range []*contender{none, idle, beside, among, starting, loop, bare, checked} {
				c.start(b, small)
			}
			own.start(b, bytes.Replace(small, []byte(`"s"`), []byte(`"session-999"`), 1))
		}
	}
	b.ReportMetric(none.median()/1e6, "empty-ms")
	b.ReportMetric(idle.median()/none.median(), "idle/empty")
	b.ReportMetric(beside.median()/none.median(), "beside/empty")
	b.ReportMetric(among.median()/none.median(), "among1000/empty")
	b.ReportMetric(starting.median()/none.median(), "start-among1000/empty")
	b.ReportMetric(own.median()/none.median(), "own-of1000/empty")
	b.ReportMetric(loop.median()/none.median(), "loop/empty")
	b.ReportMetric(bare.median()/none.median(), "launched/empty")
	b.ReportMetric(checked.median()/none.median(), "checked/empty")
	peak, cpu := idle.flood(b, large)
	b.ReportMetric(peak, "MiB-of-50MB")
	b.ReportMetric(cpu, "cpu-ms-of-50MB")
	b.ReportMetric(0, "ns/op")
	if _, err := exec.LookPath("jq"); err != nil {
		return
	}
	script := &contender{argv: []string{"bash", "-c", shell}, env: []string{"REPORT=" + report, "STATE=" + state}}
	for range 20 {
		script.start(b, small)
		loop.start(b, small)
	}
	b.ReportMetric(script.median()/loop.median(), "bash+jq/loop")
}
