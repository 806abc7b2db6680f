package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/test/chromium"
)

// The picture of the pane beside a session of Claude Code that the documentation shows.
func TestPictureOfThePane(t *testing.T) {
	b := chromium.Start(t)
	w := newWorld(t, hanging()...)
	x := w.terminal()
	x.keys("resize-window", "-x", "160", "-y", "26")
	x.shows("❯")
	x.enter(command+`"How does the collector pace itself?" --seats claude,codex --test --scope . --no-plan`, "--no-plan")
	until(t, "the pane shows both seats", patience, func() bool {
		shown := x.screen()
		return strings.Contains(shown, "codex 1/2") && strings.Contains(shown, "claude 1/2")
	})
	screen := x.keys("capture-pane", "-p", "-e")
	const shown = "~/collector" // not where this machine has the project
	lines := strings.Split(strings.Replace(screen, w.project, shown+strings.Repeat(" ", utf8.RuneCountInString(w.project)-len(shown)), 1), "\n")
	file := filepath.Join(w.root, "pane.html")
	require.NoError(t, os.WriteFile(file, []byte(chromium.Terminal(strings.Join(lines, "\n"))), 0o600))
	b.Size(1490, 20*len(lines)+32)
	b.Open("file://" + file)
	require.Contains(t, b.Eval("document.body.textContent"), "codex 1/2")
	b.Picture("pane")
	x.enter("/research-council:cancel-research", "/research-council:cancel-research")
	x.shows("is cancelled and nothing of it runs any more")
}
