package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// letterStream is a text reduced to its letters and digits, all small, one behind
// the other: what is left of it whatever typesetting, copying and the loss of
// blanks have done. Quotations are looked for in it; whether what is found is
// the same in all that counts is then judged by the texts themselves.
type letterStream struct {
	letters string
	at      []uint32 // where in the text the piece begins that a byte stems from
	begins  bitSet   // whether a byte begins a word
	decoded bool     // the text has entities or links, whose letters are not all here
}

// bitSet is a set of numbers.
type bitSet []uint64

func (b bitSet) has(i int) bool { return b[i>>6]&(1<<(i&63)) != 0 }

// streamBuilder makes a stream.
type streamBuilder struct {
	src     string
	letters []byte
	at      []uint32
	begins  bitSet
	gap     bool // the next letter begins a word
	decoded bool
}

func newLetterStream(text string) letterStream {
	s := streamBuilder{
		src: text, letters: make([]byte, 0, len(text)+8), at: make([]uint32, 0, len(text)+8),
		begins: make(bitSet, len(text)/64+2), gap: true,
	}
	for i := 0; i < len(text); {
		c := text[i]
		if low := char.LowerASCII(c); low != 0 && (i+1 == len(text) || !combiningLeads[text[i+1]] || !mayCombine(text, i+1)) {
			s.letter(low, i)
			i++
			continue
		}
		i = s.addOther(i, c)
	}
	return letterStream{letters: string(s.letters), at: s.at, begins: s.begins, decoded: s.decoded}
}

func (s *streamBuilder) letter(low byte, from int) {
	if s.gap {
		s.beginWord()
	}
	s.letters = append(s.letters, low)
	s.at = append(s.at, uint32(from))
}

func (s *streamBuilder) beginWord() {
	n := len(s.letters)
	for n>>6 >= len(s.begins) {
		s.begins = append(s.begins, 0)
	}
	s.begins[n>>6] |= 1 << (n & 63)
	s.gap = false
}

// addOther takes the piece at i that is no plain letter of ASCII.
func (s *streamBuilder) addOther(i int, c byte) int {
	if c < utf8.RuneSelf && char.LowerASCII(c) == 0 {
		switch {
		case c == '&':
			return s.entity(i)
		case c == ']' && i+1 < len(s.src) && s.src[i+1] == '(':
			s.gap = true
			if end := char.LinkTarget(s.src, i+1); end > 0 {
				s.decoded = true
				return end
			}
		default:
			s.gap = true
		}
		return i + 1
	}
	r, size := utf8.DecodeRuneInString(s.src[i:])
	end := i + size
	if isStable(r) && (end == len(s.src) || !combiningLeads[s.src[end]] || !mayCombine(s.src, end)) {
		s.rune(unicode.ToLower(r), i)
		return end
	}
	switch {
	case r == char.SoftHyphen:
		return s.soft(end)
	case char.IsInvisible(r):
		return end
	case unicode.IsSpace(r):
		s.gap = true
		return end
	}
	end = i + max(size, norm.NFKC.NextBoundaryInString(s.src[i:], true))
	s.piece(normaliseSegment(s.src[i:end]), i)
	return end
}

// soft skips the end of a line behind a soft hyphen.
func (s *streamBuilder) soft(i int) int {
	if rest := strings.TrimLeft(s.src[i:min(len(s.src), i+8)], " \t\r"); strings.HasPrefix(rest, "\n") {
		for i < len(s.src) && (s.src[i] == ' ' || s.src[i] == '\t' || s.src[i] == '\r' || s.src[i] == '\n') {
			i++
		}
	}
	return i
}

func (s *streamBuilder) entity(i int) int {
	decoded, end := char.Entity(s.src, i)
	if end == 0 {
		s.gap = true
		return i + 1
	}
	s.decoded = true
	s.piece(normaliseSegment(decoded), i)
	return end
}

func (s *streamBuilder) piece(folded string, from int) {
	for _, r := range folded {
		if char.IsOfWord(r) {
			s.rune(unicode.ToLower(r), from)
		} else {
			s.gap = true
		}
	}
}

func (s *streamBuilder) rune(r rune, from int) {
	if s.gap || words.Unspaced(r) {
		s.beginWord()
	}
	before := len(s.letters)
	s.letters = utf8.AppendRune(s.letters, r)
	for range len(s.letters) - before {
		s.at = append(s.at, uint32(from))
	}
	if words.Unspaced(r) {
		s.gap = true
	}
}

// combiningLeads are the bytes a rune can begin with that is written into the letter
// before it, such as an accent of its own: not those of Latin, Greek and
// Cyrillic letters, of punctuation, kana and most of Han.
var combiningLeads = [256]bool{
	0xcc: true, 0xcd: true, 0xd2: true, 0xd6: true, 0xd7: true, 0xd8: true, 0xd9: true, 0xda: true, 0xdb: true, 0xdc: true, 0xdd: true,
	0xde: true, 0xdf: true, 0xe0: true, 0xe1: true, 0xe2: true, 0xe3: true, 0xea: true, 0xed: true, 0xef: true, 0xf0: true, 0xf3: true,
}

// mayCombine reports whether the rune at i may be written into the letter before.
func mayCombine(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return !isStable(r) && (r < 0x2010 || r > 0x2027)
}

// isStable runes are letters that folding leaves as they are.
func isStable(r rune) bool {
	switch {
	case r < 0xc0:
		return false
	case r <= 0x17f:
		return r != '×' && r != '÷' && r != 0x132 && r != 0x133 && r != 0x13f && r != 0x140 && r != 0x149 && r != 0x17f
	case r >= 0x400 && r <= 0x481, r >= 0x4e00 && r <= 0x9fa5:
		return true
	case r >= 0x621 && r <= 0x63a, r >= 0x641 && r <= 0x64a:
		return true
	}
	return r >= 0x3041 && r <= 0x3096 || r >= 0x30a1 && r <= 0x30fa
}
