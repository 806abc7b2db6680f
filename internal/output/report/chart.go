package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// chartMark begins the line above the table of a chart, by which other forms know that
// it is to be drawn.
const chartMark = "Chart: "

// chart is a drawing that a synthesis asks for, in a fenced block of its own:
//
//	```chart
//	title: Energy in a day
//	unit: kWh
//	C1: the new boiler
//	C2: the old boiler
//	```
//
// Numbers come from the located words of the claims alone.
type chart struct {
	title, unit string
	points      []chartPoint
}

type chartPoint struct {
	claim claim.Entry
	label string
	value float64
}

// Bounds of a chart, in runes and in points.
const (
	maxChartTitle = 120
	maxChartUnit  = 20
	maxChartLabel = 60
	maxPoints     = 24
)

// isChart reports whether a block asks for a chart.
func (d document) isChart(n ast.Node) bool {
	code, ok := n.(*ast.FencedCodeBlock)
	return ok && string(code.Language(d.Source)) == "chart"
}

var chartLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:(title|unit)|\[?(C[0-9]{1,9})\]?)\s*:\s*(.*?)\s*$`)
})

// readChart reads a chart and says what is wrong with it, a line each for its writer.
func readChart(text string, known map[string]claim.Entry) (chart, []string) {
	var c chart
	var problems []string
	var ids []string
	for line := range strings.Lines(text) {
		m := chartLine().FindStringSubmatch(plain.Line(line, 400))
		switch {
		case strings.TrimSpace(line) == "":
		case m == nil:
			problems = append(problems, fmt.Sprintf("the line %q is none of title, unit or a claim with its label, as in C12: label", plain.Line(line, maxShown)))
		case m[1] == "title":
			c.title = plain.Line(m[3], maxChartTitle)
		case m[1] == "unit":
			c.unit = plain.Line(m[3], maxChartUnit)
		case m[3] == "":
			problems = append(problems, m[2]+" has no label")
		default:
			ids = append(ids, m[2])
			c.points = append(c.points, chartPoint{label: plain.Line(m[3], maxChartLabel)})
		}
	}
	if c.title == "" || c.unit == "" || len(c.points) < 2 || len(c.points) > maxPoints {
		problems = append(problems, fmt.Sprintf("it needs a title, a unit and from 2 to %d claims with their labels", maxPoints))
	}
	for i, id := range ids {
		e, there := known[id]
		if !there {
			problems = append(problems, "there is no claim "+id+" in the registry")
			continue
		}
		v, err := e.Amount(c.unit)
		if err != nil && c.unit != "" {
			problems = append(problems, err.Error())
		}
		c.points[i].claim, c.points[i].value = e, v
	}
	return c, problems
}

// checkChart tells what is wrong with a chart.
func (l *linter) checkChart(text string) {
	c, problems := readChart(text, l.known)
	for _, problem := range problems {
		l.addProblem(fmt.Sprintf("The chart %q cannot be drawn: %s. A chart takes claims whose located quotation states one number of its unit.", plain.Line(c.title, maxShown), problem))
	}
}

// chart writes a chart as a table with its numbers and references, below a line that
// names it; a chart that cannot be drawn is named with the reason.
func (w writer) chart(text string) []string {
	c, problems := readChart(text, w.refs.known)
	if len(problems) > 0 {
		return []string{"*A chart is left out: " + escape(strings.Join(problems, "; ")) + ".*"}
	}
	var rows []string
	for _, p := range c.points {
		rows = append(rows, row(oneLine(escape(p.label)), strconv.FormatFloat(p.value, 'f', -1, 64), w.refs.referenceLinks([]claim.Entry{p.claim})))
	}
	return append([]string{"*" + chartMark + escape(c.title) + "*", ""}, table([]string{"What", oneLine(escape(c.unit)), "Quotation"}, rows)...)
}
