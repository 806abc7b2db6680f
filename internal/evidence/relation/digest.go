package relation

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
)

// Digest sums up a meaning, so that many can be compared in little memory. Equal
// in Same, two sentences say the same as [Compare] has it. Equal in Subject, they
// may contradict each other. Equal in Point, they have the same quantities,
// negations, opposites and scope, define nothing otherwise, and differ in other
// words alone: then they do not contradict each other.
type Digest struct {
	Same, Subject, Point uint64
	counts               uint64 // what it has quantities of; 0 where it speaks of some cases only
	words                uint64 // a bit for each word or axis, the lowest for a definition
}

// MayContradict reports whether [Contradiction] may find one between two sentences, of
// which most then have one.
func (d Digest) MayContradict(o Digest) bool {
	return d.counts == o.counts && d.counts != 0 && (d.words&^o.words == 0 || o.words&^d.words == 0 || d.words&o.words&1 != 0)
}

// Decides reports whether a word in small letters may bear on what [Digest] calls
// the point: with figures, known to decide, one of two opposites, or too short to
// tell.
func Decides(word string) bool {
	if len(word) < 3 || strings.ContainsAny(word, "0123456789") || poleOf(word, words.Stem(word)).axis != "" || !words.IsASCII(word) {
		return true
	}
	return slices.ContainsFunc(guard.Words(word), func(w guard.Word) bool { return w.Kind != guard.Name }) || beginsAside(word) || isCeasing(word)
}

// Digest is the meaning's; the zero one for less than two words of content, which
// is too little for rules about them, and for more than a sentence.
func (m Meaning) Digest() Digest {
	var d Digest
	if m.long || len(m.terms)+len(m.quantities) < 2 {
		return d
	}
	var sequence []uint64
	if m.swapped {
		sequence = make([]uint64, 0, len(m.terms)+len(m.quantities))
	}
	d.counts = 1
	next := 0
	for i := 0; i <= len(m.terms); i++ {
		for ; next < len(m.quantities) && m.quantities[next].at <= i; next++ {
			q := m.quantities[next]
			h := sum("quantity", q.digestText())
			if m.swapped {
				sequence = append(sequence, h)
			}
			unit := sum("of", q.unit)
			d.Subject += unit
			d.Point += h
			d.counts = max(1, stir(d.counts^unit^uint64(q.sort)))
		}
		if i == len(m.terms) {
			break
		}
		t := m.terms[i]
		if m.swapped {
			sequence = append(sequence, sum(t.sign(), t.stem))
		}
		word := sum("word", t.key())
		d.Subject += word
		d.words |= 2 << (word % 63)
		if t.negated {
			d.Point += sum("not", "")
		}
		if t.pole.axis != "" {
			d.Point += sum(t.pole.axis, map[bool]string{true: "other", false: "one"}[t.pole.other])
		}
	}
	if m.definition.head != "" {
		d.Point += sum(m.definition.subject, m.definition.head)
		d.words |= 1
	}
	if m.isVague() {
		d.counts = 0
	}
	d.Point += sum("scope", strings.Join(m.scope, " "))
	if m.swapped {
		d.Point += chain(sequence, 1)
	}
	d.Same = sum("wording", wording(m.text))
	return d
}

// sum hashes two words (FNV-1a, stirred).
func sum(kind, text string) uint64 {
	h := uint64(14695981039346656037)
	for _, part := range [2]string{kind, text} {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return stir(h)
}

// chain hashes numbers in their order.
func chain(list []uint64, from uint64) uint64 {
	h := from
	for _, x := range list {
		h = stir(h ^ x)
	}
	return h
}

// stir lets every bit bear on every other (the finish of MurmurHash3).
func stir(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
