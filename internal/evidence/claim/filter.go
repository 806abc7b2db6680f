package claim

import (
	"slices"

	"github.com/research-council/research-council/internal/base/usage"
)

// Filter says which claims of a registry are wanted; all where nothing is said.
type Filter struct {
	State     string // of the quotation
	Seat      string // that claims it
	Conflicts bool   // only claims that others disagree with
}

// Apply gives the part of a registry that is wanted.
func (w Filter) Apply(reg Registry) (Registry, error) {
	if w.State != "" && !slices.Contains([]State{Located, NotFound, Unchecked, Withdrawn}, State(w.State)) {
		return Registry{}, usage.Errorf("--state %q is none; there are %s, %s, %s and %s", w.State, Located, NotFound, Unchecked, Withdrawn)
	}
	out := Registry{Entries: []Entry{}, Copies: reg.Copies}
	kept := map[string]bool{}
	for _, e := range reg.Entries {
		if w.fits(e, reg.Conflicts) {
			out.Entries = append(out.Entries, e)
			kept[e.ID] = true
		}
	}
	for _, g := range reg.Groups {
		if slices.ContainsFunc(g.Members, func(id string) bool { return kept[id] }) {
			out.Groups = append(out.Groups, g)
		}
	}
	for _, d := range reg.Conflicts {
		if kept[d.A] || kept[d.B] {
			out.Conflicts = append(out.Conflicts, d)
		}
	}
	for _, r := range reg.Relations {
		if kept[r.A] || kept[r.B] {
			out.Relations = append(out.Relations, r)
		}
	}
	return out, nil
}

func (w Filter) fits(e Entry, conflicts []Conflict) bool {
	return (w.State == "" || string(e.Location.State) == w.State) &&
		(w.Seat == "" || slices.Contains(e.Seats, w.Seat)) &&
		(!w.Conflicts || slices.ContainsFunc(conflicts, func(d Conflict) bool { return d.A == e.ID || d.B == e.ID }))
}
