package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/verify"
)

func verifyCommand(e program.Env) *cobra.Command {
	var rerun bool
	c := &cobra.Command{
		Use: "verify [RUN|DIR]", Short: "Check a finished run again, off line",
		Long: `Follow every link again from what the run left on disk: the journal's chain,
each published file, every claim to its quotation, its passage, the archived
text and bytes, and the score. Of staged research that did not complete the
report is held against its ending alone, and exports are copies that nothing
holds. Nothing is fetched. Exit code 1 names what does not hold.

With --rerun each experiment that a seat has had made is made once more, confined
as it was, without network: it comes out the same, or differs, in which case the
quotations are looked for in what it prints now, or it cannot be made here. That
one differs is no fault of the run, and changes no exit code. These are commands
that a model has written; without --rerun nothing is run.`,
		Example: "council verify\ncouncil verify 20260222-143000-a1b2c3\ncouncil verify 20260222-143000-a1b2c3 --rerun\ncouncil verify /backup/20260222-143000-a1b2c3 --json",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := journalDir(c, e, args)
			if err != nil {
				return err
			}
			r, err := untilInterrupted(c.Context(), func() (verify.Result, error) { return verify.Run(dir) })
			if err == nil && rerun {
				hook, _ := e.HookProgram() // without it the program itself keeps what it starts
				again := verify.Rerun{Council: e.Self, Hook: hook, Environ: e.Environ}
				r.Again, err = again.Experiments(c.Context(), dir)
			}
			if errors.Is(err, context.Canceled) {
				fmt.Fprintln(e.Stderr, "Stopped. Nothing was changed; the same command checks the run from the beginning.")
				return exitCode(codeInterrupted)
			}
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
	c.Flags().BoolVar(&rerun, "rerun", false, "make the experiments of the run once more, confined, and compare")
	return c
}

func writeVerified(w io.Writer, r verify.Result) error {
	for _, p := range r.Problems {
		if _, err := fmt.Fprintln(w, plain.Terminal(p.Place+": "+p.What)); err != nil {
			return err
		}
	}
	for _, line := range againLines(r.Again) {
		if _, err := fmt.Fprintln(w, plain.Terminal(line)); err != nil {
			return err
		}
	}
	name := cmp.Or(r.Run, "without a name")
	if !r.OK {
		_, err := fmt.Fprintf(w, "Run %s is NOT verified: %s.\n", name, plural.Of(len(r.Problems), "problem"))
		return err
	}
	sources := plural.Of(r.Sources, "archived source")
	if r.Experiments > 0 {
		sources += ", " + plural.Of(r.Experiments, "experiment") + " among them"
	}
	_, err := fmt.Fprintf(w, "Run %s is verified: %d of %d quotations found again in %s; %s, %s and %s are as they were written.\n",
		name, r.Quotations, r.Located, sources, plural.Of(r.Claims, "claim"), plural.Of(r.Files, "file"), plural.Of(r.Facts, "fact"))
	return err
}

// againLines tell of experiments that were made again, each with what it means for the
// claims that quote it.
func againLines(list []verify.Again) []string {
	words := map[string]string{verify.Same: "the same", verify.Differs: "differs", verify.Cannot: "could not be made again"}
	var lines []string
	count := map[string]int{}
	for _, a := range list {
		count[a.Says]++
		lines = append(lines, a.ID+": "+words[a.Says]+". "+a.Title)
		if a.Why != "" {
			lines = append(lines, "    "+strings.ToUpper(a.Why[:1])+a.Why[1:]+".")
		}
		if len(a.Stands) > 0 {
			lines = append(lines, "    What is quoted stands in what it prints now: "+strings.Join(a.Stands, ", ")+".")
		}
		if len(a.Lost) > 0 {
			lines = append(lines, "    What is quoted does not stand in what it prints now: "+strings.Join(a.Lost, ", ")+".")
		}
	}
	if len(list) == 0 {
		return nil
	}
	var parts []string
	for _, says := range []string{verify.Same, verify.Differs, verify.Cannot} {
		if count[says] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[says], words[says]))
		}
	}
	said := "Experiments made again: " + strings.Join(parts, ", ") + "."
	if count[verify.Differs] > 0 {
		said += " That one differs is no fault of the run: what it measures may, and so may the machine."
	}
	return append(lines, said)
}
