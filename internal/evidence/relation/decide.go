package relation

import (
	"cmp"
	"slices"
)

// Undecided is the kind of a pair on which judges were heard who do not agree.
const Undecided Kind = "undecided"

// Relation is what was agreed of two claims, and by whom.
type Relation struct {
	A         string  `json:"a"` // ids of two claims, the lower first
	B         string  `json:"b"`
	Kind      Kind    `json:"relation"`
	Single    bool    `json:"single,omitempty"`    // one family alone was heard
	Condition string  `json:"condition,omitempty"` // under which each holds
	Dispute   Dispute `json:"dispute,omitempty"`   // what sort of matter they differ in
	Words     string  `json:"words,omitempty"`     // on which it hangs
	Settle    string  `json:"settle,omitempty"`    // what would settle it
	Veto      string  `json:"veto,omitempty"`      // why the program does not let it be the same
	Refused   string  `json:"refused,omitempty"`   // why what is the same is in two groups all the same
	Voices    []Voice `json:"voices,omitempty"`    // of families, each once
}

// Voice is what a family says of a pair.
type Voice struct {
	Family string `json:"family"`
	Kind   Kind   `json:"relation"` // Undecided where its seats do not agree
	Words  string `json:"words,omitempty"`
}

// Agreed reports whether two families or more say a kind, and the program does
// not forbid it.
func (r Relation) Agreed(kind Kind) bool { return r.Kind == kind && !r.Single && r.Veto == "" }

// Possible reports whether two claims may contradict each other by what was
// said, and nobody has agreed that they do: one family says so, or families
// would call the same what the program does not let be the same.
func (r Relation) Possible() bool {
	return r.Kind == Contradicts && r.Single || r.Veto != ""
}

// AgreedInPart reports whether two families or more say that one of two claims holds all
// of the other and more, or that they share a part.
func (r Relation) AgreedInPart() bool {
	return slices.ContainsFunc(inPart(), r.Agreed)
}

// inPart are the kinds of which one may be taken for another: who finds that each adds
// something may have overlooked how little.
func inPart() []Kind { return []Kind{Narrower, Wider, Overlaps} }

// IsSameToAll reports whether all families that were heard, two or more, call two claims
// the same which the program keeps apart.
func (r Relation) IsSameToAll() bool {
	return r.Veto != "" && !r.Single && !slices.ContainsFunc(r.Voices, func(v Voice) bool { return v.Kind != Same })
}

// Decide says of each pair that was judged what was agreed. Each family is one
// voice: what its seats agree on, of each seat the last word. What two families
// or more say, and more than half of those heard, is agreed; so is that claims overlap
// where as many say that either holds all of the other, or that they overlap. What the only
// family heard says is single; all else is undecided, and kept. Statements gives
// the claims' texts: two that numbers, negations, opposites or the verb that
// decides keep apart are not the same, whoever says so. The result is in the
// order of ids, whatever the order of judgements.
func Decide(said []Judgement, text func(id string) (string, bool)) []Relation {
	byPair := map[[2]string][]Judgement{}
	for _, j := range said {
		_, okA := text(j.A)
		_, okB := text(j.B)
		if okA && okB && j.Family != "" {
			byPair[[2]string{j.A, j.B}] = append(byPair[[2]string{j.A, j.B}], j)
		}
	}
	var list []Relation
	for pair, judgements := range byPair {
		r := decidePair(pair, judgements)
		if r.Kind == Same {
			one, _ := text(pair[0])
			other, _ := text(pair[1])
			r.Dispute, r.Veto = Veto(Read(one), Read(other))
		}
		list = append(list, r)
	}
	slices.SortFunc(list, ByClaims)
	return list
}

// Update is what was agreed earlier and what was agreed now, in the order of ids; of a
// pair what was agreed last.
func Update(earlier, now []Relation) []Relation {
	judged := map[[2]string]bool{}
	for _, r := range now {
		judged[[2]string{r.A, r.B}] = true
	}
	all := slices.Clone(now)
	for _, r := range earlier {
		if !judged[[2]string{r.A, r.B}] {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, ByClaims)
	return all
}

// ByClaims orders relations by the numbers of their claims.
func ByClaims(x, y Relation) int {
	return cmp.Or(cmp.Compare(number(x.A), number(y.A)), cmp.Compare(number(x.B), number(y.B)))
}

func decidePair(pair [2]string, said []Judgement) Relation {
	r := Relation{A: pair[0], B: pair[1], Kind: Undecided}
	heard := 0
	count := map[Kind]int{}
	for _, family := range families(said) {
		v := voiceOf(family, said)
		r.Voices = append(r.Voices, v)
		if v.Kind != Undecided {
			heard++
			count[v.Kind]++
		}
	}
	for kind, n := range count {
		if 2*n > heard && (n > 1 || heard == 1) {
			r.Kind, r.Single = kind, heard == 1
		}
	}
	if part := count[Narrower] + count[Wider] + count[Overlaps]; r.Kind == Undecided && 2*part > heard && part > 1 {
		r.Kind = Overlaps
	}
	r.fill(said)
	return r
}

// families are those who were heard, in the order of their names.
func families(said []Judgement) []string {
	var list []string
	for _, j := range said {
		if !slices.Contains(list, j.Family) {
			list = append(list, j.Family)
		}
	}
	slices.Sort(list)
	return list
}

// voiceOf is what the seats of a family agree on.
func voiceOf(family string, said []Judgement) Voice {
	last := map[string]Judgement{}
	var seats []string
	for _, j := range said {
		if j.Family != family {
			continue
		}
		if _, known := last[j.Seat]; !known {
			seats = append(seats, j.Seat)
		}
		last[j.Seat] = j
	}
	slices.Sort(seats)
	first := last[seats[0]]
	v := Voice{Family: family, Kind: first.Kind, Words: first.Words}
	for _, seat := range seats[1:] {
		if last[seat].Kind != v.Kind {
			v.Kind = Undecided
		}
	}
	return v
}

// fill takes over what those say who say what was decided: the first of the
// families in the order of their names that has words for it.
func (r *Relation) fill(said []Judgement) {
	ordered := slices.Clone(said)
	slices.SortStableFunc(ordered, func(a, b Judgement) int {
		return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(a.Seat, b.Seat))
	})
	for _, j := range ordered {
		if j.Kind != r.Kind && (r.Kind != Overlaps || !slices.Contains(inPart(), j.Kind)) {
			continue
		}
		r.Condition, r.Dispute = cmp.Or(r.Condition, j.Condition), cmp.Or(r.Dispute, j.Dispute)
		r.Words, r.Settle = cmp.Or(r.Words, j.Words), cmp.Or(r.Settle, j.Settle)
	}
}
