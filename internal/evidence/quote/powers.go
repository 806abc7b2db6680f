package quote

import (
	"html"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// power is what a text raises: a number, or a letter or two, with what stands above the line.
type power struct {
	base, exponent string
	span           Span
}

// aPower is a power as it is set, tagged or typed.
var aPower = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\d+|\pL+)(?:\^\{?([-−–+]?[\d\pL]{1,4}(?:[/,]\d{1,3})?)\}?|\s?<sup(?:\s[^<>]{0,80})?>([^<>]{1,16})</sup>|(&sup[23];)|([⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ]+))`)
})

// powersIn gives the powers of a text, and of what may follow them of it the first.
func powersIn(text string) []power {
	if !strings.ContainsAny(text, "^⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ") && !strings.Contains(text, "<sup") && !strings.Contains(text, "&sup") {
		return nil
	}
	var list []power
	for _, m := range aPower().FindAllStringSubmatchIndex(text, -1) {
		var above string
		for i := 4; i < len(m); i += 2 {
			if m[i] >= 0 {
				above += text[m[i]:m[i+1]]
			}
		}
		list = append(list, power{text[m[2]:m[3]], onTheLine(html.UnescapeString(above)), Span{m[0], m[1]}})
	}
	return list
}

// onTheLine is a text with what is raised on the line, and one sign for minus.
func onTheLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r = char.Plain(reading.PlainDigit(r)); r == 'ⁿ' {
			return 'n'
		}
		return r
	}, text)
}

// checkPowers shows the powers of a passage that its quotation writes as another number, "3 × 108" for
// 3 × 10⁸ and "e−2t", or without what is raised, as if that were the mark of a note. Somebody may have typed
// them so, and somebody else may read them as they stand.
func checkPowers(s *search, quoted string, m Match) ([]Span, bool) {
	const mark = 20 // bytes behind a passage that may belong to its last word
	end := m.End
	for end < len(s.text) && end-m.End < mark {
		r, size := utf8.DecodeRuneInString(s.text[end:])
		if !reading.IsRaised(r) {
			break
		}
		end += size
	}
	theirs := powersIn(s.text[m.Start:end])
	if len(theirs) == 0 {
		return nil, true
	}
	ours := map[[2]string]int{}
	for _, p := range powersIn(quoted) {
		ours[[2]string{p.base, p.exponent}]++
	}
	plain := onTheLine(quoted)
	var list []Span
	for _, p := range theirs {
		span := Span{m.Start + p.span.Start, m.Start + p.span.End}
		key := [2]string{p.base, p.exponent}
		if ours[key] > 0 {
			ours[key]--
			continue
		}
		if isLeftOut(m, span) {
			continue
		}
		if p.readsOtherwise() && standsIn(plain, p.base+p.exponent) || losesPower(s, p) && standsIn(plain, p.base) && !standsIn(plain, p.base+p.exponent) {
			list = append(list, span)
		}
	}
	return list, true
}

// isLeftOut reports whether a span of the text lies between the parts of a passage that are quoted.
func isLeftOut(m Match, span Span) bool {
	for i := range max(0, len(m.Segments)-1) {
		if m.Segments[i].End <= span.Start && span.End <= m.Segments[i+1].Start {
			return true
		}
	}
	return false
}

// readsOtherwise reports whether a power says something else when it is written on the line: a number
// becomes another, a letter a difference. "5 km2" and "s-1" do not.
func (p power) readsOtherwise() bool {
	if p.base[0] >= '0' && p.base[0] <= '9' {
		return true
	}
	return strings.HasPrefix(p.exponent, "-") && strings.ContainsFunc(p.exponent, unicode.IsLetter)
}

// firstNote is the mark of the first note of a text.
var firstNote = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\d⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻])¹(?:[^⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]|$)|<sup[^<>]*>(?:<a[^<>]*>)?\W{0,2}1\W{0,2}</`)
})

// losesPower reports whether what is raised is a square or a cube and no mark of a note, as both look
// alike: it stands at what is hardly a word, in a text that has no first note.
func losesPower(s *search, p power) bool {
	const word = 4 // letters
	if p.exponent != "2" && p.exponent != "3" || utf8.RuneCountInString(p.base) >= word || !unicode.IsLetter(char.First(p.base)) {
		return false
	}
	return !s.hasFirstNote()
}

// standsIn reports whether a text has a word or a number, whole.
func standsIn(text, word string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(word)
		before, behind := char.Last(text[:at]), char.First(text[from:])
		if before == 'x' && unicode.IsDigit(char.First(word)) {
			before = ' ' // "3x10"
		}
		if !(char.IsOfWord(before) && at > 0) && !(char.IsOfWord(behind) && from < len(text)) {
			return true
		}
	}
}
