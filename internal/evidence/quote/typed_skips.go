package quote

import (
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// People type the cells of a row that they need and leave others out between them. Where the columns of
// those behind are not named, what is left out is shown.

// withSkips are cells as they may be typed with some left out, of a row that may have no names of columns;
// nil where too little of it would be told.
func (t *typedCells) withSkips(typed string, cells []string, language string) *typedCells {
	const ways, fewest = 200, 2 // cells
	if t == nil {
		t = &typedCells{text: typed, cells: cells, labels: make([][]string, len(cells)), units: make([][]string, len(cells)), language: language, left: ways}
	}
	if len(t.cells) < fewest || len(t.cells) != len(cells) || slices.Contains(cells, "") || !strings.ContainsFunc(t.cells[0], unicode.IsLetter) {
		return nil
	}
	t.skips = true
	return t
}

// maySkip reports whether none of the cells from one to before another decides what the row says: a
// word as "not", or a sign alone.
func (t *typedCells) maySkip(from, to int) bool {
	return !slices.ContainsFunc(t.cells[from:to], func(cell string) bool {
		return !strings.ContainsFunc(cell, char.IsOfWord) || slices.ContainsFunc(guard.WordsIn(cell, func() string { return t.language }), func(w guard.Word) bool {
			switch w.Kind {
			case guard.Negation, guard.Comparator, guard.Quantifier, guard.Hedge:
				return true
			}
			return false
		})
	})
}

// skipped are the cells of a row that were left out before one that was typed.
func (t *typedCells) skipped(text string, row Span) []Span {
	if !t.skips || len(t.taken) == 0 {
		return nil
	}
	line := bareSpan(text, row.Start, row.End)
	var list []Span
	at := line.Start
	for c, cell := range strings.Split(text[line.Start:line.End], "\t") {
		if c < t.taken[0] && !slices.Contains(t.taken, c) { // the last that was read stands first
			list = append(list, bareSpan(text, at, at+len(cell)))
		}
		at += len(cell) + len("\t")
	}
	return list
}

// mayBeOfSkipped reports whether another row has, in a column that was left out, what was typed behind it:
// then it would be taken for what is of that column.
func (t *typedCells) mayBeOfSkipped(text string, row Span) bool {
	if len(t.behind) == 0 {
		return false
	}
	return slices.ContainsFunc(rowsBeside(text, row, len(t.cells)), func(cells []string) bool {
		return slices.ContainsFunc(t.behind, func(s Span) bool {
			return slices.ContainsFunc(cells[s.Start:s.End], func(cell string) bool { return strings.EqualFold(cell, t.cells[s.End]) })
		})
	})
}

// rowsBeside are the rows of n cells above and below a row, with blank lines between them.
func rowsBeside(text string, row Span, n int) [][]string {
	const most, apart = maxTableRows, 2 // rows, blank lines
	var list [][]string
	add := func(from, to int) bool {
		cells := cellsOf(text[from:to])
		if len(cells) == n {
			list = append(list, cells)
		}
		return len(cells) == n
	}
	for at, blank := row.Start-1, 0; at >= 0 && len(list) < most && blank <= apart; {
		from, to := char.LineAround(text, at)
		if strings.TrimSpace(text[from:to]) == "" {
			blank++
		} else if blank = 0; !add(from, to) {
			break
		}
		at = from - 1
	}
	for at, blank, above := row.End+1, 0, len(list); at < len(text) && len(list) < above+most && blank <= apart; {
		from, to := char.LineAround(text, at)
		if strings.TrimSpace(text[from:to]) == "" {
			blank++
		} else if blank = 0; !add(from, to) {
			break
		}
		at = to + 1
	}
	return list
}

// isAmongRows reports whether the line right above or below a row has as many cells.
func isAmongRows(text string, row Span) bool {
	cells := func(line string) int { return strings.Count(strings.TrimSpace(line), "\t") }
	n := cells(text[row.Start:row.End])
	return row.Start > 0 && cells(char.Line(text, row.Start-1)) == n || row.End < len(text) && cells(char.Line(text, row.End+1)) == n
}
