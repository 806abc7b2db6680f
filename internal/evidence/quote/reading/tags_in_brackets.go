package reading

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

var (
	// wordTag is what an encyclopedia has in brackets behind a place it doubts, and what may as well be
	// a word of the text.
	wordTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\[\s?(?:weasel words|dead link|original research|\pL+)\s?\]$`)
	})
	// labelledTag is a note by its label and number.
	labelledTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\[\s?([Nn]ote|n|nb|fn|lower-alpha|upper-alpha|A|nota|przypis|viite|not|Anm\.?|Fn\.?|прим\.?)(\s?)(\d{1,3})\s?\]$`)
	})
)

// isSureTag reports whether a mark in brackets is one of a note and no word of the text. A word alone, "was
// [vague] and", or a label with a number, "keys [n 5] and", may be either where it stands apart from the
// word before it; the label is none where the text has the note before or behind it too.
func (c citing) isSureTag(text string, from, to int) bool {
	const shortest, near = 2, 16 << 10 // letters: [a] is a mark; bytes
	mark, prev := text[from:to], char.Last(text[:from])
	if c.quoted || prev != ' ' && prev != '\n' && prev != '\u00a0' {
		return true
	}
	if m := labelledTag().FindStringSubmatch(mark); m != nil {
		n, _ := strconv.Atoi(m[3])
		around := text[words.RuneStart(text, max(0, from-near)):words.RuneStart(text, min(len(text), to+near))]
		return strings.Contains(around, "["+m[1]+m[2]+strconv.Itoa(n-1)+"]") || strings.Contains(around, "["+m[1]+m[2]+strconv.Itoa(n+1)+"]")
	}
	return len(mark) < shortest+len("[]") || !wordTag().MatchString(mark)
}
