// Package notify tells people what happened, on the channels they have set:
// their desktop, the terminal, a webhook, ntfy, Slack, Telegram.
//
// A channel that fails fails alone, within its time: nobody who sends waits
// longer than the configured timeout, and nothing here panics. An error names
// its channel and never a secret or an address that holds one: what servers
// answer is cut down to what they say about the fault, and secrets are taken
// out of that. Secrets are read from the environment when a channel is made
// and are kept in memory alone.
//
// Texts are data. They reach programs as arguments, never as a part of a
// script, and terminals without control characters. When to tell people what
// is left to the callers.
package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/config"
)

// Levels of a message.
const (
	Info    = "info"
	Warning = "warning"
	Error   = "error"
)

// Message is what people are told.
type Message struct {
	Title  string    // one line
	Body   string    // plain text, lines
	Run    string    // the run's id, where it is about one
	Level  string    // Info, Warning or Error; "" is Info
	At     time.Time // when it happened; zero is now
	Folder string    // where its files are, where it is about files
}

// Config says which channels there are.
type Config = config.Notify

// Outcome is how one channel fared.
type Outcome struct {
	Channel string
	Err     error // nil: the message was taken
}

// Notifier sends messages. It may be used by several goroutines at once; nil
// is one without channels.
type Notifier struct {
	timeout  time.Duration
	terminal bool // is asked for
	getenv   func(string) string
	channels []channel
}

// channel is one way to tell people.
type channel struct {
	name          string
	missingReason string // what keeps it from working, from what can be told without trying
	send          func(context.Context, Message) error
}

// New makes the channels of a configuration that has been checked.
func New(c Config, getenv func(string) string) *Notifier {
	return newWithPause(c, getenv, firstPause)
}

func newWithPause(c Config, getenv func(string) string, pause time.Duration) *Notifier {
	n := &Notifier{timeout: c.Timeout, terminal: c.Terminal, getenv: getenv}
	if d := newDesktop(getenv); c.Desktop == config.DesktopOn || c.Desktop == config.DesktopAuto && d.canShow() {
		n.channels = append(n.channels, channel{name: "desktop", missingReason: d.missing(), send: d.send})
	}
	s := services{environ: getenv, client: newClient(), pause: pause}
	for _, made := range []func(Config) (channel, bool){s.webhook, s.ntfy, s.slack, s.telegram} {
		if ch, on := made(c); on {
			n.channels = append(n.channels, ch)
		}
	}
	return n
}

// WithTerminal is the notifier with a terminal as a further channel, where the
// configuration asks for one and w is one. Writes to w are whole notices.
func (n *Notifier) WithTerminal(w io.Writer) *Notifier {
	if n == nil || !n.terminal || !isTerminal(w) {
		return n
	}
	more := *n
	t := newTerminal(w, n.getenv)
	more.channels = append(n.channels[:len(n.channels):len(n.channels)], channel{name: "terminal", send: t.send})
	return &more
}

// Channels lists the names of the channels there are.
func (n *Notifier) Channels() []string {
	var names []string
	for _, ch := range n.allChannels() {
		names = append(names, ch.name)
	}
	return names
}

// Missing lists, a line each, what keeps channels from working as far as that
// can be told without sending: a variable that is not set, no desktop.
func (n *Notifier) Missing() []string {
	var lines []string
	for _, ch := range n.allChannels() {
		if ch.missingReason != "" {
			lines = append(lines, ch.name+": "+ch.missingReason)
		}
	}
	return lines
}

func (n *Notifier) allChannels() []channel {
	if n == nil {
		return nil
	}
	return n.channels
}

// Send sends a message on all channels side by side and returns what failed.
func (n *Notifier) Send(ctx context.Context, m Message) []error {
	var failed []error
	for _, o := range n.SendAll(ctx, m) {
		if o.Err != nil {
			failed = append(failed, o.Err)
		}
	}
	return failed
}

// SendAll is Send that tells of every channel, in the order of Channels.
func (n *Notifier) SendAll(ctx context.Context, m Message) []Outcome {
	m = sanitise(m)
	list := n.allChannels()
	outcomes := make([]Outcome, len(list))
	var all sync.WaitGroup
	for i, ch := range list {
		all.Go(func() { outcomes[i] = Outcome{ch.name, n.deliver(ctx, ch, m)} })
	}
	all.Wait()
	return outcomes
}

// deliver gives a channel its time. What it does not end in time is left to
// end by itself: a library or a terminal may not listen to a context.
func (n *Notifier) deliver(ctx context.Context, ch channel, m Message) error {
	if ch.missingReason != "" {
		return fmt.Errorf("%s: %s", ch.name, ch.missingReason)
	}
	ctx, cancel := context.WithTimeout(ctx, n.timeout)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- errors.New("it broke") // what it says may hold anything
			}
		}()
		done <- ch.send(ctx, m)
	}()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("%s: %w", ch.name, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", ch.name, timeoutError(ctx, n.timeout))
	}
}

func timeoutError(ctx context.Context, timeout time.Duration) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Canceled
	}
	return fmt.Errorf("no answer within %s", timeout)
}

// Bounds of a message, in runes and lines; channels have tighter ones.
const (
	titleRunes = 200
	bodyRunes  = 8000
	bodyLines  = 200
)

// sanitise takes out of a message what is no text.
func sanitise(m Message) Message {
	m.Title = cmp.Or(plain.Line(m.Title, titleRunes), "Research council")
	m.Run, m.Folder = plain.Line(m.Run, titleRunes), plain.Line(m.Folder, bodyRunes)
	if m.Level != Warning && m.Level != Error {
		m.Level = Info
	}
	if m.At.IsZero() {
		m.At = time.Now()
	}
	var lines []string
	for line := range strings.Lines(m.Body) {
		if len(lines) < bodyLines {
			lines = append(lines, plain.Line(line, bodyRunes))
		}
	}
	m.Body = strings.TrimSpace(truncate(strings.Join(lines, "\n"), bodyRunes, func(rune) int { return 1 }))
	return m
}

// text is a message as one text.
func (m Message) text() string { return strings.TrimSpace(m.Title + "\n" + m.Body) }

// truncate cuts a text so that the sizes of its runes come to at most most, with
// an ellipsis for what was cut.
func truncate(text string, most int, size func(rune) int) string {
	const ellipsis = '…'
	room, total := 0, 0
	for i, r := range text {
		if total+size(ellipsis) <= most {
			room = i
		}
		if total += size(r); total > most {
			return strings.TrimRight(text[:room], " \n") + string(ellipsis)
		}
	}
	return text
}

// newClient follows no redirect, for it would carry secrets elsewhere, and
// keeps no connection: days may lie between two messages.
func newClient() *http.Client {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, MaxResponseHeaderBytes: maxAnswer}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
