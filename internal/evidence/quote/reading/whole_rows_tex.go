package reading

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	texTabular = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\\begin\{(tabular[xy]?\*?|(?:long|super|x)tab(?:le|ular)\*?|tabulary|xltabular|(?:long)?tabu|NiceTabular\*?|(?:long)?tblr)\}`)
	})
	// texRule is what stands before the first cell of a row and is none of it.
	texRule = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:(?:%[^\n]*|\*?\[[^\]\n]{0,12}\]|\\(?:hline|(?:top|mid|bottom)rule(?:\[[^\]\n]*\])?|end(?:first|last)?head|end(?:last)?foot|centering|raggedright|(?:cline|cmidrule(?:\([lr]*\))?|rowcolor(?:\[[^\]\n]*\])?|noalign|label|Xhline)\{[^{}\n]*\}|specialrule(?:\{[^{}\n]*\}){3}|addlinespace(?:\[[^\]\n]*\])?))\s*)+`)
	})
	// texHeadRule is a rule that stands below the names of columns.
	texHeadRule = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\(?:midrule|end(?:first)?head)`) })
	texSpan     = sync.OnceValue(func() *regexp.Regexp {
		const argument = `\{(?:[^{}]|\{[^{}]*\})*\}`
		return regexp.MustCompile(`^\\(?:multi(?:row|column)(?:\[[^\]]*\])?` + argument + `(?:\[[^\]]*\])?` + argument + `|(?:shortstack|makecell|thead)(?:\[[^\]]*\])?)\{`)
	})
	texWithin = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\\verb\*?(?:\|([^|\n]*)\||\+([^+\n]*)\+|!([^!\n]*)!)|\s*\\\\\s*|(?m:^%[^\n]*\n)`)
	})
	texVerbatim = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\\verb\*?(?:\|[^|]*\||\+[^+]*\+|![^!]*!)`) })
	texBold     = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\s|\\(?:textbf|bfseries|bf|thead|textit|multicolumn)\b|\{)*\\(?:textbf|bfseries|bf|thead)\b`)
	})
)

// texTable reads a table of LaTeX, "&" between its cells and two strokes behind each row.
func texTable(text string, from, to int) ([]Edit, int) {
	m := texTabular().FindStringSubmatchIndex(text[from:to])
	if m == nil {
		return nil, 0
	}
	const longest = 64 << 10
	name := text[from+m[2] : from+m[3]]
	n := strings.Index(text[from+m[1]:min(len(text), to+longest)], `\end{`+name+`}`)
	if n < 0 {
		return nil, 0
	}
	stop := from + m[1] + n
	first := behindArguments(text, from+m[1], stop, name)
	rows, ruled := texRows(text, first, stop)
	end := lineEnd(text, stop)
	if len(rows) == 0 {
		return nil, end
	}
	last := rows[len(rows)-1]
	list := append(rowsOfCells(first, rows, headsOfTex(text, rows, ruled)), Edit{From: last[len(last)-1].To, To: stop})
	if list[0].From == first {
		list[0].With = "\n" + list[0].With
	} else {
		list = slices.Insert(list, 0, Edit{From: first, To: first, With: "\n"})
	}
	return list, end
}

// behindArguments is where a table begins behind what says how its columns are set.
func behindArguments(text string, at, stop int, name string) int {
	arguments := 1
	if strings.HasSuffix(name, "*") && name != "longtable*" || name == "tabularx" || name == "tabulary" || name == "xltabular" {
		arguments = 2
	}
	i := at
	for arguments > 0 {
		for i < stop && strings.IndexByte(blanks, text[i]) >= 0 {
			i++
		}
		if i < stop && text[i] == '[' {
			n := strings.IndexByte(text[i:stop], ']')
			if n < 0 {
				return at
			}
			i += n + 1
			continue
		}
		if i >= stop || text[i] != '{' {
			return at
		}
		for depth := 0; i < stop; i++ {
			if text[i] == '{' {
				depth++
			} else if text[i] == '}' {
				depth--
			}
			if depth == 0 {
				break
			}
		}
		i = min(i+1, stop)
		arguments--
	}
	return i
}

