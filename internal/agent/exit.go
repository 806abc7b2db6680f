package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/jsonl"
	"github.com/research-council/research-council/internal/base/plain"
)

// LineLimit is the longest line of an event stream that is looked at. The
// longest event known is a tool's result with a page or an image in it, below
// 5 MiB.
const LineLimit = 8 << 20

// Lines are the lines of an event stream without their ends, empty ones left
// out, the last one also when it is not terminated. Lines over [LineLimit] are
// passed over without being held. A line is valid until the next one. A read
// error ends the stream like its end.
func Lines(r io.Reader) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		var line []byte
		for {
			var err error
			line, _, err = jsonl.ReadLine(in, line[:0], LineLimit)
			if text := bytes.TrimSpace(line); len(text) > 0 && !yield(text) {
				return
			}
			if err != nil {
				return
			}
		}
	}
}

// Event reports whether a line is one whole JSON object. It costs no stack,
// however deep the line is nested; beyond 10,000 levels it says no.
func Event(line []byte) bool { return len(line) > 0 && line[0] == '{' && json.Valid(line) }

// Events are those lines of an event stream that are events.
func Events(r io.Reader) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range Lines(r) {
			if Event(line) && !yield(line) {
				return
			}
		}
	}
}

// Feed gives a reader of lines all those of a stream.
func Feed(to interface{ Add(line []byte) }, stream io.Reader) {
	for line := range Lines(stream) {
		to.Add(line)
	}
}

var sessionID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`) })

// SessionID is id when it looks like one and is safe as an argument and as a
// part of a path, else "".
func SessionID(id string) string {
	if !sessionID().MatchString(id) {
		return ""
	}
	return strings.Clone(id)
}

// NewFault is a fault with its message made plain: one line, no control
// characters, at most 300 runes.
func NewFault(c Class, format string, args ...any) *Fault {
	message := plain.Line(fmt.Sprintf(format, args...), 300)
	if message == "" { // the program's own words, of which there were none that can be seen
		message = "it failed and gave no reason"
	}
	return &Fault{Class: c, Message: message}
}

// Interruption is the fault of a process that did not end by itself, nil for one that
// did. A status of 128 and a signal's number, as a program gives that caught
// HUP, INT, KILL or TERM, counts as that signal.
func (x Exit) Interruption() *Fault {
	switch {
	case x.TimedOut:
		return NewFault(TimedOut, "ended at its deadline")
	case x.Stopped:
		return NewFault(Lost, "stopped")
	case x.Signal != "":
		return NewFault(Lost, "ended by %s", x.Signal)
	case slices.Contains([]int{129, 130, 137, 143}, x.Code):
		return NewFault(Lost, "ended by signal %d", x.Code-128)
	case x.Code < 0:
		return NewFault(Lost, "ended by a signal")
	}
	return nil
}

// LastErrorLine is the last line of stderr that says something, made plain.
func (x Exit) LastErrorLine() string {
	lines := strings.Split(string(x.Stderr), "\n")
	for _, line := range slices.Backward(lines) {
		if text := plain.Line(line, 300); text != "" {
			return text
		}
	}
	return "nothing on stderr"
}

// StatusClass is what an HTTP status of a model provider means for the next
// turn: time-outs, rate limits and the server's own failures pass, everything
// else stays until somebody mends it.
func StatusClass(status int) Class {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return Retryable
	}
	if status >= 500 {
		return Retryable
	}
	return Terminal
}
