package quote

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// typedRights is a © as it is typed without it.
var typedRights = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\([cC]\)([ \x{a0}](?:\p{Lu}|\d))`) })

// matchTyped reports whether a span has the words and marks of a quotation, but that a dash between
// two names, or a tilde, has blanks around it in one and none in the other, that commas stand
// for the line ends between short items of a list, or that signs are written another way that
// says the same.
func matchTyped(s *search, q *query, start, end int) (Match, bool) {
	if !strings.ContainsAny(q.normalised, `-~〜,;"0123456789`) {
		return Match{}, false
	}
	start, end = s.includeQuotedMarks(q, start, end)
	m := Match{Tier: Normalised, Start: start, End: end}
	if tier := tierOfSigns(s, q, start, end); tier != "" {
		m.Tier = tier
		return m, true
	}
	for _, ours := range []string{q.normalised, strings.TrimRight(q.normalised, ".,;: ")} {
		if ours = tightDashes(ours); tightDashes(normalisePart(s.text[start:end], true).text) == ours {
			return m, true
		}
		listed, ok := inOneLine(s.text, trimSpan(s.text, start, end))
		if ok && s.read && tightDashes(normalisePart(listed, true).text) == strings.ReplaceAll(ours, ";", ",") {
			return m, true
		}
	}
	return Match{}, false
}

// retyped is a quotation without the marks of Markdown that its quoter has put before its
// lines, with the exponents of ten that were lost in typing, "2.5 × 106", "10-3", and the Greek
// letter of a unit that was typed as a Latin one, "5 ug".
func retyped(quoted string) string {
	quoted = answerMark().ReplaceAllString(quoted, "")
	quoted = latinMicro().ReplaceAllString(quoted, "${1}μ$2")
	return lostExponent().ReplaceAllString(quoted, "$1$3^$2$4")
}

var (
	latinMicro   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d ?)u(m|g|[lL]|M|A|V|F|s|mol)\b`) })
	answerMark   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^> ?`) })
	lostExponent = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([×x·*] ?10)(\d{1,2})\b|(\b10)([-−]\d{1,2})\b`) })
)

// keptExponent is an exponent of ten that a text may have lost: "5 × 10^6", "10^-3".
var keptExponent = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`((?:^|[^\d.,])[1-9](?:[.,]\d+)? ?[×x·] ?10)\^([-−]?\d{1,2})\b|(\b10)\^([-−]\d{1,2})\b`)
})

// findLostExponents looks for a quotation whose exponents of ten stand in the line of the text, as
// they do where its pages were read without what is raised. Without a factor before it the ten has
// a minus behind it, and no dash.
func findLostExponents(s *search, read *reading.Text, asked *reading.Text) (Match, bool) {
	var alone []string
	plain := keptExponent().ReplaceAllStringFunc(asked.String(), func(power string) string {
		m := keptExponent().FindStringSubmatch(power)
		if m[3] != "" {
			alone = append(alone, m[3]+"−"+strings.TrimLeft(m[4], "-−"))
		}
		return m[1] + m[2] + m[3] + m[4]
	})
	if plain == asked.String() {
		return Match{}, false
	}
	m, ok := s.findIn(read, plain, asked.WithText(plain), s.readText)
	if ok && measured().MatchString(s.text[m.Start:min(len(s.text), m.End+len(" metres"))]) {
		return Match{}, false
	}
	for _, power := range alone {
		ok = ok && strings.Contains(s.text[m.Start:m.End], power)
	}
	return m, ok
}

// measured is how a text gives two sides or a number of pieces with a whole number before a hundred or
// a thousand and something, and no power of ten: "5 x 102", "2 × 104 cm".
var measured = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\d.,])\d+ ?x ?10\d{1,2}\b|(?:^|[^\d.,])\d+ ?[×·] ?10\d{1,2} ?(?:[cmk]?m|in|ft|px|[MGT]B|mg|met(?:er|re)s?|feet|inch(?:es)?|pixels?|tablets?|mètres?|metros?|metri|Zoll|Stück)\b|\b(?:[Ll]ots?|[Nn]o\.|Nr\.) \d+ ?[×·] ?10\d`)
})

// looseDash is a dash between two words, with or without blanks around it.
var looseDash = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\p{L}\p{M}\p{N}])(?:( ?)(-)( ?)([\p{Lu}\p{Lo}])|( ?)([~〜])( ?)([\p{L}\p{N}]))`)
})

// tightDashes is a text without the blanks around dashes between words of which the second begins as
// a name does, and around tildes. A dash with a blank on one side alone parts no names.
func tightDashes(text string) string {
	return looseDash().ReplaceAllStringFunc(text, func(dash string) string {
		m := looseDash().FindStringSubmatch(dash)
		if m[2] != m[4] || m[6] != m[8] {
			return dash
		}
		return m[1] + m[3] + strings.ReplaceAll(m[7], "〜", "~") + m[5] + m[9]
	})
}

// betweenItems is what stands between two items of a list.
var betweenItems = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[ \t]*\n(?:\s*\n\s*(?:[-•*] )?|[ \t]*[-•*] )`) })

// inOneLine are short items of a list that a span holds whole, with commas between them.
func inOneLine(text string, span Span) (string, bool) {
	const most = 60 // bytes of an item
	passage := text[span.Start:span.End]
	if !strings.Contains(passage, "\n") {
		return "", false
	}
	from, _ := char.LineAround(text, span.Start)
	_, to := char.LineAround(text, span.End)
	if strings.Trim(text[from:span.Start], " \t-•*") != "" || strings.TrimSpace(text[span.End:to]) != "" {
		return "", false
	}
	items := betweenItems().Split(passage, -1)
	for _, item := range items {
		if len(item) > most || item == "" || strings.ContainsAny(item, "\n,;") || strings.ContainsRune(".!?:。", char.Last(item)) || !unicode.IsLetter(char.First(item)) {
			return "", false
		}
	}
	return strings.Join(items, ", "), len(items) > 1
}
