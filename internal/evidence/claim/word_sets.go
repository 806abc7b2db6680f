package claim

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/relation"

	"golang.org/x/text/unicode/norm"
)

// wordSets numbers the sets of many texts. A set is the set of a text's words:
// runs of letters and digits in lower case, each once. Scripts that put no
// blanks between words have a word for each of their letters. Texts with the
// same words have the same set. Words are kept as numbers, so that a million
// claims fit in memory.
type wordSets struct {
	words   lexicon
	known   hashTable   // by what is in them
	at      []setOffset // where each set's words are
	stored  [][]uint32
	current []uint32 // the one that is being filled
	decides []bool   // of each word, once they are ranked: it may decide what a text says
}

// setOffset is where a set stands in the store: part and offset.
type setOffset uint32

const (
	partBits = 18
	partSize = 1 << partBits // words of a part of the store
)

// add gives the number of a text's set.
func (b *wordSets) add(text []byte) uint32 {
	b.current = b.current[:0]
	b.words.round++
	if ascii(text) {
		b.readASCII(text)
	} else {
		b.readUnicode(string(norm.NFC.Bytes(text)))
	}
	var h hash
	for _, w := range b.current {
		h.lo += mix(uint64(w)+1, seedA)
		h.hi += mix(uint64(w)+1, seedB)
	}
	n, old := b.known.put(h)
	if !old {
		b.at = append(b.at, b.store())
	}
	return n
}

// store puts the set into the store, behind its length.
func (b *wordSets) store() setOffset {
	last := len(b.stored) - 1
	if last < 0 || cap(b.stored[last])-len(b.stored[last]) < len(b.current)+1 {
		b.stored = append(b.stored, make([]uint32, 0, max(partSize, len(b.current)+1)))
		last++
	}
	at := setOffset(last)<<partBits | setOffset(len(b.stored[last]))
	b.stored[last] = append(append(b.stored[last], uint32(len(b.current))), b.current...)
	for _, w := range b.current {
		b.words.used[w]++
	}
	return at
}

// get gives a set's words.
func (b *wordSets) get(at setOffset) []uint32 {
	part := b.stored[at>>partBits][at&(partSize-1):]
	return part[1 : 1+part[0]]
}

// differPlainly reports whether two sets differ in no word that may decide what a
// text says, and have none whose place decides.
func (b *wordSets) differPlainly(one, other uint32) bool {
	x, y := b.get(b.at[one]), b.get(b.at[other])
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(x) > 0 && len(y) > 0 && x[0] == y[0]:
			x, y = x[1:], y[1:]
		case len(y) == 0 || len(x) > 0 && x[0] < y[0]:
			if b.decides[x[0]] {
				return false
			}
			x = x[1:]
		default:
			if b.decides[y[0]] {
				return false
			}
			y = y[1:]
		}
	}
	return true
}

func (b *wordSets) readASCII(text []byte) {
	word := b.words.word
	for _, c := range text {
		if c = small[c]; c != 0 {
			word = append(word, c)
			continue
		}
		if len(word) > 0 {
			b.words.word = word
			b.endWord()
			word = b.words.word
		}
	}
	b.words.word = word
	b.endWord()
}

func (b *wordSets) readUnicode(text string) {
	for _, r := range text {
		switch {
		case words.Unspaced(r):
			b.endWord()
			b.words.word = utf8.AppendRune(b.words.word, r)
			b.endWord()
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			b.words.word = utf8.AppendRune(b.words.word, unicode.ToLower(r))
		default:
			b.endWord()
		}
	}
	b.endWord()
}

// endWord puts the word that has been read into the set.
func (b *wordSets) endWord() {
	if len(b.words.word) == 0 {
		return
	}
	if w, first := b.words.number(); first {
		b.current = append(b.current, w)
	}
}

func ascii(s []byte) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// small is what [lower] says of each byte.
var small = func() (table [256]byte) {
	for c := range table {
		table[c] = lower(byte(c))
	}
	return table
}()

// lower is an ASCII letter or digit in lower case, 0 for what is neither.
func lower(c byte) byte {
	switch {
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		return c
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	}
	return 0
}

// rankByRarity numbers the words anew, the rarest first, and sorts every set: what is
// rare tells most about where to look for alike sets.
func (b *wordSets) rankByRarity() {
	order := make([]uint64, len(b.words.used))
	for w, n := range b.words.used {
		order[w] = uint64(n)<<32 | uint64(w)
	}
	slices.Sort(order)
	ranks := make([]uint32, len(order))
	for rank, o := range order {
		ranks[uint32(o)] = uint32(rank)
	}
	b.decides = make([]bool, len(order))
	for w, rank := range ranks {
		b.decides[rank] = relation.Decides(string(b.words.spelling(uint32(w))))
	}
	for _, at := range b.at {
		set := b.get(at)
		for i, w := range set {
			set[i] = ranks[w]
		}
		sortWords(set)
	}
	b.words = lexicon{used: b.words.used[:0:0]}
	b.known = hashTable{}
}

// sortWords sorts the few words of a set by insertion, which is quickest.
func sortWords(set []uint32) {
	if len(set) > 40 {
		slices.Sort(set)
		return
	}
	for i, w := range set {
		j := i
		for ; j > 0 && set[j-1] > w; j-- {
			set[j] = set[j-1]
		}
		set[j] = w
	}
}
