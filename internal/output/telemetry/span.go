package telemetry

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// Span is one piece of a run's work. One that is under way has a zero End.
type Span struct {
	Trace      string // 32 hex digits
	ID         string // 16 hex digits
	Parent     string // the span it is a part of; "" for the run
	Name       string
	Kind       Kind
	Start, End time.Time
	Attributes Attributes
	Events     []Event // in time
	Status     Status
}

// Event is a moment within a span.
type Event struct {
	Name       string     `json:"name"`
	At         time.Time  `json:"time"`
	Attributes Attributes `json:"attributes,omitempty"`
}

// Kind is what a span is between two parties.
type Kind string

const (
	Internal Kind = "internal" // work of the program itself
	Client   Kind = "client"   // a seat that is asked
)

// Status is how a span ended.
type Status string

const (
	Unset Status = "unset" // neither good nor bad: cancelled, given up, out of budget
	OK    Status = "ok"
	Error Status = "error" // error.type says of what kind
)

// Attributes are what is told of a span, an event or a point of a metric: each
// a string, a bool, an int64, a float64 or a []string.
type Attributes map[string]any

// levelKey names the attribute that says what of a run a span is.
const levelKey = "research_council.level"

// What of a run a span is: each is a part of the one before it.
const (
	levelRun   = "run"
	levelStage = "stage"
	levelTask  = "task"
	levelTurn  = "turn"
	levelTool  = "tool"
)

// stringValue is a string attribute, "" where there is none.
func (a Attributes) stringValue(name string) string {
	s, _ := a[name].(string)
	return s
}

// selected is what of the attributes is named and there.
func (a Attributes) selected(names ...string) Attributes {
	some := Attributes{}
	for _, name := range names {
		if v, ok := a[name]; ok {
			some[name] = v
		}
	}
	return some
}

// set sets an attribute unless its value is the zero one.
func (a Attributes) set(name string, value any) Attributes {
	switch v := value.(type) {
	case string:
		if v == "" {
			return a
		}
	case int64:
		if v == 0 {
			return a
		}
	case bool:
		if !v {
			return a
		}
	case []string:
		if len(v) == 0 {
			return a
		}
	}
	a[name] = value
	return a
}

// traceID names the trace of a run: the same whenever and by whomever it is
// reckoned.
func traceID(run string) string { return digest(16, "trace", run) }

// spanID names a piece of a run's work.
func spanID(run, kind string, parts ...string) string {
	return digest(8, append([]string{"span", run, kind}, parts...)...)
}

// digest is the first bytes of a SHA-256 as hex digits. That all of them are
// zero, which no id may be, does not happen.
func digest(bytes int, parts ...string) string {
	sum := sha256.Sum256([]byte("research-council\x00" + strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:bytes])
}

func turnID(run, task string, turn int) string {
	return spanID(run, "turn", task, strconv.Itoa(turn))
}

// Traceparent is the W3C trace context (version 00, sampled) of a turn's span,
// for the environment of its process: what that traces is then a part of the
// turn. run is the run's id, task the task's, turn counts from 1.
func Traceparent(run, task string, turn int) string {
	return "00-" + traceID(run) + "-" + turnID(run, task, turn) + "-01"
}
