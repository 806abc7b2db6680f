package claim

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/research-council/research-council/internal/evidence/relation"
)

// unite makes groups: first what may not be together is kept apart, then what the
// rules call the same is put together, then what families have agreed on, what
// most of them say first.
func (m *merger) unite() {
	m.union, m.judged, m.byJudgement = relation.NewUnion(len(m.Entries)), map[[2]int]int{}, map[int]bool{}
	m.readRelations()
	m.findOpposed()
	for _, o := range m.opposed {
		m.union.Part(o.a, o.b)
	}
	for _, i := range m.order {
		if first := m.first[m.root(m.statementOf[i])]; m.Entries[first].Kind == m.Entries[i].Kind {
			m.union.Unite(first, i)
		}
	}
	m.uniteJudged()
}

// placesOf are the places of a relation's two entries, the one of the lower id
// first.
func (m *merger) placesOf(r relation.Relation) (pair [2]int, known bool) {
	a, okA := m.position[r.A]
	b, okB := m.position[r.B]
	return m.ordered(a, b), okA && okB && a != b
}

func (m *merger) ordered(a, b int) [2]int {
	if byID(m.Entries[a].ID, m.Entries[b].ID) > 0 {
		a, b = b, a
	}
	return [2]int{a, b}
}

// readRelations keeps apart what families have agreed to be different.
func (m *merger) readRelations() {
	for i := range m.Relations {
		m.Relations[i].Refused = ""
		r := m.Relations[i]
		pair, known := m.placesOf(r)
		if !known {
			continue
		}
		m.judged[pair] = i
		if r.Agreed(relation.Contradicts) || r.Agreed(relation.Condition) || r.Agreed(relation.Unrelated) {
			m.union.Part(pair[0], pair[1])
		}
	}
}

// findOpposed lists what cannot both hold: what families say, and what the rules
// see and no two families deny.
func (m *merger) findOpposed() {
	for _, r := range m.Relations {
		pair, known := m.placesOf(r)
		if known && (r.Agreed(relation.Contradicts) || r.Possible()) {
			c := Conflict{A: m.Entries[pair[0]].ID, B: m.Entries[pair[1]].ID, Kind: cmp.Or(r.Dispute, ByFact), Possible: r.Possible(), SameToAll: r.IsSameToAll(), Detail: cmp.Or(r.Veto, r.Words), Settle: r.Settle}
			m.opposed = append(m.opposed, opposition{c, pair[0], pair[1]})
		}
	}
	for _, e := range m.conflicting {
		pair := m.ordered(m.first[e.a], m.first[e.b])
		if _, asked := m.judged[pair]; asked && m.isDenied(pair) {
			continue
		}
		kind, detail := m.disagreement(m.Entries[pair[0]].Text, m.Entries[pair[1]].Text)
		if kind == "" {
			continue
		}
		c := Conflict{A: m.Entries[pair[0]].ID, B: m.Entries[pair[1]].ID, Kind: kind, Possible: true, Detail: detail}
		m.opposed = append(m.opposed, opposition{c, pair[0], pair[1]})
	}
	m.sortOpposed()
}

// addObjections adds what seats say of claims of their own: that another does not hold.
// It keeps nothing out of a group, and is nothing where families deny it.
func (m *merger) addObjections() {
	at := map[[2]int]int{}
	for i, o := range m.opposed {
		if _, known := at[[2]int{o.a, o.b}]; !known {
			at[[2]int{o.a, o.b}] = i
		}
	}
	for _, p := range statedPairs(m.Registry) {
		pair := [2]int{m.position[p[0].ID], m.position[p[1].ID]}
		seats := objectors(p[0], p[1])
		if i, known := at[pair]; known {
			m.opposed[i].SaidBy = seats
		} else if m.team(pair[0]) != m.team(pair[1]) && !m.isDenied(pair) {
			c := Conflict{A: p[0].ID, B: p[1].ID, Kind: ByFact, Possible: true, SaidBy: seats}
			m.opposed = append(m.opposed, opposition{c, pair[0], pair[1]})
		}
	}
	m.sortOpposed()
}

// sortOpposed puts what is opposed in the order of its ids, what is agreed first.
func (m *merger) sortOpposed() {
	slices.SortStableFunc(m.opposed, func(x, y opposition) int {
		return cmp.Or(byPair(x.Conflict, y.Conflict), compareBool(x.Possible, y.Possible))
	})
}

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

// isDenied reports whether families have agreed that two entries do not
// contradict each other.
func (m *merger) isDenied(pair [2]int) bool {
	i, asked := m.judged[pair]
	if !asked {
		return false
	}
	r := m.Relations[i]
	return r.Agreed(relation.Same) || r.AgreedInPart() || r.Agreed(relation.Condition) || r.Agreed(relation.Unrelated)
}

// uniteJudged puts together what families have agreed to be the same, unless that
// brought together what may not be.
func (m *merger) uniteJudged() {
	var agreed []int
	for i, r := range m.Relations {
		if _, known := m.placesOf(r); known && r.Agreed(relation.Same) {
			agreed = append(agreed, i)
		}
	}
	slices.SortStableFunc(agreed, func(x, y int) int {
		return cmp.Or(cmp.Compare(len(m.Relations[y].Voices), len(m.Relations[x].Voices)), relation.ByClaims(m.Relations[x], m.Relations[y]))
	})
	teams := m.voicesByTeam()
	for _, i := range agreed {
		pair, _ := m.placesOf(m.Relations[i])
		a, b := m.team(pair[0]), m.team(pair[1])
		if a == b {
			m.byJudgement[a] = true
			continue
		}
		if why := m.refusal(teams[a], teams[b]); why != "" || !m.union.Unite(a, b) {
			m.Relations[i].Refused = cmp.Or(why, "it would put claims that are not the same into one group")
			continue
		}
		team := m.team(a)
		teams[team] = append(teams[a], teams[b]...)
		m.byJudgement[team] = true
	}
}

