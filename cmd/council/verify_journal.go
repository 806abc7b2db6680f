package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"research-council/internal/flow"
	"research-council/internal/journal"
	"research-council/internal/workspace"
)

// proof is what a journal proved to be.
type proof struct {
	Path   string `json:"path"`
	OK     bool   `json:"ok"`
	Facts  int    `json:"facts"`          // that can be trusted
	Line   int    `json:"line,omitempty"` // the first that cannot
	Run    string `json:"run,omitempty"`
	Status string `json:"status,omitempty"`
}

func verifyJournalCommand(e env) *cobra.Command {
	return &cobra.Command{
		Use: "verify-journal [ID|DIR]", Short: "Check that nobody has changed a run's journal",
		Example: "council verify-journal\ncouncil verify-journal 20260222-143000-a1b2c3\ncouncil verify-journal /backup/20260222-143000-a1b2c3",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := journalDir(c, e, args)
			if err != nil {
				return err
			}
			p, err := prove(dir)
			if asJSON(c) && (err == nil || p.Line > 0) {
				err = errors.Join(encode(e.stdout, p), failing(p))
			} else if err == nil {
				_, err = fmt.Fprintf(e.stdout, "%s: whole, %d facts, run %s %s\n", p.Path, p.Facts, p.Run, p.Status)
			}
			return err
		},
	}
}

func journalDir(c *cobra.Command, e env, args []string) (string, error) {
	if len(args) == 0 || workspace.ValidID(args[0]) {
		project, id, err := pick(c, e, args)
		return filepath.Join(project, workspace.Runs, id), err
	}
	dir := args[0]
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(e.dir, dir)
	}
	if _, err := os.Stat(filepath.Join(dir, journal.Name)); err != nil {
		project, id, missing := pick(c, e, args) // it may be a campaign's name
		if missing == nil {
			return filepath.Join(project, workspace.Runs, id), nil
		}
		return "", misuse("there is no %s in %s; name a run's id or its folder", journal.Name, dir)
	}
	return dir, nil
}

func failing(p proof) error {
	if p.OK {
		return nil
	}
	return exitCode(codeFailed)
}

// prove reads a journal and checks its chain.
func prove(dir string) (proof, error) {
	facts, err := journal.Read(dir)
	p := proof{Path: filepath.Join(dir, journal.Name), Facts: len(facts), OK: err == nil}
	var damage *journal.Damage
	if errors.As(err, &damage) {
		p.Line = damage.Line
	}
	var r flow.Run
	for i, fact := range facts {
		var event flow.Event
		if err := json.Unmarshal(fact, &event); err != nil {
			p.OK, p.Line = false, i+1
			return p, fmt.Errorf("%s holds no fact in line %d: %w", p.Path, i+1, err)
		}
		r = flow.Evolve(r, event)
	}
	p.Run, p.Status = r.Setup.ID, string(r.Status)
	if p.Status == "" {
		p.Status = "under way"
	}
	return p, err
}
