package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestARunIsWatchedAndSteeredAtATerminal has a person look at a run, read what a seat
// says, find a word in it, and cancel the run.
func TestARunIsWatchedAndSteeredAtATerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const seat = `#!/bin/sh
echo '{"text":"I begin with a \u001b[2Jneedle"}'
n=0; while [ $n -lt 600 ]; do n=$((n+1)); echo "{\"text\":\"page $n is read\"}"; sleep 0.2; done
`
	require.NoError(t, os.WriteFile(filepath.Join(w.root, "bin", "slow"), []byte(seat), 0o700))
	config := filepath.Join(w.root, "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("seats: [local]\ncommands: {local: {program: slow, args: ['{prompt_file}']}}\n"), 0o600))
	w.environ = append(w.environ, "COUNCIL_CONFIG="+config)
	r := w.done(w.council("run", "--detach", "--no-plan", "--scope", ".", "How does it work?"))
	require.Zero(t, r.code, r.errs)
	x := w.shell()
	x.enter("council watch; echo left $?", "left $?")
	x.shows("says “page ")
	require.Contains(t, x.screen(), "● local works")
	require.Contains(t, x.screen(), "How does it work?")
	require.Contains(t, x.screen(), "▏ page 1 is read", "the transcript stands beside it")

	x.keys("resize-window", "-x", "80", "-y", "24")
	until(t, "one pane is left", patience, func() bool {
		return strings.Contains(x.screen(), "? help · q leave") && !strings.Contains(x.screen(), "▏ page")
	})
	x.keys("send-keys", "Enter")
	x.shows("local: transcript")
	x.keys("send-keys", "/")
	x.keys("send-keys", "-l", "NEEDLE")
	x.keys("send-keys", "Enter")
	x.shows("I begin with a needle")
	x.shows("“needle” found")
	x.keys("send-keys", "End")
	x.keys("send-keys", "Escape")
	until(t, "the search is over", patience, func() bool { return !strings.Contains(x.screen(), "Esc ends the search") })
	x.keys("send-keys", "Escape")
	x.shows("? help · q leave")
	x.keys("send-keys", "?")
	x.shows("Keys and signs")
	x.keys("send-keys", "Escape")
	until(t, "the keys are away", patience, func() bool { return !strings.Contains(x.screen(), "Keys and signs") })

	x.keys("send-keys", "c")
	x.shows("Cancel run ")
	x.keys("send-keys", "Enter")
	x.shows("Nothing was done.")
	require.Equal(t, "running", w.status(w.run()).Status)
	x.keys("send-keys", "c")
	x.shows("any other key: no")
	until(t, "a yes is heard, which is no answer at once", patience, func() bool {
		x.keys("send-keys", "y")
		return strings.Contains(x.screen(), "cancelled · ")
	})
	x.keys("send-keys", "q")
	x.shows("left 0")
	require.Contains(t, x.screen(), "cancelled: the user cancelled it", "how it stands is left on the screen")
	x.keys("send-keys", "exit")
	x.keys("send-keys", "Enter") // the terminal ends with its shell
	w.nothingRuns()
}

// TestAScreenIsWatchedByMouseAndInEveryForm has a person choose a seat and scroll by mouse
// on a screen without colours, and follow the run where there is no screen to redraw: on a
// terminal that is dumb, and in a pipe.
func TestAScreenIsWatchedByMouseAndInEveryForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const seat = `#!/bin/sh
n=0; while [ $n -lt 900 ]; do n=$((n+1)); echo "{\"text\":\"page $n is read\"}"; sleep 0.2; done
`
	require.NoError(t, os.WriteFile(filepath.Join(w.root, "bin", "slow"), []byte(seat), 0o700))
	config := filepath.Join(w.root, "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("seats: [one, two]\ncommands:\n  one: {program: slow, args: ['{prompt_file}']}\n  two: {program: slow, args: ['{prompt_file}']}\n"), 0o600))
	w.environ = append(w.environ, "COUNCIL_CONFIG="+config)
	r := w.done(w.council("run", "--detach", "--no-plan", "--scope", ".", "How does it work?"))
	require.Zero(t, r.code, r.errs)

	x := w.shell()
	x.enter("NO_COLOR=1 council watch; echo left $?", "left $?")
	x.shows("one: transcript")
	x.shows("two works")
	require.NotRegexp(t, `\x1b\[(?:[0-9;]*;)?[349][0-8](?:;[0-9;]*)?m`, x.keys("capture-pane", "-p", "-e"), "no colours")
	lines := strings.Split(x.screen(), "\n")
	row := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "two works") })
	x.mouse(0, 8, row)
	x.shows("two: transcript")
	x.mouse(0, 140, 20)
	x.shows("Esc back")
	until(t, "there is something to scroll", patience, func() bool {
		x.mouse(64, 140, 20) // the wheel, up
		return strings.Contains(x.screen(), "not following, ")
	})
	x.keys("send-keys", "q")
	x.shows("left 0")

	x.enter("clear; TERM=dumb council watch; echo left $?", "left $?")
	x.shows("one research running 1/10: page ")
	require.Equal(t, "0", strings.TrimSpace(x.keys("display-message", "-p", "#{alternate_on}")), "a terminal that is dumb is written to in lines")
	x.keys("send-keys", "C-c")
	x.shows("^Cleft 0")

	piped := w.council("watch", "--json")
	require.NoError(t, piped.Start())
	lined := w.council("watch")
	require.NoError(t, lined.Start())
	require.Zero(t, w.done(w.council("cancel")).code)
	plain := w.ended(lined, lined.Wait())
	require.Contains(t, plain.out, "run cancelled: the user cancelled it")
	require.NotContains(t, plain.out, "\x1b")
	w.ended(piped, piped.Wait())
	x.keys("send-keys", "exit")
	x.keys("send-keys", "Enter")
	w.nothingRuns()
}

// mouse presses and lets go of a button at a cell, from 0, as terminals tell it.
func (x terminal) mouse(button, column, row int) {
	x.Helper()
	for _, end := range []string{"M", "m"} {
		x.keys("send-keys", "-l", fmt.Sprintf("\x1b[<%d;%d;%d%s", button, column+1, row+1, end))
	}
}