// voicesByTeam are the entries of each group, of those with the same words one.
func (m *merger) voicesByTeam() map[int][]int {
	teams := map[int][]int{}
	for _, i := range m.first {
		teams[m.team(i)] = append(teams[m.team(i)], i)
	}
	return teams
}

// maxCompared bounds how many of a group are held against how many of another.
const maxCompared = 32

// refusal says which of two groups' entries may not be in one group; "" for none.
func (m *merger) refusal(one, other []int) string {
	for _, a := range one[:min(len(one), maxCompared)] {
		for _, b := range other[:min(len(other), maxCompared)] {
			if x, y := m.Entries[a], m.Entries[b]; x.Kind != y.Kind {
				return fmt.Sprintf("%s is %s, %s %s", x.ID, article(x.Kind), y.ID, article(y.Kind))
			}
			if _, words := relation.Veto(relation.Read(m.Entries[a].Text), relation.Read(m.Entries[b].Text)); words != "" {
				return fmt.Sprintf("it would put %s and %s into one group: %s", m.Entries[a].ID, m.Entries[b].ID, words)
			}
		}
	}
	return ""
}

// teamPair is the two groups between which a conflict is, the lower first.
type teamPair struct{ a, b int }

func (m *merger) teamsOf(a, b int) teamPair {
	x, y := m.team(a), m.team(b)
	return teamPair{min(x, y), max(x, y)}
}

// allConflicts are those of the old registry and those that are new.
func (m *merger) allConflicts() []Conflict {
	agreed := map[teamPair]opposition{} // what speaks for a conflict, the best first
	for _, o := range m.opposed {
		between := m.teamsOf(o.a, o.b)
		before, known := agreed[between]
		for _, seat := range before.SaidBy {
			o.SaidBy = addUnique(o.SaidBy, seat)
		}
		if known && (!before.Possible || o.Possible) {
			before.SaidBy = o.SaidBy
			o = before
		}
		agreed[between] = o
	}
	known := map[teamPair]string{} // the conflict between two groups
	var all []Conflict
	last := 0
	for _, c := range m.Conflicts {
		last = max(last, idNumber("D", c.ID))
		a, okA := m.position[c.A]
		b, okB := m.position[c.B]
		if !okA || !okB {
			continue
		}
		c, stands := m.standIns(c)
		if !stands {
			all = append(all, c)
			continue
		}
		c = m.reviewed(c, agreed)
		between := m.teamsOf(a, b)
		if before := known[between]; before != "" && c.isDecidedByMerge() {
			c.Status, c.Resolution = Dismissed, comparisonPrefix+"it is between the same groups as "+before+"."
		}
		known[between] = cmp.Or(known[between], c.ID)
		all = append(all, c)
	}
	for _, o := range m.opposed {
		between := m.teamsOf(o.a, o.b)
		if known[between] != "" {
			continue
		}
		c, stands := m.standIns(agreed[between].Conflict)
		if !stands {
			continue
		}
		last++
		c.ID = "D" + strconv.Itoa(last)
		known[between] = c.ID
		all = append(all, m.assessed(c))
	}
	return all
}

// standIns puts for a side that was withdrawn another of its group that stands. Without
// one there is no conflict any more.
func (m *merger) standIns(c Conflict) (Conflict, bool) {
	for _, side := range []*string{&c.A, &c.B} {
		place := m.position[*side]
		if !m.Entries[place].IsWithdrawn() {
			continue
		}
		others := m.members[m.team(place)]
		if len(others) == 0 {
			if c.isDecidedByMerge() {
				c.Status, c.Resolution = Dismissed, comparisonPrefix+*side+" was withdrawn."
			}
			return c, false
		}
		*side = others[0]
	}
	return c, true
}

// reviewed is a conflict of the old registry as it is now: families may have
// agreed on it since, or that it is none.
func (m *merger) reviewed(c Conflict, agreed map[teamPair]opposition) Conflict {
	a, b := m.position[c.A], m.position[c.B]
	c = m.assessed(c)
	o, stands := agreed[m.teamsOf(a, b)]
	unsaid := c.Possible && c.Detail == "" && len(c.SaidBy) > 0 && !stands
	c.SaidBy, c.SameToAll = o.SaidBy, stands && o.SameToAll
	denied := m.team(a) == m.team(b) || m.isDenied(m.ordered(a, b))
	switch {
	case stands && !o.Possible:
		c.Possible, c.Kind, c.Detail, c.Settle = false, o.Kind, o.Detail, o.Settle
	case unsaid && c.isDecidedByMerge() && !denied:
		c.Status, c.Resolution = Dismissed, comparisonPrefix+"nobody says so any more."
	case denied && (!stands || m.team(a) == m.team(b)) && c.isDecidedByMerge():
		c.Status, c.Resolution = Dismissed, comparisonPrefix+m.denial(m.ordered(a, b))
	}
	return c
}

// denial says what families have agreed on instead.
func (m *merger) denial(pair [2]int) string {
	if i, asked := m.judged[pair]; asked {
		return fmt.Sprintf("%d families have read both: %s.", len(m.Relations[i].Voices), m.Relations[i].Kind)
	}
	return "both are in one group."
}

func byPair(a, b Conflict) int { return cmp.Or(byID(a.A, b.A), byID(a.B, b.B)) }
