package quote

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// The pieces of a stream by which places are found: gram bytes, taken at every
// step-th byte. Whatever shares gram+step-1 bytes with the stream shares a
// piece with it.
const (
	gramLength = 8
	gramStep   = 4
)

// gramIndex tells where the pieces of a stream stand.
type gramIndex struct {
	shift  uint
	heads  []uint32 // of each hash the first of its places
	places []uint32
}

func newGramIndex(letters string) *gramIndex {
	n := max(0, (len(letters)-gramLength)/gramStep+1)
	if len(letters) < gramLength {
		n = 0
	}
	size := max(4, bits.Len(uint(n))-2) // a table that stays near the processor beats fewer places a hash
	g := &gramIndex{shift: uint(64 - size), heads: make([]uint32, 1<<size+1), places: make([]uint32, n)}
	for i := range n {
		g.heads[g.hash(letters, i*gramStep)+1]++
	}
	for i := 1; i < len(g.heads); i++ {
		g.heads[i] += g.heads[i-1]
	}
	for i := n - 1; i >= 0; i-- { // heads[h+1] moves down to where h begins
		h := g.hash(letters, i*gramStep)
		g.heads[h+1]--
		g.places[g.heads[h+1]] = uint32(i * gramStep)
	}
	// now heads[h+1] is where h begins
	return g
}

// hash is that of the piece at i: multiplicative hashing by a number without
// pattern (Knuth, The Art of Computer Programming 3, 6.4).
func (g *gramIndex) hash(letters string, i int) uint64 {
	b := letters[i : i+gramLength]
	x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
	return x * 0x9e3779b97f4a7c15 >> g.shift
}

// lookUp gives the places that may hold the piece of a quotation at i, ascending.
func (g *gramIndex) lookUp(letters string, i int) []uint32 {
	h := g.hash(letters, i)
	end := uint32(len(g.places))
	if int(h)+2 < len(g.heads) {
		end = g.heads[h+2]
	}
	return g.places[g.heads[h+1]:end]
}

// letterMatches gives the places of the stream that hold the very letters, ascending
// within what one kind of search gives. Work is bounded: in a text that
// repeats itself not every place is given.
func (t *Text) letterMatches(letters string) func(func(int) bool) {
	return func(yield func(int) bool) {
		if len(letters) < gramLength+gramStep-1 || len(t.stream.letters) < 1<<12 {
			t.scanMatches(letters, yield)
			return
		}
		starts, ok := t.candidateStarts(letters)
		if !ok {
			t.scanMatches(letters, yield)
			return
		}
		work := 0
		for _, at := range starts {
			if !strings.HasPrefix(t.stream.letters[at:], letters) {
				continue
			}
			if work += len(letters); work > maxCompared(len(t.stream.letters)) || !yield(at) {
				return
			}
		}
	}
}

// maxCompared bounds the letters compared while one quotation is looked for.
func maxCompared(n int) int { return 1<<20 + 4*n }

// maxPlacesPerGram is how many places a piece may have to be worth looking at.
const maxPlacesPerGram = 512

// candidateStarts gives where the letters can begin, by their rarest piece for each way
// to lie on the steps. It fails when all pieces are frequent.
func (t *Text) candidateStarts(letters string) ([]int, bool) {
	g := t.gramIndex()
	var found []int
	for lie := range gramStep {
		best := -1
		fewest := maxPlacesPerGram + 1
		for i, tried := lie, 0; i+gramLength <= len(letters) && tried < 16; i, tried = i+gramStep, tried+1 {
			if n := len(g.lookUp(letters, i)); n < fewest {
				best, fewest = i, n
			}
			if fewest <= 1 {
				break
			}
		}
		if best < 0 {
			return nil, false
		}
		for _, p := range g.lookUp(letters, best) {
			if at := int(p) - best; at >= 0 {
				found = append(found, at)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), true
}

// scanMatches gives the places by reading the whole stream.
func (t *Text) scanMatches(letters string, yield func(int) bool) {
	work := 0
	for at := range char.Occurrences(t.stream.letters, letters) {
		if work += len(letters); work > maxCompared(len(t.stream.letters)) || !yield(at) {
			return
		}
	}
}
