package view

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/research-council/research-council/internal/base/plain"
)

// Cell makes foreign text fit to stand in a column of a terminal.
func Cell(s string, width int) string { return plain.Line(plain.Terminal(s), width) }

// writeTable writes rows in columns.
func writeTable(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	return t.Flush()
}

// Bounds of a cell of the table, in runes.
const (
	MaxNameRunes = 60
	MaxTextRunes = 400
)

// Widths of cells, in runes.
const (
	claimCell  = 70
	sourceCell = 48
)
