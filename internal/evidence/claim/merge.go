package claim

import (
	"cmp"
	"slices"
	"strconv"

	"research-council/internal/evidence/source"
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
	m := merger{Registry: r, position: map[string]int{}}
	m.compare()
	m.Groups, m.Conflicts = m.buildGroups(), m.allConflicts()
	return m.Registry
}

type merger struct {
	Registry
	statements
	position    map[string]int      // of an entry by its id
	order       []int               // the entries by the numbers of their ids
	statementOf []uint32            // what each entry says
	first       []int               // the first entry that says it
	members     map[uint32][]string // ids of entries by the root of what they say, ascending
}

func (m *merger) compare() {
	m.order = make([]int, len(m.Entries))
	for i, e := range m.Entries {
		m.order[i], m.position[e.ID] = i, i
	}
	slices.SortStableFunc(m.order, func(a, b int) int { return byID(m.Entries[a].ID, m.Entries[b].ID) })
	m.statementOf = make([]uint32, len(m.Entries))
	for _, i := range m.order {
		n, old := m.add([]byte(m.Entries[i].Text))
		if m.statementOf[i] = n; !old {
			m.first = append(m.first, i)
		}
	}
	m.text = func(n uint32) (string, error) { return m.Entries[m.first[n]].Text, nil }
	_ = m.findEquivalent() // these texts can be read
	m.members = map[uint32][]string{}
	for _, i := range m.order {
		root := m.root(m.statementOf[i])
		m.members[root] = append(m.members[root], m.Entries[i].ID)
	}
}

// byID orders ids by their numbers.
func byID(a, b string) int {
	return cmp.Or(cmp.Compare(idNumber("C", a), idNumber("C", b)), cmp.Compare(a, b))
}

func (m *merger) buildGroups() []Group {
	var groups []Group
	for _, team := range m.members {
		if len(team) > 1 {
			groups = append(groups, m.buildGroup(team))
		}
	}
	slices.SortFunc(groups, func(a, b Group) int { return byID(a.ID, b.ID) })
	return groups
}

func (m *merger) buildGroup(team []string) Group {
	g := Group{ID: team[0], Members: team}
	var located []Entry
	for _, id := range team {
		e := m.Entries[m.position[id]]
		for _, seat := range e.Seats {
			g.Seats = addUnique(g.Seats, seat)
		}
		for _, family := range e.Families {
			g.Families = addUnique(g.Families, family)
		}
		if e.Location.State == Located {
			located = append(located, e)
		}
	}
	g.Sources, g.Agreed = m.countIndependent(located), len(g.Seats) > 1
	return g
}

// countIndependent counts sources of which none repeats another: copies count as
// what they copy, and so do pages of one host with the same text or the same
// passage.
func (m *merger) countIndependent(located []Entry) int {
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
		for _, sign := range m.identityKeys(e) {
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

func (m *merger) identityKeys(e Entry) []string {
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
		if passage := collapseSpace(e.Location.Passage); passage != "" {
			signs = append(signs, "passage "+host+" "+passage)
		}
	}
	return signs
}

// rootPair are the roots of what two sides of a conflict say, the lower first.
type rootPair struct{ a, b uint32 }

func (m *merger) rootsOf(a, b int) rootPair {
	x, y := m.root(m.statementOf[a]), m.root(m.statementOf[b])
	return rootPair{min(x, y), max(x, y)}
}

// allConflicts are those of the old registry and those that are new.
func (m *merger) allConflicts() []Conflict {
	known := map[rootPair]bool{}
	var all []Conflict
	last := 0
	for _, c := range m.Conflicts {
		last = max(last, idNumber("D", c.ID))
		a, okA := m.position[c.A]
		b, okB := m.position[c.B]
		if okA && okB {
			known[m.rootsOf(a, b)] = true
			all = append(all, m.assessed(c))
		}
	}
	for _, c := range m.newConflicts(known) {
		last++
		c.ID = "D" + strconv.Itoa(last)
		all = append(all, m.assessed(c))
	}
	return all
}

// newConflicts are the conflicts between teams of which none is known yet, each by
// its first two entries.
func (m *merger) newConflicts(known map[rootPair]bool) []Conflict {
	var found []Conflict
	for _, e := range m.conflicting {
		a, b := m.first[e.a], m.first[e.b]
		if byID(m.Entries[a].ID, m.Entries[b].ID) > 0 {
			a, b = b, a
		}
		found = append(found, Conflict{A: m.Entries[a].ID, B: m.Entries[b].ID})
	}
	slices.SortFunc(found, byPair)
	return slices.DeleteFunc(found, func(c Conflict) bool {
		a, b := m.position[c.A], m.position[c.B]
		between := m.rootsOf(a, b)
		if known[between] {
			return true
		}
		kind, _ := disagreement(m.Entries[a].Text, m.Entries[b].Text)
		known[between] = kind != ""
		return kind == ""
	})
}

func byPair(a, b Conflict) int { return cmp.Or(byID(a.A, b.A), byID(a.B, b.B)) }
