package claude

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
)

// Read judges the turn by its last result event. One process can have several
// (a finished background task starts another turn); costs and counts of the
// last one cover the whole session, resumed processes included. A process
// without a result is counted by its messages instead: a lower bound, for
// this turn alone, and never part of a later total.
//
// "Session ID … is already in use" means that an earlier process of ours made
// the session and was lost before it could say so: the fault is [agent.Lost]
// and the reply names the session, to be resumed.
func (Adapter) Read(t agent.Turn, x agent.Exit) agent.Reply {
	s := new(stream)
	agent.Feed(s, x.Stdout)
	reply := agent.Reply{Session: s.session, Text: s.lastMessage(), Usage: s.usage(), Shares: s.used(), Models: s.models, Fault: s.fault(t, x)}
	switch {
	case reply.Fault == nil:
	case reply.Fault.Class == agent.NoSession:
		reply.Session = ""
	case reply.Session == "" && inUse(x.LastErrorLine()):
		reply.Session = t.Session
	}
	return reply
}

// stream is what one process said that matters.
type stream struct {
	session string
	said    string        // the last text of the agent
	since   usageTally    // its messages since the last result that told a cost
	wait    time.Duration // the delay of the last retry, as the CLI chose it by the provider's wish
	told    *agent.Usage  // the session's total, as the last result told it
	models  []string
	end     *resultEvent
}

// resultEvent is what the last result event said.
type resultEvent struct {
	text   string // the answer, or the CLI's own words on a failure
	failed bool
	status int    // of the API, 0 when it gave none
	reason string // terminal_reason
	stop   string // stop_reason
}

// Meter counts the messages of a stream until a result tells their cost.
func (Adapter) Meter(agent.Turn) agent.Meter { return meter{new(stream)} }

type meter struct{ *stream }

func (m meter) Used() []agent.Usage { return m.used() }

// Add takes the next line.
func (s *stream) Add(line []byte) {
	if agent.Event(line) {
		s.add(gjson.ParseBytes(line))
	}
}

func (s *stream) add(e gjson.Result) {
	if id := agent.SessionID(e.Get("session_id").Str); id != "" {
		s.session = id
	}
	switch e.Get("type").Str {
	case "assistant":
		s.addMessage(e.Get("message"))
	case "system":
		if e.Get("subtype").Str == "api_retry" {
			s.wait = milliseconds(e.Get("retry_delay_ms").Num)
		}
	case "result":
		s.readResult(e)
	}
}

// addMessage takes one message, of which each block comes as an event of its own
// with the message's counts. What the CLI says in the agent's place, such as
// "API Error", has a model in angle brackets.
func (s *stream) addMessage(m gjson.Result) {
	if strings.HasPrefix(m.Get("model").Str, "<") {
		return
	}
	for _, block := range m.Get("content").Array() {
		if block.Get("type").Str == "text" {
			s.said = strings.Clone(block.Get("text").Str)
		}
	}
	s.since.add(m.Get("id").Str, messageUsage(m.Get("usage"), m.Get("model").Str))
}

// messageUsage reads the usage of a message.
func messageUsage(u gjson.Result, model string) agent.Usage {
	number := func(name string) int64 { return agent.TokenCount(u.Get(name).Float()) }
	cached := number("cache_read_input_tokens")
	return agent.Usage{
		Input:       number("input_tokens") + number("cache_creation_input_tokens") + cached,
		CachedInput: cached, Output: number("output_tokens"), Model: strings.Clone(model),
	}.Bounded()
}

func (s *stream) readResult(e gjson.Result) {
	s.end = &resultEvent{
		text:   resultText(e),
		failed: e.Get("is_error").Bool(),
		status: int(e.Get("api_error_status").Int()),
		reason: strings.Clone(e.Get("terminal_reason").Str),
		stop:   strings.Clone(e.Get("stop_reason").Str),
	}
	s.models = nil
	used := agent.Usage{Cumulative: true}
	for model, m := range e.Get("modelUsage").Map() {
		number := func(name string) int64 { return agent.TokenCount(m.Get(name).Float()) }
		cached := number("cacheReadInputTokens")
		used = used.Plus(agent.Usage{
			Input: number("inputTokens") + number("cacheCreationInputTokens") + cached, CachedInput: cached, Output: number("outputTokens"),
		})
		s.models = append(s.models, strings.Clone(model))
	}
	slices.Sort(s.models)
	s.readCost(e, used)
}

// readCost takes the session's total of a result that tells one: an absent cost is
// not a cost of nothing.
func (s *stream) readCost(e gjson.Result, used agent.Usage) {
	usd := e.Get("total_cost_usd")
	if usd.Type != gjson.Number {
		if s.since.sum() == (agent.Usage{}) {
			s.since.add("", messageUsage(e.Get("usage"), ""))
		}
		return
	}
	if len(s.models) == 0 {
		used = s.since.sum()
		used.Cumulative = true
	}
	used.USD, used.Reported = agent.USD(usd.Num), true
	s.told, s.since = &used, usageTally{}
}

// resultText is the text of a result, or the first of its errors where it has
// none.
func resultText(e gjson.Result) string {
	if text := e.Get("result").Str; text != "" {
		return strings.Clone(text)
	}
	return strings.Clone(e.Get("errors.0").String())
}

// usage prefers the CLI's own total.
func (s *stream) usage() agent.Usage {
	if s.told != nil {
		return *s.told
	}
	return s.since.sum()
}

// used is the CLI's own total and, by their models, the messages it does not
// cover.
func (s *stream) used() []agent.Usage {
	if s.told != nil {
		return append([]agent.Usage{*s.told}, s.since.byModel()...)
	}
	return s.since.byModel()
}

// lastMessage is the agent's last message. The result is empty when the host cut a
// row of continuations off, and the CLI's own words on a failure.
func (s *stream) lastMessage() string {
	if s.end == nil || s.end.failed || s.end.text == "" {
		return s.said
	}
	return s.end.text
}

// milliseconds is a duration from a foreign number: within a day, or none.
func milliseconds(n float64) time.Duration {
	if n > 0 && n <= float64(24*time.Hour/time.Millisecond) {
		return time.Duration(n * float64(time.Millisecond))
	}
	return 0
}
