// Package forecasttest looks into demands, for the tests of those who make them.
package forecasttest

import (
	"slices"

	"github.com/research-council/research-council/internal/engine/forecast"
)

// Part is what a demand asks of a seat in a role; false where it asks nothing.
func Part(d forecast.Demand, seat, role string) (forecast.Part, bool) {
	at := slices.IndexFunc(d.Parts, func(p forecast.Part) bool { return p.Seat.Name == seat && slices.Contains(p.Roles, role) })
	if at < 0 {
		return forecast.Part{}, false
	}
	return d.Parts[at], true
}
