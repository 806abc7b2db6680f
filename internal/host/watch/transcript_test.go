package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/supervisor"
)

func event(text string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"text","text":%q}]}}`+"\n", text)
}

// streams lays down the streams of a seat's turns, and gives its transcript at the end.
func streams(t *testing.T, kind string, turns ...string) (*transcript, string) {
	t.Helper()
	run := t.TempDir()
	for i, text := range turns {
		dir := filepath.Join(run, "turns", fmt.Sprintf("research.1-ada-%d", i+1))
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, supervisor.StdoutFile), []byte(text), 0o644))
	}
	b := newTranscript(run, "ada", kind, []string{"research"})
	b.resize(60)
	b.list()
	b.toEnd(10)
	return b, filepath.Join(run, "turns", fmt.Sprintf("research.1-ada-%d", len(turns)), supervisor.StdoutFile)
}

func TestATranscriptSaysWhatToolsAreFor(t *testing.T) {
	b, _ := streams(t, "claude", `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"mcp__desk__record_claim","input":{}}]}}`+"\n"+event("calling nobody up"))
	require.Equal(t, []string{"▏ — turn research.1-ada-1 —", "▏ records a claim", "▏ calling nobody up"}, b.shown(10))
}

func add(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func events(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		b.WriteString(event(fmt.Sprintf("event %d", i)))
	}
	return b.String()
}

func TestATranscriptIsFollowedAndScrolled(t *testing.T) {
	b, path := streams(t, "claude", events(0, 5), events(5, 50))
	require.Contains(t, strings.Join(b.shown(10), "\n"), "event 49")
	add(t, path, events(50, 52)+`{"type":"assis`)
	b.grow(10)
	require.Contains(t, b.shown(10)[9], "event 51", "half a line is none")
	b.scroll(-20, 10)
	require.False(t, b.follow)
	seen := b.shown(10)
	add(t, path, `tant","message":{"content":[{"type":"text","text":"whole"}]}}`+"\n")
	b.grow(10)
	require.Equal(t, seen, b.shown(10), "what is read does not move")
	require.Equal(t, 21, b.below(10))
	b.resize(20)
	b.resize(60)
	b.toStart(10)
	require.Contains(t, b.shown(10)[0], "turn research.1-ada-1")
	b.scroll(1000, 10)
	require.Contains(t, b.shown(10)[9], "whole")
	require.True(t, b.follow)
}

func TestAStreamThatIsReplacedIsReadAnew(t *testing.T) {
	b, path := streams(t, "claude", events(0, 500))
	require.NoError(t, os.WriteFile(path, []byte(event("fresh")), 0o644))
	b.grow(10)
	require.Contains(t, strings.Join(b.shown(10), "\n"), "fresh")
	require.NotContains(t, strings.Join(b.shown(10), "\n"), "event 49")
	require.NoError(t, os.Remove(path))
	b.grow(10)
	require.Empty(t, b.shown(10))
	require.NoError(t, os.Symlink("/etc/passwd", path))
	b.grow(10)
	require.Empty(t, b.shown(10), "what is no plain file is not read")
}

func TestALongStreamIsReadInPieces(t *testing.T) {
	b, _ := streams(t, "claude", events(0, 100_000)+event("the needle")+events(100_000, 200_000))
	require.Less(t, b.bytes(), int64(2*pieceBytes))
	for range 200 {
		b.scroll(-400, 10)
		require.Less(t, b.bytes(), int64(windowBytes+2*pieceBytes))
	}
	require.Contains(t, strings.Join(b.shown(10), "\n"), fmt.Sprintf("event %d", 200_000-80_010+4))
	b.toEnd(10)
	b.find("NEEDLE", false, 10)
	for b.searched.running {
		b.step(10)
	}
	require.Contains(t, strings.Join(b.shown(10), "\n"), "the needle")
	require.LessOrEqual(t, b.bytes(), int64(windowBytes+2*pieceBytes))
	b.next(false, 10)
	for b.step(10) {
	}
	require.Equal(t, "not found above", b.searched.said)
	b.find("[(*", true, 10)
	for b.step(10) {
	}
	require.Equal(t, "not found below", b.searched.said)
	b.toStart(10)
	for range 300 {
		b.scroll(400, 10)
		require.Less(t, b.bytes(), int64(windowBytes+2*pieceBytes))
	}
}

func TestHitsAreGoneThroughInTheirOrder(t *testing.T) {
	b, _ := streams(t, "claude", event("a needle one")+events(0, 30)+event("needle two")+events(30, 60)+event("needle three"))
	b.find("needle", false, 10)
	for _, want := range []string{"needle three", "needle two", "a needle one"} {
		require.Contains(t, strings.Join(b.shown(10), "\n"), want)
		require.Equal(t, found, b.searched.said)
		b.next(false, 10)
		for b.step(10) {
		}
	}
	require.Equal(t, "not found above", b.searched.said)
	b.next(true, 10)
	require.Contains(t, strings.Join(b.shown(10), "\n"), "needle two")
}

func TestLinesBeyondBoundsArePassedOver(t *testing.T) {
	long := event(strings.Repeat("A", 3<<20))
	b, path := streams(t, "claude", event("before")+long+event("after the long line"))
	text := strings.Join(b.shown(10), "\n")
	require.Contains(t, text, "after the long line")
	b.toStart(10)
	text = strings.Join(b.shown(10), "\n")
	require.Contains(t, text, "before")
	require.Contains(t, text, "MB of one line are not shown")
	b.toEnd(10)
	add(t, path, strings.Repeat("B", 3<<20))
	b.grow(10)
	add(t, path, "\n"+event("next"))
	b.grow(10)
	require.Contains(t, strings.Join(b.shown(10), "\n"), "next")
	require.Less(t, b.rowCount(), 20)
}

func TestHostileStreamsAreMadePlain(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, kind := range []string{"claude", "codex", "gemini", "command", "chat", "librarian"} {
			b, _ := streams(t, kind, string(data))
			b.live = false
			b.toStart(1000)
			text := strings.Join(b.shown(1000), "\n")
			require.NotRegexp(t, `[\x00-\x09\x0b-\x1f\x{7f}-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`, text, "%s by %s", file, kind)
			require.NotContains(t, text, "CANARY7f3a", "%s by %s", file, kind)
			if strings.Count(text, "\n") == 0 {
				continue // it speaks another language
			}
			fmt.Fprintf(&all, "== %s, %s\n%s\n", filepath.Base(file), kind, text)
		}
	}
	golden(t, "transcripts", all.String())
}
