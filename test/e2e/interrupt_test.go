package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc/proctest"
)

// TestCtrlCSaysHowToGoOn presses Ctrl-C at a terminal in the middle of a run, of its
// going on and of its verification: one line says how to go on, and nothing is left
// at work.
func TestCtrlCSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const seat = "#!/bin/sh\necho x >> " + `"$BEGUN"` + "\nwhile :; do sleep 1; done\n"
	begun := filepath.Join(w.root, "begun")
	require.NoError(t, os.WriteFile(filepath.Join(w.root, "bin", "slow"), []byte(strings.ReplaceAll(seat, `"$BEGUN"`, "'"+begun+"'")), 0o700))
	config := filepath.Join(w.root, "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("seats: [local]\ncommands: {local: {program: slow, args: ['{prompt_file}']}}\n"), 0o600))
	w.environ = append(w.environ, "COUNCIL_CONFIG="+config)
	turns := func() int {
		data, _ := os.ReadFile(begun) // none has begun
		return len(data) / 2
	}
	x := w.shell()
	x.enter("echo re''ady", "re''ady")
	x.shows("ready")
	idle := len(processes(t, "HOME="+w.home)) // the terminal and its shell
	stopped := func(typed, says string, atWork func()) {
		x.enter(typed+"; echo left $?", "left $?")
		atWork()
		x.keys("send-keys", "C-c")
		x.shows("left 130")
		require.Equal(t, 1, strings.Count(joined(x.screen()), "Stopped."), x.screen())
		require.Contains(t, joined(x.screen()), joined(says))
		until(t, "nothing is left running", patience, func() bool { return len(processes(t, "HOME="+w.home)) == idle })
		x.enter("clear", "clear")
		until(t, "the screen is empty", patience, func() bool { return !strings.Contains(x.screen(), "left 130") })
	}
	stopped("council run --no-plan --scope . 'How does it work?'", "goes on where it stood; `council cancel", func() {
		until(t, "the seat is at work", patience, func() bool { return turns() == 1 })
	})
	stopped("council resume", "Stopped. `council resume "+filepath.Base(w.run())+"` goes on where it stood", func() {
		until(t, "the seat is at work again", patience, func() bool { return turns() == 2 })
	})

	// what verification reads does not come to its end
	pipe := filepath.Join(w.run(), "status.json")
	require.NoError(t, os.Remove(pipe))
	require.NoError(t, proctest.NamedPipe(pipe))
	stopped("council verify "+filepath.Base(w.run()), "Stopped. Nothing was changed; the same command checks the run from the beginning.", func() {
		f, err := os.OpenFile(pipe, os.O_WRONLY, 0) // it is opened once somebody reads it
		require.NoError(t, err)
		t.Cleanup(func() { _ = f.Close() })
	})
}

// joined is a text without its blanks and line breaks, which a terminal's width decides.
func joined(s string) string { return strings.Join(strings.Fields(s), "") }
