package claim

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/relation"
)

// statements are texts that differ in more than white space, a first capital and
// a full stop. They are numbered in the order in which they come.
type statements struct {
	known hashTable
	sets  wordSets
	set   []uint32 // of each
	// marked are statements with more than words, figures and the marks between
	// them, or with a word whose place decides.
	marked []bool
	// text gives the text of one, when it has to be read again.
	text func(n uint32) (string, error)

	parent      []uint32          // a lower one that says the same, or itself
	digests     []relation.Digest // of what those mean that were read; the first is of none
	digest      []uint32          // of each its digest's place
	head        []uint32          // of each set the first of its voices + 1
	next        []uint32          // of each statement the next of its set + 1
	grouped     []bool            // of each set: its list holds voices alone
	conflicting []pair            // voices that may disagree
	buffer      []byte
	reader      *relation.Reader
	err         error
}

// add gives the number of a text.
func (s *statements) add(text []byte) (n uint32, old bool) {
	s.buffer = appendNormalised(s.buffer[:0], text)
	n, old = s.known.put(sum(s.buffer))
	if !old {
		set := s.sets.add(text)
		s.set = append(s.set, set)
		s.digest = append(s.digest, 0)
		if len(s.sets.get(s.sets.at[set])) <= shortText {
			s.readDigest(n, string(text))
		}
		s.marked = append(s.marked, isMarked(text))
	}
	return n, old
}

// readDigest sums up what a statement means.
func (s *statements) readDigest(n uint32, text string) {
	if s.reader == nil {
		s.reader, s.digests = relation.NewReader(), make([]relation.Digest, 1)
	}
	if d := s.reader.Read(text).Digest(); d != (relation.Digest{}) {
		s.digest[n] = uint32(len(s.digests))
		s.digests = append(s.digests, d)
	}
}

// digestOf sums up what a statement means; the zero one where it was not read.
func (s *statements) digestOf(n uint32) relation.Digest {
	if s.digest[n] == 0 {
		return relation.Digest{}
	}
	return s.digests[s.digest[n]]
}

// isMarked reports whether a text has signs that decide, compares or defines.
func isMarked(text []byte) bool {
	return relation.Defines(string(text)) || bytes.ContainsAny(text, "%$<>=+*/^~'") || !ascii(text) || bytes.Contains(text, []byte(" than "))
}

// shortText is up to how many different words a text is compared by what it
// means with all others: of so few, one that differs leaves too few in common
// for the join of sets.
const shortText = 12

// findEquivalent finds which statements say the same, so that [statements.root] is
// the same for them, and which may disagree. What says the same is told by
// [relation.Compare]: no word more, and none less. A
// voice is all of one set of words that means the same; it is known by its first
// statement.
func (s *statements) findEquivalent() error {
	n := len(s.set)
	s.parent, s.next = make([]uint32, n), make([]uint32, n)
	s.head, s.grouped = make([]uint32, len(s.sets.at)), make([]bool, len(s.sets.at))
	for i := n - 1; i >= 0; i-- { // so that lists ascend
		s.parent[i] = uint32(i)
		s.next[i], s.head[s.set[i]] = s.head[s.set[i]], uint32(i)+1
	}
	var pairs []pair
	for set, first := range s.head {
		if s.next[first-1] != 0 {
			pairs = append(pairs, pair{uint32(set), uint32(set), 0})
		}
	}
	s.sets.findSimilarPairs(func(p pair) {
		if pairs = append(pairs, p); len(pairs) >= pairBatch {
			s.comparePairs(pairs)
			pairs = pairs[:0]
		}
	})
	s.comparePairs(pairs)
	s.compareShort()
	s.relate()
	s.sets = wordSets{}
	s.conflicting = strongest(s.conflicting, s.known.hashes)
	return s.err
}

// pairBatch is how many pairs of sets are looked at together.
const pairBatch = 1 << 20

// root is the first statement known to say the same.
func (s *statements) root(n uint32) uint32 {
	for s.parent[n] != n {
		s.parent[n] = s.parent[s.parent[n]]
		n = s.parent[n]
	}
	return n
}

func (s *statements) union(a, b uint32) {
	a, b = s.root(a), s.root(b)
	s.parent[max(a, b)] = min(a, b)
}

