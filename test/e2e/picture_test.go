package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/test/chromium"
)

// The picture of the pane beside a session of Claude Code that the documentation shows.
func TestPictureOfThePane(t *testing.T) {
	b := chromium.Start(t)
	w := newWorld(t, hanging()...)
	x := w.terminal()
	x.keys("resize-window", "-x", "118", "-y", "34")
	x.shows("❯")
	x.enter(command+`"How does the collector pace itself?" --seats claude,codex --test --scope . --debate off`, "--debate off")
	x.shows("codex 1/2")
	x.shows("claude 1/2")
	lines := strings.Split(x.keys("capture-pane", "-p", "-e"), "\n")
	for len(lines) > 0 && !strings.Contains(lines[0], "deep-research") { // above it stands where this machine has the project
		lines = lines[1:]
	}
	file := filepath.Join(w.root, "pane.html")
	require.NoError(t, os.WriteFile(file, []byte(chromium.Terminal(strings.Join(lines, "\n"))), 0o600))
	b.Size(1110, 20*len(lines)+32)
	b.Open("file://" + file)
	require.Contains(t, b.Eval("document.body.textContent"), "codex 1/2")
	b.Picture("pane")
	x.enter("/research-council:cancel-research", "/research-council:cancel-research")
	x.shows("is cancelled and nothing of it runs any more")
}
