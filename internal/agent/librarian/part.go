package librarian

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"research-council/internal/base/words"
	"research-council/internal/evidence/scope"
)

// Part is one of the questions a topic asks, and the claims that bear on it more
// than on the others, the best first.
type Part struct {
	Name   string
	Claims []Statement
}

// How much of a question's own words a claim meets at least to belong to it, and how
// much that counts beside its worth.
const (
	minPartShare    = 0.35
	partShareWeight = 1.5
)

// Parts divides the claims among the questions of the topic; a topic of one question
// is one part. Claims that meet none, or lean on a sentence that is not there, are
// left out, unless nothing would be left.
func (a *Arrangement) Parts() []Part {
	asked := scope.QuestionsOf(a.topic)
	if len(asked) > 1 {
		asked = asked[1:] // the first is the topic itself
	}
	parts := make([]Part, len(asked))
	for i, q := range asked {
		parts[i].Name = q.Text
	}
	rankers := a.partRankers(asked)
	value := map[string]float64{}
	found := 0
	for _, c := range a.All {
		at, share := bestPart(rankers, c)
		if share >= minPartShare && !refersBack(sentence{text: c.Text}) {
			value[c.ID] = c.worth + partShareWeight*share
			parts[at].Claims = append(parts[at].Claims, c)
			found++
		}
	}
	if found == 0 {
		return []Part{{Name: a.topic, Claims: a.All}}
	}
	for _, p := range parts {
		slices.SortStableFunc(p.Claims, func(x, y Statement) int { return cmp.Compare(value[y.ID], value[x.ID]) })
	}
	return parts
}

// bestPart is the question of which a claim meets most, and how much of it that is.
func bestPart(rankers []ranker, c Statement) (at int, share float64) {
	for i, r := range rankers {
		if v := r.coverage(func(st string) bool { return c.stems[st] }); v > share+1e-9 {
			at, share = i, v
		}
	}
	return at, share
}

// partRankers rank by the words of each question. A word that several of them have
// tells little of which is meant; a question that says "it" is about what the topic
// is about.
func (a *Arrangement) partRankers(asked []scope.Question) []ranker {
	in := map[string]int{}
	own := make([]map[string]bool, len(asked))
	for i, q := range asked {
		own[i] = StemSet(q.Text)
		for _, c := range a.concepts {
			if own[i][c.stems[0]] {
				in[c.stems[0]]++
			}
		}
	}
	out := make([]ranker, len(asked))
	for i, q := range asked {
		var list []concept
		for _, c := range a.concepts {
			switch n := float64(in[c.stems[0]]); {
			case own[i][c.stems[0]]:
				c.weight /= n * n
			case !pointsBack(q.Text) || c.askedFor() < 1:
				continue
			}
			list = append(list, c)
		}
		out[i] = newRanker(list, q.Text)
	}
	return out
}

// pointsBack reports whether a question names by a pronoun what it is about.
func pointsBack(question string) bool {
	return slices.ContainsFunc(words.Split(question), func(w words.Word) bool { return pronouns()[strings.ToLower(w.Text)] })
}

var pronouns = sync.OnceValue(func() map[string]bool {
	return wordSet("it its itself they them their themselves he she er es ihn sie ihr sich il elle ils elles se lo ella ellos")
})
