package quote

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/governing"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// What a text has struck out or hides is no more what it says: a quotation of the text as it
// is read passes, one of the struck words is found and told of.

// notStruck is a passage of the text as it stands, or where that gives what is struck out or hidden, the same
// words where they are said; where they are not, that is told.
func notStruck(s *search, m Match, quoted string) Match {
	struck, told := struckFinding(s, m, quoted)
	if !told {
		return m
	}
	if read, ok := s.findRead(quoted); ok {
		return read
	}
	m.Findings = append(m.Findings, struck)
	return m
}

// struckFinding tells of the struck or hidden words that a passage of the text, as it stands, gives
// as if they were said. A quotation with the marks that strike them out shows it itself.
func struckFinding(s *search, m Match, quoted string) (guard.Finding, bool) {
	parts := m.Segments
	if len(parts) == 0 {
		parts = []Span{{m.Start, m.End}}
	}
	for _, p := range s.struck() {
		for _, part := range parts {
			from, to := max(part.Start, p.From), min(part.End, p.To)
			if from >= to || p.Original && (p.From <= m.Start && m.End <= p.To) {
				continue
			}
			said := reading.SaidOfStruck(s.text[p.From:p.To])
			if !strings.ContainsFunc(said, char.IsOfWord) || !char.HasWord(s.text[from:to]) || showsMark(quoted, s.text[p.From:p.To]) {
				continue
			}
			f := guard.Finding{Kind: guard.Struck, Text: governing.Shorten(said)}
			if p.Hidden {
				f.Kind = guard.Hidden
			}
			return f, true
		}
	}
	return guard.Finding{}, false
}

// showsMark reports whether a quotation has the mark that a struck part begins with.
func showsMark(quoted, struck string) bool {
	if strings.HasPrefix(struck, "~~") {
		return strings.Contains(quoted, "~~")
	}
	if strings.Contains(struck, "\u0336") {
		return strings.Contains(quoted, "\u0336")
	}
	const shortest = len("<s>")
	end := min(len(struck), strings.IndexAny(struck+" ", " >\t\n"))
	return end >= shortest-1 && strings.Contains(quoted, struck[:end])
}

// findStruck looks for a quotation in a text with what is struck out or hidden, which is told, and in one
// with what its source has in place of what an editor reads there.
func findStruck(s *search, quoted string) (Match, bool) {
	if len(s.struck()) == 0 {
		return Match{}, false
	}
	asked := reading.OfQuotation(quoted)
	if strings.Contains(s.text, "<choice") {
		read := reading.WithReplaced(s.text)
		if m, ok := s.findIn(read, quoted, asked, func() *Text { return index(read.String(), s.lines) }); ok {
			return m, true
		}
	}
	read := s.readingOfStruck()
	m, ok := s.findIn(read, quoted, asked, s.readTextOfStruck)
	if !ok && strings.Contains(quoted, "[") && !read.IsSame() {
		t := s.readTextOfStruck()
		inner := search{Text: t, to: len(t.text), read: true}
		if m, ok = inner.findGlossed(quoted); ok {
			m = matchInText(read, m)
		}
	}
	if !ok {
		return Match{}, false
	}
	f, found := struckFinding(s, m, quoted)
	if !found {
		return Match{}, false
	}
	if struck, ok := struckInJest(s, m); ok {
		m.Gaps = append(m.Gaps, struck)
		return m, true
	}
	m.Findings = append(m.Findings, f)
	return m, true
}

// struckInJest gives the one part that a passage holds whole, struck out for readers to see, as writers of
// pages do for a jest: whoever copies the sentence has both halves. Where it has words that decide what is said it
// is none.
func struckInJest(s *search, m Match) (Span, bool) {
	var held []reading.Struck
	for _, p := range s.struck() {
		if p.From < m.End && m.Start < p.To {
			held = append(held, p)
		}
	}
	if len(held) != 1 || held[0].From <= m.Start || held[0].To >= m.End || !strings.HasPrefix(s.text[held[0].From:], "<s>") {
		return Span{}, false
	}
	decides := slices.ContainsFunc(guard.WordsIn(reading.SaidOfStruck(s.text[held[0].From:held[0].To]), s.language), func(w guard.Word) bool {
		return w.Kind != guard.Comparator // "gone up", where "gone down" stands behind it
	})
	return Span{held[0].From, held[0].To}, !decides
}
