package prepare

import (
	"math"
	"slices"

	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
)

// cheapTier is the tier of the model that plans: splitting a question needs no more.
const cheapTier = "cheap"

// setPlanner settles who splits the question: of the run's seats that have a model the
// one whose cheap model costs least, the first of them where no price tells. Rules do
// where there is none, or where the person wants none.
func setPlanner(e program.Env, c config.Config, req request.Request, s *flow.Setup) {
	s.EditPlan = req.EditPlan
	able := slices.DeleteFunc(slices.Clone(s.Seats), withoutModel)
	if len(able) == 0 || req.NoPlan {
		return
	}
	cheap, _ := c.Roster(namesOf(able), cheapTier, e.Resolver())
	if len(cheap) == 0 {
		return
	}
	best := slices.MinFunc(cheap, func(a, b flow.Seat) int {
		switch x, y := planningCost(c, a), planningCost(c, b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	best.Name = flow.Planner
	s.Planner = &best
}

// planningCost orders seats by what a short answer of theirs costs.
func planningCost(c config.Config, s flow.Seat) float64 {
	price, known := flow.Setup{Prices: c.Prices}.PriceOf(s, "")
	switch {
	case s.Free:
		return 0
	case !known:
		return math.Inf(1)
	}
	return price.Input + price.Output
}
