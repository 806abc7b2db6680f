package claim

import (
	"cmp"
	"slices"
)

// MaxCritical is how many claims a seat may call critical for a question; what it
// names beyond that is as any other.
const MaxCritical = 5

// Critical are the claims that seats say the answer hangs on, a handful of each
// seat and question, whoever else claims them: what a recommendation rests on before the
// others, and else in the order in which they were recorded. A claim on several questions
// is one of the handful of one of them, the first it names that has room.
func Critical(entries []Entry) map[string]bool {
	within := map[string]bool{}
	for _, of := range criticalShares(entries) {
		for _, id := range of {
			within[id] = true
		}
	}
	return within
}

// share is what one seat may call critical for one question.
type share struct{ seat, question string }

func criticalShares(entries []Entry) map[share][]string {
	all := shares{map[share][]string{}, map[string][]string{}}
	for _, e := range byRank(entries) {
		if !e.Critical || e.IsWithdrawn() {
			continue
		}
		all.asked[e.ID] = e.parts()
		for _, seat := range e.criticalBy() {
			all.give(seat, e.ID, map[string]bool{})
		}
	}
	return all.of
}

// shares are the claims that count for each share, and the questions of each claim.
type shares struct {
	of    map[share][]string
	asked map[string][]string
}

// give counts a claim for one of its questions: for one that has room, else in the place of
// a claim that counts for another of its own as well. False where there is none.
func (s shares) give(seat, id string, tried map[string]bool) bool {
	for _, question := range s.asked[id] {
		if of := (share{seat, question}); len(s.of[of]) < MaxCritical {
			s.of[of] = append(s.of[of], id)
			return true
		}
	}
	for _, question := range s.asked[id] {
		if tried[question] {
			continue
		}
		tried[question] = true
		of := share{seat, question}
		for i, other := range s.of[of] {
			if s.give(seat, other, tried) {
				s.of[of][i] = id
				return true
			}
		}
	}
	return false
}

// criticalBy are the seats that call a claim critical: the first that claims it, where
// that is not known.
func (e *Entry) criticalBy() []string {
	switch {
	case !e.Critical:
		return nil
	case len(e.CriticalBy) == 0 && len(e.Seats) == 0:
		return []string{""}
	case len(e.CriticalBy) == 0:
		return slices.Clone(e.Seats[:1])
	}
	return e.CriticalBy
}

// uncall takes back that a seat calls a claim critical.
func (e *Entry) uncall(seat string) {
	e.CriticalBy = slices.DeleteFunc(e.criticalBy(), func(by string) bool { return by == seat })
	e.Critical = len(e.CriticalBy) > 0
}

// TakeCritical takes over from a later state of a claim who calls it critical, and
// reports whether that is anything else.
func (e *Entry) TakeCritical(later Entry) bool {
	if slices.Equal(e.criticalBy(), later.criticalBy()) {
		return false
	}
	e.Critical, e.CriticalBy, e.InsteadOf = later.Critical, later.CriticalBy, later.InsteadOf
	return true
}

// parts are the planned questions that a claim answers, in the order in which it names them;
// the question as a whole where it answers no part.
func (e *Entry) parts() []string {
	list := e.asked()
	if len(list) > 1 {
		list = slices.DeleteFunc(slices.Clone(list), func(q string) bool { return q == WholeQuestion })
	}
	return list
}

// CriticalOf are the claims of a seat that count as critical for a question for which
// one of its claims is named critical, and that question: the one for which it counts
// where it does, and then it is among them.
func CriticalOf(entries []Entry, e Entry, seat string) (question string, list []Entry) {
	shares, questions := criticalShares(entries), e.parts()
	question = questions[0]
	if at := slices.IndexFunc(questions, func(q string) bool { return slices.Contains(shares[share{seat, q}], e.ID) }); at >= 0 {
		question = questions[at]
	}
	own := shares[share{seat, question}]
	return question, slices.DeleteFunc(slices.Clone(entries), func(o Entry) bool { return !slices.Contains(own, o.ID) })
}

// AllCritical are the claims of a seat that count as critical for some question.
func AllCritical(entries []Entry, seat string) []Entry {
	counts := map[string]bool{}
	for of, ids := range criticalShares(entries) {
		for _, id := range ids {
			counts[id] = counts[id] || of.seat == seat
		}
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return !counts[e.ID] })
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
