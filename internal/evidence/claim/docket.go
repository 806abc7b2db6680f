package claim

import (
	"cmp"
	"slices"
)

// A Point is one thing that is worth arguing over, with all claims of its sides: a
// contradiction between two groups of claims, or one group whose passages judges
// read in opposite ways.
type Point struct {
	ID       string    `json:"id"`                 // of the conflict, or of the claim that judges read in opposite ways
	Severity Severity  `json:"severity,omitempty"` // how much hangs on it
	Conflict Conflict  `json:"conflict,omitzero"`  // the zero one where there is no other side
	A        []string  `json:"a"`                  // the claims of one side, that of the conflict first
	B        []string  `json:"b,omitempty"`        // those of the other; none where there is no other side
	Shared   string    `json:"shared,omitempty"`   // A or B: the side that further conflicts have too; "" where there are none
	With     []Further `json:"with,omitempty"`
}

// Further is another conflict of a point that has the shared side of it.
type Further struct {
	Conflict Conflict `json:"conflict"`
	Turned   bool     `json:"turned,omitempty"` // what is A of the conflict stands on side B of the point
}

// maxFurther bounds the conflicts of one point beside its first.
const maxFurther = 5

// Grouped makes one point of those that share a side: whether that holds is argued
// once. The other side then has the claims of all that stand against it, one of each
// conflict first.
func Grouped(points []Point) []Point {
	var list []Point
	for _, p := range points {
		taken := false
		for i := 0; i < len(list) && !taken; i++ {
			taken = list[i].take(p)
		}
		if !taken {
			list = append(list, p)
		}
	}
	return list
}

// take makes another point a part of this one, where they share a side.
func (p *Point) take(q Point) bool {
	if len(p.B) == 0 || len(q.B) == 0 || p.Conflict.Answers != q.Conflict.Answers || p.Conflict.Possible != q.Conflict.Possible || len(p.With) == maxFurther {
		return false
	}
	for _, fit := range []struct {
		side        string
		turned      bool
		same, other []string
	}{{"A", false, q.A, q.B}, {"A", true, q.B, q.A}, {"B", false, q.B, q.A}, {"B", true, q.A, q.B}} {
		shared, against := p.A, &p.B
		if fit.side == "B" {
			shared, against = p.B, &p.A
		}
		if p.Shared != "" && p.Shared != fit.side || !slices.Contains(shared, fit.same[0]) {
			continue
		}
		if !slices.Contains(*against, fit.other[0]) {
			*against = slices.Insert(slices.Clone(*against), 1+len(p.With), fit.other[0])
		}
		for _, id := range fit.other {
			*against = addUnique(*against, id)
		}
		p.Shared, p.With, p.Severity = fit.side, append(slices.Clone(p.With), Further{q.Conflict, fit.turned}), moreSevere(p.Severity, q.Severity)
		return true
	}
	return false
}

// Conflicts are the ids of all conflicts of a point, its own first.
func (p Point) Conflicts() []string {
	ids := []string{p.ID}
	for _, f := range p.With {
		ids = append(ids, f.Conflict.ID)
	}
	return ids
}

// Docket lists what is worth arguing over, opposite answers to a question and then the
// gravest first: open conflicts that
// families have agreed on, and claims on which votes oppose each other. What is
// only possibly a conflict is none of it, unless votes oppose each other on a
// claim of its sides. All conflicts between two groups are one point.
func Docket(r Registry) []Point { return newDocket(r).list(false, nil) }

// WideDocket is the docket of judges who are to argue in any case: beside the
// other it has what is possibly in conflict, but for what all who compared it call the
// same, and the claims that are in doubt.
func WideDocket(r Registry, doubted []string) []Point { return newDocket(r).list(true, doubted) }

// docket makes points.
type docket struct {
	Registry
	entries map[string]Entry
	groups  map[string]Group // by each of their members
	points  []Point
	between map[[2]string]bool // groups that a point is between
	covered map[string]bool    // groups that are a side of a point
}

