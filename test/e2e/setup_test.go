package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The setup is typed in a session: without a yes it shows, with one it writes and tries
// a call of each seat, within the session that is around it.
func TestTheSetupIsTypedInASession(t *testing.T) {
	w := newWorld(t)
	config := filepath.Join(w.home, ".config", "research-council", "config.yaml")
	r := w.done(w.session("/research-council:setup --seats claude,codex,gemini --max-usd 5"))
	require.Zero(t, r.code, r.errs)
	require.Contains(t, r.out, "Nothing was written.")
	require.Contains(t, r.out, "login: ANTHROPIC_API_KEY; the owner of that key pays by use")
	require.NotContains(t, r.out, key)
	require.NoFileExists(t, config)
	require.Zero(t, w.everything(), "no model is asked")

	r = w.done(w.session("/research-council:setup --seats claude,codex,gemini --max-usd 5 --yes"))
	require.Zero(t, r.code, r.errs)
	for _, name := range []string{"claude", "codex", "gemini"} {
		require.Regexp(t, name+` +ok: it answered in`, r.out)
	}
	text, err := os.ReadFile(config)
	require.NoError(t, err)
	require.Equal(t, "seats: [claude, codex, gemini]\nlimits:\n  usd: 5\n", string(text))

	r = w.done(w.session("/research-council:setup --budget 5"))
	require.Contains(t, r.out, "unknown flag: --budget")
}

// A new user at a terminal: what is there is shown, each question has its answer, the
// seats are tried, and everything is taken out again.
func TestSetUpAndTakenOutAtATerminal(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("there is no tmux")
	}
	w := newWorld(t)
	x := terminal{w, tmux, filepath.Join(w.temp(), "s")}
	start := w.program(patience, tmux, "-S", x.socket, "-f", "/dev/null", "new-session", "-d", "-x", "200", "-y", "60", "/bin/sh")
	require.Zero(t, w.done(start).code)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the screen:\n%s", x.screen())
		}
		_ = exec.Command(tmux, "-S", x.socket, "kill-server").Run()
	})
	council := filepath.Join(plugin, "bin", "council")
	x.enter("'"+council+"' setup; echo its code: $?", "code")
	x.showsWithin("Who takes part? [claude, codex, gemini]", patience)
	x.enter("claude, codex", "claude, codex")
	x.shows("Limit of a run in money? [$20.00]")
	x.enter("seven", "seven")
	x.shows("use an amount in dollars")
	x.enter("7.50", "7.50")
	x.shows("Notices on your desktop")
	x.enter("n", "[Y/n] n")
	x.shows("y: both, w: write alone")
	x.enter("y", "[N] y")
	x.showsWithin("codex     ok: it answered", patience)
	x.showsWithin("its code: 0", patience) // what is typed before goes to it
	text, err := os.ReadFile(filepath.Join(w.home, ".config", "research-council", "config.yaml"))
	require.NoError(t, err)
	require.Equal(t, "seats: [claude, codex]\nlimits:\n  usd: 7.5\nnotify:\n  desktop: \"off\"\n", string(text))
	x.enter("clear; '"+council+"' uninstall", "uninstall")
	x.showsWithin("Remove all this? [y/N]", patience)
	x.enter("y", "[y/N] y")
	x.shows("Removed 1 of 1.")
	require.NoDirExists(t, filepath.Join(w.home, ".config", "research-council"))
}

func (x terminal) showsWithin(text string, within time.Duration) {
	x.Helper()
	until(x.T, "the screen shows "+text, within, func() bool { return strings.Contains(x.screen(), text) })
}

// What hosts have of the plugin is removed by their own commands.
func TestUninstallTakesThePluginOutOfItsHosts(t *testing.T) {
	w := newWorld(t)
	name := installed(t)
	for _, args := range [][]string{{"claude", "plugin", "marketplace", "add", plugin}, {"claude", "plugin", "install", name}, {"claude", "mcp", "add", "--scope", "user", "council", "--", filepath.Join(plugin, "bin", "council"), "mcp"}} {
		r := w.done(w.program(patience, append([]string{filepath.Join(w.root, "bin", args[0])}, args[1:]...)...))
		require.Zero(t, r.code, r.out+r.errs)
	}
	r := w.done(w.council("uninstall", "--dry-run"))
	require.Zero(t, r.code, r.errs)
	require.Contains(t, r.out, "claude plugin uninstall --keep-data --scope user "+name)
	r = w.done(w.council("uninstall", "--yes"))
	require.Zero(t, r.code, r.out+r.errs)
	claude := filepath.Join(w.root, "bin", "claude")
	require.NotContains(t, w.done(w.program(patience, claude, "plugin", "list")).out, "research-council")
	require.NotContains(t, w.done(w.program(patience, claude, "plugin", "marketplace", "list")).out, "research-council")
	require.NotContains(t, w.done(w.program(patience, claude, "mcp", "list")).out, "council")
	require.FileExists(t, filepath.Join(plugin, "bin", "council"))
}
