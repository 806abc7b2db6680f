package view

import (
	"strings"

	"github.com/research-council/research-council/internal/base/plain"

	"github.com/charmbracelet/x/ansi"
)

// page gathers lines that fit a width; 0 is no bound.
type page struct {
	width int
	lines []string
	rows  [][2]string // what was wrapped: label and text
}

func (p *page) String() string {
	if len(p.lines) == 0 {
		return ""
	}
	return strings.Join(p.lines, "\n") + "\n"
}

// cut adds a line, cut at the edge.
func (p *page) cut(line string) {
	line = strings.TrimRight(plain.Terminal(line), " ")
	if p.width > 0 {
		line = ansi.Truncate(line, p.width, "…")
	}
	p.lines = append(p.lines, line)
}

// labels is the width of the column the labels stand in.
const labels = 9

// wrap adds a labelled text that goes on below where it does not fit; nothing
// when the text is empty.
func (p *page) wrap(label, text string) {
	if text == "" {
		return
	}
	p.rows = append(p.rows, [2]string{label, text})
	text = plain.Terminal(text)
	if room := p.width - labels; room > 0 {
		text = ansi.Wrap(text, room, "/")
	}
	for line := range strings.SplitSeq(text, "\n") {
		p.cut(pad(label, labels) + line)
		label = ""
	}
}

// table adds rows in columns, each as wide as it has to be.
func (p *page) table(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			row[i] = plain.Terminal(cell)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(row[i]))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if widths[i] > 0 {
				line.WriteString(pad(cell, widths[i]+2))
			}
		}
		p.cut(line.String())
	}
}

// pad fills a cell up to a width.
func pad(cell string, width int) string {
	return cell + strings.Repeat(" ", max(0, width-ansi.StringWidth(cell)))
}
