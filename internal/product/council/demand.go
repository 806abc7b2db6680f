package council

import (
	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/product/panel"
)

// searches is how many iterations of a seat's research, and of its refinement, are
// likely where nothing was measured.
const searches = 2

// Demand is what a council will ask of its seats: one to plan, every seat to research and to
// refine, each family to judge, and one seat for the synthesis.
func Demand(s flow.Setup) forecast.Demand {
	if IsMerging(s) {
		return mergeDemand(s)
	}
	a := forecast.NewBuilder(s)
	revisions := panel.MostRevisions(s, panel.DefaultRevisions)
	most := max(s.Loop.Iterations, 1)
	if s.Planner != nil {
		a.AddPart(*s.Planner, forecast.Part{Given: true, Roles: []string{agent.Plan}, Likely: 1, Max: planTries})
	}
	for _, s := range s.Seats {
		for _, role := range []string{agent.Research, agent.Refinement} {
			a.AddPart(s, forecast.Part{Roles: []string{role}, Likely: searches, Max: most})
		}
	}
	judges := flow.Families(a.SeatsWithModel())
	debate := s.Plan.Debate
	batches := MostBatches
	if debate != scope.Off && len(judges) > 1 {
		batches++ // of what a debate brings
	}
	for _, s := range judges {
		for _, role := range []string{agent.Comparison, agent.Support} {
			a.AddPart(s, forecast.Part{Given: true, Roles: []string{role}, Likely: 1, Max: batches * flow.MaxAnswerTurns})
		}
		if debate == scope.Off {
			continue
		}
		a.AddPart(s, forecast.Part{Roles: []string{agent.Validation}, Max: flow.MaxAnswerTurns})
		argued := forecast.Part{Given: true, Roles: []string{agent.Debate}, Max: flow.MaxAnswerTurns * DebateRounds}
		if debate == scope.Force && len(judges) > 1 {
			argued.Likely, argued.Certain = 1, true
		}
		a.AddPart(s, argued)
	}
	if writers := a.SeatsWithModel(); len(writers) > 0 {
		a.AddPart(writers[0], forecast.Part{Given: true, Roles: []string{agent.Synthesis}, Likely: 1, Max: flow.MaxAnswerTurns * (1 + revisions)})
	}
	panel.AddDemand(a, s, revisions)
	return a.Demand
}
