package chat

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
)

// Types of events, one JSON object a line.
const (
	Started  = "start"  // Model, as it was asked
	Asked    = "asked"  // Usage: what the question comes to, reckoned
	Noted    = "note"   // Note
	Called   = "call"   // Call, Tool, Note: a tool is called
	Returned = "result" // Call, Tool, Failed: it has answered
	Ended    = "end"    // Model, Usage, Finish, Text: the answer is in the report
	Failed   = "error"  // Cause and what it was; Usage where it is known
)

// Causes of a failure.
const (
	Refused     = "refused"     // the server answered with an error: Status, Code
	Unreachable = "unreachable" // no connection, or none that lasted to an answer
	Broken      = "broken"      // the answer broke off, or is none
	Silent      = "silent"      // nothing came for too long
	Late        = "late"        // the turn's time was up
	Empty       = "empty"       // the model said nothing
	Withheld    = "withheld"    // a filter, or the model, refused to answer
	Large       = "large"       // the answer is larger than a report may be
	Unset       = "unset"       // the seat is not set up: no key, no address
	Small       = "small"       // the model's window is too small for what is asked
)

// Event is a line of the stream. It holds no key.
type Event struct {
	Type   string `json:"type"`
	Note   string `json:"note,omitempty"`
	Model  string `json:"model,omitempty"`
	Usage  *Usage `json:"usage,omitempty"`
	Finish string `json:"finish,omitempty"`
	Text   string `json:"text,omitempty"` // the beginning of the answer

	Call   string `json:"call,omitempty"` // its id
	Tool   string `json:"tool,omitempty"`
	Failed bool   `json:"failed,omitempty"`

	Cause      string `json:"cause,omitempty"`
	Status     int    `json:"status,omitempty"` // of HTTP
	Code       string `json:"code,omitempty"`   // the server's word for the error
	Message    string `json:"message,omitempty"`
	RetryAfter int64  `json:"retry_after_ms,omitempty"`
}

// Read judges the turn by its last event, and by its exit status.
func (Adapter) Read(t agent.Turn, x agent.Exit) agent.Reply {
	reply := agent.Reply{Session: t.Session}
	var m meter
	var last gjson.Result
	for line := range agent.Events(x.Stdout) {
		m.Add(line)
		e := gjson.GetManyBytes(line, "type", "usage", "model", "text")
		switch e[0].Str {
		case Ended:
			reply.Text, reply.Models = e[3].Str, nil
			if e[2].Str != "" {
				reply.Models = []string{e[2].Str}
			}
			fallthrough
		case Failed:
			last = gjson.ParseBytes(append([]byte(nil), line...))
		}
	}
	reply.Usage, reply.Fault = agent.Usage(m), fault(x, last)
	return reply
}

// Meter reads the use the process tells: of what it asks when it begins, of the
// answer when it has come.
func (Adapter) Meter(agent.Turn) agent.Meter { return new(meter) }

type meter agent.Usage

// Add takes the next line. What a server has refused or never heard was not
// paid.
func (m *meter) Add(line []byte) {
	if !agent.Event(line) {
		return
	}
	e := gjson.GetManyBytes(line, "type", "usage", "cause")
	switch {
	case e[1].IsObject():
		*m = meter(eventUsage(e[1]))
	case e[0].Str == Failed && (e[2].Str == Refused || e[2].Str == Unreachable || e[2].Str == Unset):
		*m = meter{}
	}
}

// Used is what was told last.
func (m *meter) Used() []agent.Usage { return []agent.Usage{agent.Usage(*m)} }

func eventUsage(u gjson.Result) agent.Usage {
	count := func(name string) int64 { return agent.TokenCount(u.Get(name).Float()) }
	return agent.Usage{Input: count("input"), CachedInput: min(count("cached"), count("input")), Output: count("output"), Reckoned: u.Get("reckoned").Bool()}
}

func fault(x agent.Exit, last gjson.Result) *agent.Fault {
	if cut := x.Interruption(); cut != nil {
		return cut
	}
	switch {
	case last.Get("type").Str == Failed:
		return eventFault(last)
	case x.Code != 0:
		return agent.NewFault(agent.Degenerate, "status %d: %s", x.Code, x.LastErrorLine())
	case !last.Exists():
		return agent.NewFault(agent.Degenerate, "it ended without an answer")
	}
	return nil
}

// maxRetryAfter bounds how long a server can have us wait.
const maxRetryAfter = 24 * time.Hour

func eventFault(e gjson.Result) *agent.Fault {
	f := agent.NewFault(class(e), "%s", cmp.Or(plain.Line(e.Get("message").Str, 300), "the server gave no answer"))
	if f.Class == agent.Retryable {
		const most = int64(maxRetryAfter / time.Millisecond)
		f.RetryAfter = time.Duration(min(max(0, e.Get("retry_after_ms").Int()), most)) * time.Millisecond
	}
	return f
}

func class(e gjson.Result) agent.Class {
	switch e.Get("cause").Str {
	case Refused:
		return refusal(int(e.Get("status").Int()), e.Get("code").Str)
	case Unreachable, Broken, Silent:
		return agent.Retryable
	case Late:
		return agent.TimedOut
	case Unset, Small:
		return agent.Terminal
	}
	return agent.Degenerate
}

// BadCall is the code of Groq for a call of a tool that it cannot read: the model has
// written it, and may do better another time.
const BadCall = "tool_use_failed"

// statusGroqBusy is Groq's own status: no capacity just now.
const statusGroqBusy = 498

// refusal is what an error of the server means. One inside a stream that began
// well has a code and no status; some servers give a status for a code.
func refusal(status int, code string) agent.Class {
	switch code {
	case BadCall:
		return agent.Retryable
	case "insufficient_quota", "billing_hard_limit_reached", "invalid_api_key", "model_not_found", "context_length_exceeded":
		return agent.Terminal
	}
	if n, err := strconv.Atoi(code); status == 0 && err == nil {
		status = n
	}
	switch {
	case status == statusGroqBusy, status < http.StatusContinue:
		return agent.Retryable
	}
	return agent.StatusClass(status)
}

// Note is what a line of the stream says to a person.
func (Adapter) Note(line []byte) string {
	if len(line) > agent.NoteLine || !agent.Event(line) {
		return ""
	}
	e := gjson.GetManyBytes(line, "note", "message")
	return plain.Line(cmp.Or(e[0].Str, e[1].Str), agent.NoteLimit)
}

// calls are the calls of tools that a line of the stream tells of.
func calls(line []byte) []agent.Call {
	if !agent.Event(line) {
		return nil
	}
	e := gjson.GetManyBytes(line, "type", "call", "tool", "failed")
	switch e[0].Str {
	case Called:
		return []agent.Call{{ID: e[1].Str, Name: e[2].Str}}
	case Returned:
		return []agent.Call{{ID: e[1].Str, Ended: true, Failed: e[3].Bool()}}
	}
	return nil
}
