package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"research-council/internal/base/plain"
	"research-council/internal/base/usage"
	"research-council/internal/engine/budget"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/host/program"
	"research-council/internal/host/view"
	"research-council/internal/output/telemetry"
)

func traceCommand(e program.Env) *cobra.Command {
	var metrics, send bool
	c := &cobra.Command{
		Use: "trace [ID]", Short: "Show where a run's time, tokens and money went",
		Long: `Show a run as a tree of its stages, tasks and turns with the time each took, how
it ended and what it cost; with --metrics what was counted. Both are made of the
run's journal. --send sends a run's spans and metrics to the collector that is
configured (telemetry.endpoint, or OTEL_EXPORTER_OTLP_ENDPOINT) as far as it has
not taken them in: such as when it was away when the run ended.`,
		Example: `council trace
council trace 20260222-143000-a1b2c3 --metrics
council trace --json | jq -c 'select(.status == "error")'
OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 council trace --send`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			if metrics && send {
				return usage.Errorf("--metrics shows and --send sends: give one of them")
			}
			project, id, err := pick(c, e, args)
			if err != nil {
				return err
			}
			events, err := supervisor.Facts(project, id)
			switch {
			case err != nil:
				return err
			case send:
				return sendTrace(c.Context(), e, tracedRun{project, id, events})
			case metrics:
				return showMetrics(e.Stdout, telemetry.Metrics(events), asJSON(c))
			case asJSON(c):
				return eachLine(e.Stdout, telemetry.Spans(events))
			}
			return showTree(e.Stdout, telemetry.Spans(events))
		},
	}
	c.Flags().BoolVar(&metrics, "metrics", false, "what was counted and measured")
	c.Flags().BoolVar(&send, "send", false, "send what a collector has not taken in")
	return c
}

// tracedRun is a run and its facts.
type tracedRun struct {
	project, id string
	events      []flow.Event
}

// sendTrace sends what of a run a collector has not taken in.
func sendTrace(ctx context.Context, e program.Env, t tracedRun) error {
	if h, alive := supervisor.Alive(t.project, t.id); alive {
		return fmt.Errorf("process %d works on run %s and sends its traces itself", h.PID, t.id)
	}
	conf, err := e.Config()
	if err != nil {
		return err
	}
	f, err := workspace.Open(t.project, t.id)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := telemetry.New(conf.Telemetry, f.Path, e.Getenv)
	if err != nil {
		return err
	}
	r.Replay(t.events)
	err = r.Close(ctx)
	said := r.TakeProblems()
	if !r.IsExporting() && len(said) == 0 {
		return usage.Errorf("there is no collector to send to; set telemetry.endpoint in the configuration (`council config path`) or OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	for _, line := range said {
		fmt.Fprintln(e.Stderr, "council: "+plain.Terminal(line))
	}
	if err != nil {
		return err
	}
	if !r.IsExporting() {
		return exitCode(codeFailed)
	}
	_, err = fmt.Fprintf(e.Stdout, "The traces of run %s have been sent.\n", t.id)
	return err
}

// eachLine writes values as lines of JSON.
func eachLine[T any](w io.Writer, list []T) error {
	for _, v := range list {
		if err := encodeLine(w, v); err != nil {
			return err
		}
	}
	return nil
}

// showTree shows spans, each below the one it is a part of, in the order they
// began.
func showTree(w io.Writer, spans []telemetry.Span) error {
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
			fmt.Fprintln(t, strings.Repeat("  ", depth)+branch(s))
			show(s.ID, depth+1)
		}
	}
	show("", 0)
	return t.Flush()
}

// branch is a span as a line of the tree.
func branch(s telemetry.Span) string {
	cells := []string{cell(s.Name, maxNameRunes), string(s.Status), "-", "-", "-"}
	if v, ok := s.Attributes["research_council.visit"].(int64); ok && v > 1 && strings.HasPrefix(s.Name, "stage ") {
		cells[0] += fmt.Sprintf(" %d", v)
	}
	if kind, ok := s.Attributes["error.type"].(string); ok {
		cells[1] = cell(kind, maxNameRunes)
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
	return view.FormatDuration(d)
}

// showMetrics shows what was counted, a line for each series.
func showMetrics(w io.Writer, list []telemetry.Metric, json bool) error {
	if json {
		return eachLine(w, list)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "METRIC\tOF\tVALUE")
	for _, m := range list {
		for _, p := range m.Points {
			value := fmt.Sprintf("%.6g %s", p.Value, m.Unit)
			if m.Histogram {
				value += fmt.Sprintf(" in %d", p.Count)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\n", m.Name, cell(labels(p.Attributes), maxTextRunes), value)
		}
	}
	return t.Flush()
}

// labels are attributes in one line, without the parts of their names that say
// whose they are.
func labels(a telemetry.Attributes) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(a)) {
		short := strings.TrimPrefix(strings.TrimPrefix(name, "research_council."), "gen_ai.")
		list = append(list, fmt.Sprintf("%s=%v", short, a[name]))
	}
	return strings.Join(list, " ")
}
