package reading

import (
	"iter"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// The rows of many tables stand in more than one line, or have their cells parted by marks that are none
// elsewhere. A form of tables knows the lines with which its tables begin, and makes each row one line
// with tabs between its cells.

// tableForm gives the edits for the table that begins with a line of a text, and where its last line
// ends, 0 for a line that begins none.
type tableForm func(text string, from, to int) (list []Edit, end int)

// WholeRows are edits that make each row of the tables of a text one line, with tabs between its cells.
// They ascend and stand apart from each other. Time is linear.
func WholeRows(text string) []Edit {
	forms := []tableForm{listTable, gridTable, asciiDocTable, wikiTable, barredTable, boxRow, csvTable, roffTable, roffItem, roffTagged, taggedTable, texTable, definedTerm, delimitedTable}
	var list []Edit
	for at := 0; at < len(text); {
		_, end := char.LineAround(text, at)
		for _, form := range forms {
			edits, stop := form(text, at, end)
			if list = append(list, edits...); len(edits) > 0 || stop > end {
				end = max(end, stop)
				break
			}
		}
		at = end + 1
	}
	return list
}

// sourceCell is a cell of a table as its source has it, with edits within it.
type sourceCell struct {
	Span
	within []Edit
	head   bool
}

// newSourceCell is a cell in a span, without the blanks around it, that reads on where its lines end.
func newSourceCell(text string, from, to int) sourceCell {
	to = from + len(strings.TrimRight(text[from:to], blanks))
	from = to - len(strings.TrimLeft(text[from:to], blanks))
	c := sourceCell{Span: Span{from, to}}
	for i := from; i < to; {
		n := strings.IndexByte(text[i:to], '\n')
		if n < 0 {
			break
		}
		begins := from + len(strings.TrimRight(text[from:i+n], blanks))
		i = to - len(strings.TrimLeft(text[i+n:to], blanks))
		c.within = append(c.within, Edit{From: begins, To: i, With: " "})
	}
	return c
}

// rowsOfCells are the edits that make lines of rows of cells that begin at a place, with a rule
// below so many that have the names of columns.
func rowsOfCells(from int, rows [][]sourceCell, heads int) []Edit {
	var list []Edit
	put := func(e Edit) {
		if n := len(list); n > 0 && list[n-1].To == e.From {
			list[n-1].To, list[n-1].With = e.To, list[n-1].With+e.With
			return
		}
		list = append(list, e)
	}
	for i, row := range rows {
		for k, cell := range row {
			with := ""
			switch {
			case k > 0:
				with = "\t"
			case i > 0 && i == heads:
				with = belowHead
			case i > 0:
				with = "\n"
			}
			if from < cell.From || with != "" {
				put(Edit{From: from, To: cell.From, With: with})
			}
			for _, e := range cell.within {
				put(e)
			}
			from = cell.To
		}
	}
	return list
}

// headsOf is how many of the first rows have nothing but names of columns.
func headsOf(rows [][]sourceCell) int {
	n := slices.IndexFunc(rows, func(row []sourceCell) bool {
		return slices.ContainsFunc(row, func(c sourceCell) bool { return !c.head })
	})
	return max(n, 0)
}

// linesOf are the lines of a text from a place on, most at the most.
func linesOf(text string, at, most int) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		for n := 0; at < len(text) && n < most; n++ {
			end := lineEnd(text, at)
			if !yield(Span{at, end}) {
				return
			}
			at = end + 1
		}
	}
}

// lineEnd is where the line of a place ends.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// maxTableLines is how many lines of one table are read.
const maxTableLines = 5000
