package claim

import (
	"cmp"
	"slices"

	"github.com/research-council/research-council/internal/evidence/relation"
)

// Answer is what seats recommend on a question.
type Answer struct {
	Question  string
	Positions []Position // the most widely held first
	Agreed    bool       // there is one position, and two families hold it
	Opposed   bool       // two of the positions contradict each other
}

// Position is one recommendation, with those that say the same.
type Position struct {
	IDs      []string
	Seats    []string
	Families []string
}

// Answers are what seats recommend by question, in the order of the questions. What rests
// on nothing that holds, or does not follow, is no answer. What says the same is what
// the registry's groups say, and what families have found to say the same but for a
// detail more. What says the same as an answer to a question, or contradicts it, belongs
// to that question, whichever it names itself.
func Answers(reg Registry) []Answer {
	at, alike := map[string]int{}, reg.alikeAdvice()
	var list []Answer
	var given []Entry
	for _, e := range reg.Entries {
		if e.Kind != Recommendation || !e.Holds() {
			continue
		}
		given = append(given, e)
		for _, q := range e.asked() {
			i, known := at[q]
			if !known {
				i, at[q] = len(list), len(list)
				list = append(list, Answer{Question: q})
			}
			list[i].add(e, alike[e.ID])
		}
	}
	for i := range list {
		list[i].join(given, alike, reg.Conflicts)
		list[i].judge(reg.Conflicts)
	}
	slices.SortStableFunc(list, func(a, b Answer) int {
		return cmp.Or(cmp.Compare(idNumber("Q", a.Question), idNumber("Q", b.Question)), cmp.Compare(a.Question, b.Question))
	})
	return list
}

// join adds recommendations that are given on other questions and say the same as one of
// these, or contradict it.
func (a *Answer) join(given []Entry, alike map[string][]string, conflicts []Conflict) {
	bound := map[string]bool{} // ids that belong here
	here := map[string]bool{}
	for _, p := range a.Positions {
		for _, id := range p.IDs {
			here[id] = true
			for _, same := range alike[id] {
				bound[same] = true
			}
		}
	}
	for _, c := range conflicts {
		if c.IsCertain() {
			bound[c.A], bound[c.B] = bound[c.A] || here[c.B], bound[c.B] || here[c.A]
		}
	}
	for _, e := range given {
		if bound[e.ID] && !here[e.ID] {
			a.add(e, alike[e.ID])
		}
	}
}

// Differ reports whether two seats recommend different things on a question, as far as
// is known: what families have found to have nothing to do with each other may all be
// done.
func (r Registry) Differ(a Answer) bool {
	unrelated := map[[2]string]bool{}
	for _, rel := range r.Relations {
		if rel.Agreed(relation.Unrelated) {
			unrelated[[2]string{rel.A, rel.B}], unrelated[[2]string{rel.B, rel.A}] = true, true
		}
	}
	for i, p := range a.Positions {
		for _, q := range a.Positions[i+1:] {
			bySame := len(p.Seats) == 1 && slices.Equal(p.Seats, q.Seats)
			apart := slices.ContainsFunc(p.IDs, func(id string) bool {
				return slices.ContainsFunc(q.IDs, func(other string) bool { return unrelated[[2]string{id, other}] })
			})
			if !bySame && !apart {
				return true
			}
		}
	}
	return false
}

// alikeAdvice are for each claim those that say the same, or all of it and more, as
// families have found.
func (r Registry) alikeAdvice() map[string][]string {
	alike := map[string][]string{}
	for _, e := range r.Entries {
		alike[e.ID] = r.SameAs(e.ID)
	}
	for _, rel := range r.Relations {
		if !rel.Single && (rel.Kind == relation.Narrower || rel.Kind == relation.Wider) {
			alike[rel.A] = addUnique(slices.Clone(alike[rel.A]), rel.B)
			alike[rel.B] = addUnique(slices.Clone(alike[rel.B]), rel.A)
		}
	}
	return alike
}

// add puts a recommendation to those that say the same.
func (a *Answer) add(e Entry, same []string) {
	i := slices.IndexFunc(a.Positions, func(p Position) bool { return slices.Contains(same, p.IDs[0]) })
	if i < 0 {
		i = len(a.Positions)
		a.Positions = append(a.Positions, Position{})
	}
	p := &a.Positions[i]
	p.IDs = addUnique(p.IDs, e.ID)
	for _, seat := range e.Seats {
		p.Seats = addUnique(p.Seats, seat)
	}
	for _, family := range e.Families {
		p.Families = addUnique(p.Families, family)
	}
}

// judge says whether the positions are one, or opposed.
func (a *Answer) judge(conflicts []Conflict) {
	place := map[string]int{}
	for i, p := range a.Positions {
		for _, id := range p.IDs {
			place[id] = i + 1
		}
	}
	a.Agreed = len(a.Positions) == 1 && len(a.Positions[0].Families) > 1
	a.Opposed = slices.ContainsFunc(conflicts, func(c Conflict) bool {
		return c.IsCertain() && place[c.A] > 0 && place[c.B] > 0 && place[c.A] != place[c.B]
	})
	slices.SortStableFunc(a.Positions, func(p, q Position) int { return cmp.Compare(len(q.Families), len(p.Families)) })
}
