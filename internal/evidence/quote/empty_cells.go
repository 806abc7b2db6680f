package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// checkEmptyCells reports whether the cells of the rows of a passage stand in the columns in which
// they are quoted. Where a quotation parts its cells, those that are empty stand where the text has
// them; where it leaves an empty one out, that is shown, or the row is another one below the
// names of all columns.
func checkEmptyCells(s *search, quoted string, m Match) (gaps []Span, ok bool) {
	if m.Start < 0 || m.End > len(s.text) || m.End-m.Start > maxTable {
		return nil, true
	}
	lines := quotedRows(quoted)
	passage := s.text[m.Start:m.End]
	isTable := strings.Contains(passage, "<t")
	if len(lines) == 0 && !emptyCell().MatchString(passage) && (!strings.Contains(quoted, "\n") || !strings.Contains(passage, "   ")) {
		return nil, true
	}
	if isTable && spanned().MatchString(passage) {
		return nil, true // how many columns a cell has is not known
	}
	rows := rowsAround(s.text, m.Start, m.End)
	seen := make([]bool, len(rows))
	widest := 0
	for _, fields := range lines {
		for i, row := range rows {
			if seen[i] {
				continue
			}
			says := compareCells(fields, row.cells)
			if says == otherRow {
				continue
			}
			seen[i] = true
			if says == otherColumns || says == withoutEmpty && len(fields) < widest && len(row.cells) >= widest {
				s.recordRefused(m.Start, m.End, 0, nil)
				return nil, false
			}
			if says == withoutEmpty {
				gaps = append(gaps, row.Span)
			}
			break
		}
		widest = max(widest, len(fields))
	}
	for i, row := range rows {
		if seen[i] || len(lines) > 0 && row.plain || row.plain && !strings.Contains(passage, "\n") {
			continue
		}
		if hasEmptyWithin(row, m) {
			gaps = append(gaps, row.Span)
		}
	}
	return gaps, true
}

// spanned is a cell of HTML that stands in more than one column or row.
var spanned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)<t[dh][^>]*\b(?:col|row)span`) })

// A cellRow is a row of a table with its cells as they stand below the names of the columns, empty
// ones too.
type cellRow struct {
	Span
	cells  []string
	blank  []bool // which have not even a dash
	bounds []Span // of each cell in the text; nil where only blanks part them
	plain  bool   // only blanks part them
}

// quotedRows are the lines of a quotation that has parted its cells by bars or tabs.
func quotedRows(quoted string) [][]string {
	if !strings.ContainsAny(quoted, "|\t") {
		return nil
	}
	var list [][]string
	for line := range strings.Lines(quoted) {
		line = strings.TrimRight(line, "\r\n")
		if strings.ContainsAny(line, "…") || strings.Contains(line, "...") || strings.Trim(line, "|-:= \t+") == "" {
			continue
		}
		var fields []string
		switch {
		case strings.Contains(line, "|"):
			fields = strings.Split(withoutOuterBars(line), "|")
		case strings.Contains(line, "\t"):
			fields = strings.Split(line, "\t")
		}
		filled := 0
		for i, field := range fields {
			if fields[i] = cellKey(field); fields[i] != "" {
				filled++
			}
		}
		if filled > 1 || filled > 0 && len(fields) > 2 {
			list = append(list, fields)
		}
	}
	return list
}

// add puts a cell to a row that stands at a place of the text.
func (r *cellRow) add(cell string, at int) {
	r.cells = append(r.cells, cellKey(cell))
	r.blank = append(r.blank, strings.TrimSpace(tagInCell().ReplaceAllString(cell, "")) == "")
	r.bounds = append(r.bounds, Span{at, at + len(cell)})
}

// putHeadsOver gives the cells of a row the names of the columns in which the text has them where it
// has empty ones, and none where that is not told.
func putHeadsOver(s *search, row *tableRow, read *reading.Text, readText string) {
	from, to := read.Span(row.Start, row.End)
	rows := rowsAround(s.text, from, to)
	if len(rows) != 1 || spanned().MatchString(s.text[from:to]) {
		if emptyCell().MatchString(s.text[from:to]) {
			row.heads = nil
		}
		return
	}
	r := rows[0]
	var filled []int
	for i, blank := range r.blank {
		if !blank {
			filled = append(filled, i)
		}
	}
	if len(filled) == len(r.blank) {
		return
	}
	row.heads = nil
	names := strings.Split(strings.TrimSpace(readText[row.columns.Start:row.columns.End]), "\t")
	if len(filled) != len(row.cells) || row.columns == row.Span {
		return
	}
	if len(names) == len(r.blank)-1 {
		names = append([]string{""}, names...) // nothing stands over the names of rows
	}
	if len(names) != len(r.blank) {
		return
	}
	if from, to := read.Span(row.columns.Start, row.columns.End); !r.plain {
		if head := rowsAround(s.text, from, to); len(head) != 1 || len(head[0].blank) != len(r.blank) || slices.Contains(head[0].blank[1:], true) {
			return
		}
	}
	row.marks = nil
	for _, i := range filled {
		row.heads, row.marks = append(row.heads, tokens(normalise(names[i]).text)), append(row.marks, names[i])
	}
}

// withoutOuterBars is a row without the bars that enclose it.
func withoutOuterBars(line string) string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	return strings.TrimSuffix(line, "|")
}

// cellKey is what a cell says, as it is compared: letters and digits, or signs where it has none.
// A dash is an empty cell.
func cellKey(cell string) string {
	cell = tagInCell().ReplaceAllString(cell, "")
	if key := char.OfWords(strings.ToLower(normalise(cell).text)); key != "" {
		return key
	}
	return strings.TrimFunc(cell, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("-–—−.·*_`'\"&;", r)
	})
}

