package status

import (
	"slices"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
)

// Use is what a seat has used in one role, for forecasts of later runs.
type Use struct {
	Seat       string `json:"seat"`
	Model      string `json:"model,omitempty"`
	Kind       string `json:"kind,omitempty"` // of the seat
	Role       string `json:"role"`
	Iterations int    `json:"iterations"`
	flow.Cost
}

// Uses lists what the seats of a run have used, by seat and role. What the
// program itself did cost nothing.
func Uses(r flow.Run) []Use {
	var list []Use
	visits := append(r.History[:len(r.History):len(r.History)], flow.Visit{Tasks: r.Tasks})
	for _, v := range visits {
		for _, t := range v.Tasks {
			if t.Seat == flow.Program || t.Turn == 0 {
				continue
			}
			at := slices.IndexFunc(list, func(u Use) bool { return u.Seat == t.Seat && u.Role == t.Role })
			if at < 0 {
				seat, _ := r.Seat(t.Seat)
				at, list = len(list), append(list, Use{Seat: t.Seat, Model: seat.Model, Kind: seat.Kind, Role: t.Role})
			}
			list[at].Iterations += max(1, t.Loop.Iterations) // a turn that came to nothing has cost as well
			list[at].Cost = list[at].Plus(t.Cost)
		}
	}
	return list
}

// Past is a run as a forecast learns of it; false for one that has not come to
// its end, which says little of those that do.
func (s Status) Past() (past forecast.FinishedRun, finished bool) {
	if s.Status != string(flow.Completed) {
		return forecast.FinishedRun{}, false
	}
	past = forecast.FinishedRun{Kind: s.Workflow, Tier: s.Tier, Elapsed: s.Spent.Elapsed}
	for _, u := range s.Uses {
		past.Uses = append(past.Uses, forecast.Use{
			Seat: u.Seat, Model: u.Model, Kind: u.Kind, Role: u.Role, Iterations: u.Iterations, Tokens: float64(u.Tokens),
			Input: float64(u.Input), Cached: float64(u.Cached), Output: float64(u.Output),
			USD: u.USD, Priced: (u.Reported || u.Estimated || u.USD > 0) && u.Unpriced == 0,
		})
	}
	return past, true
}
