package claim

import (
	"cmp"
	"slices"

	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/source"
)

// Merge compares all entries of a registry with one another and returns it
// with new groups and conflicts; the entries stay as they are.
//
// What families of models have agreed on, the registry's relations, goes before
// what the rules of package relation can tell. Entries say the same when two
// families say so, or when the rules do: the same in content, numbers, negations
// and scope, or, of longer texts whose words are alike to a Jaccard similarity
// over 0.8, with nothing but words more in one. Then they are one group, in steps
// too, whether about one source or about several: that is how a claim comes to a
// second independent source. No group holds two that families or the rules say
// contradict each other: what would bring them together is refused. A conflict is
// what two families agree on; what the rules see, or one family, or a seat that says
// so of its own claim, or what families would merge and the rules forbid, is a possible
// one. What was withdrawn is in no group and on no side; another of its group stands
// for it. All of this is the same in
// whatever order entries come.
//
// One conflict stands for all those between two groups. Of many rivals of one
// entry the 16 most alike are looked at. A conflict of the registry that is
// given keeps its id, its two sides, and what has been decided of it by anybody
// but Merge. Merge decides by evidence: the side of higher confidence is right,
// and at equal confidence it stays open.
func Merge(r Registry) Registry {
	m := merger{Registry: r, position: map[string]int{}}
	m.Relations = slices.Clone(r.Relations)
	m.compare()
	m.Groups, m.Conflicts = m.buildGroups(), m.allConflicts()
	return m.Registry
}

type merger struct {
	Registry
	statements
	position    map[string]int   // of an entry by its id
	order       []int            // the entries by the numbers of their ids
	statementOf []uint32         // what each entry says
	first       []int            // the first entry that says it
	union       *relation.Union  // of entries
	judged      map[[2]int]int   // places of relations by those of their two entries
	opposed     []opposition     // what cannot both hold, or possibly not
	members     map[int][]string // ids of entries by their team, ascending
	byJudgement map[int]bool     // teams that families have united
}

// opposition is two entries that may not both hold.
type opposition struct {
	Conflict
	a, b int // places of its entries, the one of the lower id first
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
	m.unite()
	m.members = map[int][]string{}
	for _, i := range m.order {
		if !m.Entries[i].IsWithdrawn() {
			m.members[m.team(i)] = append(m.members[m.team(i)], m.Entries[i].ID)
		}
	}
	m.addObjections()
}

// team is the group of an entry, by a number that those of its group share.
func (m *merger) team(entry int) int { return m.union.Find(entry) }

// byID orders ids by their numbers.
func byID(a, b string) int {
	return cmp.Or(cmp.Compare(idNumber("C", a), idNumber("C", b)), cmp.Compare(a, b))
}

func (m *merger) buildGroups() []Group {
	var groups []Group
	for team, ids := range m.members {
		if len(ids) > 1 {
			g := m.buildGroup(ids)
			g.Judged = m.byJudgement[team]
			groups = append(groups, g)
		}
	}
	slices.SortFunc(groups, func(a, b Group) int { return byID(a.ID, b.ID) })
	return groups
}

func (m *merger) buildGroup(team []string) Group {
	g := Group{ID: team[0], Members: team}
	var located []Entry
	var voices []string // families, and seats of no known one
	for _, id := range team {
		e := m.Entries[m.position[id]]
		for _, voice := range voicesOf(e) {
			voices = addUnique(voices, voice)
		}
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
	sources := m.independentSources(located)
	g.Sources, g.Agreed = countDistinct(sources), len(voices) > 1
	g.Backed = countBacked(located, sources)
	return g
}

// voicesOf are those who claim something, each once: families, or seats where no
// family is known.
func voicesOf(e Entry) []string {
	if len(e.Families) > 0 {
		return e.Families
	}
	var list []string
	for _, seat := range e.Seats {
		list = append(list, "seat "+seat)
	}
	return list
}

func countDistinct(list []int) int {
	seen := map[int]bool{}
	for _, n := range list {
		seen[n] = true
	}
	return len(seen)
}

// countBacked counts the families to each of which a source of its own can be
// given: the largest matching of families and sources.
func countBacked(located []Entry, sources []int) int {
	has := map[string][]int{}
	var families []string
	for i, e := range located {
		for _, family := range e.Families {
			families = addUnique(families, family)
			has[family] = append(has[family], sources[i])
		}
	}
	given := map[int]string{} // sources to families
	var give func(family string, tried map[int]bool) bool
	give = func(family string, tried map[int]bool) bool {
		for _, s := range has[family] {
			if tried[s] {
				continue
			}
			tried[s] = true
			if holder, taken := given[s]; !taken || give(holder, tried) {
				given[s] = family
				return true
			}
		}
		return false
	}
	backed := 0
	for _, family := range families {
		if give(family, map[int]bool{}) {
			backed++
		}
	}
	return backed
}

// independentSources numbers the sources of claims, so that those of which one
// repeats another have one number: copies are what they copy, and so are pages of
// one host with the same text or the same passage.
func (m *merger) independentSources(located []Entry) []int {
	owner := map[string]int{} // by each of the signs that a source is known by
	parent := make([]int, len(located))
	find := func(i int) int {
		for parent[i] != i {
			i = parent[i]
		}
		return i
	}
	for i, e := range located {
		parent[i] = i
		for _, sign := range m.identityKeys(e) {
			other, known := owner[sign]
			if !known {
				owner[sign] = i
				continue
			}
			parent[find(i)] = find(other)
		}
	}
	numbers := make([]int, len(located))
	for i := range numbers {
		numbers[i] = find(i)
	}
	return numbers
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
	if e.Type == Experiment {
		signs = append(signs, "made in the run") // all that its seats have made is one source
	}
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
