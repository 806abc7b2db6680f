package finding

import (
	"maps"
	"slices"
)

// touching is how many lines apart two findings may be and be of one place: 1
// is the very next line.
const touching = 1

// nearby is with how many others of a place a finding is compared at most. One
// place has a handful.
const nearby = 64

// gather puts findings into groups that say the same, in the order of their
// places.
func gather(list []Finding) []*group {
	files := map[string][]candidate{}
	for i := range list {
		files[list[i].File] = append(files[list[i].File], candidate{Finding: &list[i]})
	}
	var groups []*group
	for _, file := range slices.Sorted(maps.Keys(files)) {
		slices.SortFunc(files[file], func(a, b candidate) int { return earlier(a.Finding, b.Finding) })
		groups = gatherFile(groups, files[file])
	}
	return groups
}

// gatherFile does so with the findings of one file.
func gatherFile(groups []*group, sorted []candidate) []*group {
	var near []*group // those that may still reach the next finding
	for i := range sorted {
		c := &sorted[i]
		near = slices.DeleteFunc(near, func(g *group) bool { return g.to+touching < c.Line })
		if extra := len(near) - nearby; extra > 0 {
			near = slices.Delete(near, 0, extra)
		}
		at := slices.IndexFunc(near, func(g *group) bool { return g.takes(c) })
		if at < 0 {
			at = len(near)
			near = append(near, &group{first: c, to: end(c.Finding)})
			groups = append(groups, near[at])
		}
		near[at].add(c.Finding)
	}
	return groups
}

// candidate is a finding, and what it says once that is needed.
type candidate struct {
	*Finding
	meant *meaning
}

func (c *candidate) meaning() *meaning {
	if c.meant == nil {
		c.meant = mean(c.Finding)
	}
	return c.meant
}

// group are findings that say the same as the first of them.
type group struct {
	first   *candidate
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

// end is a finding's last line, as far as it is one place.
func end(f *Finding) int { return min(max(f.Line, f.EndLine), f.Line+widest) }

// takes reports whether a finding, which begins no earlier, says what the
// group says.
func (g *group) takes(c *candidate) bool {
	if g.first.Found() != c.Found() {
		return false
	}
	for _, o := range g.openers {
		if sameAuthor(o, c.Finding) {
			return repeats(o, c.Finding)
		}
	}
	return alike(g.first.Finding, c.Finding) || g.first.CWE != "" && g.first.CWE == c.CWE ||
		g.first.meaning().same(c.meaning())
}

func sameAuthor(a, b *Finding) bool {
	return a.Reviewer == b.Reviewer && a.Seat == b.Seat && a.Batch == b.Batch && a.Family == b.Family
}

// alike reports whether two findings are of one kind and category.
func alike(a, b *Finding) bool {
	return a.Kind == b.Kind && a.Category == b.Category && a.Category != Uncategorised
}

// repeats reports whether one reviewer has written the same finding twice.
func repeats(a, b *Finding) bool {
	return a.Line == b.Line && (alike(a, b) || a.Kind == b.Kind && a.Title == b.Title)
}
