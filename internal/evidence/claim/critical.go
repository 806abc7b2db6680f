package claim

import (
	"cmp"
	"slices"
	"strings"
)

// MaxCritical is how many claims a seat may call critical for a question; what it
// names beyond that is as any other.
const MaxCritical = 5

// Critical are the claims that their seats say the answer hangs on, a handful of each
// seat and question: what a recommendation of that seat rests on before the others, and
// else in the order in which they were recorded.
func Critical(entries []Entry) map[string]bool {
	type share struct{ seat, question string }
	used, within := map[share]int{}, map[string]bool{}
	for _, e := range byRank(entries) {
		if !e.Critical || e.IsWithdrawn() {
			continue
		}
		of := share{strings.Join(e.Seats[:min(len(e.Seats), 1)], ""), slices.Max(e.asked())} // the part rather than the whole
		used[of]++
		if used[of] <= MaxCritical {
			within[e.ID] = true
		}
	}
	return within
}

// CriticalOf are the claims of a seat that count as critical for a question for which
// one of its claims is named critical, that claim among them where it does.
func CriticalOf(entries []Entry, e Entry, seat string) []Entry {
	within := Critical(entries)
	var list []Entry
	for _, o := range entries {
		if within[o.ID] && slices.Contains(o.Seats, seat) && slices.Max(o.asked()) == slices.Max(e.asked()) {
			list = append(list, o)
		}
	}
	return list
}

// byRank are entries, those first that a recommendation rests on, in the order in which
// it names them.
func byRank(entries []Entry) []Entry {
	rank := map[string]int{}
	for _, e := range entries {
		if e.Kind != Recommendation || e.IsWithdrawn() {
			continue
		}
		for n, id := range e.RestsOn {
			if old, known := rank[id]; !known || n < old {
				rank[id] = n
			}
		}
	}
	at := map[string]int{} // in which order they were recorded
	for i, e := range entries {
		at[e.ID] = i
		if before, known := at[e.InsteadOf]; known {
			at[e.ID] = before
		}
	}
	ranked := slices.Clone(entries)
	slices.SortStableFunc(ranked, func(a, b Entry) int {
		x, named := rank[a.ID]
		if !named {
			x = maxGrounds
		}
		y, named := rank[b.ID]
		if !named {
			y = maxGrounds
		}
		return cmp.Or(x-y, at[a.ID]-at[b.ID])
	})
	return ranked
}

// CarriesAnswer are the claims that a recommendation rests on, in however many steps.
func CarriesAnswer(entries []Entry) map[string]bool {
	under := map[string][]string{}
	var next []string
	for _, e := range entries {
		under[e.ID] = e.RestsOn
		if e.Kind == Recommendation && !e.IsWithdrawn() {
			next = append(next, e.RestsOn...)
		}
	}
	carries := map[string]bool{}
	for len(next) > 0 {
		id := next[len(next)-1]
		next = next[:len(next)-1]
		if !carries[id] {
			carries[id] = true
			next = append(next, under[id]...)
		}
	}
	return carries
}
