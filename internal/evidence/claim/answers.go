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
// the registry's groups say, and what families have found to make the same choice, each
// with more besides or one of them. What says the same as an answer to a question, or contradicts it, belongs
// to that question, whichever it names itself.
func Answers(reg Registry) []Answer {
	at, of := map[string]int{}, advice{reg.alikeAdvice(), reg.rivals()}
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
			list[i].add(e, of)
		}
	}
	for i := range list {
		list[i].join(given, of)
		list[i].judge(reg.Conflicts)
	}
	slices.SortStableFunc(list, func(a, b Answer) int {
		return cmp.Or(cmp.Compare(idNumber("Q", a.Question), idNumber("Q", b.Question)), cmp.Compare(a.Question, b.Question))
	})
	return list
}

// advice is for each recommendation which others say the same, and which it contradicts.
type advice struct{ alike, rivals map[string][]string }

// rivals are for each claim those that contradict it, as families have found.
func (r Registry) rivals() map[string][]string {
	of := map[string][]string{}
	for _, c := range r.Conflicts {
		if c.IsCertain() {
			of[c.A], of[c.B] = append(of[c.A], c.B), append(of[c.B], c.A)
		}
	}
	return of
}

// join adds recommendations that are given on other questions and say the same as one of
// these, or contradict it.
func (a *Answer) join(given []Entry, of advice) {
	bound := map[string]bool{} // ids that belong here
	here := map[string]bool{}
	for _, p := range a.Positions {
		for _, id := range p.IDs {
			here[id] = true
			for _, other := range slices.Concat(of.alike[id], of.rivals[id]) {
				bound[other] = true
			}
		}
	}
	for _, e := range given {
		if bound[e.ID] && !here[e.ID] {
			a.add(e, of)
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

// alikeAdvice are for each claim those that say the same, all of it and more, or the
// same choice each with more besides, as families have found.
func (r Registry) alikeAdvice() map[string][]string {
	alike := map[string][]string{}
	for _, e := range r.Entries {
		alike[e.ID] = r.SameAs(e.ID)
	}
	for _, rel := range r.Relations {
		if rel.AgreedInPart() {
			alike[rel.A] = addUnique(slices.Clone(alike[rel.A]), rel.B)
			alike[rel.B] = addUnique(slices.Clone(alike[rel.B]), rel.A)
		}
	}
	return alike
}

// add puts a recommendation to those that say the same, and of which it contradicts none.
func (a *Answer) add(e Entry, of advice) {
	i := slices.IndexFunc(a.Positions, func(p Position) bool {
		return slices.Contains(of.alike[e.ID], p.IDs[0]) && !slices.ContainsFunc(p.IDs, func(id string) bool { return slices.Contains(of.rivals[e.ID], id) })
	})
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
