package codex

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
)

// Read judges the turn by its closing event. The counts it gives cover the
// whole thread, resumed processes included; those of a turn that ended before
// it told any are reckoned from what it showed. A resume that began another thread
// is an [agent.NoSession]; the reply then names the thread that was begun,
// since its counts are that thread's.
func (Adapter) Read(t agent.Turn, x agent.Exit) agent.Reply {
	s := newStream(t)
	agent.Feed(s, x.Stdout)
	reply := agent.Reply{Session: s.thread, Text: s.said, Usage: s.Used()[0], Fault: s.fault(t, x)}
	if reply.Session == "" && (reply.Fault == nil || reply.Fault.Class != agent.NoSession) {
		reply.Session = t.Session
	}
	return reply
}

// stream is what one process said that matters.
type stream struct {
	thread  string
	said    string      // the agent's last message
	ended   bool        // turn.completed has come
	failed  bool        // turn.failed has come
	words   string      // codex's own words on the failure
	retried bool        // codex sent a request again
	told    bool        // counts have come
	latest  agent.Usage // as they came last
	before  agent.Usage // those of counters that have begun anew since
	shown   *agent.Estimate
}

func newStream(t agent.Turn) *stream { return &stream{shown: agent.NewEstimate(t)} }

// Meter takes the thread's counts as they come. Where they come with the end
// alone, as codex exec tells them, they are reckoned until then.
func (Adapter) Meter(t agent.Turn) agent.Meter { return newStream(t) }

// Add takes the next line.
func (s *stream) Add(line []byte) {
	if agent.Event(line) {
		s.add(gjson.ParseBytes(line))
	}
}

func (s *stream) add(e gjson.Result) {
	switch e.Get("type").Str {
	case "thread.started":
		s.thread = agent.SessionID(e.Get("thread_id").Str)
	case "item.completed":
		s.addItem(e.Get("item"))
	case "event_msg":
		if e.Get("payload.type").Str == "token_count" {
			s.setCounts(e.Get("payload.info.total_token_usage"))
		}
	case "error":
		s.retried = s.retried || strings.HasPrefix(e.Get("message").Str, "Reconnecting...")
	case "turn.completed":
		s.ended = true
		s.setCounts(e.Get("usage"))
	case "turn.failed":
		s.failed = true
		s.words = strings.Clone(e.Get("error.message").Str)
	}
}

// addItem takes what the agent has said, or a step it has made: what came of it
// is what the next one reads.
func (s *stream) addItem(item gjson.Result) {
	switch item.Get("type").Str {
	case "agent_message":
		s.said = strings.Clone(item.Get("text").Str)
		s.shown.AddOutput(len(s.said))
	case "reasoning":
		s.shown.AddOutput(len(item.Raw))
	default:
		s.shown.AddInput(len(item.Raw))
	}
}

// setCounts takes the thread's counts; the input includes what came from the
// cache. A counter that stands lower than before has begun anew.
func (s *stream) setCounts(u gjson.Result) {
	if !u.IsObject() {
		return
	}
	number := func(name string) int64 { return agent.TokenCount(u.Get(name).Float()) }
	now := agent.Usage{Input: number("input_tokens"), Output: number("output_tokens"), CachedInput: number("cached_input_tokens")}
	if now.Input+now.Output < s.latest.Input+s.latest.Output {
		s.before = s.before.Plus(s.latest)
	}
	s.told, s.latest = true, now
}

// Used is the thread's counts, or what was seen of this turn.
func (s *stream) Used() []agent.Usage {
	if !s.told {
		return []agent.Usage{s.shown.Used()}
	}
	total := s.before.Plus(s.latest)
	total.Cumulative = true
	return []agent.Usage{total}
}
