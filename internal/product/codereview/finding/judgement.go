package finding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"
)

// Verdicts on a merged finding. A synthesizer, which has read all findings,
// says the first two; a checker, which is of another family and has read the
// code, the others.
const (
	SaysFalse     = "false_positive"
	SaysDuplicate = "duplicate" // of another, which Of names
	SaysConfirmed = "confirmed"
	SaysRefuted   = "refuted"
	SaysUnsure    = "unsure"
)

// Verdicts are all verdicts.
func Verdicts() []string {
	return []string{SaysFalse, SaysDuplicate, SaysConfirmed, SaysRefuted, SaysUnsure}
}

// Judgement is what somebody says of a merged finding.
type Judgement struct {
	ID      string `json:"id"` // of the merged finding
	Verdict string `json:"verdict"`
	Of      string `json:"of,omitempty"` // the id of the finding that a duplicate repeats
	Reason  string `json:"reason"`
	By      string `json:"by,omitempty"` // who says so; filled in by the program
}

// DecodeJudgements reads judgements as [Decode] reads findings: one object a
// line with id, verdict, reason and, for a duplicate, of. All but unsure and
// confirmed need a reason. A list may stand under the key judgements.
func DecodeJudgements(r io.Reader, by string) ([]Judgement, []Refusal) {
	var list []Judgement
	refused := form().Each(r, func(_ int, data []byte) string {
		j, problem := readJudgement(data)
		if problem == "" && len(list) == MaxJudgements {
			problem = fmt.Sprintf("beyond the first %d judgements of a file", MaxJudgements)
		}
		if problem != "" {
			return problem
		}
		j.By = by
		list = append(list, j)
		return ""
	})
	return list, refused
}

// MaxJudgements bounds the judgements of one file.
const MaxJudgements = 100_000

func readJudgement(data []byte) (Judgement, string) {
	var w struct{ ID, Verdict, Of, Reason json.RawMessage }
	if json.Unmarshal(data, &w) != nil {
		return Judgement{}, "no JSON object that can be read; write each judgement on one line"
	}
	var p problems
	j := Judgement{
		ID:      p.textField("id", w.ID, categoryLimit, true),
		Verdict: p.enumField("verdict", w.Verdict, "", Verdicts()),
		Of:      p.textField("of", w.Of, categoryLimit, false),
	}
	needed := j.Verdict != SaysUnsure && j.Verdict != SaysConfirmed
	j.Reason = strings.Join(strings.Fields(p.textField("reason", w.Reason, TextLimit, needed)), " ")
	if j.Verdict == SaysDuplicate && (j.Of == "" || j.Of == j.ID) {
		p.add("of must be the id of the other finding that this one repeats")
	}
	return j, strings.Join(p, "; ")
}

// Apply enters judgements into merged findings, the gravest first, in whatever
// order the judgements come. One about a finding that is not there is passed
// over.
//
// A finding that is said to be a false positive is taken out, that is, it keeps
// its place in the list with that status and the reasons. But one voice is not
// enough against others: when a checker has confirmed the finding, or reviewers
// of several families have found its code and say so, it stays and is
// disputed, unless a checker has refuted it too. One that is refuted alone is
// disputed. A duplicate becomes members of the finding it repeats, when that is
// of the same file or kind; it raises it as the rules of Merge say. Of
// verdicts false positive and duplicate on one finding the first one counts.
func Apply(list []Merged, judgements []Judgement) []Merged {
	said := map[string][]Judgement{}
	for _, j := range judgements {
		said[j.ID] = append(said[j.ID], j)
	}
	all := slices.Clone(list)
	for i := range all {
		js := append(slices.Clone(all[i].Judgements), said[all[i].ID]...)
		slices.SortFunc(js, compareJudgements)
		all[i].Judgements = slices.Compact(js)
		all[i].Status = status(all[i])
	}
	all = sorted(mergeDuplicates(all))
	setSamePlaces(all)
	return all
}

func compareJudgements(a, b Judgement) int {
	return cmp.Or(
		cmp.Compare(indexIn(Verdicts(), a.Verdict), indexIn(Verdicts(), b.Verdict)),
		cmp.Compare(a.By, b.By), cmp.Compare(a.Of, b.Of), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.ID, b.ID),
	)
}

// status is what the judgements make of a finding.
func status(m Merged) string {
	denied, refuted, confirmed := m.hasVerdict(SaysFalse), m.hasVerdict(SaysRefuted), m.hasVerdict(SaysConfirmed)
	agreed := m.IsLocated() && len(m.Families) > 1
	switch {
	case denied && refuted:
		return FalsePositive
	case denied && (confirmed || agreed), refuted:
		return Disputed
	case denied:
		return FalsePositive
	case confirmed:
		return Confirmed
	}
	return Open
}

func (m Merged) hasVerdict(verdict string) bool {
	return slices.ContainsFunc(m.Judgements, func(j Judgement) bool { return j.Verdict == verdict })
}

// mergeDuplicates joins duplicates to what they repeat.
func mergeDuplicates(all []Merged) []Merged {
	place := map[string]int{}
	for i, m := range all {
		place[m.ID] = i
	}
	into := make([]int, len(all)) // what each repeats; itself when nothing
	for i := range all {
		into[i] = duplicateOf(all, place, i)
	}
	roots := origins(into)
	absorbed := map[int][]int{}
	for i, root := range roots {
		if root != i {
			absorbed[root] = append(absorbed[root], i)
		}
	}
	var kept []Merged
	for i, root := range roots {
		if root == i {
			kept = append(kept, withDuplicates(all, i, absorbed[i]))
		}
	}
	return kept
}

// duplicateOf is the finding that one is a duplicate of; itself for none.
func duplicateOf(all []Merged, place map[string]int, i int) int {
	m := all[i]
	if m.hasVerdict(SaysFalse) {
		return i
	}
	for _, j := range m.Judgements {
		of, known := place[j.Of]
		if j.ID == m.ID && j.Verdict == SaysDuplicate && known && (all[of].File == m.File || all[of].Kind == m.Kind) {
			return of
		}
	}
	return i
}

// origins follow duplicates to what they all repeat. What leads into a ring
// repeats nothing. Every round doubles how far is looked.
func origins(into []int) []int {
	far := slices.Clone(into)
	for range bits.Len(uint(len(into))) {
		next := make([]int, len(far))
		for i, at := range far {
			next[i] = far[at]
		}
		far = next
	}
	for i, at := range far {
		if into[at] != at {
			far[i] = i
		}
	}
	return far
}

// withDuplicates is a finding with the members of its duplicates.
func withDuplicates(all []Merged, i int, others []int) Merged {
	m := all[i]
	if len(others) == 0 {
		return m
	}
	members := pointers(nil, m.Members)
	m.Judgements = slices.Clone(m.Judgements)
	for _, o := range others {
		members = pointers(members, all[o].Members)
		m.Judgements = append(m.Judgements, all[o].Judgements...)
	}
	slices.SortFunc(m.Judgements, compareJudgements)
	joined := mergeGroup(members)
	joined.ID, joined.Fingerprint, joined.Judgements = m.ID, m.Fingerprint, m.Judgements
	joined.Status = status(joined)
	return joined
}

func pointers(to []*Finding, list []Finding) []*Finding {
	for i := range list {
		to = append(to, &list[i])
	}
	return to
}

// Place is where a finding is.
func (m Merged) Place() Place { return Place{m.ID, m.File, m.Line} }
