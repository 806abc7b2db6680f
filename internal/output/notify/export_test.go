package notify

import (
	"context"
	"io"
	"time"
)

// Hasty is New without a person's patience between two tries.
func Hasty(c Config, getenv func(string) string) *Notifier {
	return newWithPause(c, getenv, time.Millisecond)
}

// With is a notifier with a further channel.
func (n *Notifier) With(name string, send func(context.Context, Message) error) *Notifier {
	more := *n
	more.channels = append(more.channels, channel{name: name, send: send})
	return &more
}

// AppleScript shows a notice by the program osascript.
func AppleScript(ctx context.Context, m Message) error { return appleScript(ctx, m) }

// Ring writes a message to w as to a terminal.
func Ring(w io.Writer, getenv func(string) string, m Message) error {
	return newTerminal(w, getenv).send(context.Background(), sanitise(m))
}

// Clean is a message as it reaches the channels.
func Clean(m Message) Message { return sanitise(m) }