// texRows are the rows between two places, of two cells or more, and of each the rules above it. What stands
// in braces is of one cell.
func texRows(text string, from, stop int) (rows [][]sourceCell, ruled []string) {
	var row []sourceCell
	cellAt, depth := from, 0
	rules := ""
	add := func(to int) {
		rule := texRule().FindString(text[cellAt:to])
		if len(row) == 0 {
			rules += rule
		}
		row = append(row, texCell(text, cellAt+len(rule), to))
	}
	finish := func() {
		if len(row) > 1 {
			rows, ruled, rules = append(rows, row), append(ruled, rules), ""
		}
		row = nil
	}
	for i := from; i < stop; i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '%':
			i += max(strings.IndexByte(text[i:stop], '\n'), 0)
		case '&':
			if depth == 0 {
				add(i)
				cellAt = i + 1
			}
		case '\\':
			rest := text[i:stop]
			size := 2
			switch {
			case strings.HasPrefix(rest, `\verb`):
				i += max(len(texVerbatim().FindString(text[i:lineEnd(text, i)]))-1, 0)
				continue
			case depth == 0 && strings.HasPrefix(rest, `\tabularnewline`):
				size = len(`\tabularnewline`)
			case depth == 0 && strings.HasPrefix(rest, `\\`):
			default:
				i++
				continue
			}
			add(i)
			finish()
			i += size - 1
			cellAt = i + 1
			if cellAt < stop && text[cellAt] == '*' {
				cellAt++
			}
		}
	}
	if len(row) > 0 {
		add(stop)
		finish()
	}
	return rows, ruled
}

// headsOfTex is how many of the first rows have the names of columns: all above a rule that tells so, or one
// in bold or above the only line. Such a row that is set again for the next page is one with the first.
func headsOfTex(text string, rows [][]sourceCell, ruled []string) int {
	const most = 6 // rows
	isBold := !slices.ContainsFunc(rows[0], func(c sourceCell) bool { return c.From < c.To && !c.head })
	for i := 1; i < min(len(rows), most); i++ {
		if texHeadRule().MatchString(ruled[i]) {
			for k := i; k < min(len(rows)-1, most); k++ {
				if strings.Contains(ruled[k+1], `\endhead`) {
					return k + 1
				}
			}
			return i
		}
	}
	hasLine := func(rules string) bool { return strings.Contains(rules, `\hline`) }
	if len(rows) > 2 && hasLine(ruled[1]) && (isBold || !slices.ContainsFunc(ruled[2:], hasLine)) {
		return 1
	}
	return 0
}

// texCell is a cell without what says over how many columns or rows it stands.
func texCell(text string, from, to int) sourceCell {
	c := newSourceCell(text, from, to)
	isBold := texBold().MatchString(text[c.From:c.To])
	for {
		span := texSpan().FindString(text[c.From:c.To])
		if span == "" || !strings.HasSuffix(text[c.From:c.To], "}") {
			break
		}
		c = newSourceCell(text, c.From+len(span), c.To-1)
		isBold = isBold || texBold().MatchString(text[c.From:c.To])
	}
	c.head = isBold
	for _, m := range texWithin().FindAllStringSubmatchIndex(text[c.From:c.To], -1) {
		e := Edit{From: c.From + m[0], To: c.From + m[1], With: " "}
		for k := 2; k < len(m); k += 2 {
			if m[k] >= 0 {
				e.With = text[c.From+m[k] : c.From+m[k+1]]
			}
		}
		c.within = slices.DeleteFunc(c.within, func(o Edit) bool { return o.From < e.To && e.From < o.To })
		c.within = append(c.within, e)
	}
	slices.SortFunc(c.within, func(a, b Edit) int { return a.From - b.From })
	return c
}
