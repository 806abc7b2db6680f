package staged

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// What a state's Status may be.
const (
	Running     = "running"
	Paused      = "paused_for_input"
	Completed   = "completed"
	Failed      = "failed"
	Cancelled   = "cancelled"
	OutOfBudget = "out_of_budget"
)

// State is where a run of staged research stands, as people and programs read
// it on disk. It is a projection: nothing is decided from it.
type State struct {
	RunID         string                     `json:"run_id"`
	Topic         string                     `json:"topic"`
	CurrentStage  string                     `json:"current_stage"` // one of [Stages], or done
	StartedAt     time.Time                  `json:"started_at"`
	UpdatedAt     time.Time                  `json:"updated_at"`
	Iteration     int                        `json:"iteration"`      // revisions the review has sent back
	MaxIterations int                        `json:"max_iterations"` // of them that are allowed
	Status        string                     `json:"status"`
	Outputs       map[string]json.RawMessage `json:"stage_outputs"` // by stage, only those that hold
	Gates         []Gate                     `json:"gates"`         // as they were judged
	Error         string                     `json:"error,omitempty"`
}

// Gate is a gate as it was judged once.
type Gate struct {
	Stage   string    `json:"stage"`
	Passed  bool      `json:"passed"`
	Reason  string    `json:"reason"`
	At      time.Time `json:"at"`
	Attempt int       `json:"attempt"` // from 1, of this stage
}

// Encode writes the state as indented JSON. Outputs that are no JSON, or of no
// stage, are left out.
func (s State) Encode() []byte {
	s.StartedAt, s.UpdatedAt = stamp(s.StartedAt), stamp(s.UpdatedAt)
	s.Outputs = keepableOutputs(s.Outputs)
	s.Gates = append([]Gate{}, s.Gates...)
	for i := range s.Gates {
		s.Gates[i].At = stamp(s.Gates[i].At)
	}
	return encoded(s)
}

// stamp is a time as JSON can hold it.
func stamp(t time.Time) time.Time {
	if t = t.UTC().Round(0); t.Year() < 0 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// keepableOutputs are the outputs that can be kept, as compact JSON.
func keepableOutputs(outputs map[string]json.RawMessage) map[string]json.RawMessage {
	kept := map[string]json.RawMessage{}
	for stage, raw := range outputs {
		if raw = compact(raw); slices.Contains(Stages(), stage) && raw != nil && string(raw) != "null" {
			kept[stage] = raw
		}
	}
	return kept
}

// compact is JSON without white space; nil for what is none, or is nested so
// deeply that it cannot stand two levels down in a state.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if raw = bytes.ToValidUTF8(raw, []byte("\ufffd")); !json.Valid(raw) {
		return nil
	}
	if json.Compact(&b, slices.Concat([]byte("[["), raw, []byte("]]"))) != nil {
		return nil
	}
	return b.Bytes()[2 : b.Len()-2]
}
