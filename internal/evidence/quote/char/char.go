// Package char reads a text by its characters: which belong to words, what they are plainly,
// and what begins or ends at one of them: a line, a sentence, an entity of HTML, the target of a
// link. It knows no word by its meaning; where a quotation stands is left to package quote.
package char

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// IsOfWord runes belong to words and numbers.
func IsOfWord(r rune) bool {
	if r < utf8.RuneSelf {
		return lowerASCII[r&0x7f] != 0
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// IsNotOfWord runes do not.
func IsNotOfWord(r rune) bool { return !IsOfWord(r) }

// HasWord reports whether a text has a letter or a number: anything to find.
func HasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// OfWords is what remains of a text without blanks and marks.
func OfWords(s string) string {
	return strings.Map(func(r rune) rune {
		if IsOfWord(r) {
			return r
		}
		return -1
	}, s)
}

// First is the first rune of a text, [utf8.RuneError] for an empty one.
func First(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

// Last is the last rune of a text, [utf8.RuneError] for an empty one.
func Last(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

// LastWord is the word a text ends with, at most 64 bytes of it; "" where it ends with none.
func LastWord(text string) string {
	text = text[words.RuneStart(text, len(text)-64):]
	return text[len(strings.TrimRightFunc(text, IsOfWord)):]
}

// LowerASCII is the small form of a letter or digit of ASCII, 0 for any other byte.
func LowerASCII(c byte) byte { return lowerASCII[c] }

// lowerASCII is the small form of letters and digits of ASCII, 0 for the rest.
var lowerASCII = [256]byte{
	'0': '0', '1': '1', '2': '2', '3': '3', '4': '4', '5': '5', '6': '6', '7': '7', '8': '8', '9': '9',
	'a': 'a', 'b': 'b', 'c': 'c', 'd': 'd', 'e': 'e', 'f': 'f', 'g': 'g', 'h': 'h', 'i': 'i', 'j': 'j', 'k': 'k', 'l': 'l', 'm': 'm',
	'n': 'n', 'o': 'o', 'p': 'p', 'q': 'q', 'r': 'r', 's': 's', 't': 't', 'u': 'u', 'v': 'v', 'w': 'w', 'x': 'x', 'y': 'y', 'z': 'z',
	'A': 'a', 'B': 'b', 'C': 'c', 'D': 'd', 'E': 'e', 'F': 'f', 'G': 'g', 'H': 'h', 'I': 'i', 'J': 'j', 'K': 'k', 'L': 'l', 'M': 'm',
	'N': 'n', 'O': 'o', 'P': 'p', 'Q': 'q', 'R': 'r', 'S': 's', 'T': 't', 'U': 'u', 'V': 'v', 'W': 'w', 'X': 'x', 'Y': 'y', 'Z': 'z',
}

// Plain gives the plain form of quotation marks, dashes and blanks, other runes as they are;
// -1, as [strings.Map] wants it, for what nobody sees.
func Plain(r rune) rune {
	switch r {
	case '‘', '’', '‚', '‛', '′', 'ʼ', '‹', '›':
		return '\''
	case '“', '”', '„', '‟', '″', '«', '»':
		return '"'
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-'
	case SoftHyphen:
		return -1
	}
	if IsInvisible(r) {
		return -1
	}
	if unicode.IsSpace(r) {
		return ' '
	}
	return r
}

// SoftHyphen is the hyphen that is seen only at the end of a line.
const SoftHyphen = '\u00ad'

// IsInvisible reports whether a rune is one that nobody sees: zero-width and bidirectional marks,
// variation selectors, other controls.
func IsInvisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && r != '\t' && r != '\n' && r != '\v' && r != '\f' && r != '\r' || r == 0x7f
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r) && !unicode.IsSpace(r) || r >= 0xfe00 && r <= 0xfe0f
}
