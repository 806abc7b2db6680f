package finding

import "slices"

// touching is how many lines apart two findings may be and be of one place: 1
// is the very next line.
const touching = 1

// nearby is with how many others of a place a finding is compared at most. One
// place has a handful.
const nearby = 64

// gather puts findings, sorted by place, into groups that say the same.
func gather(sorted []Finding) [][]Finding {
	var groups []*group
	active := map[string][]*group{} // by file, those that may still reach the next finding
	for _, f := range sorted {
		near := slices.DeleteFunc(active[f.File], func(g *group) bool { return g.to+touching < f.Line })
		if extra := len(near) - nearby; extra > 0 {
			near = slices.Delete(near, 0, extra)
		}
		i := slices.IndexFunc(near, func(g *group) bool { return g.takes(f) })
		if i >= 0 {
			near[i].add(f)
		} else {
			g := &group{to: end(f), members: []Finding{f}}
			groups, near = append(groups, g), append(near, g)
		}
		active[f.File] = near
	}
	all := make([][]Finding, len(groups))
	for i, g := range groups {
		all[i] = g.members
	}
	return all
}

// group are findings that say the same, the first one of which all others are
// like.
type group struct {
	to      int // the last line of the first
	members []Finding
	words   *meaning // of the first, once it is needed
}

func (g *group) add(f Finding) { g.members = append(g.members, f) }

// end is a finding's last line, as far as it is one place.
func end(f Finding) int { return min(max(f.Line, f.EndLine), f.Line+widest) }

// takes reports whether a finding, which begins no earlier, says what the
// group says.
func (g *group) takes(f Finding) bool {
	first := g.members[0]
	if first.Found() != f.Found() {
		return false
	}
	for _, m := range g.members {
		if author(m) == author(f) && !repeats(m, f) {
			return false
		}
	}
	switch {
	case first.Kind == f.Kind && first.Category == f.Category:
		return true
	case first.CWE != "" && first.CWE == f.CWE:
		return true
	}
	if g.words == nil {
		g.words = mean(first)
	}
	return g.words.same(mean(f))
}

func author(f Finding) Author { return Author{f.Reviewer, f.Seat, f.Family, f.Batch} }

// repeats reports whether one reviewer has written the same finding twice.
func repeats(a, b Finding) bool {
	return a.Line == b.Line && a.Kind == b.Kind && (a.Category == b.Category || a.Title == b.Title)
}
