package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/jsonl"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

func scoreCommand(e program.Env) *cobra.Command {
	var a scoring
	c := &cobra.Command{
		Use: "score [FILE]", Short: "Score a registry of claims, and say what follows: report, validation or debate",
		Long: `Score measures how complete a registry of claims is.

In:  a run's registry.json, that is {"entries": […], "groups", "conflicts",
     "copies"}; or a bare array of entries, which are then compared with one
     another first; or {"registry": …, "input": …}, as an export has it, where
     the input says what the flags say.
Out: {"mode", "input", "signals", "raw", "cap", "cap_reason", "limit", "final",
     "gate", "reasons", "gaps", "unseen", …}. Raw is the sum of weight times
     value; final is raw times cap, and at most the limit.

A FILE holds one registry and is answered for people, with --json in JSON. Of
the registry of a run, beside which its score.json lies, the input is the run's,
so that the score is the one in its report; flags go before it.
Standard input holds one registry a line, each answered with a line, or a
single one over many lines. What cannot be read gets {"line": N, "error": "…"};
the exit code is then 1, and the others are answered all the same.`,
		Example: `council score research/20260222-143000-a1b2c3/registry.json
council score --mode decision --failed 1 --json registry.json | jq .final
council score --mode compliance < registries.jsonl | jq -c '{final, gate}'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			a.given = c.Flags().Changed
			if a.failed < 0 {
				return usage.Errorf("--failed %d: researchers that failed cannot be fewer than none", a.failed)
			}
			a.warn(e.Stderr)
			if len(args) == 0 || args[0] == "-" {
				return scoreAll(e.Stdin, e.Stdout, a)
			}
			return scoreFile(c, e, args[0], a)
		},
	}
	f := c.Flags()
	f.StringVar(&a.mode, "mode", "", "what the research is for: exploratory (default), compliance or decision")
	f.StringVar(&a.debate, "debate", "", "auto (default), force or off")
	f.StringSliceVar(&a.questions, "questions", nil, "ids of the planned questions, as Q1,Q2 (default: the topic alone)")
	f.IntVar(&a.failed, "failed", 0, "planned researchers that gave nothing")
	f.BoolVar(&a.noWeb, "no-web", false, "no page could be fetched")
	f.BoolVar(&a.codeOnly, "code-only", false, "only local files were searched")
	return c
}

// scoring is what the flags say of a run.
type scoring struct {
	mode, debate    string
	questions       []string
	failed          int
	noWeb, codeOnly bool
	given           func(flag string) bool
}

// warn says which words are unknown.
func (a scoring) warn(w io.Writer) {
	_, mode := scope.ParseMode(a.mode)
	_, debate := scope.ParseDebate(a.debate)
	for _, warning := range []string{mode, debate} {
		if warning != "" {
			fmt.Fprintln(w, "council: "+warning)
		}
	}
}

// override is the input with what the flags say in its place.
func (a scoring) override(in score.Input) score.Input {
	if a.given("mode") {
		in.Mode = scope.Mode(a.mode)
	}
	if a.given("debate") {
		in.Debate = scope.Debate(a.debate)
	}
	if a.given("questions") {
		in.Questions = a.questions
	}
	if a.given("failed") {
		in.Failed = a.failed
	}
	if a.given("no-web") {
		in.NoWeb = a.noWeb
	}
	if a.given("code-only") {
		in.CodeOnly = a.codeOnly
	}
	return in
}

// measure scores one document. What it does not say of its run is of's.
func (a scoring) measure(data []byte, of score.Input) (score.Result, error) {
	reg, in, err := score.ReadRegistry(data)
	if err != nil {
		return score.Result{}, err
	}
	if in.Mode == "" { // it says nothing of its run
		in = of
	}
	return score.Measure(reg, a.override(in)), nil
}

// scoreAll answers standard input in JSON lines. A first line that is no whole
// value begins a single one over many lines.
func scoreAll(in io.Reader, out io.Writer, a scoring) error {
	all, single, err := jsonl.IsSingle(in, maxLineBytes)
	if err != nil {
		return fmt.Errorf("read a registry: %w", err)
	}
	if !single {
		return filter(all, out, func(line []byte) (any, error) { return a.measure(line, score.Input{}) })
	}
	data, err := io.ReadAll(io.LimitReader(all, maxLineBytes))
	if err != nil {
		return fmt.Errorf("read a registry: %w", err)
	}
	r, err := a.measure(data, score.Input{})
	if err != nil {
		return err
	}
	return encodeLine(out, r)
}

func scoreFile(c *cobra.Command, e program.Env, path string, a scoring) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read a registry: %w", err)
	}
	of, err := runs.ScoreInput(path)
	if err != nil {
		return err
	}
	r, err := a.measure(data, of)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if asJSON(c) {
		return encode(e.Stdout, r)
	}
	return view.Score(e.Stdout, r)
}
