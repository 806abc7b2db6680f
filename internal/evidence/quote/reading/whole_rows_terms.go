package reading

import (
	"regexp"
	"strings"
	"sync"
)

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

// boxRow reads a row of a table that is drawn with the signs for it, with strokes beside its cells.
func boxRow(text string, from, to int) ([]Edit, int) {
	line := strings.TrimSpace(text[from:to])
	if line != "" && strings.TrimFunc(line, func(r rune) bool { return '─' <= r && r <= '╿' }) == "" {
		return []Edit{{From: from, To: to}}, to // a rule
	}
	for _, stroke := range [...]string{"│", "┃", "║"} {
		if !strings.HasPrefix(line, stroke) || !strings.HasSuffix(line, stroke) || strings.Count(line, stroke) < 3 {
			continue
		}
		var row []sourceCell
		at := from + strings.Index(text[from:to], stroke) + len(stroke)
		for {
			n := strings.IndexAny(text[at:to], "│┃║")
			if n < 0 {
				break
			}
			row = append(row, newSourceCell(text, at, at+n))
			at += n + len(stroke)
		}
		last := row[len(row)-1].To
		return append(rowsOfCells(from, [][]sourceCell{row}, 0), Edit{From: last, To: to}), to
	}
	return nil, 0
}
