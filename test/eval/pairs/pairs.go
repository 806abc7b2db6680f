// Package pairs measures how claims are compared, on pairs that strangers have
// labelled: what the rules say of them alone, what a comparison by scripted judges
// of known error comes to, and how many of those that have to do with each other
// are among the pairs proposed.
package pairs

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
)

//go:embed testdata/pairs.jsonl
var labelled []byte

//go:embed testdata/opposed.jsonl
var short []byte

//go:embed testdata/after.jsonl
var after []byte

// Pair is two claims and how the one stands to the other.
type Pair struct {
	ID     string   `json:"id"`
	A      string   `json:"a"`
	B      string   `json:"b"`
	Labels []string `json:"labels"` // of the annotators
	Label  string   `json:"label"`  // of most of them
}

// Kept reports whether figures are taken of a pair: the writers of the rules have
// looked at the others.
func (p Pair) Kept() bool {
	h := fnv.New32a()
	h.Write([]byte(p.ID))
	return h.Sum32()%3 != 0
}

// Read gives the pairs of which figures are taken.
func Read() ([]Pair, error) {
	var list []Pair
	for line := range bytes.Lines(labelled) {
		var p Pair
		if err := json.Unmarshal(line, &p); err != nil {
			return nil, fmt.Errorf("read the labelled pairs: %w", err)
		}
		if p.Kept() {
			list = append(list, p)
		}
	}
	return list, nil
}

// ReadShort gives pairs of short sentences, which the writers of the rules have seen.
func ReadShort() ([]Pair, error) { return readExpected(short) }

// ReadAfter gives pairs of short sentences that the writer of the rules wrote when they
// were done, and to which they were not fitted.
func ReadAfter() ([]Pair, error) { return readExpected(after) }

func readExpected(lines []byte) ([]Pair, error) {
	var list []Pair
	for line := range bytes.Lines(lines) {
		var p struct{ A, B, Expect string }
		if err := json.Unmarshal(line, &p); err != nil {
			return nil, fmt.Errorf("read the short pairs: %w", err)
		}
		label := map[string]relation.Kind{"same": relation.Same, "conflict": relation.Contradicts}[p.Expect]
		list = append(list, Pair{A: p.A, B: p.B, Label: string(cmp.Or(label, relation.Unrelated))})
	}
	return list, nil
}

// Count is how often something was said, and how often rightly.
type Count struct{ Said, Right, There int }

// Precision is how much of what was said is right; 1 when nothing was said.
func (c Count) Precision() float64 {
	if c.Said == 0 {
		return 1
	}
	return float64(c.Right) / float64(c.Said)
}

// Recall is how much of what is there was said.
func (c Count) Recall() float64 {
	if c.There == 0 {
		return 1
	}
	return float64(c.Right) / float64(c.There)
}

// add takes in a pair.
func (c *Count) add(said, there bool) {
	if there {
		c.There++
	}
	if said {
		c.Said++
	}
	if said && there {
		c.Right++
	}
}

// Outcome is what was said of pairs.
type Outcome struct {
	Same, Contradicts Count
	Forbidden         Count // of pairs that the program forbids to call the same: those that are not
}

// Rules compares the pairs by the program's rules alone, as `council merge` does.
func Rules(list []Pair) Outcome {
	var o Outcome
	for _, p := range list {
		r := claim.Merge(registry(p, nil))
		o.take(p, r)
		_, words := relation.Veto(relation.Read(p.A), relation.Read(p.B))
		o.Forbidden.add(words != "", p.Label != string(relation.Same))
	}
	return o
}

// take takes in what was made of a pair.
func (o *Outcome) take(p Pair, r claim.Registry) {
	open := slices.ContainsFunc(r.Conflicts, func(c claim.Conflict) bool { return c.Status != claim.Dismissed })
	o.Same.add(len(r.Groups) > 0, p.Label == string(relation.Same))
	o.Contradicts.add(open, p.Label == string(relation.Contradicts))
}

// registry is a pair as the claims of two seats, with what judges say of them.
func registry(p Pair, said []relation.Judgement) claim.Registry {
	texts := map[string]string{"C1": p.A, "C2": p.B}
	r := claim.Registry{Entries: []claim.Entry{
		{ID: "C1", Text: p.A, Key: "a", Seats: []string{"one"}, Families: []string{"alpha"}, Location: claim.Location{State: claim.Located}},
		{ID: "C2", Text: p.B, Key: "b", Seats: []string{"two"}, Families: []string{"beta"}, Location: claim.Location{State: claim.Located}},
	}}
	r.Relations = relation.Decide(said, func(id string) (string, bool) { text, ok := texts[id]; return text, ok })
	return r
}

// Judged compares the pairs by so many judges of different families, each of which
// errs on its own on a share of the pairs, and then says any of the other things.
// It does so several times.
func Judged(list []Pair, families int, err float64, times int, dice *rand.Rand) (all Outcome, agreed Count) {
	for range times {
		for _, p := range list {
			var said []relation.Judgement
			for f := range families {
				said = append(said, relation.Judgement{A: "C1", B: "C2", Kind: heard(p.Label, err, dice), Condition: "one", Seat: fmt.Sprint("judge", f), Family: fmt.Sprint("family", f), Words: "words"})
			}
			r := claim.Merge(registry(p, said))
			all.take(p, r)
			firm := slices.ContainsFunc(r.Conflicts, func(c claim.Conflict) bool { return !c.Possible })
			agreed.add(firm, p.Label == string(relation.Contradicts))
		}
	}
	return all, agreed
}

// heard is what a judge says that errs on a share of the pairs.
func heard(label string, err float64, dice *rand.Rand) relation.Kind {
	kinds := []relation.Kind{relation.Same, relation.Narrower, relation.Contradicts, relation.Condition, relation.Unrelated}
	right := relation.Kind(label)
	if dice.Float64() >= err {
		return right
	}
	others := slices.DeleteFunc(kinds, func(k relation.Kind) bool { return k == right })
	return others[dice.IntN(len(others))]
}

// Proposed counts which pairs that have to do with each other are proposed, among
// the claims of all pairs, each claim in at most so many.
func Proposed(list []Pair, most int) (found Count, pairs, claims int) {
	var statements []relation.Statement
	at := map[string]int{}
	place := func(text, family string) int {
		if i, known := at[text]; known {
			return i
		}
		at[text] = len(statements)
		statements = append(statements, relation.Statement{ID: fmt.Sprint("C", len(statements)+1), Text: text, Family: family})
		return at[text]
	}
	wanted := map[relation.Pair]bool{}
	for _, p := range list {
		a, b := place(p.A, "alpha"), place(p.B, "beta")
		if p.Label != string(relation.Unrelated) && a != b {
			wanted[relation.Pair{A: min(a, b), B: max(a, b)}] = true
		}
	}
	for _, p := range relation.Candidates(statements, most) {
		pairs++
		found.add(true, wanted[p])
	}
	found.There = len(wanted)
	return found, pairs, len(statements)
}