// comparePairs compares the voices of sets that are alike.
func (s *statements) comparePairs(pairs []pair) {
	pairs = slices.DeleteFunc(pairs, s.settlePlain)
	s.readDeciding(pairs)
	for _, p := range pairs {
		for a := s.variants(p.a); a != 0 && p.a != p.b; a = s.next[a-1] {
			for b := s.variants(p.b); b != 0; b = s.next[b-1] {
				s.uniteOrConflict(pair{min(a, b) - 1, max(a, b) - 1, p.similarity})
			}
		}
	}
}

// settlePlain settles a pair of sets that have one statement each and differ in
// words alone that decide nothing: they do not disagree, and it need not be read again.
// Nor do they say the same: any word more may decide.
func (s *statements) settlePlain(p pair) bool {
	a, b := s.head[p.a]-1, s.head[p.b]-1
	return p.a != p.b && s.next[a] == 0 && s.next[b] == 0 && !s.marked[a] && !s.marked[b] && s.sets.differPlainly(p.a, p.b)
}

// readDeciding reads what the sets say, in the order in which it came: so that a file
// is read from its beginning to its end.
func (s *statements) readDeciding(pairs []pair) {
	var wanted []uint32
	asked := make([]bool, len(s.head))
	for _, p := range pairs {
		for _, set := range [2]uint32{p.a, p.b} {
			for n := s.head[set]; n != 0 && !s.grouped[set] && !asked[set]; n = s.next[n-1] {
				wanted = append(wanted, n-1)
			}
			asked[set] = true
		}
	}
	slices.Sort(wanted)
	for _, n := range wanted {
		if s.digest[n] == 0 {
			s.readDigest(n, s.reread(n))
		}
	}
}

// variants gives the first voice of a set that has been read + 1, the others being
// next to it.
func (s *statements) variants(set uint32) uint32 {
	if s.grouped[set] {
		return s.head[set]
	}
	s.grouped[set] = true
	for at := &s.head[set]; *at != 0; {
		n := *at - 1
		if v := s.variantOf(set, n); v != n {
			s.parent[n] = v
			*at = s.next[n]
			continue
		}
		at = &s.next[n]
	}
	return s.head[set]
}

// variantOf is the voice of a statement among those before it in its set, or itself.
// Then it is judged against each.
func (s *statements) variantOf(set, n uint32) uint32 {
	for v := s.head[set] - 1; v != n; v = s.next[v] - 1 {
		if s.digestOf(v).Same == s.digestOf(n).Same && s.digestOf(n).Same != 0 {
			return v
		}
	}
	for v := s.head[set] - 1; v != n; v = s.next[v] - 1 {
		s.uniteOrConflict(pair{v, n, similarity(1, 1, 1)})
	}
	return n
}

// uniteOrConflict unites two alike statements that say the same; others may
// disagree.
func (s *statements) uniteOrConflict(p pair) {
	a, b := s.digestOf(p.a), s.digestOf(p.b)
	switch none := (relation.Digest{}); {
	case a == none || b == none:
	case a.Same == b.Same:
		s.union(p.a, p.b)
	case a.Point != b.Point:
		s.addConflict(p)
	}
}

// compareShort compares short texts that are about the same, whatever their
// words.
func (s *statements) compareShort() {
	var order []uint32
	for n, d := range s.digest {
		if d != 0 && s.isShort(uint32(n)) {
			order = append(order, uint32(n))
		}
	}
	slices.SortFunc(order, func(x, y uint32) int {
		a, b := s.digestOf(x), s.digestOf(y)
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Same, b.Same), cmp.Compare(x, y))
	})
	var voices []uint32 // of one subject
	for i, n := range order {
		switch before := s.digestOf(order[max(0, i-1)]); {
		case i == 0 || before.Subject != s.digestOf(n).Subject:
			voices = voices[:0]
		case before.Same == s.digestOf(n).Same:
			s.union(order[i-1], n)
			continue
		}
		for _, v := range voices[max(0, len(voices)-maxConflictsEach):] {
			s.addConflict(pair{min(v, n), max(v, n), similarity(1, 1, 1)})
		}
		voices = append(voices, n)
	}
}

