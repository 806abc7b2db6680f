package reading

import (
	"regexp"
	"strings"
	"sync"
)

var (
	taggedRow  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<row(?:\s[^<>]*)?>`) })
	taggedCell = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)<(?:cell|entry)(?:\s[^<>]*)?>(.*?)</(?:cell|entry)>`)
	})
)

// taggedTable reads the rows of TEI and of CALS that begin in a line: <row> with <cell> or <entry> in it.
func taggedTable(text string, from, to int) (list []Edit, end int) {
	const longest = 8 * MaxRow
	end = to
	for _, m := range taggedRow().FindAllStringIndex(text[from:to], -1) {
		at, begins := from+m[0], from+m[1]
		n := strings.Index(text[begins:min(len(text), begins+longest)], "</row>")
		if n < 0 {
			break
		}
		var row []sourceCell
		for _, c := range taggedCell().FindAllStringSubmatchIndex(text[begins:begins+n], -1) {
			row = append(row, newSourceCell(text, begins+c[2], begins+c[3]))
		}
		if len(row) < 2 {
			continue
		}
		list = append(list, rowsOfCells(at, [][]sourceCell{row}, 0)...)
		stop := begins + n + len("</row>")
		list = append(list, Edit{From: row[len(row)-1].To, To: stop})
		end = max(end, stop)
		if stop < len(text) {
			end = lineEnd(text, end)
		}
	}
	return list, end
}

// lineEnd is where the line of a place ends.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

var (
	texTabular = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\\begin\{(tabular[xy]?\*?|longtable|supertabular|tabulary)\}`)
	})
	texRule = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:(?:\[[^\]\n]{0,12}\]|\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|centering|cline\{[^{}]*\}|cmidrule(?:\([lr]*\))?\{[^{}]*\}|rowcolor\{[^{}]*\}|addlinespace|noalign\{[^{}]*\}))\s*)+`)
	})
	texSpan = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\\multi(?:row|column)(?:\[[^\]]*\])?\{[^{}]*\}(?:\[[^\]]*\])?\{[^{}]*\}\{`)
	})
)

// texTable reads a table of LaTeX, "&" between its cells and two strokes behind each row.
func texTable(text string, from, to int) ([]Edit, int) {
	m := texTabular().FindStringSubmatchIndex(text[from:to])
	if m == nil {
		return nil, 0
	}
	const longest = 64 << 10
	n := strings.Index(text[to:min(len(text), to+longest)], `\end{`+text[from+m[2]:from+m[3]]+`}`)
	if n < 0 || to == len(text) {
		return nil, 0
	}
	stop := to + n
	var rows [][]sourceCell
	var row []sourceCell
	first, cellAt := to+1, to+1
	for i := to + 1; i < stop; i++ {
		switch text[i] {
		case '\\':
			if i+1 < stop && text[i+1] == '\\' {
				row = append(row, texCell(text, cellAt, i))
				rows, row = append(rows, row), nil
				i++
				cellAt = i + 1
				if cellAt < stop && text[cellAt] == '*' {
					cellAt++
				}
				continue
			}
			i++
		case '&':
			row = append(row, texCell(text, cellAt, i))
			cellAt = i + 1
		}
	}
	end := lineEnd(text, stop)
	if len(rows) == 0 {
		return nil, end
	}
	return rowsOfCells(first, rows, 0), end
}

// texCell is a cell without the rules drawn before it, and without what says over how many columns or
// rows it stands.
func texCell(text string, from, to int) sourceCell {
	from += len(texRule().FindString(text[from:to]))
	c := newSourceCell(text, from, to)
	if span := texSpan().FindString(text[c.From:c.To]); span != "" && strings.HasSuffix(text[c.From:c.To], "}") {
		return newSourceCell(text, c.From+len(span), c.To-1)
	}
	return c
}
