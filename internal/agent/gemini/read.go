package gemini

import (
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"research-council/internal/agent"
)

// Read judges the turn by the exit status and by the last line of the stream:
// nothing but a successful result there is a success. Counts are those of
// this process. The models are those that truly answered.
//
// A session id that is taken means that an earlier process of ours made the
// session and was lost before it could say so: the fault is [agent.Lost] and
// the reply names the session, to be resumed.
func (Adapter) Read(t agent.Turn, x agent.Exit) agent.Reply {
	s := read(x.Stdout)
	reply := agent.Reply{Session: t.Session, Text: s.text.String(), Usage: s.usage, Models: s.models, Fault: s.fault(t, x)}
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
	usage   agent.Usage
	models  []string
}

func read(r io.Reader) *stream {
	s := new(stream)
	for line := range agent.Lines(r) {
		if agent.Event(line) {
			s.add(gjson.ParseBytes(line))
		}
	}
	return s
}

func (s *stream) add(e gjson.Result) {
	kind := strings.Clone(e.Get("type").Str)
	switch kind {
	case "init":
		s.session = agent.SessionID(e.Get("session_id").Str)
	case "message":
		s.hear(e)
	case "error":
		s.warn(e)
	case "result":
		s.end(e)
	}
	s.last = kind
}

func (s *stream) hear(e gjson.Result) {
	if e.Get("role").Str != "assistant" {
		return
	}
	if s.last != "message" || !e.Get("delta").Bool() {
		s.text.Reset()
	}
	if piece := e.Get("content").Str; s.text.Len()+len(piece) <= textLimit {
		s.text.WriteString(piece)
	}
}

func (s *stream) warn(e gjson.Result) {
	message := e.Get("message").Str
	s.looped = s.looped || strings.HasPrefix(message, "Loop detected")
	if e.Get("severity").Str == "error" {
		s.words = strings.Clone(message)
	}
}

func (s *stream) end(e gjson.Result) {
	s.status = strings.Clone(e.Get("status").Str)
	if words := e.Get("error.message").Str; words != "" {
		s.words = strings.Clone(words)
	}
	stats := e.Get("stats")
	s.usage = agent.Usage{
		Input:       stats.Get("input_tokens").Int(),
		Output:      stats.Get("output_tokens").Int(),
		CachedInput: stats.Get("cached").Int(),
	}
	s.models = nil
	for model, used := range stats.Get("models").Map() {
		if used.Get("output_tokens").Int() > 0 {
			s.models = append(s.models, strings.Clone(model))
		}
	}
	slices.Sort(s.models)
}
