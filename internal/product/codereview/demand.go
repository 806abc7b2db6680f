package codereview

import (
	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/product/codereview/finding"
)

// Demand is what a review of code in so many batches will ask of its seats.
func Demand(s flow.Setup, batches int) forecast.Demand {
	a := forecast.NewBuilder(s)
	seats := a.SeatsWithModel()
	if batches == 0 || len(seats) == 0 {
		return a.Demand
	}
	readings, each := batches*len(finding.Reviewers()), len(seats)
	if Of(s.Own).Rivals {
		seats = flow.Families(seats)
		each = 1 // every family reads everything
	}
	const iterations = 2 // of one try, see deepTask
	for _, seat := range seats {
		likely := (readings + each - 1) / each
		a.AddPart(seat, forecast.Part{Roles: []string{agent.Inspect}, Likely: likely, AtOnce: (len(finding.Reviewers()) + each - 1) / each, Max: likely * reviewTries * iterations, Certain: true})
		a.AddPart(seat, forecast.Part{Given: true, Roles: []string{agent.Spotcheck}, Likely: 1, Max: iterations})
	}
	a.AddPart(seats[0], forecast.Part{Given: true, Roles: []string{agent.Annotate, agent.Synthesize}, Likely: 2, Max: 2 * reviewTries * iterations})
	return a.Demand
}
