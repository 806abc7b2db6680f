package reading

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// A tag may put words on a page that stand in no text: what is drawn, what a field is filled with,
// what stands for a picture. Within a sentence they may be words of it, and are shown where they are
// left out.

var (
	// drawnWords are words that a drawing has, and no title of it.
	drawnWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)<text(?:\s[^<>]*)?>[^<]*\pL[^<]*(?:<tspan(?:\s[^<>]*)?>[^<]*</tspan>[^<]*)*</text|<tspan(?:\s[^<>]*)?>[^<]*\pL`)
	})
	// filledIn is what a field is filled with that may be read.
	filledIn = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\svalue\s*=\s*(?:"[^"]*[\pL\pN][^"]*"|'[^']*[\pL\pN][^']*'|[^\s"'>]+)`)
	})
	// unseenField is the kind of a field that shows no words, or what is pressed.
	unseenField = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\stype\s*=\s*["']?(?:hidden|checkbox|radio|submit|button|reset|image|file|color|range|password)\b`)
	})
	// alternative is what stands for a picture.
	alternative = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\salt\s*=\s*(?:"[^"]*\pL[^"]*"|'[^']*\pL[^']*')`)
	})
)

// mayBeSeen reports whether an edit takes words out of the middle of a sentence that a page may show.
func mayBeSeen(text, name string, e Edit) bool {
	const longest = 8 << 10
	if name != "svg" && name != "input" && name != "img" {
		return false
	}
	element := text[e.From:min(e.To, e.From+longest)]
	switch {
	case e.With != "" || !isWithinSentence(text, e.From, e.To):
		return false
	case name == "svg":
		return drawnWords().MatchString(element)
	case name == "input":
		return filledIn().MatchString(element) && !unseenField().MatchString(element)
	}
	return alternative().MatchString(element)
}

// isWithinSentence reports whether a word or a comma stands before a span of a text, in its line, and a
// small letter or a digit behind it.
func isWithinSentence(text string, from, to int) bool {
	if next, _, end := tag(text, to); strings.HasPrefix(text[to:], "</") && (next == "svg" || next == "input") {
		to = end
	}
	before, behind := char.Last(strings.TrimRight(text[:from], " ")), char.First(strings.TrimLeft(text[to:], " "))
	return (char.IsOfWord(before) || before == ',') && (unicode.IsLower(behind) || unicode.IsDigit(behind))
}

// isApartWithinSentence reports whether what stands in the middle of a sentence is parted by a blank
// from the word before it, as a mark of a note is not.
func isApartWithinSentence(text string, from, to int) bool {
	return from > 0 && text[from-1] == ' ' && isWithinSentence(text, from, to)
}
