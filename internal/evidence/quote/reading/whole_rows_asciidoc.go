package reading

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

var (
	asciiDocFence = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\|={3,}\s*$`) })
	asciiDocCols  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bcols=(?:"([^"\n]*)"|'([^'\n]*)'|([^\s,\]]+))`) })
	asciiDocSpec  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[ \t\n])((?:(\d+)?(\.\d+)?[+*])?[<^>]?(?:\.[<^>])?[aehlmsdv]?)$`)
	})
	asciiDocHeader = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`%[\w%]*header|\boptions?="?[^"\]]*header|\bopts="?[^"\]]*header`)
	})
)

// asciiDocTable reads a table of AsciiDoc, whose cells stand in a line together or in a line each. One with
// cells that reach into other rows, or are there several times, is left as it is.
func asciiDocTable(text string, from, to int) ([]Edit, int) {
	if !asciiDocFence().MatchString(text[from:to]) {
		return nil, 0
	}
	fence := strings.TrimSpace(text[from:to])
	end, stop := 0, 0
	for l := range linesOf(text, to+1, maxTableLines) {
		if strings.TrimSpace(text[l.From:l.To]) == fence {
			end, stop = l.To, l.From
			break
		}
	}
	if stop <= to+1 {
		return nil, 0
	}
	cells, spans, ok := asciiDocCells(text, to+1, stop)
	attributes := attributesAbove(text, from)
	n := columnsOfAsciiDoc(text, attributes, cells, spans)
	if !ok || n < 2 {
		return nil, end
	}
	var rows [][]sourceCell
	width := n
	for i, cell := range cells {
		if width >= n {
			rows, width = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], cell)
		width += spans[i]
	}
	heads := 0
	if first := rows[0]; asciiDocHeader().MatchString(attributes) || len(rows) > 1 && strings.Count(text[first[len(first)-1].To:rows[1][0].From], "\n") > 1 {
		heads = 1
	}
	return rowsOfCells(to+1, rows, heads), end
}

// attributesAbove are the lines in brackets right above a place.
func attributesAbove(text string, at int) string {
	const far = 1000 // bytes
	lines := strings.Split(strings.TrimRight(text[max(0, at-far):at], "\n"), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && !strings.HasPrefix(line, "[[") && !strings.HasPrefix(line, "[#") {
			return line
		}
		if !strings.HasPrefix(line, ".") && !strings.HasPrefix(line, "[") {
			break
		}
	}
	return ""
}

// asciiDocCells are the cells between two places, and over how many columns each reaches.
func asciiDocCells(text string, from, to int) (cells []sourceCell, spans []int, ok bool) {
	const spec = 12 // bytes
	begins, span := -1, 1
	for i := from; i <= to; i++ {
		if i < to && (text[i] != '|' || i > from && text[i-1] == '\\') {
			continue
		}
		ends, next := i, 1
		if m := asciiDocSpec().FindStringSubmatchIndex(text[max(from, i-spec):i]); i < to && m != nil {
			ends = i - (m[3] - m[2])
			part := text[ends:i]
			if m[6] >= 0 || strings.Contains(part, "*") {
				return nil, nil, false
			}
			if m[4] >= 0 {
				next, _ = strconv.Atoi(text[max(from, i-spec):i][m[4]:m[5]])
			}
		}
		if begins >= 0 {
			cells, spans = append(cells, newSourceCell(text, begins, ends)), append(spans, span)
		}
		begins, span = i+1, max(next, 1)
	}
	return cells, spans, len(cells) > 0
}

// columnsOfAsciiDoc is how many columns a table has: as its attributes say, or as many as there are cells
// in the first line, or before the first blank one where that has but one.
func columnsOfAsciiDoc(text, attributes string, cells []sourceCell, spans []int) int {
	if m := asciiDocCols().FindStringSubmatch(attributes); m != nil {
		n := 0
		for _, column := range strings.FieldsFunc(m[1]+m[2]+m[3], func(r rune) bool { return r == ',' || r == ';' }) {
			times := 1
			if before, _, ok := strings.Cut(column, "*"); ok {
				times, _ = strconv.Atoi(strings.TrimSpace(before))
			}
			n += times
		}
		return n
	}
	inLine, inBlock := 0, 0
	for i, cell := range cells {
		lines := 0
		if i > 0 {
			lines = strings.Count(text[cells[i-1].To:cell.From], "\n")
		}
		if lines > 1 {
			break
		}
		if lines == 0 && inLine == inBlock {
			inLine += spans[i]
		}
		inBlock += spans[i]
	}
	if inLine > 1 {
		return inLine
	}
	return inBlock
}

// asciiDocTerm is a term of AsciiDoc with two colons or more behind it, before what is said of it.
var asciiDocTerm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([^\s:][^\n]{0,100}?)(::{1,3})(?:[ \t]+\S|[ \t]*$)`)
})

// definedTerm reads a term of a list of AsciiDoc and what is said of it, in its line or in the lines below.
func definedTerm(text string, from, to int) ([]Edit, int) {
	m := asciiDocTerm().FindStringSubmatchIndex(text[from:to])
	if m == nil {
		return nil, 0
	}
	const most = 12 // lines
	begins := from + m[5]
	end := to
	for l := range linesOf(text, to+1, most) {
		line := text[l.From:l.To]
		if strings.TrimSpace(line) == "" || asciiDocTerm().MatchString(line) || strings.TrimSpace(line) == "+" || strings.HasPrefix(line, "=") || strings.HasPrefix(line, "[") {
			break
		}
		end = l.To
	}
	said := newSourceCell(text, begins, end)
	if said.From >= said.To {
		return nil, 0
	}
	return rowsOfCells(from, [][]sourceCell{{newSourceCell(text, from+m[2], from+m[3]), said}}, 0), end
}
