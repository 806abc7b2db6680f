package codex

import (
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"research-council/internal/agent"
)

// Read judges the turn by its closing event. The counts it gives cover the
// whole thread, resumed processes included. A resume that began another thread
// is an [agent.NoSession]; the reply then names the thread that was begun,
// since its counts are that thread's.
func (Adapter) Read(t agent.Turn, x agent.Exit) agent.Reply {
	s := read(x.Stdout)
	reply := agent.Reply{Session: s.thread, Text: s.said, Usage: s.usage, Fault: s.fault(t, x)}
	if reply.Session == "" && (reply.Fault == nil || reply.Fault.Class != agent.NoSession) {
		reply.Session = t.Session
	}
	return reply
}

// stream is what one process said that matters.
type stream struct {
	thread  string
	said    string // the agent's last message
	ended   bool   // turn.completed has come
	failed  bool   // turn.failed has come
	words   string // codex's own words on the failure
	retried bool   // codex sent a request again
	usage   agent.Usage
}

func read(r io.Reader) stream {
	var s stream
	for line := range agent.Lines(r) {
		if agent.Event(line) {
			s.add(gjson.ParseBytes(line))
		}
	}
	return s
}

func (s *stream) add(e gjson.Result) {
	switch e.Get("type").Str {
	case "thread.started":
		s.thread = agent.SessionID(e.Get("thread_id").Str)
	case "item.completed":
		if item := e.Get("item"); item.Get("type").Str == "agent_message" {
			s.said = strings.Clone(item.Get("text").Str)
		}
	case "error":
		s.retried = s.retried || strings.HasPrefix(e.Get("message").Str, "Reconnecting...")
	case "turn.completed":
		s.ended = true
		s.count(e.Get("usage"))
	case "turn.failed":
		s.failed = true
		s.words = strings.Clone(e.Get("error.message").Str)
	}
}

// count takes the thread's counts; the input includes what came from the
// cache.
func (s *stream) count(u gjson.Result) {
	s.usage = agent.Usage{
		Input:       u.Get("input_tokens").Int(),
		Output:      u.Get("output_tokens").Int(),
		CachedInput: u.Get("cached_input_tokens").Int(),
		Cumulative:  true,
	}
}
