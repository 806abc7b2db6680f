package watch

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/test/chromium"
)

// coloured is a screen as a page: its letters and colours as a terminal shows them.
func coloured(screen string) string {
	looks := map[string]string{
		bold: "font-weight:bold", faint: "opacity:.6", turned: "background:#d8dbe0;color:#16181c", red: "color:#ff8a80", green: "color:#84d99b", yellow: "color:#ecca6e", blue: "color:#7fd6e6",
	}
	var b strings.Builder
	b.WriteString(`<!doctype html><meta charset="utf-8"><title>council watch</title><body style="margin:0;padding:1rem;background:#16181c;color:#d8dbe0"><pre style="margin:0;font:15px/1.3 'DejaVu Sans Mono',monospace">`)
	at := 0
	for _, m := range regexp.MustCompile(`\x1b\[([0-9;]*)m`).FindAllStringSubmatchIndex(screen, -1) {
		b.WriteString(html.EscapeString(screen[at:m[0]]))
		at = m[1]
		codes := screen[m[2]:m[3]]
		if codes == "" || codes == "0" {
			b.WriteString("</span>")
			continue
		}
		var css []string
		for code := range strings.SplitSeq(codes, ";") {
			css = append(css, looks[code])
		}
		fmt.Fprintf(&b, `<span style="%s">`, strings.Join(css, ";"))
	}
	b.WriteString(html.EscapeString(screen[at:]))
	return b.String()
}

// The picture of the screen that the documentation shows.
func TestPictureOfTheScreen(t *testing.T) {
	inUTC(t)
	b := chromium.Start(t)
	l := council()
	l.log = []string{"[2026-11-22T08:03:00Z] Phase 2: Ada research starting (iteration 1/5)", "[2026-11-22T08:20:00Z] cy: a turn failed: login expired", "[2026-11-22T08:41:00Z] Ada research iteration 2/5: 3 new claims"}
	screen := at(l, 118, 20, style{colour: true}).render()
	file := filepath.Join(t.TempDir(), "watch.html")
	require.NoError(t, os.WriteFile(file, []byte(coloured(screen)), 0o600))
	b.Size(1110, 425)
	b.Open("file://" + file)
	require.NotContains(t, b.Eval("document.body.textContent"), "\x1b")
	b.Picture("watch")
}
