package reading

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A simple table of reStructuredText has its columns below lines of "=", one for each, with a blank
// between them: above the names of columns, below them, and below the rows.

// IsRuleOfColumns reports whether a line is such a line, over two columns or more.
func IsRuleOfColumns(line string) bool { return len(columnsOfRule(line)) > 1 }

// columnsOfRule are the columns in which the strokes of such a line begin; nil for another line.
func columnsOfRule(line string) []int {
	const fewest = 2 // signs of the first
	line = strings.TrimRight(line, " \r")
	bare := strings.TrimLeft(line, " ")
	if !strings.HasPrefix(bare, strings.Repeat("=", fewest)) || strings.Trim(bare, "= ") != "" {
		return nil
	}
	var list []int
	for i := range len(line) {
		if line[i] == '=' && (i == 0 || line[i-1] == ' ') {
			list = append(list, i)
		}
	}
	return list
}

// simpleTableEdits parts the cells of such tables by tabs, where but one blank may stand between them,
// takes out the line below the names of columns, and joins the lines of a last cell.
func simpleTableEdits(text string) []Edit {
	if !strings.Contains(text, "== =") {
		return nil
	}
	const most = 200 // lines between two rules
	var list, table []Edit
	var columns []int // of the table that is read; nil outside
	var rule Edit     // the last one
	rules, lines := 0, 0
	at := 0
	for line := range strings.Lines(text) {
		from, bare := at, strings.TrimRight(line, "\r\n")
		at += len(line)
		own := columnsOfRule(bare)
		switch {
		case len(own) > 1 && slices.Equal(own, columns) && lines > 0:
			if rules++; rules > 2 { // the line before was that below the names
				table = append(table, rule)
				slices.SortFunc(table, func(a, b Edit) int { return a.From - b.From })
			}
			list, table, lines = append(list, table...), nil, 0
			rule = Edit{From: from, To: from + len(bare)}
			if rules > 2 {
				columns = nil
			}
		case len(own) > 1:
			columns, rules, lines, table = own, 1, 0, nil
			rule = Edit{From: from, To: from + len(bare)}
		case columns == nil:
		case strings.TrimSpace(bare) == "" && lines == 0 || lines > most:
			columns = nil // behind the last line of a table without names
		default:
			if n := len(bare) - len(strings.TrimLeft(bare, " ")); lines > 0 && n >= columns[len(columns)-1] && n < len(bare) {
				end := len(strings.TrimRight(text[:from], " \r\n"))
				table = append(table, Edit{From: end, To: from + n, With: " "}) // the last cell goes on
			}
			lines++
			table = append(table, cellsBelowRule(bare, from, columns)...)
		}
	}
	return list
}

// cellsBelowRule parts what stands in some columns of a line that begins at a place.
func cellsBelowRule(line string, at int, columns []int) []Edit {
	var list []Edit
	column, from := 0, 0 // where blanks begin that end here
	for i, r := range line {
		if r != ' ' && from < i && column > 0 && from > 0 && slices.Contains(columns, column) && strings.TrimSpace(line[:from]) != "" {
			list = append(list, Edit{From: at + from, To: at + i, With: "\t"})
		}
		if r != ' ' {
			from = i + utf8.RuneLen(r)
		}
		column++
	}
	return list
}
