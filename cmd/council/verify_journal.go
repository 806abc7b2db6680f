package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/verify"
)

// proof is what a journal proved to be.
type proof struct {
	Path   string `json:"path"`
	OK     bool   `json:"ok"`
	Facts  int    `json:"facts"`          // that can be trusted
	Line   int    `json:"line,omitempty"` // the first that cannot
	Why    string `json:"why,omitempty"`  // it is not intact
	Run    string `json:"run,omitempty"`
	Status string `json:"status,omitempty"`
}

func verifyJournalCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "verify-journal [ID|DIR]", Short: "Check that a run's journal is complete and unchanged",
		Long: `Follow the chain of a run's journal from its first fact to its last, and look
whether anything else in the run's folder knows of a later one. Exit code 1 says
where it does not hold.`,
		Example: "council verify-journal\ncouncil verify-journal 20260222-143000-a1b2c3\ncouncil verify-journal /backup/20260222-143000-a1b2c3",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := journalDir(c, e, args)
			if err != nil {
				return err
			}
			j, err := verify.Journal(dir)
			if err != nil {
				return err
			}
			p := newJournalCheck(dir, j)
			switch {
			case asJSON(c):
				return errors.Join(encode(e.Stdout, p), failing(p))
			case !p.OK:
				return fmt.Errorf("%s is not intact: %s; restore it from a copy (nothing has been changed)", p.Path, p.Why)
			}
			_, err = fmt.Fprintf(e.Stdout, "%s: intact, %d facts, run %s %s\n", p.Path, p.Facts, p.Run, p.Status)
			return err
		},
	}
}

func journalDir(c *cobra.Command, e program.Env, args []string) (string, error) {
	if len(args) == 0 || workspace.ValidID(args[0]) {
		project, id, err := pickAny(c, e, args)
		return filepath.Join(project, workspace.Runs, id), err
	}
	dir := args[0]
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(e.Dir, dir)
	}
	if _, err := os.Lstat(filepath.Join(dir, journal.Name)); err != nil {
		project, id, missing := pickAny(c, e, args) // it may be a campaign's name
		if missing == nil {
			return filepath.Join(project, workspace.Runs, id), nil
		}
		return "", usage.Errorf("there is no %s in %s; name a run's id or its folder", journal.Name, dir)
	}
	return dir, nil
}

func failing(p proof) error {
	if p.OK {
		return nil
	}
	return exitCode(codeFailed)
}

func newJournalCheck(dir string, j verify.Journaled) proof {
	p := proof{Path: filepath.Join(dir, journal.Name), OK: len(j.Problems) == 0, Facts: len(j.Facts), Run: j.Run.Setup.ID, Status: string(j.Run.Status)}
	if p.Status == "" {
		p.Status = "under way"
	}
	for _, fault := range j.Problems {
		if p.Why != "" {
			p.Why += "; "
		}
		p.Why += fault.What
		p.Line = cmp.Or(p.Line, fault.Line)
	}
	return p
}
