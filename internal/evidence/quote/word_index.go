package quote

import (
	"math/bits"
)

// wordIndex tells where the words of a stream stand.
type wordIndex struct {
	shift  uint
	heads  []uint32
	places []uint32 // where words begin, by their hash and then ascending
}

func newWordIndex(s letterStream) *wordIndex {
	var starts []uint32
	for block, set := range s.begins {
		for ; set != 0; set &= set - 1 {
			if at := block<<6 + bits.TrailingZeros64(set); at < len(s.letters) {
				starts = append(starts, uint32(at))
			}
		}
	}
	size := max(4, bits.Len(uint(len(starts))))
	l := &wordIndex{shift: uint(64 - size), heads: make([]uint32, 1<<size+1), places: make([]uint32, len(starts))}
	hashes := make([]uint32, len(starts))
	for i, at := range starts {
		end := len(s.letters)
		if i+1 < len(starts) {
			end = int(starts[i+1])
		}
		hashes[i] = uint32(l.hash(s.letters[at:end]))
		l.heads[hashes[i]+1]++
	}
	for i := 1; i < len(l.heads); i++ {
		l.heads[i] += l.heads[i-1]
	}
	for i := len(starts) - 1; i >= 0; i-- {
		l.heads[hashes[i]+1]--
		l.places[l.heads[hashes[i]+1]] = starts[i]
	}
	return l
}

// hash is FNV-1a (Fowler, Noll, Vo), its high bits mixed.
func (l *wordIndex) hash(word string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * 1099511628211
	}
	return h * 0x9e3779b97f4a7c15 >> l.shift
}

// lookUp gives where a word may begin. Other words can have its hash.
func (l *wordIndex) lookUp(word string) []uint32 {
	h := l.hash(word)
	end := uint32(len(l.places))
	if int(h)+2 < len(l.heads) {
		end = l.heads[h+2]
	}
	return l.places[l.heads[h+1]:end]
}

// isWord reports whether a word of the stream begins at a place and ends after
// so many bytes.
func (s letterStream) isWord(word string, at int) bool {
	end := at + len(word)
	return end <= len(s.letters) && s.letters[at:end] == word && (end == len(s.letters) || s.begins.has(end))
}
