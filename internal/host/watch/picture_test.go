package watch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/test/chromium"
)

// The picture of the screen that the documentation shows.
func TestPictureOfTheScreen(t *testing.T) {
	inUTC(t)
	b := chromium.Start(t)
	l := council()
	l.log = []string{"[2026-11-22T08:03:00Z] Phase 2: Ada research starting (iteration 1/5)", "[2026-11-22T08:20:00Z] cy: a turn failed: login expired", "[2026-11-22T08:41:00Z] Ada research iteration 2/5: 3 new claims"}
	l.seats = append(l.seats, seat{Seat: status.Seat{Name: "dee", Role: "research", State: "failed", Iterations: 5, Fault: "terminal", Reason: "401: the login has expired; it wrote no report"}, name: "dee", kind: "claude", now: true})
	screen := at(l, 118, 27, style{colour: true}).render()
	file := filepath.Join(t.TempDir(), "watch.html")
	require.NoError(t, os.WriteFile(file, []byte(chromium.Terminal(screen)), 0o600))
	b.Size(1110, 560)
	b.Open("file://" + file)
	require.NotContains(t, b.Eval("document.body.textContent"), "\x1b")
	b.Picture("watch")
}
