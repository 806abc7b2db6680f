package gemini

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
)

// Read judges the turn by the exit status and by the last line of the stream:
// nothing but a successful result there is a success. Counts are those of
// this process; where it told none they are reckoned from what it showed. The models are those that truly answered.
//
// A session id that is taken means that an earlier process of ours made the
// session and was lost before it could say so: the fault is [agent.Lost] and
// the reply names the session, to be resumed.
func (Adapter) Read(t agent.Turn, x agent.Exit) agent.Reply {
	s := newStream(t)
	agent.Feed(s, x.Stdout)
	reply := agent.Reply{Session: t.Session, Text: s.text.String(), Usage: s.Used()[0], Models: s.models, Fault: s.fault(t, x)}
	if t.Session == "" {
		reply.Session = s.session
	}
	if reply.Fault != nil && reply.Fault.Class == agent.NoSession {
		reply.Session = ""
	}
	return reply
}

// textLimit bounds the last message, which comes in pieces.
const textLimit = 1 << 20

// stream is what one process said that matters.
type stream struct {
	session string
	text    strings.Builder // the agent's last message
	last    string          // type of the last event
	status  string          // status of the result
	words   string          // the CLI's own words on a failure
	looped  bool            // the loop detector ended the turn
	told    bool            // counts have come
	usage   agent.Usage
	shown   *agent.Estimate
	models  []string
}

func newStream(t agent.Turn) *stream { return &stream{shown: agent.NewEstimate(t)} }

// Meter reckons the use until the result tells it: Gemini CLI counts at the end
// of its process alone.
func (Adapter) Meter(t agent.Turn) agent.Meter { return newStream(t) }

// Add takes the next line.
func (s *stream) Add(line []byte) {
	if agent.Event(line) {
		s.add(gjson.ParseBytes(line))
	}
}

// Used is the process's own counts, or what was seen of it.
func (s *stream) Used() []agent.Usage {
	if s.told {
		return []agent.Usage{s.usage}
	}
	return []agent.Usage{s.shown.Used()}
}

func (s *stream) add(e gjson.Result) {
	kind := strings.Clone(e.Get("type").Str)
	switch kind {
	case "init":
		s.session = agent.SessionID(e.Get("session_id").Str)
	case "message":
		s.addMessage(e)
	case "tool_use":
		s.shown.AddOutput(len(e.Raw))
	case "tool_result":
		s.shown.AddInput(len(e.Raw))
	case "error":
		s.noteWarning(e)
	case "result":
		s.readResult(e)
	}
	s.last = kind
}

func (s *stream) addMessage(e gjson.Result) {
	if e.Get("role").Str != "assistant" {
		return
	}
	if s.last != "message" || !e.Get("delta").Bool() {
		s.text.Reset()
	}
	s.shown.AddOutput(len(e.Get("content").Str))
	if piece := e.Get("content").Str; s.text.Len()+len(piece) <= textLimit {
		s.text.WriteString(piece)
	}
}

func (s *stream) noteWarning(e gjson.Result) {
	message := e.Get("message").Str
	s.looped = s.looped || strings.HasPrefix(message, "Loop detected")
	if e.Get("severity").Str == "error" {
		s.words = strings.Clone(message)
	}
}

func (s *stream) readResult(e gjson.Result) {
	s.status = strings.Clone(e.Get("status").Str)
	if words := e.Get("error.message").Str; words != "" {
		s.words = strings.Clone(words)
	}
	stats := e.Get("stats")
	if stats.IsObject() {
		number := func(name string) int64 { return agent.TokenCount(stats.Get(name).Float()) }
		s.told = true
		s.usage = s.usage.Plus(agent.Usage{Input: number("input_tokens"), Output: number("output_tokens"), CachedInput: number("cached")})
	}
	s.models = nil
	for model, used := range stats.Get("models").Map() {
		if used.Get("output_tokens").Int() > 0 {
			s.models = append(s.models, strings.Clone(model))
		}
	}
	slices.Sort(s.models)
}
