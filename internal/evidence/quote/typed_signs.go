package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// tierOfSigns tells how surely a span has the words of a quotation, with its signs in another writing:
// a dash as two hyphens, quotation marks with blanks within them, a number with its thousands parted,
// a dash for the colon of a line that gives one thing its value. It is "" where other things differ.
func tierOfSigns(s *search, q *query, start, end int) Tier {
	if strings.Contains(s.text[start:end], "\n") {
		return ""
	}
	ours, theirs := plainSigns(q.raw), plainSigns(s.text[start:end])
	from, to := char.LineAround(s.text, start)
	isLine := strings.Trim(s.text[from:start], " \t-•*") == "" && strings.TrimSpace(s.text[end:max(end, to)]) == ""
	isSame := func(ours, theirs string) bool {
		return ours == theirs || isLine && labelColon().ReplaceAllString(theirs, "$1 - $2") == ours
	}
	switch language := s.language(); {
	case isSame(ours, theirs):
		return Normalised
	case isSame(plainNumbers(ours, language), plainNumbers(theirs, language)):
		return Spaceless
	}
	return ""
}

// labelColon is a line with what is named and its value behind the colon.
var labelColon = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([^:]*?[^\s:]) ?: ([^:]+)$`) })

var (
	longDash     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` -{2,3} `) })
	insideQuotes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`([«»])[\s\x{a0}\x{202f}]*([^«»]+?)[\s\x{a0}\x{202f}]*([«»])`)
	})
	withPoints = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(asLabel + `\b[1-9]\d{0,2}(?:\.\d{3})+\b`) })
	withCommas = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[1-9]\d{0,2}(?:,\d{3})+\b`) })
	withBlanks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[1-9]\d{0,2}(?:[ \x{a0}\x{202f}]\d{3})+\b`) })
)

// pointed and commaed are languages that part thousands with a point, or with a comma, alone.
var pointed, commaed = []string{"de", "it", "es", "pt", "nl", "id", "tr"}, []string{"en", "zh", "ja", "ko", "hi"}

// plainSigns is a text with one writing of its dashes and quotation marks.
func plainSigns(text string) string {
	text = insideQuotes().ReplaceAllString(text, `"$2"`)
	return longDash().ReplaceAllString(normalise(text).text, " - ")
}

// asLabel is a word before a number whose points part no thousands.
const asLabel = `(?i:\b(versi[oó]ne?|version|versão|versie|versi|sürüm|releases?|secci[oó]n|sezione|seção|abschnitt|sectie|kapitel|cap[ií]tulo|capitolo|art[ií]culo|articolo|artigo|artikel|art\.|n[oº°r]\.?|§) )?`

// plainNumbers is a text without what parts the thousands of its numbers.
func plainNumbers(text, language string) string {
	for _, group := range []struct {
		languages []string
		number    *regexp.Regexp
		sign      string
	}{{pointed, withPoints(), "."}, {commaed, withCommas(), ","}} {
		if slices.Contains(group.languages, language) {
			text = group.number.ReplaceAllStringFunc(text, func(number string) string {
				if !unicode.IsDigit(char.First(number)) {
					return number
				}
				return strings.ReplaceAll(number, group.sign, "")
			})
		}
	}
	return withBlanks().ReplaceAllStringFunc(text, func(number string) string {
		return strings.Join(strings.Fields(number), "")
	})
}