// mostRelated is of how many statements the likely pairs are compared in other words
// too: that takes a tenth of a millisecond each.
const mostRelated = 4000

// relate compares the likely pairs of not too many statements by what they say in other
// words and in another order.
func (s *statements) relate() {
	if !s.isFew() {
		return
	}
	list := make([]relation.Statement, len(s.digest))
	for n := range list {
		list[n].Text = s.reread(uint32(n))
	}
	for _, p := range relation.Candidates(list, relation.MostPairs) {
		a, b := uint32(p.A), uint32(p.B)
		if s.root(a) == s.root(b) {
			continue
		}
		switch relation.Relate(list[p.A].Text, list[p.B].Text).Kind {
		case relation.Same:
			s.union(a, b)
		case relation.Contradicts:
			s.addConflict(pair{a, b, similarity(1, 1, 1)})
		}
	}
}

// isFew reports whether there is time to compare statements in other words.
func (s *statements) isFew() bool { return len(s.digest) <= mostRelated }

// disagreement says in what two statements possibly disagree, and in which words; ""
// when the rules see no contradiction.
func (s *statements) disagreement(one, other string) (ConflictKind, string) {
	var f relation.Finding
	if s.isFew() {
		f = relation.Relate(one, other)
	} else {
		f = relation.Compare(relation.Read(one), relation.Read(other))
	}
	if f.Kind != relation.Contradicts {
		return "", ""
	}
	return f.Dispute, f.Detail
}

func (s *statements) isShort(n uint32) bool { return len(s.sets.get(s.sets.at[s.set[n]])) <= shortText }

// reread gives a text anew; the first error stays.
func (s *statements) reread(n uint32) string {
	text, err := s.text(n)
	if err != nil {
		s.err = cmp.Or(s.err, fmt.Errorf("read a claim again: %w", err))
	}
	return text
}

// maxConflictsEach is with how many of those that differ from it in deciding words a
// claim is compared, the most alike. Of a table's rows written out as sentences
// each may disagree with each.
const maxConflictsEach = 16

// maxConflicting is how many conflicts are kept before the weakest are let go.
const maxConflicting = 1 << 22

func (s *statements) addConflict(p pair) {
	s.conflicting = append(s.conflicting, p)
	if len(s.conflicting) == cap(s.conflicting) && len(s.conflicting) >= maxConflicting {
		s.conflicting = strongest(s.conflicting, s.known.hashes)
	}
}

// strongest keeps the edges that are among the strongest of either end. Equal
// ones are told apart by what the texts hold, not by when they came.
func strongest(edges []pair, content []hash) []pair {
	weaker := func(x, y pair) int {
		fx, fy := content[x.a].lo^content[x.b].lo, content[y.a].lo^content[y.b].lo
		return cmp.Or(cmp.Compare(y.similarity, x.similarity), cmp.Compare(fx, fy))
	}
	slices.SortFunc(edges, weaker)
	seen := map[uint32]int{}
	kept := edges[:0]
	for _, e := range edges {
		if seen[e.a] < maxConflictsEach || seen[e.b] < maxConflictsEach {
			kept = append(kept, e)
		}
		seen[e.a]++
		seen[e.b]++
	}
	return kept
}

// appendNormalised writes a text with single blanks for white space, without a full
// stop at its end, and with a small letter first unless it begins with several
// capitals. Case is not folded further, because mW is not MW.
func appendNormalised(dst, text []byte) []byte {
	text = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(text), []byte(".")))
	first, size := utf8.DecodeRune(text)
	second, _ := utf8.DecodeRune(text[size:])
	if unicode.IsLower(second) {
		dst = utf8.AppendRune(dst, unicode.ToLower(first))
		text = text[size:] // it begins with a letter
	}
	if isSingleSpaced(text) {
		return append(dst, text...)
	}
	for field := range bytes.FieldsSeq(text) {
		dst = append(append(dst, field...), ' ')
	}
	return bytes.TrimSuffix(dst, []byte(" "))
}

// isSingleSpaced reports whether a text is of visible ASCII with single blanks,
// as nearly every claim in English is.
func isSingleSpaced(text []byte) bool {
	before := byte(0)
	for _, c := range text {
		if c < ' ' || c >= 0x7f || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return true
}