var tagInCell = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[^<>]{1,80}>|&nbsp;`) })

// rowsAround are the rows of tables in which a passage stands.
func rowsAround(text string, start, end int) []cellRow {
	var list []cellRow
	from := words.RuneStart(text, start-reading.MaxRow)
	if i := strings.LastIndex(text[from:start], "<tr"); i >= 0 || strings.Contains(text[start:end], "<t") {
		if from += i; i < 0 {
			from = start
		}
		to := end
		if i := strings.Index(text[end:], "</tr>"); i >= 0 && i <= reading.MaxRow {
			to += i
		}
		for row := range strings.SplitSeq(text[from:to], "<tr") {
			at := from
			from += len(row) + len("<tr")
			r := cellRow{Span: Span{at, at + len(row)}}
			for _, m := range cellOfHTML().FindAllStringSubmatchIndex(row, -1) {
				r.add(row[m[2]:m[3]], at+m[2])
			}
			if len(r.cells) > 1 {
				r.Span = Span{r.bounds[0].Start, r.bounds[len(r.bounds)-1].End}
				list = append(list, r)
			}
		}
		return list
	}
	at, _ := char.LineAround(text, start)
	for at < end {
		_, to := char.LineAround(text, at)
		if to-at <= reading.MaxRow {
			list = append(list, rowsOfLine(text, at, to)...)
		}
		at = to + 1
	}
	return list
}

var cellOfHTML = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?is)<t[dh]\b[^>]*>(.*?)</t[dh]>`) })

// rowsOfLine is a line as a row of a table; none where nothing parts cells in it.
func rowsOfLine(text string, from, to int) []cellRow {
	line := text[from:to]
	inner := strings.TrimSpace(line)
	r := cellRow{Span: trimSpan(text, from, to)}
	mark := "\t"
	switch {
	case strings.Trim(inner, "|-:= \t+") == "":
		return nil
	case strings.Count(inner, "|") > 1 || strings.Contains(inner, " | "):
		mark = "|"
		if strings.HasPrefix(inner, "|") {
			from += strings.Index(line, "|") + 1
		}
		if strings.HasSuffix(inner, "|") && from < to {
			to = from + strings.LastIndex(text[from:to], "|")
		}
	case strings.Contains(inner, "\t"):
	case strings.Contains(inner, "   "):
		r.plain = true
		if r.cells, r.blank = cellsBelowHead(text, from, to); len(r.cells) < 3 {
			return nil
		}
		return []cellRow{r}
	default:
		return nil
	}
	if to < from {
		return nil
	}
	for cell := range strings.SplitSeq(text[from:to], mark) {
		r.add(cell, from)
		from += len(cell) + len(mark)
	}
	if len(r.cells) < 2 {
		return nil
	}
	return []cellRow{r}
}

