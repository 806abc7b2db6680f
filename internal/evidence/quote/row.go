package quote

import (
	"strings"
	"unicode"
)

// matchRow reports whether a span of a row of a table has the quotation's letters
// and marks, but for what parts the cells.
func (s *search) matchRow(q *query, start, end int) (Match, bool) {
	if !s.read || !strings.Contains(s.text[start:end], "\t") {
		return Match{}, false
	}
	passage := strings.ToLower(s.text[start:end])
	quoted := strings.ToLower(strings.TrimFunc(q.raw, isNotWordRune))
	if wordCharacters(passage) != wordCharacters(quoted) {
		return Match{}, false
	}
	same := true
	walkAligned(passage, quoted, func(_, other, mine string, _ int) {
		same = same && isSameBetween(mine, other)
	})
	start, end = s.includeQuotedMarks(q, start, end)
	return Match{Tier: Normalised, Start: start, End: end}, same
}

// isSameBetween reports whether what stands between two words of a row is the
// same, or parts cells in one way and another.
func isSameBetween(mine, other string) bool {
	if !strings.Contains(mine, "\t") {
		return plainMarks(mine) == plainMarks(other)
	}
	if !strings.ContainsFunc(other, unicode.IsSpace) && !strings.Contains(other, "|") {
		return false
	}
	return withoutSeparators(mine) == withoutSeparators(other)
}

// plainMarks is marks in plain form with single blanks, without those of code and
// emphasis.
func plainMarks(marks string) string {
	marks = strings.NewReplacer("`", "", "*", "").Replace(strings.Map(plainForm, marks))
	return strings.Join(strings.Fields(marks), " ")
}

// withoutSeparators is what remains of marks without those that part cells.
func withoutSeparators(marks string) string {
	for _, dash := range [...]string{" - ", " – ", " — ", " → "} {
		marks = strings.ReplaceAll(marks, dash, " ")
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("|,;:/·`*", r) {
			return -1
		}
		return plainForm(r)
	}, marks)
}
