package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/output/browser"
	"github.com/research-council/research-council/internal/output/export"
)

func openCommand(e program.Env) *cobra.Command {
	var only bool
	c := &cobra.Command{
		Use: "open [RUN]", Short: "Open a run's report in your browser",
		Long: `Open the report of a run as a page in your browser, and print its path. Where
there is no browser, or with --print or --json, the path alone is printed.`,
		Example: "council open\ncouncil open 20260222-143000-a1b2c3 --print",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			project, id, err := pickByPrefix(c, e, args)
			if err != nil {
				return err
			}
			file, err := reportPage(project, id)
			if err != nil {
				return err
			}
			if asJSON(c) {
				return encode(e.Stdout, map[string]any{"id": id, "file": file})
			}
			if !only {
				if err := browser.Show(c.Context(), file, e.Getenv("PATH")); err != nil && !errors.Is(err, browser.ErrNone) {
					fmt.Fprintln(e.Stderr, "council: the page could not be opened: "+plain.Terminal(err.Error()))
				}
			}
			_, err = fmt.Fprintln(e.Stdout, plain.Terminal(file))
			return err
		},
	}
	c.Flags().BoolVar(&only, "print", false, "print the path and open nothing")
	return c
}

// reportPage is the path of a run's report as a page.
func reportPage(project, id string) (string, error) {
	f, err := workspace.Open(project, id)
	if err != nil {
		return "", err
	}
	defer f.Close()
	name := strings.TrimSuffix(flow.FinalReport, ".md") + export.HTML.Extension()
	if !f.Has(name) {
		return "", fmt.Errorf("run %s has no page of its report yet; `council status %s` says how far it is", id, id)
	}
	return f.Join(name), nil
}
