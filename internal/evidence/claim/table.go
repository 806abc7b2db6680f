package claim

import (
	"encoding/binary"
	"math/bits"
)

// hash is 128 bits of what is hashed: among a million texts that differ, two
// with one hash are as likely as 1 in 10^26.
type hash struct{ lo, hi uint64 }

// The seeds are the first digits of the square roots of 2, 3 and 5.
const (
	seedA = 0x6a09e667f3bcc908
	seedB = 0xbb67ae8584caa73b
	seedC = 0x3c6ef372fe94f82b
)

// mix folds the product of two numbers: every bit of both bears on the result.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^seedC, b)
	return hi ^ lo
}

// sum hashes bytes. Those behind p's length, up to its capacity, are written
// to.
func sum(p []byte) hash {
	n := uint64(len(p))
	p = append(p, 0, 0, 0, 0, 0, 0, 0, 0)
	a, b := seedA^n, uint64(seedB)
	for len(p) >= 8 {
		w := binary.LittleEndian.Uint64(p)
		a, b = mix(a^w, seedB), mix(b^w, a|1)
		p = p[8:]
	}
	return hash{mix(a, seedA^b), mix(b, seedB^n)}
}

// hashTable numbers hashes in the order in which they come.
type hashTable struct {
	hashes []hash
	slots  []uint64 // 32 bits of a hash, then its number + 1; at least half are 0
}

// put gives a hash's number, and whether it was known.
func (t *hashTable) put(h hash) (n uint32, old bool) {
	if 2*len(t.hashes) >= len(t.slots) {
		t.grow()
	}
	slot := t.slot(h)
	if n = uint32(t.slots[slot]); n != 0 {
		return n - 1, true
	}
	t.hashes = append(t.hashes, h)
	t.slots[slot] = h.lo>>32<<32 | uint64(len(t.hashes))
	return uint32(len(t.hashes) - 1), false
}

// slot gives the slot of a hash, or the one it belongs in.
func (t *hashTable) slot(h hash) uint64 {
	most := uint64(len(t.slots) - 1)
	for i := h.lo & most; ; i = (i + 1) & most {
		if s := t.slots[i]; s == 0 || s>>32 == h.lo>>32 && t.hashes[uint32(s)-1] == h {
			return i
		}
	}
}

func (t *hashTable) grow() {
	t.slots = make([]uint64, max(64, 2*len(t.slots)))
	for n, h := range t.hashes {
		t.slots[t.slot(h)] = h.lo>>32<<32 | uint64(n+1)
	}
}

// lexicon numbers words in the order in which they come.
type lexicon struct {
	word    []byte   // the one that is being read
	letters []byte   // all of them, one behind the other
	ends    []uint32 // of each in letters
	used    []uint32 // how many sets have it
	seen    []uint32 // the round in which it was last asked for
	round   uint32
	slots   []uint64 // 32 bits of a word's hash, then its number + 1
}

// number ends the word that is being read and gives its number, and whether it
// is the first time in this round.
func (l *lexicon) number() (w uint32, first bool) {
	if 2*len(l.ends) >= len(l.slots) {
		l.grow()
	}
	h := sum(l.word).lo
	most := uint64(len(l.slots) - 1)
	i := h & most
	for ; l.slots[i] != 0; i = (i + 1) & most {
		if l.slots[i]>>32 == h>>32 && l.matches(uint32(l.slots[i])-1) {
			break
		}
	}
	if l.slots[i] == 0 {
		l.letters = append(l.letters, l.word...)
		l.ends = append(l.ends, uint32(len(l.letters)))
		l.used, l.seen = append(l.used, 0), append(l.seen, 0)
		l.slots[i] = h>>32<<32 | uint64(len(l.ends))
	}
	w = uint32(l.slots[i]) - 1
	first = l.seen[w] != l.round
	l.seen[w], l.word = l.round, l.word[:0]
	return w, first
}

// matches reports whether the word that is being read has a number.
func (l *lexicon) matches(w uint32) bool { return string(l.spelling(w)) == string(l.word) }

func (l *lexicon) spelling(w uint32) []byte {
	if w == 0 {
		return l.letters[:l.ends[0]]
	}
	return l.letters[l.ends[w-1]:l.ends[w]]
}

func (l *lexicon) grow() {
	l.slots = make([]uint64, max(1024, 2*len(l.slots)))
	most := uint64(len(l.slots) - 1)
	var word []byte
	for w := range l.ends {
		word = append(word[:0], l.spelling(uint32(w))...)
		h := sum(word).lo
		i := h & most
		for l.slots[i] != 0 {
			i = (i + 1) & most
		}
		l.slots[i] = h>>32<<32 | uint64(w+1)
	}
}