func newDocket(r Registry) *docket {
	d := &docket{Registry: r, entries: map[string]Entry{}, groups: map[string]Group{}, between: map[[2]string]bool{}, covered: map[string]bool{}}
	for _, e := range r.Entries {
		d.entries[e.ID] = e
	}
	for _, g := range r.Groups {
		for _, id := range g.Members {
			d.groups[id] = g
		}
	}
	return d
}

func (d *docket) list(possible bool, doubted []string) []Point {
	for _, c := range d.Conflicts {
		if c.IsOpen() && (possible && !c.SameToAll || !c.Possible || d.isOpposed(c.A) || d.isOpposed(c.B)) {
			d.addConflict(c)
		}
	}
	for _, e := range d.Entries {
		if e.IsOpposed() || slices.Contains(doubted, e.ID) {
			d.addClaim(e)
		}
	}
	slices.SortStableFunc(d.points, func(p, q Point) int { return cmp.Compare(p.rank(), q.rank()) })
	return d.points
}

// rank is the place of a point in their order: opposite answers to a question, then
// the gravest.
func (p Point) rank() int {
	if p.Conflict.Answers {
		return -1
	}
	return p.Severity.rank()
}

// rank is the place of a severity in their order, the gravest first.
func (s Severity) rank() int {
	return slices.Index([]Severity{P0, P1, Minor}, cmp.Or(s, Minor))
}

// addConflict adds a conflict, unless there is one between its two groups.
func (d *docket) addConflict(c Conflict) {
	a, b := d.home(c.A), d.home(c.B)
	pair := [2]string{min(a, b), max(a, b)}
	if a == b || d.between[pair] {
		return
	}
	d.between[pair], d.covered[a], d.covered[b] = true, true, true
	d.points = append(d.points, Point{ID: c.ID, Severity: cmp.Or(c.Severity, moreSevere(d.severity(a), d.severity(b))), Conflict: c, A: d.side(c.A), B: d.side(c.B)})
}

// addClaim adds a claim with its group, unless that is a side of a point.
func (d *docket) addClaim(e Entry) {
	home := d.home(e.ID)
	if d.covered[home] {
		return
	}
	d.covered[home] = true
	d.points = append(d.points, Point{ID: e.ID, Severity: d.severity(e.ID), A: d.side(e.ID)})
}

// home is the id of a claim's group, or its own.
func (d *docket) home(id string) string { return cmp.Or(d.groups[id].ID, id) }

// side is a claim with those of its group behind it.
func (d *docket) side(id string) []string { return d.groups[id].with(id) }

// with are the claims of a group, one of them first; of none it is alone.
func (g Group) with(id string) []string {
	list := []string{id}
	for _, member := range g.Members {
		list = addUnique(list, member)
	}
	return list
}

// SameAs are a claim and behind it those of its group.
func (r Registry) SameAs(id string) []string {
	at := slices.IndexFunc(r.Groups, func(g Group) bool { return slices.Contains(g.Members, id) })
	if at < 0 {
		return []string{id}
	}
	return r.Groups[at].with(id)
}

// isOpposed reports whether votes oppose each other on a claim or another of its
// group.
func (d *docket) isOpposed(id string) bool {
	return slices.ContainsFunc(d.side(id), func(id string) bool { return d.entries[id].IsOpposed() })
}

func (d *docket) severity(id string) Severity {
	var list []Entry
	for _, member := range d.side(id) {
		list = append(list, d.entries[member])
	}
	return sideOf(list).severity
}

// IsOpposed reports whether votes oppose each other on a claim, none of which are the
// more: by one its passage supports it, by another it says otherwise.
func (e Entry) IsOpposed() bool {
	return e.Verdict() == Undecided && e.Support.count(Supports) > 0 && e.Support.count(Contradicts) > 0
}

// count is how many have given an answer.
func (s *Support) count(answer string) int {
	n := 0
	for _, v := range s.Votes {
		if v.Answer == answer {
			n++
		}
	}
	return n
}
