package codereview

import (
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
)

// Status is how far a review of code is.
type Status struct {
	Phase    string         `json:"phase"`
	Batch    int            `json:"batch"`   // under review, from 1; 0 before the first
	Batches  int            `json:"batches"` // of the plan
	Files    int            `json:"files"`
	Lines    int            `json:"lines"`
	Findings map[string]int `json:"findings"`         // by severity, as they were found
	Missing  int            `json:"missing"`          // reviewers that have left nothing in a batch, also when asked again
	Folder   string         `json:"folder,omitempty"` // what was reviewed, relative to the project; "" for all of it
}

// OwnStatus is how far a review of code is, as the status of its run carries it.
func OwnStatus(s *Status) flow.Own { return flow.Hold(own, s) }

// StatusOf is how far a review of code is; nil for what is none.
func StatusOf(s status.Status) *Status { return flow.Held[Status](s.Own, own) }
