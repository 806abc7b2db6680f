package claim

import (
	"math/bits"
	"slices"
)

// minShared is how many words sets of a and b words share at least to be alike:
// their Jaccard similarity, shared words to all words of both, is over 0.8. In
// whole numbers, since s/(a+b-s) > 4/5 is 9s > 4(a+b).
func minShared(a, b int) int { return 4*(a+b)/9 + 1 }

// similarity orders pairs by their Jaccard similarity, in 65536ths.
func similarity(shared, a, b int) uint32 { return uint32(shared << 16 / (a + b - shared)) }

// pair is two of alike texts or sets, the lower number first.
type pair struct{ a, b, similarity uint32 }

// findSimilarPairs finds every pair of alike sets, each once, in no order that means
// anything.
//
// It is a prefix-filtered set-similarity join (after Bayardo, Ma and Srikant,
// "Scaling up all pairs similarity search", 2007, and AdaptJoin, Wang, Li and
// Feng, 2012). Two sets that share n words, sorted the same way, share the
// first k of these within the first size-n+k words of each. So only sets are
// compared that have a rare word in common; where too many have it, only those
// that have the next shared word in common as well, and so on. Lengths,
// positions and a 64-bit signature rule out most of the rest before words are
// looked at. The result is exact: the same as of comparing all with all.
func (b *wordSets) findSimilarPairs(found func(pair)) {
	b.rankByRarity()
	j := similarityJoin{wordSets: b, found: found}
	j.sortBySize()
	j.findPairs()
}

// similarityJoin holds the sets in order of their size. An item is the place in that
// order.
type similarityJoin struct {
	*wordSets
	found       func(pair)
	ids         []uint32 // the set of each item
	sizes       []uint32
	signatures  []uint64 // its signature: a bit for each word
	sharedWords []uint32 // the words that all of a group share
	group       []probe  // a small group, as it is compared
}

// probe is what rules most pairs of a group out: one set of it.
type probe struct {
	signature       uint64
	item, size, pos uint32
}

// sortBySize sorts the sets by size. A set of up to four words is alike to none but
// itself and left out.
func (j *similarityJoin) sortBySize() {
	var starts []uint32
	for _, at := range j.at {
		n := len(j.get(at))
		for len(starts) <= n+1 {
			starts = append(starts, 0)
		}
		starts[n+1]++
	}
	for n := range min(len(starts), 6) {
		starts[n] = 0
	}
	for n := 1; n < len(starts); n++ {
		starts[n] += starts[n-1]
	}
	if len(starts) < 6 {
		return
	}
	items := starts[len(starts)-1]
	j.ids, j.sizes, j.signatures = make([]uint32, items), make([]uint32, items), make([]uint64, items)
	for id, at := range j.at {
		set := j.get(at)
		if len(set) < 5 {
			continue
		}
		i := starts[len(set)]
		starts[len(set)]++
		j.ids[i], j.sizes[i] = uint32(id), uint32(len(set))
		for _, w := range set {
			j.signatures[i] |= 1 << (mix(uint64(w), seedA) >> 58)
		}
	}
}

// prefix is how many of its first words a set has to be looked up by so that k
// of those it shares with any alike set are among them.
func prefix(size, k int) int {
	least := (4*size)/5 + 1 // the size of the smallest alike set: size-1 ≥ 4/5·size does not hold below
	return min(size, size-minShared(size, least)+k)
}

// member is an item of a group and where in its set the last shared word is.
type member uint64

func (m member) item() uint32 { return uint32(m) }
func (m member) pos() int     { return int(m >> 32) }

// smallGroup is how many sets are compared with one another instead of being parted
// by a further word.
const smallGroup = 256

// maxShared is how many words a group may share: alike sets share at least five.
const maxShared = 4

// findPairs takes one word after the other and the sets that have it within their
// prefix.
func (j *similarityJoin) findPairs() {
	starts, members := j.invertedIndex()
	for w := 1; w < len(starts); w++ {
		if group := members[starts[w-1]:starts[w]]; len(group) > 1 {
			j.sharedWords = append(j.sharedWords[:0], uint32(w-1))
			j.findInGroup(group)
		}
	}
}