// cellsBelowHead are the cells of a row that only blanks part, each below the name of its column;
// nil where it has one for each column, or where they are not told.
func cellsBelowHead(text string, from, to int) (cells []string, blank []bool) {
	row := wideCells(text[from:to])
	var head []wideCell
	for up, n := from-1, 0; up > 0 && n < maxTableRows; n++ {
		begins, ends := char.LineAround(text, up)
		line := strings.TrimSpace(text[begins:ends])
		if line == "" || ends-begins > reading.MaxRow {
			break
		}
		if strings.Trim(line, "-=_ ") != "" {
			head = wideCells(text[begins:ends])
		}
		up = begins - 1
	}
	if len(row) > 1 && len(head) > 1 && row[0].to < head[0].from {
		head = append([]wideCell{{"", row[0].from, row[0].to}}, head...) // nothing stands over the names of rows
	}
	if len(row) < 2 || len(row) >= len(head) {
		return nil, nil
	}
	cells, blank = make([]string, len(head)), make([]bool, len(head))
	for i := range blank {
		blank[i] = true
	}
	column := 0
	for _, c := range row {
		best := -1
		for i := column; i < len(head); i++ {
			if h := head[i]; c.from < h.to && h.from < c.to {
				best = i
				break
			}
		}
		if best < 0 {
			return nil, nil
		}
		cells[best], blank[best], column = cellKey(c.text), false, best+1
	}
	return cells, blank
}

// A wideCell is a cell that two blanks or more part from the next, and its columns.
type wideCell struct {
	text     string
	from, to int
}

var wideGap = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\S+(?: \S+)*`) })

func wideCells(line string) []wideCell {
	var list []wideCell
	for _, m := range wideGap().FindAllStringIndex(line, -1) {
		from := utf8.RuneCountInString(line[:m[0]])
		list = append(list, wideCell{line[m[0]:m[1]], from, from + utf8.RuneCountInString(line[m[0]:m[1]])})
	}
	return list
}

// How the cells of a quotation stand to those of a row.
const (
	otherRow     = iota // they are none of its
	sameColumns         // each in its column
	withoutEmpty        // but without the empty ones between them
	otherColumns        // an empty one where the row has none, or none
)

// compareCells compares the fields of a line that was quoted with the cells of a row, of which it may
// have some alone.
func compareCells(fields, cells []string) int {
	var ours, theirs []int // where those stand that are not empty
	for i, f := range fields {
		if f != "" {
			ours = append(ours, i)
		}
	}
	for i, c := range cells {
		if c != "" {
			theirs = append(theirs, i)
		}
	}
	for from := 0; from+len(ours) <= len(theirs); from++ {
		same := true
		for k, i := range ours {
			f, c := fields[i], cells[theirs[from+k]]
			same = same && (f == c || k == 0 && strings.HasSuffix(c, f) || k == len(ours)-1 && strings.HasPrefix(c, f))
		}
		if !same {
			continue
		}
		at := theirs[from : from+len(ours)]
		before, behind := at[0], len(cells)-1-at[len(at)-1] // cells of the row
		if from > 0 {
			before -= theirs[from-1] + 1
		}
		if next := from + len(ours); next < len(theirs) {
			behind = theirs[next] - at[len(at)-1] - 1
		}
		last := ours[len(ours)-1]
		if ours[0] > before && ours[0] != at[0] || len(fields)-1-last > behind {
			return otherColumns
		}
		parted := slices.Contains(fields[ours[0]:last+1], "") || ours[0] > 0 || last < len(fields)-1
		for k := 1; k < len(ours); k++ {
			if ours[k]-ours[k-1] == at[k]-at[k-1] {
				continue
			}
			if parted {
				return otherColumns
			}
			return withoutEmpty
		}
		return sameColumns
	}
	return otherRow
}

// hasEmptyWithin reports whether an empty cell of a row stands within a passage, between two that do.
func hasEmptyWithin(row cellRow, m Match) bool {
	open, empty := false, false
	for i, c := range row.cells {
		switch {
		case c == "":
			empty = open
		case row.bounds != nil && (row.bounds[i].End <= m.Start || row.bounds[i].Start >= m.End):
		case empty:
			return true
		default:
			open = true
		}
	}
	return false
}
