package staged

import (
	"slices"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
)

// Demand is what staged research will ask of its seats: one for what is
// thought and written, all that can search for facts, and all that can judge for
// votes.
func Demand(s flow.Setup) forecast.Demand {
	a := forecast.NewBuilder(s)
	revisions := panel.MostRevisions(s, mostRevisions(s))
	addWork(a, s, 1+revisions)
	panel.AddDemand(a, s, revisions)
	return a.Demand
}

func addWork(a *forecast.Builder, s flow.Setup, again int) {
	writers := flow.Writers(s)
	if len(writers) == 0 {
		return
	}
	a.AddPart(writers[0], forecast.Part{Given: true, Roles: []string{agent.Questions, agent.Brief, agent.Planning}, Likely: 3, Max: 3 * flow.MaxAnswerTurns, Certain: true})
	a.AddPart(writers[0], forecast.Part{Given: true, Roles: []string{agent.Findings, agent.Prose}, Likely: 2, Max: council.MostBatches * flow.MaxAnswerTurns * again})
	other := writers[0]
	if i := slices.IndexFunc(writers, func(s flow.Seat) bool { return s.HasModel() && s.Brand != other.Brand }); i >= 0 {
		other = writers[i]
	}
	a.AddPart(other, forecast.Part{Given: true, Roles: []string{agent.Advocate}, Likely: 1, Max: flow.MaxAnswerTurns * again})
	agents := Of(s.Own).Agents
	seats := searchSeats(s)
	for _, seat := range seats {
		likely := (agents + len(seats) - 1) / len(seats)
		a.AddPart(seat, forecast.Part{Roles: []string{agent.Collection}, Likely: likely, AtOnce: likely, Max: agents * flow.MaxAnswerTurns})
	}
	for _, seat := range flow.Families(slices.Concat(a.SeatsWithModel(), s.Panel)) {
		a.AddPart(seat, forecast.Part{Given: true, Roles: []string{agent.Support}, Likely: 1, Max: council.MostBatches * flow.MaxAnswerTurns})
	}
}
