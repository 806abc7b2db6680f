package trial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A standing question runs again, and each run says what has changed since the one before.
func TestAStandingQuestionSaysWhatHasChanged(t *testing.T) {
	w := newWorld(t, 0)
	k := w.worker("a", 1)
	k.run()
	line := filepath.Join(w.dir, "line.jsonl")
	w.write(line, strings.Replace(w.scripted(0), `"s0"`, `"kettle"`, 1)+"\n")
	add := func(more ...string) (string, error) {
		return w.fleet(append([]string{"schedule", "add", line, "--notify"}, more...)...)
	}
	out, err := add("--every", "1m", "--now")
	require.NoError(t, err)
	require.JSONEq(t, `{"schedule":"kettle","new":true}`, out)
	out, err = add("--every", "60s", "--now")
	require.NoError(t, err)
	require.JSONEq(t, `{"schedule":"kettle","new":false}`, out)
	_, err = add("--every", "2m")
	require.ErrorContains(t, err, "kettle: a schedule of this name is there")
	_, err = add("--cron", "at noon", "--name", "noon")
	require.ErrorContains(t, err, "the server does not understand when")
	await(t, "two runs are over", 4*time.Minute, func() bool { s, err := w.status(); return err == nil && s.Runs["Completed"] >= 2 })
	w.must("schedule", "pause", "kettle")
	await(t, "it is listed", 30*time.Second, func() bool { return strings.Contains(w.must("schedule", "list"), `"paused":true`) })
	require.Contains(t, w.must("schedule", "list"), `{"name":"kettle","notify":true,"content":"council-`)
	w.must("schedule", "resume", "kettle")
	w.must("schedule", "remove", "kettle")
	_, err = w.fleet("schedule", "pause", "kettle")
	require.ErrorContains(t, err, "kettle: there is no schedule of this name")
	w.awaitAll(time.Minute)
	to := filepath.Join(w.dir, "collected")
	w.must("collect", "--to", to)
	runs, err := filepath.Glob(filepath.Join(to, "kettle-*Z"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(runs), 2)
	w.collected([]string{filepath.Base(runs[0]), filepath.Base(runs[1])})
	_, err = os.Stat(filepath.Join(runs[0], "changes.md"))
	require.ErrorIs(t, err, os.ErrNotExist, "there was none before")
	changes, err := os.ReadFile(filepath.Join(runs[1], "changes.md"))
	require.NoError(t, err)
	t.Logf("%s", changes)
	k.end(interrupt)
}
