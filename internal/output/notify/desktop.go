package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plain"
)

// desktop shows notices where a person works.
type desktop struct {
	getenv func(string) string
	turn   chan struct{} // held by the notice under way: one that hangs is not joined by others
}

func newDesktop(getenv func(string) string) desktop {
	return desktop{getenv: getenv, turn: make(chan struct{}, 1)}
}

// canShow reports whether there is a desktop that can show a notice.
func (d desktop) canShow() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return d.missing() == ""
	}
	return d.missing() == "" && (d.getenv("DISPLAY") != "" || d.getenv("WAYLAND_DISPLAY") != "")
}

// missing is what keeps notices from being shown, "" where nothing is known
// to. Without a session bus nothing is tried: asking for it would start one,
// that then goes on for nobody.
func (d desktop) missing() string {
	switch runtime.GOOS {
	case "windows":
		return ""
	case "darwin":
		if _, err := exec.LookPath(osascript); err != nil {
			return "there is no " + osascript
		}
		return ""
	}
	address := d.getenv("DBUS_SESSION_BUS_ADDRESS")
	if address != "" && address != "autolaunch:" {
		return ""
	}
	dir := filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return ""
		}
	}
	return "there is no session bus to show notices by"
}

// turnTimeout is how long a notice waits for the one before: a desktop that works
// needs milliseconds, and one that hangs is not waited for again and again.
const turnTimeout = time.Second

func (d desktop) send(ctx context.Context, m Message) error {
	waited := time.NewTimer(turnTimeout)
	defer waited.Stop()
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-waited.C:
		return errors.New("it has not shown the notice before yet")
	case <-ctx.Done():
		return ctx.Err()
	}
	m.Body = truncate(m.Body, noticeRunes, func(rune) int { return 1 })
	return show(ctx, m)
}

const osascript = "osascript"

// noticeScript shows a notice of what it is given as arguments, so that no text is
// ever read as a part of it.
const noticeScript = `on run argv
display notification (item 3 of argv) with title (item 2 of argv) subtitle (item 4 of argv)
end run`

// appleScript shows a notice by macOS's own program. The first argument is no
// option, so that none of those after it is read as one.
func appleScript(ctx context.Context, m Message) error {
	subtitle := ""
	if m.Folder != "" {
		subtitle = filepath.Base(m.Folder)
	}
	cmd := exec.CommandContext(ctx, osascript, "-e", noticeScript, "council", m.Title, m.Body, subtitle)
	var said bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &said, time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %s", osascript, plain.Line(strings.TrimSpace(err.Error()+" "+said.String()), maxDetail))
	}
	return nil
}
