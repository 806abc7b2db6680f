package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/publication"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/output/export"
)

func exportCommand(e program.Env) *cobra.Command {
	var to []string
	var output string
	var force bool
	c := &cobra.Command{
		Use: "export [RUN]", Short: "Write a run's report in other forms",
		Long: `Write the final report of a run in other forms, all from one list of references:

  html      one self-contained page that opens on the answer; each citation
            opens the passage it rests on, and the evidence is drawn
  tex       an article with its references, for pdflatex, xelatex or lualatex
  pdf       the same article, set by the TeX that is here; without one the
            page, printed by the Chromium that is here
  bib, csl-json, ris
            the references for other programs, with the keys the article uses
  json      registry, sources and score, from which the score can be reckoned
  md        the report as it is
  warc      every archived page, in the format web archives use

Files are put beside the final report unless --output names a folder, a file
(for one form) or - for standard output. What stands there is replaced with
--force alone; what is git's or Claude Code's own never is.`,
		Example: "council export --to html\ncouncil export 20260222-143000-a1b2c3 --to html,tex,bib --output paper\ncouncil export 20260222 --to bib --output -",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			forms, err := publication.ParseForms(to)
			if err != nil {
				return err
			}
			out, err := publication.FindPlace(output, forms, func(path string) (folder, name string, err error) { return resolveOutput(c, e, path) })
			if err != nil {
				return err
			}
			out.Force = force
			if err := out.CheckWritable(forms); err != nil {
				return err
			}
			project, id, err := pickByPrefix(c, e, args)
			if err != nil {
				return err
			}
			written, err := publication.Write(e, publication.Request{Project: project, ID: id, Forms: forms, Place: out})
			if err != nil || out.Stdout {
				return err
			}
			if asJSON(c) {
				return encode(e.Stdout, map[string]any{"id": id, "files": written})
			}
			_, err = fmt.Fprintln(e.Stdout, strings.Join(written, "\n"))
			return err
		},
	}
	c.Flags().StringSliceVar(&to, "to", []string{string(export.HTML)}, "forms, separated by commas: md, html, tex, pdf, bib, csl-json, ris, json, warc")
	c.Flags().BoolVar(&force, "force", false, "let --output replace files that stand there")
	c.Flags().StringVarP(&output, "output", "o", "", "a folder, a file, or - for standard output")
	return c
}

// pickByPrefix is pick, for which the beginning of an id is enough where no
// other run's id begins so.
func pickByPrefix(c *cobra.Command, e program.Env, args []string) (project, id string, err error) {
	if len(args) == 1 {
		project, err = projectWithRuns(c, e)
		if err != nil {
			return "", "", err
		}
		whole, err := runs.WholeID(project, args[0])
		if err != nil {
			return "", "", err
		}
		args = []string{whole}
	}
	return pick(c, e, args)
}
