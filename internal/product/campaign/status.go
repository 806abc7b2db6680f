package campaign

import (
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
)

// Status is how far a campaign is. Its counts are what the program
// measured after the iteration Measured; a later one may be under way.
type Status struct {
	Name       string          `json:"name"`
	Mode       string          `json:"mode"`
	Phase      string          `json:"phase"`
	Iteration  int             `json:"iteration"`
	Iterations int             `json:"iterations"` // of all phases, at most
	Measured   int             `json:"measured"`   // the last iteration that was measured; 0 for none
	Findings   int             `json:"findings"`
	New        int             `json:"new"`       // findings of the last iteration
	Low        int             `json:"low"`       // iterations in a row that found little
	Threshold  int             `json:"threshold"` // as many of them end the research
	Sources    int             `json:"sources"`
	Questions  int             `json:"questions"` // open
	Blockers   []string        `json:"blockers,omitempty"`
	Features   FeatureCounts   `json:"features,omitzero"`
	Folder     string          `json:"folder"` // relative to the project
	Phases     []PhaseCost     `json:"phases,omitempty"`
	Recent     []IterationCost `json:"recent,omitempty"`   // the last iterations, the newest first
	Progress   string          `json:"progress,omitempty"` // a line about the iteration Measured
	Ended      string          `json:"ended,omitempty"`    // why the campaign has ended
}

// FeatureCounts is how far an implementation is.
type FeatureCounts struct {
	Total    int    `json:"total"`
	Complete int    `json:"complete"`
	Failed   int    `json:"failed,omitempty"`  // for good
	Blocked  int    `json:"blocked,omitempty"` // they wait for a failed one
	Next     string `json:"next,omitempty"`
}

// PhaseCost is what a phase has taken.
type PhaseCost struct {
	Phase      string `json:"phase"`
	Iterations int    `json:"iterations"`
	status.Price
}

// IterationCost is what one iteration has taken.
type IterationCost struct {
	Iteration int    `json:"iteration"`
	Phase     string `json:"phase"`
	Role      string `json:"role"`
	status.Price
}

// OwnStatus is how far a campaign is, as the status of its run carries it.
func OwnStatus(s *Status) flow.Own { return flow.Hold(own, s) }

// StatusOf is how far a campaign is; nil for what is none.
func StatusOf(s status.Status) *Status { return flow.Held[Status](s.Own, own) }
