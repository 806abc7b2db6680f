package quote

import (
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// joinsRows reports whether a passage of one line begins behind the first cell of a row of a table and goes
// on in the next row: the last cells of one are then read as of the other.
func joinsRows(s *search, quoted string, m Match) bool {
	if m.Tier == Elided || m.Start >= m.End || strings.Contains(strings.TrimSpace(quoted), "\n") || !mayHaveCells(s.text[m.Start:m.End]) {
		return false
	}
	if joinsTaggedRows(s.text, m) {
		return true
	}
	t, at, to := s.Text, m.Start, m.End
	if read := s.reading(); !read.IsSame() {
		t, at, to = s.readText(), read.Forward(m.Start), read.Forward(m.End)
	}
	if at >= to || to > len(t.text) {
		return false
	}
	n := strings.IndexByte(t.text[at:to], '\n')
	if n < 0 {
		return false
	}
	first := char.Line(t.text, at)
	start, _ := char.LineAround(t.text, at)
	rest := t.text[at+n:]
	bare := strings.TrimLeft(rest, " \r\n")
	second, _, _ := strings.Cut(strings.TrimLeft(bare, " \t"), "\n") // tabs before a line are no cells
	const blankLines = 8
	if !strings.Contains(strings.TrimLeft(t.text[start:at], " \t"), "\t") || !strings.Contains(second, "\t") || strings.Count(rest[:len(rest)-len(bare)], "\n") > 1+blankLines {
		return false
	}
	cells := func(line string) int { return strings.Count(strings.TrimSpace(line), "\t") }
	return hasBarsOrTags(s.text, m) || cells(first) == cells(second) && cells(first) > 1
}

// mayHaveCells reports whether what is between the ends of a passage may be where a row ends and the next
// begins, in any form that tables are read of: the whole text is not read for others.
func mayHaveCells(passage string) bool {
	lines := strings.Contains(passage, "\n") && strings.ContainsAny(passage, ",;:&")
	return lines || strings.ContainsAny(passage, "\t|<") || strings.Contains(passage, "  ")
}

// hasBarsOrTags reports whether a passage has what parts rows of markup.
func hasBarsOrTags(text string, m Match) bool {
	passage := text[m.Start:m.End]
	return strings.Contains(passage, "<tr") || strings.Contains(passage, "|")
}

var (
	taggedRowEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`</(row|strow|seglistitem|property|chrow)>\s*<(?:row|strow|seglistitem|property|chrow)[\s>]`)
	})
	taggedCellEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`</(?:cell|entry|stentry|seg|proptype|propvalue|choption)>`)
	})
)

// joinsTaggedRows reports whether a passage does so with rows of CALS, of TEI or of DITA, whose cells are read
// as paragraphs.
func joinsTaggedRows(text string, m Match) bool {
	const longest = 8 * reading.MaxRow
	if m.End > len(text) {
		return false
	}
	end := taggedRowEnd().FindStringSubmatch(text[m.Start:m.End])
	if end == nil {
		return false
	}
	before := text[max(0, m.Start-longest):m.Start]
	at := strings.LastIndex(before, "<"+end[1])
	return at >= 0 && taggedCellEnd().MatchString(before[at:])
}
