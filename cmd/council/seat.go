package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/council"
)

// seatRequest is one seat's research without a council.
type seatRequest struct {
	name, topic    string
	folder, report string // where the report goes
	iterations     int
	model, effort  string
}

func seatCommand(e program.Env) *cobra.Command {
	var req request.Request
	c := &cobra.Command{
		Use:   "seat NAME QUESTION REPORT ITERATIONS [MODEL] [EFFORT]",
		Short: "Let one seat research alone",
		Long: `Let one seat research a question alone, in its own loop, and write its report
to a file. The model may also be given as NAME_MODEL in the environment
(CLAUDE_MODEL, GEMINI_MODEL, …).`,
		Example: `council seat claude "What is 2+2? Explain in detail." report.md 2
council seat codex "How does QUIC migrate connections?" report.md 10 gpt-6-luna low
CLAUDE_MODEL=claude-haiku-5-5 council seat claude "What is 2+2?" report.md 2
council seat librarian-code "Where are retries bounded?" report.md 3 --scope internal`,
		Args: cobra.RangeArgs(4, 6),
		RunE: func(c *cobra.Command, args []string) error {
			a, err := parseSeatRequest(c, e, args, req.Force)
			if err != nil {
				return err
			}
			return a.run(c, e, req)
		},
	}
	c.Flags().StringVar(&req.Scope, "scope", "", "a folder of local sources, inside the project")
	c.Flags().BoolVar(&req.ScopeOutside, "scope-outside", false, "the scope may lie outside the project")
	c.Flags().BoolVar(&req.Force, "force", false, "let the report replace the file that stands in its place")
	c.Flags().BoolVar(&req.Test, "test", false, "cheap models, a hard cap on money")
	return c
}

func parseSeatRequest(c *cobra.Command, e program.Env, args []string, force bool) (seatRequest, error) {
	n, err := strconv.Atoi(args[3])
	if err != nil || n < 1 {
		return seatRequest{}, usage.Errorf("ITERATIONS %q: use a whole number from 1 up", args[3])
	}
	a := seatRequest{name: args[0], topic: args[1], report: args[2], iterations: n, model: e.Getenv(strings.ToUpper(args[0]) + "_MODEL")}
	if len(args) > 4 {
		a.model = args[4]
	}
	if len(args) > 5 {
		a.effort = args[5]
	}
	if a.folder, a.report, err = resolveOutput(c, e, args[2]); err == nil {
		err = workspace.CheckWritable(a.folder, a.report, workspace.Replaceable{Any: force})
	}
	if err != nil {
		return seatRequest{}, usage.Errorf("REPORT %q: %w", args[2], err)
	}
	return a, nil
}

func (a seatRequest) run(c *cobra.Command, e program.Env, req request.Request) error {
	project, err := projectForNewRun(c, e)
	if err != nil {
		return err
	}
	req.Topic, req.Seats, req.Iterations = a.topic, []string{a.name}, a.iterations
	setup, err := prepare.Council(e, project, req)
	if err != nil {
		return err
	}
	if len(setup.Seats) != 1 {
		return usage.Errorf("%s stands for %d seats; name one", a.name, len(setup.Seats))
	}
	setup.Workflow, setup.Loop.Iterations = council.Alone().Name, a.iterations
	if a.model != "" {
		setup.Seats[0].Model = a.model
	}
	if a.effort != "" {
		setup.Seats[0].Effort = a.effort
	}
	f, err := product.Begin(setup, time.Now())
	if err != nil {
		return err
	}
	defer f.Close()
	announce(e.Stderr, setup, f)
	r, err := superviseShowing(c, e, work{folder: f, project: project})
	if err != nil {
		return err
	}
	data, err := f.Read(council.ReportFile(setup.Seats[0].Name))
	if err == nil {
		err = workspace.WriteUserFile(a.folder, a.report, data, workspace.Replaceable{Any: req.Force})
	}
	if r.Status == flow.Completed && err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return reportEnd(c, e, project, r)
}
