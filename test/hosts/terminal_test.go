package hosts

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// screen is a session of Codex at a terminal, in a tmux of its own.
type screen struct {
	*person
	socket string
	turns  int // begun
}

// sits logs in with a key, trusts the project and opens Codex there.
func (p *person) sits() *screen {
	p.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		p.Skip("tmux is not installed: a terminal cannot be driven")
	}
	p.must("sh", "-c", `echo a-key | "$0" login --with-api-key`, p.program)
	file := filepath.Join(p.home, ".codex", "config.toml")
	before, err := os.ReadFile(file)
	require.NoError(p, err)
	require.NoError(p, os.WriteFile(file, fmt.Appendf(before, "\n[projects.%q]\ntrust_level = \"trusted\"\n", p.project), 0o600))
	x := &screen{person: p, socket: filepath.Join(filepath.Dir(p.home), "tmux")}
	argv := append([]string{"tmux", "-S", x.socket, "new-session", "-d", "-x", "150", "-y", "45", p.program}, p.server.Args()...)
	p.must(append(argv, "-m", "gpt-6-luna", "-c", "analytics.enabled=false", "--disable", "unbounded_connection_retries")...)
	p.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(p.Context()), 5*time.Second) // the test's own has ended
		defer cancel()
		server := func(order ...string) ([]byte, error) {
			return exec.CommandContext(ctx, "tmux", append([]string{"-S", x.socket}, order...)...).Output()
		}
		if p.Failed() {
			shown, err := server("capture-pane", "-p")
			p.Logf("the screen (%v):\n%s", err, shown)
		}
		_, _ = server("kill-server") // it may have ended
	})
	x.shows("Ask Codex to do anything")
	return x
}

func (x *screen) shows(text string) {
	x.Helper()
	require.Eventually(x, func() bool {
		return strings.Contains(x.must("tmux", "-S", x.socket, "capture-pane", "-p"), text)
	}, time.Minute, 100*time.Millisecond, "the screen never shows %s", text)
}

// enters pastes a line, of which Codex loses marks when it is typed too fast for a
// person, and sends it once it stands there; while a turn is under way it would go to that.
func (x *screen) enters(line string) {
	x.Helper()
	x.isIdle()
	x.must("tmux", "-S", x.socket, "set-buffer", "--", line)
	x.must("tmux", "-S", x.socket, "paste-buffer", "-p")
	x.shows("› " + line)
	x.must("tmux", "-S", x.socket, "send-keys", "Enter")
	x.turns++
}

// ended is the line Codex closes a turn with, a while after its answer.
var ended = regexp.MustCompile("Worked for|Conversation interrupted|Context compacted")

// isIdle waits until every turn begun has ended.
func (x *screen) isIdle() {
	x.Helper()
	require.Eventually(x, func() bool {
		shown := x.must("tmux", "-S", x.socket, "capture-pane", "-p", "-S", "-")
		return len(ended.FindAllString(shown, -1)) >= x.turns && !strings.Contains(shown, "esc to interrupt")
	}, time.Minute, 100*time.Millisecond, "a turn never ends")
}

// said waits for a turn in which the model was told so, and gives it.
func (x *screen) said(text string) string {
	x.Helper()
	var told string
	require.Eventually(x, func() bool {
		for _, q := range x.server.Turns() {
			if strings.Contains(string(q.Body), text) {
				told = string(q.Body)
			}
		}
		return told != ""
	}, time.Minute, 100*time.Millisecond, "the model is never told %s", text)
	return told
}

// In a session of Codex that stays open the report comes at the next prompt; Esc
// lets a loop rest, and a compaction does not lose it.
func TestCodexAtATerminal(t *testing.T) {
	p := newPerson(t, "codex")
	p.installs()
	x := p.sits()
	x.enters(p.typed(`deep-research Does Raft need pre-vote? --seats librarian --scope . --test --debate off`))
	x.shows("First answer.")
	require.Eventually(t, func() bool { return p.status() == "completed" }, 2*time.Minute, 100*time.Millisecond)
	x.enters("and now?")
	x.shows("Second answer.")
	require.Contains(t, x.said("has ended: completed"), "final-report.md")

	p.holds.Store(true)
	x.enters(p.typed(`research-loop Mend the house --max-iterations 4`))
	x.said("Research loop is on.")
	x.shows("esc to interrupt")
	x.must("tmux", "-S", x.socket, "send-keys", "Escape")
	x.shows("Conversation interrupted")
	p.holds.Store(false)
	x.enters("what is two and two?")
	x.shows("it rests at 0 of 4 answers")
	x.shows("ALL GREEN")

	x.enters("/compact")
	x.shows("Context compacted")
	x.enters("go on then")
	require.Contains(t, x.said("go on then"), "A research loop is on in this session: 0 of 4 answers are given to the task: Mend the house")
}
