package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"research-council/internal/base/plain"
	"research-council/internal/base/plural"
	"research-council/internal/host/program"
	"research-council/internal/host/verify"
)

func verifyCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "verify [RUN|DIR]", Short: "Check a finished run again, off line",
		Long: `Follow every link again from what the run left on disk: the journal's chain,
each published file, every claim to its quotation, its passage, the archived
text and bytes, and the score. Of staged research that did not complete the
report is held against its ending alone, and exports are copies that nothing
holds. Nothing is fetched. Exit code 1 names what does not hold.`,
		Example: "council verify\ncouncil verify 20260222-143000-a1b2c3\ncouncil verify /backup/20260222-143000-a1b2c3 --json",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := journalDir(c, e, args)
			if err != nil {
				return err
			}
			r, err := verify.Run(dir)
			if err != nil {
				return err
			}
			if asJSON(c) {
				err = encode(e.Stdout, r)
			} else {
				err = writeVerified(e.Stdout, r)
			}
			if err == nil && !r.OK {
				err = exitCode(codeFailed)
			}
			return err
		},
	}
}

func writeVerified(w io.Writer, r verify.Result) error {
	for _, p := range r.Problems {
		if _, err := fmt.Fprintln(w, plain.Terminal(p.Place+": "+p.What)); err != nil {
			return err
		}
	}
	name := cmp.Or(r.Run, "without a name")
	if !r.OK {
		_, err := fmt.Fprintf(w, "Run %s is NOT verified: %s.\n", name, plural.Of(len(r.Problems), "problem"))
		return err
	}
	_, err := fmt.Fprintf(w, "Run %s is verified: %d of %d quotations found again in %s; %s, %s and %s are as they were written.\n",
		name, r.Quotations, r.Located, plural.Of(r.Sources, "archived source"), plural.Of(r.Claims, "claim"), plural.Of(r.Files, "file"), plural.Of(r.Facts, "fact"))
	return err
}
