package command

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
)

// Exit statuses with a meaning, from sysexits.h (4.3BSD) and POSIX shells.
const (
	exUsage       = 64
	exNoInput     = 66
	exNoHost      = 68
	exUnavailable = 69
	exTempFail    = 75
	exConfig      = 78
	exNoExec      = 126
	exNotFound    = 127
)

// Read judges the turn by its exit status alone.
func (Adapter) Read(t agent.Turn, x agent.Exit) agent.Reply {
	s := newStream(t)
	agent.Feed(s, x.Stdout)
	reply := parseLastLine(s.last)
	reply.Usage = s.Used()[0]
	if reply.Session == "" {
		reply.Session = t.Session
	}
	reply.Fault = fault(x)
	if reply.Fault != nil && reply.Fault.Class == agent.NoSession {
		reply.Session = ""
	}
	return reply
}

// stream is what an executable has printed.
type stream struct {
	last  []byte
	shown *agent.Estimate
}

func newStream(t agent.Turn) *stream { return &stream{shown: agent.NewEstimate(t)} }

// Meter reads the use of the last line, and reckons one from the text where it
// tells none: an executable need not.
func (Adapter) Meter(t agent.Turn) agent.Meter { return newStream(t) }

// Add takes the next line.
func (s *stream) Add(line []byte) {
	s.last = append(s.last[:0], line...)
	s.shown.AddOutput(len(line))
}

// Used is what the last line tells, or what was seen.
func (s *stream) Used() []agent.Usage {
	if u := parseLastLine(s.last).Usage; u.Reported || u.Input+u.Output > 0 {
		return []agent.Usage{u}
	}
	return []agent.Usage{s.shown.Used()}
}

// parseLastLine reads the last line: a JSON object, or free text.
func parseLastLine(line []byte) agent.Reply {
	if !agent.Event(line) {
		return agent.Reply{Text: strings.ToValidUTF8(string(line), "\uFFFD")}
	}
	e := gjson.ParseBytes(line)
	reply := agent.Reply{
		Session: agent.SessionID(e.Get("session").Str),
		Text:    e.Get("text").Str,
		Usage: agent.Usage{
			Input:       tokenCount(e.Get("input_tokens")),
			Output:      tokenCount(e.Get("output_tokens")),
			CachedInput: tokenCount(e.Get("cached_input_tokens")),
			USD:         agent.USD(e.Get("usd").Num),
			Reported:    e.Get("usd").Type == gjson.Number,
			Cumulative:  e.Get("cumulative").Bool(),
		},
	}
	if model := e.Get("model").Str; model != "" {
		reply.Models = []string{model}
	}
	return reply
}

func tokenCount(n gjson.Result) int64 { return agent.TokenCount(n.Float()) }

func fault(x agent.Exit) *agent.Fault {
	if cut := x.Interruption(); cut != nil {
		return cut
	}
	words := x.LastErrorLine()
	switch {
	case x.Code == 0:
		return nil
	case x.Code == exTempFail, x.Code == exUnavailable, x.Code == exNoHost:
		return agent.NewFault(agent.Retryable, "%s", words)
	case x.Code == exNoInput:
		return agent.NewFault(agent.NoSession, "%s", words)
	case x.Code >= exUsage && x.Code <= exConfig, x.Code == exNoExec, x.Code == exNotFound:
		return agent.NewFault(agent.Terminal, "status %d: %s", x.Code, words)
	}
	return agent.NewFault(agent.Degenerate, "status %d: %s", x.Code, words)
}

// Note is the line itself, or the text of one that is a JSON object.
func (a Adapter) Note(line []byte) string { return plain.Line(a.Words(line), agent.NoteLimit) }

// Words is Note at its full length, as it came: foreign text.
func (Adapter) Words(line []byte) string {
	if agent.Event(line) {
		return gjson.GetBytes(line, "text").Str
	}
	return string(line)
}
