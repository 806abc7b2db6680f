package reading

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

var (
	listDirective = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^( *)(?:\\.\\. +(?:list|flat)-table::|(`{3,}|:{3,})\\{list-table\\})")
	})
	listRow     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^( *)[*+-] +[-*+](?: +|$)`) })
	headerCount = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*:header-rows: +(\d)\s*$`) })
)

// listTable reads a table that reStructuredText or MyST has as a list of lists, an item for each row:
// "* - Harbour" and "  - Fare" below it.
func listTable(text string, from, to int) ([]Edit, int) {
	m := listDirective().FindStringSubmatch(text[from:to])
	if m == nil {
		return nil, 0
	}
	outer, fence := len(m[1]), m[2]
	var rows [][]sourceCell
	heads, first, inner, marks := 0, 0, -1, 0 // where the first row begins, and in which column its cells do
	cellAt, end := -1, to
	finish := func(at int) {
		if n := len(rows) - 1; cellAt >= 0 {
			rows[n] = append(rows[n], withFullNames(text, newSourceCell(text, cellAt, at)))
		}
		cellAt = -1
	}
	for l := range linesOf(text, to+1, maxTableLines) {
		line := text[l.From:l.To]
		bare := strings.TrimLeft(line, " ")
		indent := len(line) - len(bare)
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case fence != "" && strings.HasPrefix(bare, fence):
			finish(end)
			return append(rowsOfCells(from, rows, heads), Edit{From: end, To: l.To}), l.To // it is no code
		case fence == "" && indent <= outer:
			finish(end)
			return rowsOfCells(first, rows, heads), end
		}
		if n := headerCount().FindStringSubmatch(line); n != nil && inner < 0 {
			heads, _ = strconv.Atoi(n[1])
		}
		row := listRow().FindString(line)
		switch {
		case row != "" && (inner < 0 || indent == marks):
			finish(end)
			if inner < 0 {
				first, marks = l.From, indent
			}
			inner = indent + 2
			for line[inner] == ' ' {
				inner++
			}
			rows, cellAt = append(rows, nil), l.From+len(row)
		case inner >= 0 && indent == inner && (bare[0] == '-' || bare[0] == '*' || bare[0] == '+') && (len(strings.TrimRight(bare, " \r")) == 1 || bare[1] == ' '):
			finish(end)
			cellAt = l.From + indent + 1
		}
		end = l.To
	}
	finish(end)
	return rowsOfCells(first, rows, heads), end
}

// withFullNames is a cell without the tildes that have Sphinx show the last part of a name alone.
func withFullNames(text string, c sourceCell) sourceCell {
	const mark = ":`~"
	for i := c.From; ; {
		n := strings.Index(text[i:c.To], mark)
		if n < 0 {
			slices.SortFunc(c.within, func(a, b Edit) int { return a.From - b.From })
			return c
		}
		i += n + len(mark)
		c.within = append(c.within, Edit{From: i - 1, To: i})
	}
}

// gridTable reads a table whose rows stand between rules with crosses, "+---+---+", and makes one line
// of the rows that have more. A row that a cell of another reaches into is left as it is.
func gridTable(text string, from, to int) ([]Edit, int) {
	crosses := crossesOf(text[from:to])
	if len(crosses) < 2 {
		return nil, 0
	}
	var list []Edit
	var row []Span
	end := to
	for l := range linesOf(text, to+1, maxTableLines) {
		line := text[l.From:l.To]
		bare := strings.TrimSpace(line)
		switch rule := crossesOf(line); {
		case rule != nil:
			if whole := gridRow(text, row, crosses, rule); whole != "" && len(row) > 1 {
				at := row[0].From + len(text[row[0].From:row[0].To]) - len(strings.TrimLeft(text[row[0].From:row[0].To], " "))
				last := row[len(row)-1]
				list = append(list, Edit{From: at, To: last.From + len(strings.TrimRight(text[last.From:last.To], " \r")), With: whole})
			}
			row, crosses = nil, rule
		case len(bare) > 1 && strings.HasPrefix(bare, "|") && strings.HasSuffix(bare, "|"):
			row = append(row, l)
		case len(bare) > 1 && (bare[0] == '|' || bare[0] == '+') && (strings.HasSuffix(bare, "|") || strings.HasSuffix(bare, "+")):
			row, crosses = nil, nil // a rule below some cells alone
		default:
			return list, end
		}
		end = l.To
	}
	return list, end
}

// crossesOf are the columns of the crosses of a rule, nil for another line.
func crossesOf(line string) []int {
	bare := strings.TrimSpace(line)
	if len(bare) < 3 || bare[0] != '+' || bare[len(bare)-1] != '+' || strings.Trim(bare, "+-=:") != "" || !strings.ContainsAny(bare, "-=") {
		return nil
	}
	var list []int
	column := 0
	for _, r := range line {
		if r == '+' {
			list = append(list, column)
		}
		column++
	}
	return list
}

// gridRow is a row of a grid in one line, with bars between its cells; "" where they are not told.
func gridRow(text string, lines []Span, above, below []int) string {
	var columns []int
	for _, c := range above {
		if slices.Contains(below, c) || c == above[0] {
			columns = append(columns, c)
		}
	}
	if len(lines) == 0 || len(above) < 2 || above[0] != below[0] || above[len(above)-1] != below[len(below)-1] {
		return ""
	}
	var rows [][]rune
	for _, l := range lines {
		line := []rune(strings.TrimRight(text[l.From:l.To], " \r"))
		if len(line) != above[len(above)-1]+1 {
			return "" // what is wide is not told from what is not
		}
		rows = append(rows, line)
	}
	columns = slices.DeleteFunc(columns, func(c int) bool { // cells over several columns
		return slices.ContainsFunc(rows, func(line []rune) bool { return line[c] != '|' })
	})
	var out strings.Builder
	for i := 0; i+1 < len(columns); i++ {
		var parts []string
		for _, line := range rows {
			if part := strings.TrimSpace(string(line[columns[i]+1 : columns[i+1]])); part != "" {
				parts = append(parts, part)
			}
		}
		out.WriteString("| " + strings.Join(parts, " ") + " ")
	}
	if out.Len() == 0 {
		return ""
	}
	return out.String() + "|"
}
