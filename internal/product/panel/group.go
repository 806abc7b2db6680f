package panel

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
)

// groupIssues makes groups of the issues about one part of the report. Issues about
// one claim are one group, in steps too. An issue that names no claim goes to
// the one whose words are most like its own, if any are alike; two that name
// different claims are never joined by their words, because the same words
// are often said of several claims. Likeness is measured on words that carry
// content, and does not count where numbers differ or one denies what the
// other says. Time is near linear in the number of issues.
func groupIssues(list []*comparedIssue) [][]*comparedIssue {
	for _, r := range list {
		r.read()
	}
	groups := byClaim(list)
	shelf := newWordIndex(list)
	group := map[*comparedIssue]int{}
	for i, g := range groups {
		for _, r := range g {
			group[r] = i
			shelf.add(r)
		}
	}
	for _, r := range list {
		if len(r.claims) > 0 {
			continue
		}
		if like := shelf.mostSimilar(r); like != nil {
			i := group[like]
			groups[i] = append(groups[i], r)
			continue
		}
		group[r] = len(groups)
		groups = append(groups, []*comparedIssue{r})
		shelf.add(r)
	}
	return groups
}

// byClaim are the groups of issues that share claims, directly or in steps,
// in the order of their first ones.
func byClaim(list []*comparedIssue) [][]*comparedIssue {
	parent := map[string]string{} // of each claim
	root := func(id string) string {
		for parent[id] != id {
			parent[id] = parent[parent[id]]
			id = parent[id]
		}
		return id
	}
	for _, r := range list {
		for _, id := range r.claims {
			if _, known := parent[id]; !known {
				parent[id] = id
			}
			parent[root(id)] = root(r.claims[0])
		}
	}
	var groups [][]*comparedIssue
	at := map[string]int{}
	for _, r := range list {
		if len(r.claims) == 0 {
			continue
		}
		i, known := at[root(r.claims[0])]
		if !known {
			i = len(groups)
			at[root(r.claims[0])] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// wordIndex finds issues by their words.
type wordIndex struct {
	used map[string]int              // how many issues have a word
	by   map[string][]*comparedIssue // what was put there
}

func newWordIndex(list []*comparedIssue) wordIndex {
	s := wordIndex{used: map[string]int{}, by: map[string][]*comparedIssue{}}
	for _, r := range list {
		for _, w := range r.words {
			s.used[w]++
		}
	}
	return s
}

func (s wordIndex) add(r *comparedIssue) {
	for _, w := range r.words {
		if len(s.by[w]) < maxCompared {
			s.by[w] = append(s.by[w], r)
		}
	}
}

// maxCompared bounds how many issues one is compared with: those that share
// its rarest words.
const maxCompared = 64

// mostSimilar is the issue most like another, nil when none is alike.
func (s wordIndex) mostSimilar(r *comparedIssue) *comparedIssue {
	words := slices.Clone(r.words)
	slices.SortStableFunc(words, func(a, b string) int { return s.used[a] - s.used[b] })
	var best *comparedIssue
	compared, score := 0, 0.0
	for _, w := range words {
		for _, other := range s.by[w] {
			if other.seen == r {
				continue
			}
			if compared++; compared > maxCompared {
				return best
			}
			other.seen = r
			if likeness := r.like(other); likeness > score {
				best, score = other, likeness
			}
		}
	}
	return best
}

// like measures how alike two issues are: the share of common words among
// those of the shorter one. It is 0 below a half, for one common word beside
// others, and where the words that decide are at odds.
func (r *comparedIssue) like(other *comparedIssue) float64 {
	common, shorter := shared(r.words, other.words), min(len(r.words), len(other.words))
	if 2*common < shorter || common < 2 && !slices.Equal(r.words, other.words) {
		return 0
	}
	if r.denies != other.denies || contradicts(r.deciding, other.deciding) {
		return 0
	}
	return float64(common) / float64(shorter)
}

// shared counts what two sorted lists have in common.
func shared(a, b []string) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch strings.Compare(a[0], b[0]) {
		case 0:
			n++
			a, b = a[1:], b[1:]
		case -1:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return n
}

// decidingKinds are the kinds of words in which two issues can be at odds. Names
// and hedges are not: reviewers differ in them who mean the same.
func decidingKinds() []guard.Kind {
	return []guard.Kind{guard.Number, guard.Unit, guard.Magnitude, guard.Comparator}
}

// contradicts reports whether both texts have deciding words of a kind and neither
// has all of the other's. One that is less exact than the other is not at odds
// with it.
func contradicts(a, b [][]string) bool {
	for i := range a {
		if n := shared(a[i], b[i]); n < len(a[i]) && n < len(b[i]) {
			return true
		}
	}
	return false
}

// decidingWords are the deciding words of a kind, sorted, each once. A year is told from
// a number by its looks alone.
func decidingWords(words []guard.Word, kind guard.Kind) []string {
	var list []string
	for _, w := range words {
		if w.Kind == kind || kind == guard.Number && w.Kind == guard.Date {
			list = append(list, w.Norm)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// maxWords bounds the words of an issue that are compared.
const maxWords = 200

// read takes from an issue's text what it is compared by.
func (r *comparedIssue) read() {
	text := strings.ReplaceAll(withoutClaimIDs(r.text), "ʼ", "'") // an apostrophe, that guards know as one within a word alone
	denials, hard := 0, guard.Words(text)
	for _, w := range hard {
		if w.Kind == guard.Negation {
			denials++
		}
	}
	for _, kind := range decidingKinds() {
		r.deciding = append(r.deciding, decidingWords(hard, kind))
	}
	for _, w := range words.Tokens(strings.NewReplacer("'", "", "’", "").Replace(norm.NFC.String(text))) {
		switch {
		case isDenial(w):
			denials++
		case !isStopWord(w):
			r.words = append(r.words, words.Stem(w))
		}
	}
	r.denies = denials%2 == 1
	slices.Sort(r.words)
	r.words = slices.Compact(r.words)
	r.words = r.words[:min(len(r.words), maxWords)]
}

// withoutClaimIDs is a text without the claims it names, whose numbers are none.
func withoutClaimIDs(text string) string {
	var b strings.Builder
	for i, w := range strings.Fields(text) {
		if len(mentioned(w)) > 0 {
			continue
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

// isDenial reports whether a word denies beside those that package guard knows.
func isDenial(word string) bool {
	switch word {
	case "missing", "misses", "miss", "absent", "absence", "omits", "omitted", "omit":
		return true
	}
	return false
}

// isStopWord reports whether a word carries no content: what joins the others,
// what guards look at, and what any review is about.
func isStopWord(word string) bool {
	switch word {
	case "a", "an", "the", "this", "that", "these", "those", "it", "its", "there", "here", "they", "their", "them",
		"is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "do", "does", "did", "can", "could",
		"should", "would", "will", "may", "might", "must", "needs", "need", "of", "for", "to", "in", "on", "at", "as",
		"with", "by", "from", "into", "about", "over", "under", "between", "and", "or", "but", "if", "than", "then",
		"which", "who", "what", "when", "where", "why", "how", "so", "such", "also", "only", "more", "most", "some", "any", "all",
		"not", "no", "nor", "never", "none", "without", "cannot", "cant", "dont", "doesnt", "isnt", "arent", "lack", "lacks", "lacking",
		"fail", "fails", "failed", "report", "section", "claim", "claims", "statement", "states", "says", "said":
		return true
	}
	return false
}
