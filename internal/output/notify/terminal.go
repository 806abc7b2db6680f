package notify

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/term"
)

// isTerminal reports whether somebody looks at what is written to w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(f.Fd())
}

// terminal shows notices by an escape sequence that terminals know or leave
// unseen, and rings the bell.
type terminal struct {
	w        io.Writer
	sequence func(title, body string) string
}

func newTerminal(w io.Writer, getenv func(string) string) terminal {
	name := getenv("TERM")
	switch {
	case name == "" || name == "dumb" || name == "linux":
		return terminal{w, func(string, string) string { return "" }}
	case getenv("VTE_VERSION") != "" || strings.HasPrefix(name, "foot") || strings.HasPrefix(name, "rxvt"):
		return terminal{w, osc777}
	}
	return terminal{w, osc9}
}

const (
	bell     = "\a"
	oscStart = "\x1b]"
)

// osc777 is the sequence of rxvt and VTE; a semicolon would end the title.
func osc777(title, body string) string {
	return oscStart + "777;notify;" + strings.ReplaceAll(title, ";", ",") + ";" + body + bell
}

// osc9 is the sequence of iTerm2 and those that follow it. Some read a number
// and a semicolon at its beginning as a command of another kind.
func osc9(title, body string) string {
	text := title
	if body != "" {
		text += ": " + body
	}
	return oscStart + "9;" + strings.TrimLeft(text, "0123456789;") + bell
}

// noticeRunes bounds what a notice on a screen shows.
const noticeRunes = 300

func (t terminal) send(_ context.Context, m Message) error {
	body := truncate(strings.ReplaceAll(m.Body, "\n", " "), noticeRunes, func(rune) int { return 1 })
	if _, err := io.WriteString(t.w, t.sequence(m.Title, body)+bell); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}
