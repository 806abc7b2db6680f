package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

func diffCommand(e program.Env) *cobra.Command {
	var claimsAlone bool
	c := &cobra.Command{
		Use: "diff RUN1 [RUN2]", Short: "Say what has changed from one run to another",
		Long: `Compare the registries of two runs: claims gained, claims lost, claims of which
something else holds now, and sources whose text has changed. Without RUN2 the
newest run is the later one. Exit code 1 says that they differ, with --claims that a
claim does: sources whose text has changed elsewhere are listed and do not count.`,
		Example: "council diff 20260222-143000-a1b2c3\ncouncil diff 20260222-143000-a1b2c3 20260301-090000-0000ff --json",
		Args:    cobra.RangeArgs(1, 2), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			project, older, err := pick(c, e, args[:1])
			if err != nil {
				return err
			}
			_, newer, err := pick(c, e, args[1:])
			if err != nil {
				return err
			}
			d, err := difference(project, older, newer)
			if err != nil {
				return err
			}
			if asJSON(c) {
				err = encode(e.Stdout, d)
			} else {
				err = writeDifference(e.Stdout, d)
			}
			if err == nil && (d.TouchesClaims() || !claimsAlone && !d.IsEmpty()) {
				err = exitCode(codeFailed)
			}
			return err
		},
	}
	c.Flags().BoolVar(&claimsAlone, "claims", false, "exit with code 1 only where a claim was gained, lost or changed")
	return c
}

// difference compares two runs of a project.
func difference(project, older, newer string) (claim.Difference, error) {
	if older == newer {
		return claim.Difference{}, usage.Errorf("both are the run %s; name an earlier and a later one (`council list` shows them)", older)
	}
	before, err := runs.Registry(project, older)
	if err != nil {
		return claim.Difference{}, err
	}
	after, err := runs.Registry(project, newer)
	if err != nil {
		return claim.Difference{}, err
	}
	return claim.Diff(before, after), nil
}

func writeDifference(w io.Writer, d claim.Difference) error {
	if d.IsEmpty() {
		_, err := fmt.Fprintln(w, "Nothing has changed.")
		return err
	}
	_, err := io.WriteString(w, view.Difference(d))
	return err
}