// invertedIndex lists for each word the items that have it within their prefix,
// ascending.
func (j *similarityJoin) invertedIndex() (starts []uint32, members []member) {
	each := func(do func(w uint32, m member)) {
		for i, id := range j.ids {
			set := j.get(j.at[id])
			for pos, w := range set[:prefix(len(set), 1)] {
				do(w, member(pos)<<32|member(i))
			}
		}
	}
	each(func(w uint32, _ member) {
		for int(w)+1 >= len(starts) {
			starts = append(starts, make([]uint32, len(starts)+64)...)
		}
		starts[w+1]++
	})
	for w := 1; w < len(starts); w++ {
		starts[w] += starts[w-1]
	}
	if len(starts) > 0 {
		members = make([]member, starts[len(starts)-1])
	}
	next := slices.Clone(starts)
	each(func(w uint32, m member) {
		members[next[w]] = m
		next[w]++
	})
	return starts, members
}

// findInGroup finds the pairs among sets, ascending, whose first shared words are
// the chain.
func (j *similarityJoin) findInGroup(group []member) {
	if len(group) <= smallGroup || len(j.sharedWords) == maxShared {
		j.group = j.group[:0]
		for _, m := range group {
			j.group = append(j.group, probe{j.signatures[m.item()], m.item(), j.sizes[m.item()], uint32(m.pos())})
		}
		for i := range j.group {
			j.compareWith(j.group[i], j.group[i+1:])
		}
		return
	}
	for _, part := range j.splitGroup(group) {
		if len(part) > 1 {
			j.sharedWords = append(j.sharedWords, 0)
			j.sharedWords[len(j.sharedWords)-1] = j.sharedWord(part[0])
			j.findInGroup(part)
			j.sharedWords = j.sharedWords[:len(j.sharedWords)-1]
		}
	}
}

func (j *similarityJoin) sharedWord(m member) uint32 { return j.get(j.at[j.ids[m.item()]])[m.pos()] }

// splitGroup splits a group by the next shared word.
func (j *similarityJoin) splitGroup(group []member) [][]member {
	var all []member
	var order []uint64 // of all: first by word, then by item
	for _, m := range group {
		set := j.get(j.at[j.ids[m.item()]])
		for pos := m.pos() + 1; pos < prefix(len(set), len(j.sharedWords)+1); pos++ {
			order = append(order, uint64(set[pos])<<32|uint64(len(all)))
			all = append(all, member(pos)<<32|member(m.item()))
		}
	}
	slices.Sort(order)
	members := make([]member, len(all))
	var parts [][]member
	start := 0
	for i, o := range order {
		members[i] = all[uint32(o)]
		if i+1 == len(order) || order[i+1]>>32 != o>>32 {
			parts = append(parts, members[start:i+1])
			start = i + 1
		}
	}
	return parts
}

// compareWith finds the items alike to one among others that are no smaller.
func (j *similarityJoin) compareWith(p probe, others []probe) {
	size, before := int(p.size), len(j.sharedWords)-1
	var set []uint32
	last, least, apart := uint32(0), 0, 0
	for k := range others {
		o := &others[k]
		if o.size != last {
			last, least = o.size, minShared(size, int(o.size))
			if least > size {
				return // and the others are larger still
			}
			apart = size + int(o.size) - 2*least
		}
		if bits.OnesCount64(p.signature^o.signature) > apart || before+min(size-int(p.pos), int(o.size-o.pos)) < least {
			continue
		}
		if set == nil {
			set = j.get(j.at[j.ids[p.item]])
		}
		if n := j.shared(set, j.get(j.at[j.ids[o.item]]), least); n >= least {
			a, b := j.ids[p.item], j.ids[o.item]
			j.found(pair{min(a, b), max(a, b), similarity(n, size, int(o.size))})
		}
	}
}

// shared is how many words two sets share, or 0 when that is less than the
// least or their first shared words are not the chain: then the pair is found
// elsewhere.
func (j *similarityJoin) shared(a, b []uint32, least int) int {
	shared := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			if shared < len(j.sharedWords) && j.sharedWords[shared] != a[0] {
				return 0
			}
			shared++
			a, b = a[1:], b[1:]
		}
		if shared+min(len(a), len(b)) < least {
			return 0
		}
	}
	return shared
}
