package export

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// chartMark is how the report begins the line above the table of a chart.
const chartMark = "Chart: "

// chart is what a table of the report draws. Its numbers are those of the registry.
type chart struct {
	title, unit string
	points      []chartPoint
}

type chartPoint struct {
	label string
	at    float64 // of a label that is a number, where all are
	value float64
}

// findCharts finds the tables that the report calls charts, and takes their numbers from
// the registry again: a table that says otherwise stays a table.
func (p *Page) findCharts(body []block) {
	for i := 1; i < len(body); i++ {
		title, is := strings.CutPrefix(plainText(body[i-1].Text), chartMark)
		if !is || body[i-1].Kind != "text" || body[i].Kind != "table" {
			continue
		}
		if c, ok := p.chartOf(body[i].Rows); ok {
			c.title = title
			body[i].Chart, body[i-1].Kind = &c, ""
		}
	}
}

// chartOf reads the rows of a chart: label, number, and the claim that states it.
func (p *Page) chartOf(rows [][][]inline) (chart, bool) {
	if len(rows) < 3 || len(rows[0]) != 3 {
		return chart{}, false
	}
	t := ChartTable{Unit: plainText(rows[0][1])}
	for _, row := range rows[1:] {
		cited := row[2]
		if len(cited) == 0 || cited[0].Kind != "cite" {
			return chart{}, false
		}
		t.Rows = append(t.Rows, ChartRow{plainText(row[0]), plainText(row[1]), cited[0].Cited[0].Claims[0].ID})
	}
	return t.read(func(id string) (claim.Entry, bool) { e, ok := p.known[id]; return e, ok })
}

// isSeries reports whether all labels are numbers that grow, and notes them.
func (c *chart) isSeries() bool {
	for i := range c.points {
		at, err := strconv.ParseFloat(c.points[i].label, 64)
		if err != nil || math.IsInf(at, 0) || math.IsNaN(at) || i > 0 && at <= c.points[i-1].at {
			return false
		}
		c.points[i].at = at
	}
	return true
}

// span is from where to where the numbers of a chart go; zero is within.
func (c *chart) span() (low, high float64) {
	for _, p := range c.points {
		low, high = min(low, p.value), max(high, p.value)
	}
	if low == high {
		high = low + 1
	}
	return low, high
}

// said is a number with its unit.
func (c *chart) said(p chartPoint) string {
	return strconv.FormatFloat(p.value, 'f', -1, 64) + " " + plain.Line(c.unit, 12)
}

// chart draws the numbers of a table above it.
func (w *writer) chart(b block) {
	w.put(`<figure class="chart">`)
	b.Chart.drawOn(w)
	w.table(b)
	w.put("</figure>\n")
}

// drawOn draws a chart below its caption: bars to compare, a line for a series.
func (c chart) drawOn(w *writer) {
	height, draw := rowHeight*len(c.points)+6, w.bars
	if c.isSeries() {
		height, draw = seriesHeight, w.series
	}
	var told []string
	for _, p := range c.points {
		told = append(told, p.label+": "+c.said(p))
	}
	w.put(`<figcaption><strong>%s</strong> in %s, as the quotations of the claims below state it</figcaption>
<div class="drawing" tabindex="0" role="region" aria-label="drawing: %s"><svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, c.title, c.unit, c.title, drawingWidth, height, c.title+". "+strings.Join(told, "; "))
	draw(c)
	w.put("</svg></div>\n")
}

// ChartTable is a table that a report calls a chart: a row for each number, with the id of
// the claim that states it.
type ChartTable struct {
	Title, Unit string
	Rows        []ChartRow
}

// ChartRow is a row of a chart's table; Number is as the report writes it.
type ChartRow struct{ Label, Number, Claim string }

// ChartTitle is the title of a chart whose table stands below a line; false where the line
// is no such line.
func ChartTitle(line string) (string, bool) { return strings.CutPrefix(line, chartMark) }

// Drawing is the chart of a table as HTML: its caption and an SVG; false where a claim
// does not state the number that stands in the table.
func (t ChartTable) Drawing(entry func(id string) (claim.Entry, bool)) (string, bool) {
	c, ok := t.read(entry)
	if !ok {
		return "", false
	}
	w := writer{}
	c.drawOn(&w)
	return w.String(), true
}

// read takes the numbers of a table from the claims again.
func (t ChartTable) read(entry func(id string) (claim.Entry, bool)) (chart, bool) {
	c := chart{title: t.Title, unit: t.Unit}
	for _, row := range t.Rows {
		e, _ := entry(row.Claim) // one that is not there states no number
		value, err := e.Amount(c.unit)
		if err != nil || row.Number != strconv.FormatFloat(value, 'f', -1, 64) {
			return c, false
		}
		c.points = append(c.points, chartPoint{label: row.Label, value: value})
	}
	return c, len(c.points) > 1
}

// bars draws a bar for each number, from zero.
func (w *writer) bars(c chart) {
	low, high := c.span()
	unit := barWidth / (high - low)
	zero := labelWidth - low*unit
	for i, p := range c.points {
		y := rowHeight * i
		w.label(y, p.label)
		w.put(`<rect class="fill" x="%.1f" y="%d" width="%.1f" height="16"/><text x="%.1f" y="%d">%s</text>`,
			zero+min(0, p.value)*unit, y+5, max(1, math.Abs(p.value)*unit), zero+max(0, p.value)*unit+6, y+17, c.said(p))
	}
	w.put(`<line class="lead" x1="%.1f" y1="2" x2="%.1f" y2="%d"/>`, zero, zero, rowHeight*len(c.points)+4)
}

// Sizes of the drawing of a series.
const (
	seriesHeight = 240
	seriesLeft   = 70
	seriesRight  = drawingWidth - 50
	seriesTop    = 28
	seriesBottom = seriesHeight - 30
)

// series draws a line through the numbers, each with its words.
func (w *writer) series(c chart) {
	low, high := c.span()
	first, last := c.points[0].at, c.points[len(c.points)-1].at
	x := func(p chartPoint) float64 { return seriesLeft + (p.at-first)/(last-first)*(seriesRight-seriesLeft) }
	y := func(v float64) float64 { return seriesBottom - (v-low)/(high-low)*(seriesBottom-seriesTop) }
	for _, v := range slices.Compact([]float64{low, 0, high}) {
		w.put(`<line class="lead" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/><text class="name" x="%d" y="%.1f">%s</text>`,
			seriesLeft-20, y(v), seriesRight+20, y(v), seriesLeft-26, y(v)+4, strconv.FormatFloat(v, 'f', -1, 64))
	}
	for i, p := range c.points {
		if i > 0 {
			before := c.points[i-1]
			w.put(`<line class="path" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, x(before), y(before.value), x(p), y(p.value))
		}
	}
	for i, p := range c.points {
		w.put(`<circle class="dot" cx="%.1f" cy="%.1f" r="4"/>`, x(p), y(p.value))
		if i%(1+len(c.points)/9) == 0 { // there is no room for more
			w.put(`<text class="middle" x="%.1f" y="%.1f">%s</text><text class="year" x="%.1f" y="%d">%s</text>`,
				x(p), y(p.value)-10, strconv.FormatFloat(p.value, 'f', -1, 64), x(p), seriesHeight-8, plain.Line(p.label, 8))
		}
	}
}
