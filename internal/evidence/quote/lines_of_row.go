package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// findLinesOfRow looks for a row of a table of whose cells each has a line, typed without words that stand in
// it before a number, which are shown: another number left out might be the one that is meant. It looks for
// a name and the paragraph below that says what it means, too.
func findLinesOfRow(s *search, quoted string) (Match, bool) {
	quoted = strings.TrimSpace(quoted)
	if len(quoted) > maxTypedRow || strings.Contains(quoted, "\n") {
		return Match{}, false
	}
	cells := betweenCells().Split(quoted, -1)
	if m, ok := findNameAndMeaning(s, quoted); ok {
		return m, true
	}
	const fewest, most = 3, 8 // cells
	if len(cells) < fewest || len(cells) > most || slices.Contains(cells, "") || !strings.ContainsFunc(cells[0], unicode.IsLetter) {
		return Match{}, false
	}
	for at, tries := s.from, 0; tries < maxTableRows; tries++ {
		i := strings.Index(s.text[at:s.to], cells[0])
		if i < 0 {
			break
		}
		at += i
		if m, ok := linesOfRow(s.text, at, cells); ok && m.End <= s.to {
			return m, true
		}
		at += len(cells[0])
	}
	return Match{}, false
}

var betweenCells = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` ?[;|\t] ?|, |: `) })

// linesOfRow reads cells from the lines from a place on, the first of which has the first of them.
func linesOfRow(text string, at int, cells []string) (Match, bool) {
	const most = 12 // lines of a row, blank ones too
	start, end := char.LineAround(text, at)
	first := bareSpan(text, start, end)
	if text[first.Start:first.End] != cells[0] {
		return Match{}, false
	}
	m := Match{Tier: Normalised, Start: first.Start, End: first.End}
	decides := &typedCells{}
	rest, leftOut := cells[1:], false
	for lines := 0; len(rest) > 0; lines++ {
		if end >= len(text) || lines > 2*most {
			return Match{}, false
		}
		start, end = char.LineAround(text, end+1)
		cell := bareSpan(text, start, end)
		said := text[cell.Start:cell.End]
		switch {
		case said == "":
		case said == rest[0] && leftOut && !isCellOfNumber(said), said != rest[0] && !isLineOfCell(said):
			return Match{}, false
		case said == rest[0]:
			rest, m.End, leftOut = rest[1:], cell.End, false
		case isCellOfNumber(said):
			return Match{}, false
		default:
			leftOut = true
			decides.cells = append(decides.cells, said)
			m.Gaps = append(m.Gaps, cell)
		}
	}
	return m, len(m.Gaps) > 0 && decides.maySkip(0, len(decides.cells)) && isPeriodicRow(text, m.Start, m.End)
}

// findNameAndMeaning looks for a name that has a line and what it means in the paragraph below, among others
// of the kind, typed with a mark between them.
func findNameAndMeaning(s *search, quoted string) (Match, bool) {
	cut := betweenCells().FindStringIndex(quoted)
	if cut == nil || !strings.HasSuffix(quoted, ".") {
		return Match{}, false
	}
	name, meaning := quoted[:cut[0]], quoted[cut[1]:]
	for at, tries := s.from, 0; tries < maxTableRows && name != ""; tries++ {
		i := strings.Index(s.text[at:s.to], name)
		if i < 0 {
			break
		}
		start, end := char.LineAround(s.text, at+i)
		at += i + len(name)
		if line := bareSpan(s.text, start, end); s.text[line.Start:line.End] != name || !isLineOfCell(name) {
			continue
		}
		below := paragraphsBelow(s.text, end)
		if len(below) < 3 || below[0].End > s.to || strings.Join(strings.Fields(s.text[below[0].Start:below[0].End]), " ") != meaning {
			continue
		}
		next, nextMeaning := s.text[below[1].Start:below[1].End], s.text[below[2].Start:below[2].End]
		if isLineOfCell(next) && !strings.ContainsAny(next, "\n.") && strings.HasSuffix(nextMeaning, ".") {
			line := bareSpan(s.text, start, end)
			return Match{Tier: Normalised, Start: line.Start, End: below[0].End}, true
		}
	}
	return Match{}, false
}

// paragraphsBelow are the next three paragraphs behind a blank line.
func paragraphsBelow(text string, at int) []Span {
	const most, far = 3, 3000 // paragraphs, bytes
	stop := min(len(text), at+far)
	var list []Span
	rest := text[at:stop]
	if !strings.HasPrefix(rest, "\n\n") {
		return nil
	}
	for part := range strings.SplitSeq(rest, "\n\n") {
		if p := bareSpan(text, at, at+len(part)); p.Start < p.End && len(list) < most {
			list = append(list, p)
		}
		at += len(part) + len("\n\n")
	}
	return list
}
