package relation

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/research-council/research-council/internal/base/words"
)

// MostPairs is in how many pairs a statement is at most.
const MostPairs = 6

// mostBuckets is how many features are told apart; two that share a bucket cost a
// candidate its place and nothing else.
const mostBuckets = 1 << 22

// visits is how many places of the index are looked at for one statement, and
// rescored how many others are then compared with it in full.
const (
	visits   = 512
	rescored = 32
)

// Candidates proposes the pairs of statements that may have to do with each
// other, the most likely first, each statement in at most so many. It asks for
// no agreement, only for rare words, numbers, names and places in a source that
// both have: who reads a pair may well find nothing in it. Pairs of one family
// come behind those of two. Time and memory are linear in the statements.
func Candidates(statements []Statement, most int) []Pair {
	x := newIndex(statements)
	var found []scoredPair
	scratch := newScratch(len(statements))
	for i := range statements {
		found = append(found, x.best(i, most, scratch)...)
	}
	slices.SortFunc(found, func(p, q scoredPair) int {
		return cmp.Or(cmp.Compare(q.score, p.score), cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
	})
	used := make([]int, len(statements))
	var pairs []Pair
	var last scoredPair
	for i, p := range found {
		if i > 0 && p.a == last.a && p.b == last.b || used[p.a] == most || used[p.b] == most {
			continue
		}
		last = p
		used[p.a]++
		used[p.b]++
		pairs = append(pairs, Pair{int(p.a), int(p.b)})
	}
	return pairs
}

type scoredPair struct {
	a, b  uint32
	score float32
}

// index knows the features of statements, and which statements have one.
type index struct {
	statements []Statement
	starts     []uint32 // where the features of each begin
	features   []uint32 // ascending within a statement
	count      []uint32 // of each bucket
	heads      []uint32 // where the statements of each bucket begin
	posted     []uint32
	weights    []float32 // of each bucket: how much it tells that two share it
	norms      []float32
	buckets    int        // a power of two, many for each feature
	advice     []bool     // of each: it recommends something
	released   [][]string // of each: the things of which it names a release
}

func newIndex(statements []Statement) *index {
	x := &index{statements: statements, starts: make([]uint32, len(statements)+1), norms: make([]float32, len(statements)), advice: make([]bool, len(statements)), released: make([][]string, len(statements))}
	x.buckets = 1 << 12
	for x.buckets < 512*len(statements) && x.buckets < mostBuckets {
		x.buckets *= 2
	}
	x.count = make([]uint32, x.buckets)
	for i := range statements {
		m := Read(statements[i].Text)
		x.advice[i], x.released[i] = m.advises(), m.released()
		x.features = x.appendFeatures(x.features, m, &statements[i])
		x.starts[i+1] = uint32(len(x.features))
		for _, f := range x.of(i) {
			x.count[f]++
		}
	}
	x.heads = make([]uint32, x.buckets+1)
	for f, n := range x.count {
		x.heads[f+1] = x.heads[f] + n
	}
	x.posted = make([]uint32, len(x.features))
	next := slices.Clone(x.heads)
	for i := range statements {
		for _, f := range x.of(i) {
			x.posted[next[f]] = uint32(i)
			next[f]++
		}
	}
	x.weights = make([]float32, x.buckets)
	for f, n := range x.count { // inverse document frequency
		if n > 0 {
			x.weights[f] = float32(math.Log(1 + float64(len(statements))/float64(n)))
		}
	}
	for i := range statements {
		for _, f := range x.of(i) {
			w := x.weights[f]
			x.norms[i] += w * w
		}
		x.norms[i] = float32(math.Sqrt(float64(x.norms[i])))
	}
	return x
}

func (x *index) of(i int) []uint32 { return x.features[x.starts[i]:x.starts[i+1]] }

// appendFeatures adds what a statement is found by, each once, ascending.
func (x *index) appendFeatures(list []uint32, m Meaning, s *Statement) []uint32 {
	from := len(list)
	add := func(kind, text string) {
		list = append(list, uint32(sum(kind, text)%uint64(x.buckets)))
	}
	for _, t := range m.terms {
		add("word", t.key())
	}
	for _, q := range m.quantities {
		add("quantity", q.digestText())
		add("of", q.unit)
	}
	if m.advises() {
		add("advice", "")
	}
	if s.Source != "" && s.First > 0 {
		const lines = 16
		for block := s.First / lines; block <= max(s.First, s.Last)/lines && block < s.First/lines+8; block++ {
			add("place", s.Source+" "+strconv.Itoa(block))
		}
	}
	slices.Sort(list[from:])
	return list[:from+len(slices.Compact(list[from:]))]
}

// released are the things of which a statement names a release: kettle of "kettle v5".
func (m Meaning) released() []string {
	var list []string
	for _, q := range m.quantities {
		if q.sort != versionNumber || q.at == 0 || q.at > len(m.terms) {
			continue
		}
		switch of := m.terms[q.at-1].stem; of {
		case words.Stem("version"), words.Stem("release"), words.Stem("edition"), words.Stem("revision"), words.Stem("line"), words.Stem("branch"):
		default:
			list = append(list, of)
		}
	}
	return list
}

// areOfOthers reports whether both of two lists of things name some, and none is in both.
func areOfOthers(some, others []string) bool {
	return len(some) > 0 && len(others) > 0 && !slices.ContainsFunc(some, func(s string) bool { return slices.Contains(others, s) })
}

// advises reports whether a statement recommends something.
func (m Meaning) advises() bool {
	return slices.Contains(m.scope, "should") || slices.ContainsFunc(m.terms, func(t term) bool { return t.stem == "recommend" || t.stem == "advise" })
}

// scratch is what is used again for each statement.
type scratch struct {
	score   []float32 // of each other statement
	touched []uint32
	order   []uint32
	best    []scoredPair
}

func newScratch(n int) *scratch { return &scratch{score: make([]float32, n)} }

// best gives the pairs of a statement with those most like it.
func (x *index) best(i, most int, s *scratch) []scoredPair {
	x.gather(i, s)
	s.best = s.best[:0]
	for _, j := range s.foremost(rescored) {
		p := scoredPair{uint32(min(i, int(j))), uint32(max(i, int(j))), 0}
		p.score = x.score(int(p.a), int(p.b))
		s.best = append(s.best, p)
	}
	for _, j := range s.touched {
		s.score[j] = 0
	}
	slices.SortFunc(s.best, func(p, q scoredPair) int {
		return cmp.Or(cmp.Compare(q.score, p.score), cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
	})
	return s.best[:min(len(s.best), most)]
}

// foremost are the touched statements of the highest scores, the lower number
// first among equals.
func (s *scratch) foremost(most int) []uint32 {
	top := s.order[:0]
	for _, j := range s.touched {
		if len(top) == most && s.score[j] <= s.score[top[most-1]] {
			continue
		}
		at := len(top)
		for at > 0 && s.score[j] > s.score[top[at-1]] {
			at--
		}
		if len(top) < most {
			top = append(top, 0)
		}
		copy(top[at+1:], top[at:])
		top[at] = j
	}
	s.order = top
	return top
}

// gather adds up for every statement that shares a rare feature how much it
// shares, until enough places of the index have been seen.
func (x *index) gather(i int, s *scratch) {
	s.touched, s.order = s.touched[:0], append(s.order[:0], x.of(i)...)
	slices.SortFunc(s.order, func(f, g uint32) int { return cmp.Or(cmp.Compare(x.count[f], x.count[g]), cmp.Compare(f, g)) })
	left := visits
	for _, f := range s.order {
		others := x.posted[x.heads[f]:x.heads[f+1]]
		if len(others) > left {
			return
		}
		left -= len(others)
		w := x.weights[f]
		for _, j := range others {
			if int(j) == i {
				continue
			}
			if s.score[j] == 0 {
				s.touched = append(s.touched, j)
			}
			s.score[j] += w * w / x.norms[j]
		}
	}
}

// score is how likely two statements have to do with each other: the cosine of
// their features, more where both recommend something, rest on the same passage
// or answer the same question, less where one family says both, or each tells of releases
// of another thing.
func (x *index) score(i, j int) float32 {
	a, b := x.of(i), x.of(j)
	sum := float32(0)
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			w := x.weights[a[0]]
			sum += w * w
			a, b = a[1:], b[1:]
		}
	}
	s, o := &x.statements[i], &x.statements[j]
	score := sum / max(1e-6, x.norms[i]*x.norms[j])
	if s.overlaps(o) {
		score += .15
	}
	if x.advice[i] && x.advice[j] {
		score += .3
	}
	if slices.ContainsFunc(s.Questions, func(q string) bool { return slices.Contains(o.Questions, q) }) {
		score += .02
	}
	if areOfOthers(x.released[i], x.released[j]) {
		score *= .6
	}
	if !s.rivals(o) {
		score *= .6
	}
	return score
}

// overlaps reports whether two statements rest on the same lines of a source.
func (s *Statement) overlaps(o *Statement) bool {
	return s.Source != "" && s.Source == o.Source && s.First > 0 && o.First > 0 && s.First <= max(o.First, o.Last) && o.First <= max(s.First, s.Last)
}
