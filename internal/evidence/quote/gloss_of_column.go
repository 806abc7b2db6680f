package quote

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// namesColumn reports whether a gloss of a quotation, found in a row of a table, has a word of what names the
// columns of that table or stands above them: then it says of which column a cell is, and what is
// typed so must be held against the columns.
func namesColumn(s *search, m Match, quoted string) bool {
	t, read := s.Text, s.reading()
	at, to := m.Start, m.End
	switch {
	case read.HasPages(): // a row may look like what stands at the foot of pages
		read = s.readingOfPages()
		t, at, to = s.readTextOfPages(), read.Forward(m.Start), read.Forward(m.End)
	case !read.IsSame():
		t, at, to = s.readText(), read.Forward(m.Start), read.Forward(m.End)
	}
	start, end := char.LineAround(t.text, min(at, len(t.text)))
	if !strings.Contains(t.text[start:end], "\t") {
		return false
	}
	if inCell := at > to || !strings.Contains(t.text[at:to], "\t"); inCell && !endsInBrackets(quoted) {
		return false // words within a cell
	}
	row, ok := newTableRow(t.text, start, end, tableLines{s.text, read})
	if !ok {
		return false
	}
	for _, inside := range gloss().FindAllString(quoted, -1) {
		inside = strings.Trim(inside, "[]［］")
		if !slices.ContainsFunc(strings.Fields(inside), func(word string) bool { return !isMeasure(word, s.language) }) {
			continue // the unit of the number before it
		}
		for _, w := range tokens(normalise(inside).text) {
			if !w.isNumber() && (indexOfForm(row.named, w) >= 0 || indexOf(row.title, w) >= 0) {
				return true
			}
		}
	}
	return false
}

// endsInBrackets reports whether a quotation begins or ends with a gloss.
func endsInBrackets(quoted string) bool {
	bare := strings.TrimSpace(quoted)
	return strings.HasPrefix(bare, "[") || strings.HasSuffix(strings.TrimRight(bare, ".,;"), "]")
}
