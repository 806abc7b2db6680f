package quote

import (
	"slices"
	"strings"
)

// What is said of the cells of a row is held against the columns in which they stand.

// hasColumnsRight reports whether the name of a column stands beside what is of that column,
// in front of it or behind it, or, where nothing parts the columns, whether the names come in
// their order.
func (t *typedRow) hasColumnsRight(r *tableRow, used []int) bool {
	if r.heads == nil {
		last := 0
		for i, w := range t.tokens {
			if used[i] != inHead {
				continue
			}
			at := indexOfForm(r.named[last:], w)
			if at < 0 || len(r.cells) > 1 {
				return false
			}
			last += at
		}
		return true
	}
	from := 0
	for i := 1; i <= len(t.tokens); i++ {
		if i < len(t.tokens) && !t.partsCellsAt(r, used, from, i) {
			continue
		}
		if !slices.ContainsFunc(used[from:i], func(at int) bool { return at >= 0 && r.cellOf(at) > 0 }) && i < len(t.tokens) {
			continue // a name without a number goes with what follows
		}
		if !t.isOfOneColumn(r, used, from, i) && !t.isNamedRight(r, used, from, i, false) && !t.isNamedRight(r, used, from, i, true) {
			return false
		}
		from = i
	}
	return true
}

// partsCellsAt reports whether something before a word parts what is said of one cell from what is
// said of the next: a mark, a dash with blanks around it, or a bracket with a cell of its own.
func (t *typedRow) partsCellsAt(r *tableRow, used []int, from, i int) bool {
	part, between := t.text[t.tokens[from].start:t.tokens[i].start], t.text[t.tokens[i-1].end:t.tokens[i].start]
	if strings.HasSuffix(between, "(") {
		end := i
		for end < len(used) && (end == i || !strings.Contains(t.text[t.tokens[end-1].end:t.tokens[end].start], ")")) {
			end++
		}
		return slices.ContainsFunc(used[i:end], func(at int) bool { return at >= 0 && r.cellOf(at) > 0 })
	}
	return strings.Count(part, "(") <= strings.Count(part, ")") && (strings.ContainsAny(between, ",;|:、，；：") || strings.Contains(between, " - "))
}

// isOfOneColumn reports whether a part of what was typed has one cell of the row, and the names
// in it are those of its column.
func (t *typedRow) isOfOneColumn(r *tableRow, used []int, from, to int) bool {
	cell := 0
	for _, at := range used[from:to] {
		if at >= 0 && r.cellOf(at) > 0 {
			if cell > 0 && cell != r.cellOf(at) {
				return false
			}
			cell = r.cellOf(at)
		}
	}
	for i := from; i < to && cell > 0; i++ {
		if used[i] == inHead && !t.isInHead(r, cell, i) && !t.callsRows(r, used, i) {
			return false
		}
	}
	return cell > 0
}

// callsRows reports whether a word is what rows are called. It stands anywhere, but not right
// before a number of another column where rows are called by numbers.
func (t *typedRow) callsRows(r *tableRow, used []int, i int) bool {
	return r.isHead(0, t.tokens[i]) && !(r.tokens[0].isNumber() && i+1 < len(used) && t.tokens[i+1].isNumber() && used[i+1] > 0)
}

// isInHead reports whether a word is of the name of a column, with the bound that a number has there.
func (t *typedRow) isInHead(r *tableRow, column, i int) bool {
	w := t.tokens[i]
	if !w.isNumber() {
		return r.isHead(column, w)
	}
	at := indexOf(r.heads[column], w)
	return at >= 0 && boundBefore(t.text, w.start) == boundBefore(normalise(r.marks[column]).text, r.heads[column][at].start)
}

// isNamedRight reports whether in a part of what was typed each name of a column stands before
// the first, or behind the last, of what is of its column.
func (t *typedRow) isNamedRight(r *tableRow, used []int, from, to int, behind bool) bool {
	for i := from; i < to; i++ {
		if used[i] != inHead {
			continue
		}
		cell := -1
		for k := i; k >= from && k < to; {
			if used[k] >= 0 && r.cellOf(used[k]) > 0 {
				cell = r.cellOf(used[k])
				break
			}
			if behind {
				k--
			} else {
				k++
			}
		}
		if cell < 0 || !t.isInHead(r, cell, i) {
			if !t.callsRows(r, used, i) {
				return false
			}
		}
	}
	return true
}
