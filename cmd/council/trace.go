package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/output/telemetry"
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
			case metrics && asJSON(c):
				return eachLine(e.Stdout, telemetry.Metrics(events))
			case metrics:
				return view.Metrics(e.Stdout, telemetry.Metrics(events))
			case asJSON(c):
				return eachLine(e.Stdout, telemetry.Spans(events))
			}
			return view.Trace(e.Stdout, telemetry.Spans(events))
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
