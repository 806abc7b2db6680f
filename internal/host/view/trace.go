package view

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/output/telemetry"
)

// Trace shows spans, each below the one it is a part of, in the order they
// began.
func Trace(w io.Writer, spans []telemetry.Span) error {
	if len(spans) == 0 {
		return errors.New("the run's journal has no beginning")
	}
	parts := map[string][]telemetry.Span{}
	for _, s := range spans {
		parts[s.Parent] = append(parts[s.Parent], s)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "WORK\tSTATUS\tTIME\tTOKENS\tCOST")
	var show func(parent string, depth int)
	show = func(parent string, depth int) {
		slices.SortStableFunc(parts[parent], func(a, b telemetry.Span) int { return a.Start.Compare(b.Start) })
		for _, s := range parts[parent] {
			fmt.Fprintln(t, strings.Repeat("  ", depth)+spanLine(s))
			show(s.ID, depth+1)
		}
	}
	show("", 0)
	return t.Flush()
}

// spanLine is a span as a line of the tree.
func spanLine(s telemetry.Span) string {
	cells := []string{Cell(s.Name, MaxNameRunes), string(s.Status), "-", "-", "-"}
	if v, ok := s.Attributes["research_council.visit"].(int64); ok && v > 1 && strings.HasPrefix(s.Name, "stage ") {
		cells[0] += fmt.Sprintf(" %d", v)
	}
	if kind, ok := s.Attributes["error.type"].(string); ok {
		cells[1] = Cell(kind, MaxNameRunes)
	}
	if s.End.IsZero() {
		cells[1] = "under way"
	} else {
		cells[2] = durationText(s.End.Sub(s.Start))
	}
	if n, ok := s.Attributes["research_council.tokens"].(int64); ok {
		cells[3] = fmt.Sprint(n)
	}
	unpriced, _ := s.Attributes["research_council.tokens.unpriced"].(int64)
	usd, known := s.Attributes["research_council.cost.usd"].(float64)
	if known || unpriced > 0 {
		estimated := s.Attributes["research_council.cost.estimated"] == true
		cells[4] = budget.Spent{USD: usd, Reported: known && !estimated, Estimated: estimated, Tokens: unpriced, Unpriced: unpriced}.Brief()
	}
	return strings.Join(cells, "\t")
}

// durationText is a length of time; the program's own work may take milliseconds.
func durationText(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.2fs", d.Seconds())
	}
	return FormatDuration(d)
}

// Metrics shows what was counted, a line for each series.
func Metrics(w io.Writer, list []telemetry.Metric) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "METRIC\tOF\tVALUE")
	for _, m := range list {
		for _, p := range m.Points {
			value := fmt.Sprintf("%.6g %s", p.Value, m.Unit)
			if m.Histogram {
				value += fmt.Sprintf(" in %d", p.Count)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\n", m.Name, Cell(attributesText(p.Attributes), MaxTextRunes), value)
		}
	}
	return t.Flush()
}

// attributesText are attributes in one line, without the parts of their names that say
// whose they are.
func attributesText(a telemetry.Attributes) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(a)) {
		short := strings.TrimPrefix(strings.TrimPrefix(name, "research_council."), "gen_ai.")
		list = append(list, fmt.Sprintf("%s=%v", short, a[name]))
	}
	return strings.Join(list, " ")
}
