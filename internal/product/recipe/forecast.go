package recipe

import (
	"cmp"
	"slices"

	"research-council/internal/agent"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/forecast"
	"research-council/internal/evidence/scope"
	"research-council/internal/product/campaign"
	"research-council/internal/product/codereview"
	"research-council/internal/product/codereview/finding"
	"research-council/internal/product/staged"
)

// Iterations that are likely where nothing was measured, and those that a task
// of one answer may come to.
const (
	searches       = 2 // of a seat's research, and of its refinement
	maxAnswerTurns = 3 // see answerTask and judgeTask
)

// Demand is what a run will ask of its seats, for a forecast of what it takes.
// A review of code needs to know its batches as well: see [ReviewDemand].
func Demand(s flow.Setup) forecast.Demand {
	a := demandBuilder{Demand: forecast.Demand{Kind: s.Workflow, Tier: s.Tier, USD: s.Limits.USD, Tokens: s.Limits.Tokens}, setup: s}
	switch {
	case campaign.Of(s.Own) != nil:
		a.addCampaign()
	case staged.Of(s.Own) != nil:
		a.addStaged()
	default:
		a.addCouncil()
	}
	a.addPanel()
	return a.Demand
}

// ReviewDemand is the same for a review of code in so many batches.
func ReviewDemand(s flow.Setup, batches int) forecast.Demand {
	a := demandBuilder{Demand: forecast.Demand{Kind: s.Workflow, Tier: s.Tier, USD: s.Limits.USD, Tokens: s.Limits.Tokens}, setup: s}
	seats := a.seatsWithModel()
	if batches == 0 || len(seats) == 0 {
		return a.Demand
	}
	readings, each := batches*len(finding.Reviewers()), len(seats)
	if codereview.Of(s.Own).Rivals {
		seats = families(seats)
		each = 1 // every family reads everything
	}
	const iterations = 2 // of one try, see deepTask
	for _, seat := range seats {
		likely := (readings + each - 1) / each
		a.addPart(seat, forecast.Part{Roles: []string{agent.Inspect}, Likely: likely, Max: likely * reviewTries * iterations, Certain: true})
		a.addPart(seat, forecast.Part{Given: true, Roles: []string{agent.Spotcheck}, Likely: 1, Max: iterations})
	}
	a.addPart(seats[0], forecast.Part{Given: true, Roles: []string{agent.Annotate, agent.Synthesize}, Likely: 2, Max: 2 * reviewTries * iterations})
	return a.Demand
}

// demandBuilder is an Ahead in the making.
type demandBuilder struct {
	forecast.Demand
	setup flow.Setup
}

// addPart adds what a seat will be asked. The same roles of one seat are one part.
func (a *demandBuilder) addPart(s flow.Seat, p forecast.Part) {
	p.Seat = forecast.Seat{Name: s.Name, Model: s.Model, Thinks: s.HasModel(), Free: s.Free}
	if price, known := a.setup.PriceOf(s, ""); known {
		p.Seat.Price = &forecast.Price{Input: price.Input, Cached: price.Cached, Output: price.Output}
	}
	at := slices.IndexFunc(a.Parts, func(q forecast.Part) bool { return q.Seat.Name == s.Name && slices.Equal(q.Roles, p.Roles) })
	if at < 0 {
		a.Parts = append(a.Parts, p)
		return
	}
	a.Parts[at].Likely += p.Likely
	a.Parts[at].Max += p.Max
}

// seatsWithModel are the run's seats that have a model.
func (a *demandBuilder) seatsWithModel() []flow.Seat {
	return slices.DeleteFunc(slices.Clone(a.setup.Seats), func(s flow.Seat) bool { return !s.HasModel() })
}

// addCouncil asks every seat to research and to refine, each family to judge, and
// one seat for the synthesis.
func (a *demandBuilder) addCouncil() {
	most := max(a.setup.Loop.Iterations, 1)
	for _, s := range a.setup.Seats {
		for _, role := range []string{agent.Research, agent.Refinement} {
			a.addPart(s, forecast.Part{Roles: []string{role}, Likely: searches, Max: most})
		}
	}
	judges := families(a.seatsWithModel())
	debate := a.setup.Plan.Debate
	for _, s := range judges {
		a.addPart(s, forecast.Part{Given: true, Roles: []string{agent.Support}, Likely: 1, Max: 2 * maxAnswerTurns}) // a family alone is asked twice
		if debate == scope.Off {
			continue
		}
		a.addPart(s, forecast.Part{Roles: []string{agent.Validation}, Max: maxAnswerTurns})
		argued := forecast.Part{Given: true, Roles: []string{agent.Debate}, Max: maxAnswerTurns * DebateRounds}
		if debate == scope.Force && len(judges) > 1 {
			argued.Likely, argued.Certain = 1, true
		}
		a.addPart(s, argued)
	}
	if writers := a.seatsWithModel(); len(writers) > 0 {
		a.addPart(writers[0], forecast.Part{Given: true, Roles: []string{agent.Synthesis}, Likely: 1, Max: maxAnswerTurns * (1 + a.revisions())})
	}
}

