package claim

import (
	"slices"

	"research-council/internal/evidence/relation"
)

// PairsToCompare are the pairs of entries that families should be asked about, at
// most so many: first those that the rules or one family see in conflict, then the
// likeliest of [relation.Candidates]. Of a group one entry stands for all, and a
// claim whose quotation was not found is not worth the question. Pairs that are
// judged are not asked about again.
func PairsToCompare(reg Registry, most int) [][2]Entry {
	asked := map[[2]string]bool{}
	for _, r := range reg.Relations {
		asked[[2]string{r.A, r.B}] = true
	}
	var pairs [][2]Entry
	add := func(a, b Entry) {
		if byID(a.ID, b.ID) > 0 {
			a, b = b, a
		}
		pair := [2]string{a.ID, b.ID}
		if a.ID != b.ID && !asked[pair] && len(pairs) < most {
			asked[pair] = true
			pairs = append(pairs, [2]Entry{a, b})
		}
	}
	for _, c := range reg.Conflicts {
		a, okA := reg.Entry(c.A)
		b, okB := reg.Entry(c.B)
		if okA && okB && c.Possible && c.Status != Dismissed && len(pairs) < most/2 {
			add(a, b)
		}
	}
	entries := comparable(reg)
	statements := make([]relation.Statement, len(entries))
	for i, e := range entries {
		statements[i] = relation.Statement{ID: e.ID, Text: e.Text, Source: e.Key, First: e.Location.First, Last: e.Location.Last, Questions: e.Questions}
		if len(e.Families) == 1 {
			statements[i].Family = e.Families[0]
		}
	}
	for _, p := range relation.Candidates(statements, relation.MostPairs) {
		add(entries[p.A], entries[p.B])
	}
	return pairs
}

// comparable are the entries worth comparing, by their ids: of a group the first.
func comparable(reg Registry) []Entry {
	stands := map[string]string{} // for the others of its group
	for _, g := range reg.Groups {
		for _, id := range g.Members {
			stands[id] = g.ID
		}
	}
	var list []Entry
	for _, e := range reg.Entries {
		if first, grouped := stands[e.ID]; e.Location.State != NotFound && (!grouped || first == e.ID) {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return byID(a.ID, b.ID) })
	return list
}
