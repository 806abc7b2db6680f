package campaign

import (
	"cmp"
	"slices"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
)

// Demand is what a campaign will ask of its seats: the worker for every iteration, rivals to search beside it, and
// critics for their word on each plan and each change.
func Demand(s flow.Setup) forecast.Demand {
	a, c := forecast.NewBuilder(s), Of(s.Own)
	run := flow.Run{Setup: s}
	likely := max(1, min(c.Iterations, c.Mode.Iterations())/2)
	if named := c.Research + c.Planning; named > 0 && !slices.Contains(c.Mode.Phases(), PhaseC) {
		likely = min(named, c.Iterations)
	}
	a.Endless = c.Iterations >= Unlimited
	worker := Worker(run)
	roles := []string{agent.Explore, agent.Conclude, agent.Design, agent.Breakdown, agent.Code}
	a.AddPart(worker, forecast.Part{Roles: roles, Likely: likely, Max: c.Iterations})
	if slices.Contains(c.Mode.Phases(), PhaseA) {
		for _, rival := range rivalSeats(run) {
			a.AddPart(rival, forecast.Part{Roles: []string{agent.Explore}, Likely: cmp.Or(likely/len(c.Mode.Phases()), 1), Max: c.Iterations})
		}
	}
	if len(s.Panel) > 0 { // every family votes on what the report rests on
		for _, judge := range flow.Families(slices.Concat(a.SeatsWithModel(), s.Panel)) {
			a.AddPart(judge, forecast.Part{Given: true, Roles: []string{agent.Support}, Likely: 1, Max: council.MostBatches * flow.MaxAnswerTurns})
		}
	}
	if c.Mode != Research {
		for _, critic := range Critics(run) {
			a.AddPart(critic, forecast.Part{Given: true, Roles: []string{agent.Critique, agent.Judge}, Likely: max(1, likely/2), Max: c.Iterations})
		}
	}
	panel.AddDemand(a, s, panel.MostRevisions(s, panel.DefaultRevisions))
	return a.Demand
}