// revisions is how often a panel may send the work back.
func (a *demandBuilder) revisions() int {
	switch {
	case len(a.setup.Panel) == 0:
		return 0
	case staged.Of(a.setup.Own) != nil:
		return staged.Of(a.setup.Own).Revisions
	}
	return staged.Revisions
}

// addStaged asks one seat for what is thought and written, all that can search for
// facts, and all that can judge for votes.
func (a *demandBuilder) addStaged() {
	writers := Writers(flow.Run{Setup: a.setup})
	if len(writers) == 0 {
		return
	}
	again := 1 + a.revisions()
	a.addPart(writers[0], forecast.Part{Given: true, Roles: []string{agent.Questions, agent.Brief, agent.Planning}, Likely: 3, Max: 3 * maxAnswerTurns, Certain: true})
	a.addPart(writers[0], forecast.Part{Given: true, Roles: []string{agent.Findings, agent.Prose}, Likely: 2, Max: 2 * maxAnswerTurns * again})
	other := writers[0]
	if i := slices.IndexFunc(writers, func(s flow.Seat) bool { return s.HasModel() && s.Brand != other.Brand }); i >= 0 {
		other = writers[i]
	}
	a.addPart(other, forecast.Part{Given: true, Roles: []string{agent.Advocate}, Likely: 1, Max: maxAnswerTurns * again})
	agents := staged.Of(a.setup.Own).Agents
	seats := searchSeats(flow.Run{Setup: a.setup})
	for _, s := range seats {
		a.addPart(s, forecast.Part{Roles: []string{agent.Collection}, Likely: (agents + len(seats) - 1) / len(seats), Max: agents * maxAnswerTurns})
	}
	for _, s := range families(slices.Concat(a.seatsWithModel(), a.setup.Panel)) {
		a.addPart(s, forecast.Part{Given: true, Roles: []string{agent.Support}, Likely: 1, Max: 2 * maxAnswerTurns})
	}
}

// addPanel asks those that review the report.
func (a *demandBuilder) addPanel() {
	for _, s := range a.setup.Panel {
		a.addPart(s, forecast.Part{Given: true, Roles: []string{agent.Review}, Likely: 1, Max: maxAnswerTurns * (1 + a.revisions())})
		if len(a.setup.Panel) > 1 {
			a.addPart(s, forecast.Part{Given: true, Roles: []string{agent.Reconsider}, Likely: 1, Max: maxAnswerTurns * (1 + a.revisions())})
		}
	}
}

// judges asks every family for its votes on what a campaign's report rests on,
// where it is reviewed.
func (a *demandBuilder) judges() {
	if len(a.setup.Panel) == 0 {
		return
	}
	for _, s := range families(slices.Concat(a.seatsWithModel(), a.setup.Panel)) {
		a.addPart(s, forecast.Part{Given: true, Roles: []string{agent.Support}, Likely: 1, Max: 2 * maxAnswerTurns})
	}
}

// addCampaign asks the worker for every iteration, rivals to search beside it, and
// critics for their word on each plan and each change.
func (a *demandBuilder) addCampaign() {
	c := campaign.Of(a.setup.Own)
	run := flow.Run{Setup: a.setup}
	likely := max(1, min(c.Iterations, c.Mode.Iterations())/2)
	if named := c.Research + c.Planning; named > 0 && !slices.Contains(c.Mode.Phases(), campaign.PhaseC) {
		likely = min(named, c.Iterations)
	}
	a.Endless = c.Iterations >= campaign.Unlimited
	worker := Worker(run)
	roles := []string{agent.Explore, agent.Conclude, agent.Design, agent.Breakdown, agent.Code}
	a.addPart(worker, forecast.Part{Roles: roles, Likely: likely, Max: c.Iterations})
	if slices.Contains(c.Mode.Phases(), campaign.PhaseA) {
		for _, s := range rivalSeats(run) {
			a.addPart(s, forecast.Part{Roles: []string{agent.Explore}, Likely: cmp.Or(likely/len(c.Mode.Phases()), 1), Max: c.Iterations})
		}
	}
	a.judges()
	if c.Mode == campaign.Research {
		return
	}
	for _, s := range Critics(run) {
		a.addPart(s, forecast.Part{Given: true, Roles: []string{agent.Critique, agent.Judge}, Likely: max(1, likely/2), Max: c.Iterations})
	}
}
