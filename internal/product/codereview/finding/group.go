package finding

import (
	"maps"
	"slices"
)

// maxDistance is how many lines apart two findings may be and be of one place: 1
// is the very next line.
const maxDistance = 1

// maxCompared is with how many others of a place a finding is compared at most. One
// place has a handful.
const maxCompared = 64

// groupSame puts findings into groups that say the same, in the order of their
// places.
func groupSame(list []Finding) []*group {
	files := map[string][]groupCandidate{}
	for i := range list {
		files[list[i].File] = append(files[list[i].File], groupCandidate{Finding: &list[i]})
	}
	var groups []*group
	for _, file := range slices.Sorted(maps.Keys(files)) {
		slices.SortFunc(files[file], func(a, b groupCandidate) int { return comparePlaces(a.Finding, b.Finding) })
		groups = groupFile(groups, files[file])
	}
	return groups
}

// groupFile does so with the findings of one file.
func groupFile(groups []*group, sorted []groupCandidate) []*group {
	var near []*group // those that may still reach the next finding
	for i := range sorted {
		c := &sorted[i]
		near = slices.DeleteFunc(near, func(g *group) bool { return g.to+maxDistance < c.Line })
		if extra := len(near) - maxCompared; extra > 0 {
			near = slices.Delete(near, 0, extra)
		}
		at := slices.IndexFunc(near, func(g *group) bool { return g.saysSame(c) })
		if at < 0 {
			at = len(near)
			near = append(near, &group{first: c, to: lastLine(c.Finding)})
			groups = append(groups, near[at])
		}
		near[at].add(c.Finding)
	}
	return groups
}

// groupCandidate is a finding, and what it says once that is needed.
type groupCandidate struct {
	*Finding
	meant *wording
}

func (c *groupCandidate) wording() *wording {
	if c.meant == nil {
		c.meant = newWording(c.Finding)
	}
	return c.meant
}

// group are findings that say the same as the first of them.
type group struct {
	first   *groupCandidate
	to      int        // the last line of the first
	openers []*Finding // of each author the first
	members []*Finding
}

func (g *group) add(f *Finding) {
	g.members = append(g.members, f)
	if !slices.ContainsFunc(g.openers, func(o *Finding) bool { return sameAuthor(o, f) }) {
		g.openers = append(g.openers, f)
	}
}

// lastLine is a finding's last line, as far as it is one place.
func lastLine(f *Finding) int { return min(max(f.Line, f.EndLine), f.Line+maxSpan) }

// saysSame reports whether a finding, which begins no earlier, says what the
// group says.
func (g *group) saysSame(c *groupCandidate) bool {
	if g.first.IsLocated() != c.IsLocated() {
		return false
	}
	for _, o := range g.openers {
		if sameAuthor(o, c.Finding) {
			return repeats(o, c.Finding)
		}
	}
	return isSameCategory(g.first.Finding, c.Finding) || g.first.CWE != "" && g.first.CWE == c.CWE ||
		g.first.wording().saysSame(c.wording())
}

func sameAuthor(a, b *Finding) bool {
	return a.Reviewer == b.Reviewer && a.Seat == b.Seat && a.Batch == b.Batch && a.Family == b.Family
}

// isSameCategory reports whether two findings are of one kind and category.
func isSameCategory(a, b *Finding) bool {
	return a.Kind == b.Kind && a.Category == b.Category && a.Category != Uncategorised
}

// repeats reports whether one reviewer has written the same finding twice.
func repeats(a, b *Finding) bool {
	return a.Line == b.Line && (isSameCategory(a, b) || a.Kind == b.Kind && a.Title == b.Title)
}
