package staged

import (
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
)

// Status is where staged research stands.
type Status struct {
	Stage      string   `json:"current_stage"`
	Number     int      `json:"number"` // of Stages, from 1; one more when all are done
	Stages     int      `json:"stages"`
	Iteration  int      `json:"iteration"`      // times reviewers have sent the work back
	Iterations int      `json:"max_iterations"` // at most
	Gates      []Gate   `json:"gates,omitempty"`
	Verdict    string   `json:"verdict,omitempty"`  // of the last review
	Families   []string `json:"families,omitempty"` // that truly voted in it
	Page       string   `json:"page,omitempty"`     // address of the report in Notion
}

// OwnStatus is where staged research stands, as the status of its run carries it.
func OwnStatus(s *Status) flow.Own { return flow.Hold(own, s) }

// StatusOf is where staged research stands; nil for what is none.
func StatusOf(s status.Status) *Status { return flow.Held[Status](s.Own, own) }
