package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/fleet/internal/batch"
	"github.com/research-council/research-council/fleet/internal/bench"
	"github.com/research-council/research-council/fleet/internal/temporal"
	"github.com/research-council/research-council/internal/base/usage"
)

func benchCommand(p *place) *cobra.Command {
	var each, to string
	var beat time.Duration
	c := &cobra.Command{
		Use: "bench SET.jsonl --to DIR", Short: "Answer the prompts of a benchmark, a run each", Args: exactly(1),
		Long: `Answer the prompts of a benchmark, a run each. SET.jsonl has lines with id and prompt,
as query.jsonl of DeepResearch Bench has them. Into DIR go answers.jsonl in that
benchmark's format for raw data (id, prompt, article), figures.tsv with what can be said of
citations without a judge, and the runs themselves. Begun again, it goes on where it broke
off: no run is begun twice, none is fetched twice. Judging stays the benchmark's.`,
		Example: `  council-fleet bench query.jsonl --to out --each '{"seats":["claude","codex"],"tier":"cheap","max_usd":2}'`,
		RunE: func(c *cobra.Command, args []string) error {
			if to == "" {
				return usage.Errorf("say where to: --to DIR")
			}
			if err := checkBeat(beat); err != nil {
				return err
			}
			set, list, err := readSet(args[0], each)
			if err != nil {
				return err
			}
			fleet, err := p.open(c.Context())
			if err != nil {
				return err
			}
			submitted, err := fleet.Submit(c.Context(), list, beat)
			if c.Context().Err() != nil {
				return fmt.Errorf("%d of %d runs were begun: %w", submitted.New+submitted.There, len(list), errGoesOn)
			}
			if err != nil {
				return err
			}
			if err := awaitRuns(c.Context(), fleet.Over, submitted.Runs, c.ErrOrStderr()); err != nil {
				return err
			}
			err = answer(c.Context(), fleet, set, submitted.Runs, to, c.OutOrStdout())
			if c.Context().Err() != nil {
				return fmt.Errorf("all runs are over, not all are fetched: %w", errGoesOn)
			}
			return err
		},
	}
	c.Flags().StringVar(&each, "each", "", "what all runs have in common: members of a batch's line, as a JSON object")
	c.Flags().StringVar(&to, "to", "", "the folder for answers, figures and runs")
	beatFlag(c, &beat)
	return c
}

func readSet(path, each string) ([]bench.Prompt, []batch.Request, error) {
	if each == "" {
		return nil, nil, usage.Errorf(`say which seats answer: --each '{"seats":["claude"]}'`)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, usage.Of(err)
	}
	set, err := bench.Read(bytes.NewReader(text))
	if err != nil {
		return nil, nil, usage.Errorf("%s: nothing was begun: %w", path, err)
	}
	list, err := bench.Batch(set, each)
	if err != nil {
		return nil, nil, usage.Errorf("nothing was begun: %w", err)
	}
	return set, list, nil
}

const lookAtRuns = 5 * time.Second

// errGoesOn says that the command was stopped, and what it waits for goes on.
var errGoesOn = errors.New("stopped waiting; the same command again goes on from here")

// awaitRuns waits until runs are over, and says how far they are when that has changed.
func awaitRuns(ctx context.Context, overNow func(context.Context) (map[string]string, error), runs []string, out io.Writer) error {
	left, said := slices.Clone(runs), -1
	for {
		over, err := overNow(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("%d of %d runs go on: %w", len(left), len(runs), errGoesOn)
		}
		if err != nil {
			return err
		}
		left = slices.DeleteFunc(left, func(run string) bool { _, is := over[run]; return is })
		if len(left) != said {
			said = len(left)
			fmt.Fprintf(out, "%d of %d runs are over\n", len(runs)-said, len(runs))
		}
		if said == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d runs go on: %w", said, len(runs), errGoesOn)
		case <-time.After(lookAtRuns):
		}
	}
}

// answered is what became of a set.
type answered struct {
	Questions  int      `json:"questions"`
	Answered   int      `json:"answered"`
	Unanswered []string `json:"unanswered,omitempty"` // ids
}

// answer fetches the runs of a set and writes what came of them.
func answer(ctx context.Context, fleet *temporal.Fleet, set []bench.Prompt, runs []string, to string, out io.Writer) error {
	folder := filepath.Join(to, "runs")
	labels := map[string]string{}
	for i, run := range runs {
		labels[run] = set[i].Label()
	}
	if err := collect(ctx, fleet.Store, labels, folder); err != nil {
		return err
	}
	a := answered{Questions: len(set)}
	var articles bytes.Buffer
	var table strings.Builder
	table.WriteString("id\trun\tstatus\tcited\tdangling\tclaims\tlocated\tnot_found\tjudged\tsupported\tusd\tseconds\n")
	lines := json.NewEncoder(&articles)
	lines.SetEscapeHTML(false)
	for i, run := range runs {
		l, err := fleet.Store.Ledger(ctx, run)
		if err != nil {
			return err
		}
		if l.End == nil || l.End.Report == "" || l.End.Status != "completed" {
			a.Unanswered = append(a.Unanswered, set[i].Label())
			continue
		}
		article, f, err := bench.Answer(filepath.Join(folder, run), l.End.Report)
		if err != nil {
			return err
		}
		if err := lines.Encode(bench.Article{Prompt: set[i], Article: article}); err != nil {
			return err
		}
		a.Answered++
		fmt.Fprintf(&table, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.4f\t%.0f\n", set[i].Label(), run, l.End.Status,
			f.Cited, f.Dangling, f.Claims, f.Located, f.NotFound, f.Judged, f.Supported, l.End.USD, l.End.Seconds)
	}
	for name, data := range map[string][]byte{"answers.jsonl": articles.Bytes(), "figures.tsv": []byte(table.String())} {
		if err := os.WriteFile(filepath.Join(to, name), data, 0o600); err != nil {
			return fmt.Errorf("write the answers: %w", err)
		}
	}
	if err := json.NewEncoder(out).Encode(a); err != nil {
		return err
	}
	if len(a.Unanswered) > 0 {
		return fmt.Errorf("%d of %d prompts have no answer: the runs ended otherwise, as figures in %s say", len(a.Unanswered), a.Questions, filepath.Join(folder, "runs.tsv"))
	}
	return nil
}
