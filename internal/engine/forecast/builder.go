package forecast

import (
	"slices"

	"github.com/research-council/research-council/internal/engine/flow"
)

// Builder makes the demand of a run out of what its seats will be asked.
type Builder struct {
	Demand
	setup flow.Setup
}

// NewBuilder is a demand in which nobody is asked anything yet.
func NewBuilder(s flow.Setup) *Builder {
	return &Builder{Demand: Demand{Kind: s.Workflow, Tier: s.Tier, USD: s.Limits.USD, Tokens: s.Limits.Tokens, Time: s.Limits.Time}, setup: s}
}

// AddPart adds what a seat will be asked. The same roles of one seat are one part.
func (a *Builder) AddPart(s flow.Seat, p Part) {
	p.Seat = Seat{Name: s.Name, Model: s.Model, Kind: s.Kind, Thinks: s.HasModel(), Free: s.Free}
	if price, known := a.setup.PriceOf(s, ""); known {
		p.Seat.Price = &Price{Input: price.Input, Cached: price.Cached, Output: price.Output}
	}
	at := slices.IndexFunc(a.Parts, func(q Part) bool { return q.Seat.Name == s.Name && slices.Equal(q.Roles, p.Roles) })
	if at < 0 {
		a.Parts = append(a.Parts, p)
		return
	}
	a.Parts[at].Likely += p.Likely
	a.Parts[at].Max += p.Max
}

// SeatsWithModel are the run's seats that have a model.
func (a *Builder) SeatsWithModel() []flow.Seat {
	return slices.DeleteFunc(slices.Clone(a.setup.Seats), func(s flow.Seat) bool { return !s.HasModel() })
}
