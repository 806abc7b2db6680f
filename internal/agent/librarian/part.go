package librarian

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/scope"
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
	minPartShare    = 0.3
	minTopicShare   = 0.15 // where there is one question
	partShareWeight = 1.5
)

// Parts divides the claims among the planned questions, else those of the topic; a topic of one question
// is one part. Those that meet a word of it and belong to no question are others;
// what meets none, or leans on a sentence that is not there, is left out, unless
// nothing would be left.
func (a *Arrangement) Parts() (parts []Part, others []Statement) {
	asked := a.planned
	if len(asked) == 0 {
		asked = scope.QuestionsOf(a.topic)
		if len(asked) > 1 {
			asked = asked[1:] // the first is the topic itself
		}
	}
	parts = make([]Part, len(asked))
	for i, q := range asked {
		parts[i].Name = q.Text
	}
	rankers := a.partRankers(asked)
	value := map[string]float64{}
	found, least := 0, minPartShare
	if len(parts) == 1 {
		least = minTopicShare
	}
	for _, c := range a.All {
		at, share := bestPart(rankers, c)
		switch {
		case share == 0, refersBack(sentence{text: c.Text}), isAboutThis(c.Text):
		case share < least:
			others = append(others, c)
		default:
			value[c.ID] = c.worth + partShareWeight*share
			parts[at].Claims = append(parts[at].Claims, c)
			found++
		}
	}
	if found == 0 {
		return []Part{{Name: a.topic, Claims: a.All}}, nil
	}
	for _, p := range parts {
		slices.SortStableFunc(p.Claims, func(x, y Statement) int { return cmp.Compare(value[y.ID], value[x.ID]) })
	}
	return parts, others
}

// isAboutThis reports whether a sentence begins with something that stands before it:
// "The reason for this is …".
func isAboutThis(text string) bool {
	list := strings.Fields(strings.ToLower(text))
	for i, w := range list[:min(len(list), subjectWords+1)] {
		if (w == "this" || w == "that") && i+1 < len(list) && auxiliaries()[list[i+1]] {
			return true
		}
	}
	return false
}

// bestPart is the question of which a claim meets most, and how much of it that is.
func bestPart(rankers []partRanker, c Statement) (at int, share float64) {
	for i, r := range rankers {
		has := func(st string) bool { return c.stems[st] }
		if v := r.coverage(has); v > share+1e-9 && r.own.coverage(has) > 0 {
			at, share = i, v
		}
	}
	return at, share
}

// partRanker ranks by the words a question is about, of which own are its own.
type partRanker struct {
	ranker
	own ranker
}

// partRankers rank by the words of each question. A word that several of them have
// tells little of which is meant; a question that says "it" is about what the topic
// is about.
func (a *Arrangement) partRankers(asked []scope.Question) []partRanker {
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
	out := make([]partRanker, len(asked))
	for i, q := range asked {
		var list, said []concept
		for _, c := range a.concepts {
			switch n := float64(in[c.stems[0]]); {
			case own[i][c.stems[0]]:
				c.weight /= n * n
				said = append(said, c)
			case !pointsBack(q.Text) || c.askedFor() < 1:
				continue
			}
			list = append(list, c)
		}
		out[i] = partRanker{newRanker(list, q.Text), newRanker(said, q.Text)}
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
