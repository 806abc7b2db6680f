package export_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/output/export"
	"github.com/research-council/research-council/internal/output/report"
)

func chartOf(lines ...string) string {
	return "## Key Findings\n\nIt saves much [C1].\n\n```chart\n" + strings.Join(lines, "\n") + "\n```\n"
}

func comparison() string {
	return chartOf("title: Energy in a day", "unit: kWh", "C1: the new boiler", "C2: the old boiler")
}

// years is a registry of one number for each year.
func years(numbers ...string) (reg claim.Registry, lines []string) {
	lines = []string{"title: Users", "unit: users"}
	for i, n := range numbers {
		quote := fmt.Sprintf("By the end of %d it had %s users.", 2017+i, n)
		e := entry(fmt.Sprintf("C%d", i+1), fmt.Sprintf("https://stats.example/%d", i), located(quote))
		e.Text, e.Quote = quote, quote
		reg.Entries, lines = append(reg.Entries, e), append(lines, fmt.Sprintf("C%d: %d", i+1, 2017+i))
	}
	return reg, lines
}

// A chart is drawn from the quotations of its claims, beside a table that cites them; the
// other forms have the table.
func TestAChartIsDrawnFromTheClaims(t *testing.T) {
	p := publication(comparison(), boilers())
	require.Contains(t, string(p.Report), "*Chart: Energy in a day*\n\n| What | kWh | Quotation |\n| --- | --- | --- |\n| the new boiler | 18 | [\\[1\\]](#c1 \"C1 — maker.example\")")
	require.Contains(t, string(p.Report), "\n| the old boiler | 30 | ")
	page := write(t, p, export.HTML)
	harmless(t, page)
	found := 0
	for _, n := range elements(t, page) {
		if n.Data != "figure" || attr(n, "class") != "chart" {
			continue
		}
		found++
		drawn := wordsOf(n)
		require.Contains(t, drawn, "Energy in a day in kWh")
		for _, want := range []string{"the new boiler18 kWh", "the old boiler30 kWh"} {
			require.Contains(t, drawn, want)
		}
		links := 0
		for d := range n.Descendants() {
			if d.Data == "a" {
				links++
			}
		}
		require.Equal(t, 2, links)
	}
	require.Equal(t, 1, found)
	require.NotContains(t, page, "Chart: Energy")
	body := between(t, write(t, p, export.TeX), `\section*{Key Findings}`, `\section*`)
	require.Contains(t, body, "Chart: Energy in a day")
	require.Regexp(t, `the new boiler & 18 & \\cite\[C1\]\{url-maker-example`, body)
	whole(t, p)

	reg, lines := years("1,200", "1,900", "4,000", "3,500")
	page = write(t, publication(chartOf(lines...), reg), export.HTML)
	harmless(t, page)
	require.Equal(t, 3, strings.Count(page, `<line class="path"`), "years make a line")
}

// A table that only looks like a chart, or states another number, is not drawn.
func TestNoChartIsDrawnFromProse(t *testing.T) {
	for _, draft := range []string{
		"## Key Findings\n\n*Chart: Energy*\n\n| | kWh | Quotation |\n|---|---|---|\n| new | 3 | [C1] |\n| old | 300 | [C2] |\n",
		"## Key Findings\n\n*Chart: Energy*\n\n| | kWh |\n|---|---|\n| new | 18 |\n| old | 30 |\n",
	} {
		require.NotContains(t, write(t, publication(draft, boilers()), export.HTML), `class="chart"`)
	}
}

// What cannot be drawn goes back to its writer with the reason, and is left out of a
// report that is written all the same.
func TestAChartThatCannotBeDrawnGoesBack(t *testing.T) {
	reg := boilers()
	two := entry("C11", "https://tests.example/two", located("It used 18 kWh in May and 21 kWh in June."))
	about := entry("C12", "https://tests.example/about", located("It uses about 20 kWh."))
	reg.Entries = append(reg.Entries, two, about)
	for _, c := range []struct{ line, says string }{
		{"C3: silent", "the quotation of C3 was not located"},
		{"C10: cheap", "C10 was withdrawn"},
		{"C4: saving", "C4 is no fact: its kind is inference"},
		{"C11: May", "the quotation of C11 states several numbers in kWh"},
		{"C12: about", "the quotation of C12 states no exact number in kWh"},
		{"C99: nothing", "there is no claim C99 in the registry"},
		{"C2:", "C2 has no label"},
		{"the old boiler: 30", "is none of title, unit or a claim with its label"},
		{"unit: ms", "states no number in ms"},
		{"unit:", "it needs a title, a unit and from 2 to 24 claims"},
		{"title:", "it needs a title"},
	} {
		draft := chartOf("title: Energy", "unit: kWh", "C1: new", "C2: old", c.line)
		require.Contains(t, strings.Join(report.Council.Lint([]byte(draft), reg.Entries), "\n"), c.says, c.line)
		p := publication(draft, reg)
		require.Contains(t, string(p.Report), "*A chart is left out: ", c.line)
		require.NotContains(t, write(t, p, export.HTML), `class="chart"`, c.line)
	}
	for _, problem := range report.Council.Lint([]byte(comparison()), reg.Entries) {
		require.NotContains(t, problem, "chart")
	}
	require.Contains(t, strings.Join(report.Council.Lint([]byte(chartOf()), reg.Entries), "\n"), "it needs a title")
}

// Labels are words, whatever they try to be.
func TestLabelsOfAChartStayWords(t *testing.T) {
	for _, evil := range []string{
		`</text></svg><script>canary(1)</script>`, `"><img src=x onerror=canary(1)>`, `[x](javascript:canary(1))`, "a | b | [C2]", "`x` *y* **z** <b>", "\u202ecanary\x1b[2J", `\`, `{{.}} %s %!d(x) NaN Inf`, strings.Repeat("W", 300), "[\\[9\\]](#c9)",
	} {
		p := publication(chartOf("title: "+evil, "unit: kWh", "C1: "+evil, "C2: "+evil), boilers())
		page := write(t, p, export.HTML)
		harmless(t, page)
		require.Contains(t, page, `class="chart"`, evil)
		require.NotContains(t, page, "<script>canary")
		whole(t, p)
	}
	for _, same := range [][]string{{"C1: NaN", "C2: Inf"}, {"C1: 2020", "C2: 2020"}, {"C1: 2021", "C2: 2020"}} {
		page := write(t, publication(chartOf(append([]string{"title: T", "unit: kWh"}, same...)...), boilers()), export.HTML)
		require.NotRegexp(t, `(x|y|x1|cx|width)="(NaN|[+-]?Inf)`, page)
		require.NotContains(t, page, `class="path"`, "no series")
	}
}
