package claim

import (
	"encoding/binary"
	"math/bits"
	"slices"
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
	t.hashes = slices.Grow(t.hashes, len(t.slots)/2-len(t.hashes))
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
	round   uint32
	slots   []wordSlot
}

// wordSlot is where a word is found, so that one look at memory is enough for most.
type wordSlot struct {
	key    wordKey
	number uint32 // its number + 1; 0 in an empty slot
	round  uint32 // in which it was last asked for
}

// wordKey is a word of ASCII with up to sixteen letters itself, and a hash of any other.
type wordKey struct{ lo, hi uint64 }

// hashed marks, in hi, the keys that are no more than hashes.
const hashed = 1 << 63

func keyOf(word []byte) wordKey {
	var k wordKey
	if len(word) > 16 {
		h := sum(word)
		return wordKey{h.lo, h.hi | hashed}
	}
	for i, c := range word[:min(len(word), 8)] {
		k.lo |= uint64(c) << (8 * i)
	}
	for i, c := range word[min(len(word), 8):] {
		k.hi |= uint64(c) << (8 * i)
	}
	if k.hi&hashed != 0 {
		h := sum(word)
		return wordKey{h.lo, h.hi | hashed}
	}
	return k
}

// place is where the search for a key begins, before it is cut to a table's size.
func (k wordKey) place() uint64 { return mix(k.lo^mix(k.hi, seedB), seedA) }

// number ends the word that is being read and gives its number, and whether it
// is the first time in this round.
func (l *lexicon) number() (w uint32, first bool) {
	if 2*len(l.ends) >= len(l.slots) {
		l.grow()
	}
	key := keyOf(l.word)
	s := l.slot(key, l.word)
	if s.number == 0 {
		l.letters = append(l.letters, l.word...)
		l.ends = append(l.ends, uint32(len(l.letters)))
		l.used = append(l.used, 0)
		*s = wordSlot{key, uint32(len(l.ends)), l.round - 1}
	}
	first = s.round != l.round
	s.round, l.word = l.round, l.word[:0]
	return s.number - 1, first
}

// slot gives the slot of a word, or the one it belongs in.
func (l *lexicon) slot(key wordKey, word []byte) *wordSlot {
	most := uint64(len(l.slots) - 1)
	for i := key.place() & most; ; i = (i + 1) & most {
		s := &l.slots[i]
		if s.number == 0 || s.key == key && (key.hi&hashed == 0 || string(l.spelling(s.number-1)) == string(word)) {
			return s
		}
	}
}

func (l *lexicon) spelling(w uint32) []byte {
	if w == 0 {
		return l.letters[:l.ends[0]]
	}
	return l.letters[l.ends[w-1]:l.ends[w]]
}

func (l *lexicon) grow() {
	old := l.slots
	l.slots = make([]wordSlot, max(1024, 2*len(old)))
	most := uint64(len(l.slots) - 1)
	for _, s := range old {
		if s.number == 0 {
			continue
		}
		i := s.key.place() & most
		for l.slots[i].number != 0 {
			i = (i + 1) & most
		}
		l.slots[i] = s
	}
}
