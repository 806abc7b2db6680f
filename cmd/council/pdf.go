package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/output/tex"
)

func pdfCommand(e program.Env) *cobra.Command {
	var engine string
	var timeout time.Duration
	c := &cobra.Command{
		Use: "pdf FILE.tex", Short: "Make a PDF of a LaTeX file with the TeX that is here",
		Long: `Make FILE.pdf beside FILE.tex, with the bibliography sources.bib beside it.

The build happens on a copy that can start no program and reach no other file.
What TeX cannot digest is mended in the copy and told with its line; FILE.tex
stays as it is, and an old PDF stays until a new one is whole. Without TeX
nothing is built and that is said; it is no failure.`,
		Example: "council pdf docs/research-caches/caches-report.tex\ncouncil pdf paper.tex --engine lualatex --timeout 5m",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if timeout <= 0 {
				return usage.Errorf("--timeout %s is no time", timeout)
			}
			file := args[0]
			if !strings.HasSuffix(file, ".tex") {
				return usage.Errorf("%q is no LaTeX file: its name does not end in .tex", file)
			}
			if !filepath.IsAbs(file) {
				file = filepath.Join(e.Dir, file)
			}
			if _, _, err := workspace.ResolvePath(e.Dir, strings.TrimSuffix(args[0], ".tex")+".pdf"); err != nil {
				return usage.Errorf("%q: no PDF is written beside it: %w", args[0], err)
			}
			return makePDF(c, e, file, tex.Options{Engine: engine, Timeout: timeout, Path: e.Getenv("PATH")})
		},
	}
	c.Flags().StringVar(&engine, "engine", "", "xelatex, lualatex, pdflatex, latexmk or tectonic (default: the first that works)")
	c.Flags().DurationVar(&timeout, "timeout", 2*time.Minute, "how long it may take")
	return c
}

// makePDF builds a file and says what came of it.
func makePDF(c *cobra.Command, e program.Env, file string, o tex.Options) error {
	r, err := tex.Build(c.Context(), file, o)
	if errors.Is(err, context.Canceled) {
		return err
	}
	if asJSON(c) {
		answer := map[string]any{"pdf": r.PDF, "engine": r.Engine, "problems": problemRecords(r), "runs": r.Runs, "skipped": r.Skipped}
		if err != nil {
			answer["error"] = err.Error()
		}
		if wrong := encode(e.Stdout, answer); wrong != nil {
			return wrong
		}
		if err != nil {
			return exitCode(codeFailed)
		}
		return nil
	}
	for _, p := range r.Problems {
		fmt.Fprintln(e.Stderr, plain.Terminal(p.String()))
	}
	switch {
	case err != nil:
		return err
	case r.Skipped != "":
		_, err = fmt.Fprintln(e.Stdout, r.Skipped)
	default:
		_, err = fmt.Fprintf(e.Stdout, "%s (%s)\n", plain.Terminal(r.PDF), r.Engine)
	}
	return err
}

// problemRecords are the problems of a build for other programs.
func problemRecords(r tex.Result) []map[string]any {
	list := []map[string]any{}
	for _, p := range r.Problems {
		list = append(list, map[string]any{"file": p.File, "line": p.Line, "text": p.Text, "mended": p.Mended})
	}
	return list
}
