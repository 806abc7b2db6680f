package reading

import "strings"

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
