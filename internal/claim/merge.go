package claim

import (
	"cmp"
	"slices"
	"strconv"

	"research-council/internal/source"
)

// Merge compares all entries of a registry with one another and returns it
// with new groups and conflicts; the entries stay as they are.
//
// Two entries are alike when they share words, runs of letters and digits in
// any case, to a Jaccard similarity over 0.8. Alike entries say the same when
// the words that decide what they say agree: numbers, dates, units, negations,
// comparators, names and such. Then they are one group, in steps too, whether
// about one source or about several: that is how a claim comes to a second
// independent source. Alike entries whose deciding words differ are a
// conflict, unless they plainly speak of different things. All of this is
// exact, and the same in whatever order entries come.
//
// One conflict stands for all those between two groups. Of many rivals of one
// entry the 16 most alike are looked at. A conflict of the registry that is
// given keeps its id, its two sides, and what has been decided of it by anybody
// but Merge. Merge decides by evidence: the side of higher confidence is right,
// and at equal confidence it stays open.
func Merge(r Registry) Registry {
	m := merging{Registry: r, place: map[string]int{}}
	m.compare()
	m.Groups, m.Conflicts = m.groups(), m.conflicts()
	return m.Registry
}

type merging struct {
	Registry
	sayings
	place map[string]int      // of an entry by its id
	order []int               // the entries by the numbers of their ids
	says  []uint32            // what each entry says
	first []int               // the first entry that says it
	teams map[uint32][]string // ids of entries by the root of what they say, ascending
}

func (m *merging) compare() {
	m.order = make([]int, len(m.Entries))
	for i, e := range m.Entries {
		m.order[i], m.place[e.ID] = i, i
	}
	slices.SortStableFunc(m.order, func(a, b int) int { return byID(m.Entries[a].ID, m.Entries[b].ID) })
	m.says = make([]uint32, len(m.Entries))
	for _, i := range m.order {
		n, old := m.add([]byte(m.Entries[i].Text))
		if m.says[i] = n; !old {
			m.first = append(m.first, i)
		}
	}
	m.text = func(n uint32) (string, error) { return m.Entries[m.first[n]].Text, nil }
	_ = m.settle() // these texts can be read
	m.teams = map[uint32][]string{}
	for _, i := range m.order {
		root := m.root(m.says[i])
		m.teams[root] = append(m.teams[root], m.Entries[i].ID)
	}
}

// byID orders ids by their numbers.
func byID(a, b string) int {
	return cmp.Or(cmp.Compare(idNumber("C", a), idNumber("C", b)), cmp.Compare(a, b))
}

func (m *merging) groups() []Group {
	var groups []Group
	for _, team := range m.teams {
		if len(team) > 1 {
			groups = append(groups, m.group(team))
		}
	}
	slices.SortFunc(groups, func(a, b Group) int { return byID(a.ID, b.ID) })
	return groups
}

func (m *merging) group(team []string) Group {
	g := Group{ID: team[0], Members: team}
	var located []Entry
	for _, id := range team {
		e := m.Entries[m.place[id]]
		for _, seat := range e.Seats {
			g.Seats = with(g.Seats, seat)
		}
		for _, family := range e.Families {
			g.Families = with(g.Families, family)
		}
		if e.Location.State == Located {
			located = append(located, e)
		}
	}
	g.Sources, g.Agreed = m.independent(located), len(g.Seats) > 1
	return g
}

// independent counts sources of which none repeats another: copies count as
// what they copy, and so do pages of one host with the same text or the same
// passage.
func (m *merging) independent(located []Entry) int {
	owner := map[string]int{} // by each of the signs that a source is known by
	count := 0
	parent := make([]int, len(located))
	find := func(i int) int {
		for parent[i] != i {
			i = parent[i]
		}
		return i
	}
	for i, e := range located {
		parent[i] = i
		count++
		for _, sign := range m.signs(e) {
			other, known := owner[sign]
			if !known {
				owner[sign] = i
				continue
			}
			if a, b := find(i), find(other); a != b {
				parent[a] = b
				count--
			}
		}
	}
	return count
}

func (m *merging) signs(e Entry) []string {
	key := e.Key
	for range m.Copies { // a ring of copies has an end too
		original, ok := m.Copies[key]
		if !ok {
			break
		}
		key = original
	}
	signs := []string{"key " + key}
	if host := source.Host(e.Key); host != "" {
		if e.Location.Text != "" {
			signs = append(signs, "text "+host+" "+e.Location.Text)
		}
		if passage := plain(e.Location.Passage); passage != "" {
			signs = append(signs, "passage "+host+" "+passage)
		}
	}
	return signs
}

// rivals are the roots of what two sides of a conflict say, the lower first.
type rivals struct{ a, b uint32 }

func (m *merging) rivals(a, b int) rivals {
	x, y := m.root(m.says[a]), m.root(m.says[b])
	return rivals{min(x, y), max(x, y)}
}

// conflicts are those of the old registry and those that are new.
func (m *merging) conflicts() []Conflict {
	known := map[rivals]bool{}
	var all []Conflict
	last := 0
	for _, c := range m.Conflicts {
		last = max(last, idNumber("D", c.ID))
		a, okA := m.place[c.A]
		b, okB := m.place[c.B]
		if okA && okB {
			known[m.rivals(a, b)] = true
			all = append(all, m.settled(c))
		}
	}
	for _, c := range m.fresh(known) {
		last++
		c.ID = "D" + strconv.Itoa(last)
		all = append(all, m.settled(c))
	}
	return all
}

// fresh are the conflicts between teams of which none is known yet, each by
// its first two entries.
func (m *merging) fresh(known map[rivals]bool) []Conflict {
	var found []Conflict
	for _, e := range m.edges {
		a, b := m.first[e.a], m.first[e.b]
		if byID(m.Entries[a].ID, m.Entries[b].ID) > 0 {
			a, b = b, a
		}
		found = append(found, Conflict{A: m.Entries[a].ID, B: m.Entries[b].ID})
	}
	slices.SortFunc(found, byPair)
	return slices.DeleteFunc(found, func(c Conflict) bool {
		a, b := m.place[c.A], m.place[c.B]
		between := m.rivals(a, b)
		if known[between] {
			return true
		}
		kind, _ := disagreement(m.Entries[a].Text, m.Entries[b].Text)
		known[between] = kind != ""
		return kind == ""
	})
}

func byPair(a, b Conflict) int { return cmp.Or(byID(a.A, b.A), byID(a.B, b.B)) }
