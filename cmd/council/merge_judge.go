package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/council"
)

// judgedMerge is a merge in which seats compare the claims.
type judgedMerge struct {
	request.Request
	quiet bool
	pairs int // of claims that are to be compared
}

// judgedClaims is the name, in a run's folder, of the lines that were given.
const judgedClaims = "claims.jsonl"

// maxJudgedBytes bounds the lines that judges are given.
const maxJudgedBytes = 64 << 20

func (m *judgedMerge) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVar(&m.Seats, "judge", nil, "seats that compare the claims: claude,codex,…")
	f.StringVar(&m.Topic, "question", "What do these claims come to?", "what the claims are about, for the judges")
	f.StringVar(&m.Tier, "tier", "", "models and efforts of the judges: max, standard or cheap")
	f.Float64Var(&m.USD, "max-usd", 0, "money of the judges")
	f.BoolVar(&m.Test, "test", false, "cheap models, a hard cap on money")
	f.BoolVar(&m.DryRun, "dry-run", false, "say what judging would cost, and start nothing")
	f.BoolVarP(&m.quiet, "quiet", "q", false, "no progress lines")
}

// misused says which flag has no sense without judges.
func (m *judgedMerge) misused(c *cobra.Command) error {
	for _, name := range []string{"question", "tier", "max-usd", "test", "dry-run", "quiet"} {
		if len(m.Seats) == 0 && c.Flags().Changed(name) {
			return usage.Errorf("--%s is for judges; name them with --judge", name)
		}
	}
	if m.USD < 0 {
		return usage.Errorf("--max-usd %v: it cannot be less than nothing", m.USD)
	}
	return nil
}

// run has the claims of standard input compared, and writes what they come to.
func (m *judgedMerge) run(c *cobra.Command, e program.Env) error {
	lines, err := io.ReadAll(io.LimitReader(e.Stdin, maxJudgedBytes+1))
	if err != nil {
		return fmt.Errorf("read the claims: %w", err)
	}
	if len(lines) > maxJudgedBytes {
		return fmt.Errorf("the claims are more than %d MiB; judges compare no more at once", maxJudgedBytes>>20)
	}
	reg, refused, err := claim.ReadLines(bytes.NewReader(lines))
	if err != nil {
		return err
	}
	project, err := projectForNewRun(c, e)
	if err != nil {
		return err
	}
	setup, err := prepare.Merge(e, project, m.Request)
	if err != nil {
		return err
	}
	m.pairs = len(claim.PairsToCompare(claim.Merge(reg), council.MostMergeBatches*council.PairsInBatch))
	setup.Loop.Iterations = (m.pairs + council.PairsInBatch - 1) / council.PairsInBatch
	if m.DryRun {
		return m.tellCost(c, e.Stdout, setup, reg)
	}
	r, err := m.judge(c, e, setup, reg, lines)
	if err != nil {
		return err
	}
	return m.write(c, e, r, refused)
}

// judge has the seats compare, in a run that an earlier one of the same claims stands
// for: one that was completed costs nothing again, one that was not is taken up.
func (m *judgedMerge) judge(c *cobra.Command, e program.Env, setup flow.Setup, reg claim.Registry, lines []byte) (flow.Run, error) {
	if old, known := sameMerge(setup, lines); known {
		if old.Status == flow.Completed {
			m.say(e, "These claims were judged before, by run "+old.Setup.ID+"; nothing is spent.")
			return old, nil
		}
		f, err := workspace.Open(setup.Root, old.Setup.ID)
		if err != nil {
			return flow.Run{}, err
		}
		defer f.Close()
		m.say(e, "Run "+old.Setup.ID+" goes on where it stood.")
		return superviseShowing(c, e, work{folder: f, project: setup.Root, quiet: m.quiet})
	}
	if !m.quiet {
		if err := m.tellCost(c, e.Stderr, setup, reg); err != nil {
			return flow.Run{}, err
		}
	}
	registry, err := json.Marshal(claim.Merge(reg))
	if err != nil {
		return flow.Run{}, err
	}
	f, err := product.Begin(setup, time.Now(), supervisor.File{Name: judgedClaims, Data: lines}, supervisor.File{Name: claim.RegistryFile, Data: registry})
	if err != nil {
		return flow.Run{}, err
	}
	defer f.Close()
	return superviseShowing(c, e, work{folder: f, project: setup.Root, quiet: m.quiet})
}

func (m *judgedMerge) say(e program.Env, line string) {
	if !m.quiet {
		fmt.Fprintln(e.Stderr, line)
	}
}

// tellCost says what judging is likely to cost.
func (m *judgedMerge) tellCost(c *cobra.Command, w io.Writer, setup flow.Setup, reg claim.Registry) error {
	forecast := runs.Forecast(setup)
	if m.DryRun && asJSON(c) {
		return encode(w, map[string]any{"claims": len(reg.Entries), "pairs": m.pairs, "judges": view.SeatNames(setup), "forecast": forecast})
	}
	_, err := fmt.Fprintf(w, "%s, %s to compare by %s: %s\n", plural.Of(len(reg.Entries), "claim"), plural.Of(m.pairs, "pair"), view.SeatNames(setup), strings.Join(view.Forecast(forecast), "; "))
	return err
}

// sameMerge finds an earlier run that was given the same claims, question and judges
// and has neither failed nor been ended.
func sameMerge(s flow.Setup, lines []byte) (flow.Run, bool) {
	ids, err := workspace.List(s.Root)
	if err != nil {
		return flow.Run{}, false
	}
	for _, id := range slices.Backward(ids) {
		r, err := supervisor.Read(s.Root, id)
		if err != nil || !council.IsMerging(r.Setup) || r.Status != "" && r.Status != flow.Completed || r.Setup.Topic != s.Topic || !slices.EqualFunc(r.Setup.Seats, s.Seats, sameSeat) {
			continue
		}
		f, err := workspace.Open(s.Root, id)
		if err != nil {
			continue
		}
		given, err := f.Read(judgedClaims)
		_ = f.Close() // it was only read
		if err == nil && bytes.Equal(given, lines) {
			return r, true
		}
	}
	return flow.Run{}, false
}

func sameSeat(a, b flow.Seat) bool {
	return a.Name == b.Name && a.Model == b.Model && a.Effort == b.Effort
}

// write writes what the claims came to: a line each, or with --json one object.
func (m *judgedMerge) write(c *cobra.Command, e program.Env, r flow.Run, refused []claim.Refusal) error {
	if r.Status != flow.Completed {
		return fmt.Errorf("the judges did not finish (run %s: %s); the same command takes it up again, or begins anew where it has failed", r.Setup.ID, plainStatus(r))
	}
	reg, err := runs.Registry(r.Setup.Root, r.Setup.ID)
	if err != nil {
		return err
	}
	st, err := runs.Status(r.Setup.Root, r.Setup.ID)
	if err != nil {
		return err
	}
	m.say(e, "Run "+r.Setup.ID+": "+st.Spent.Cost()+".")
	if asJSON(c) {
		err = encode(e.Stdout, map[string]any{"run": r.Setup.ID, "spent": st.Spent, "claims": claim.MergedLines(reg), "conflicts": reg.Conflicts, "relations": reg.Relations, "refused": refused})
	} else {
		err = writeMerged(e.Stdout, reg, refused)
	}
	if err == nil && len(refused) > 0 {
		return exitCode(codeFailed)
	}
	return err
}

func plainStatus(r flow.Run) string {
	if r.Status == "" {
		return "stopped"
	}
	return strings.TrimSpace(r.Status.Words() + " " + r.Reason)
}

func writeMerged(w io.Writer, reg claim.Registry, refused []claim.Refusal) error {
	var errs []error
	for _, r := range refused {
		errs = append(errs, encodeLine(w, lineError{Line: r.Line, Error: r.Reason}))
	}
	for _, m := range claim.MergedLines(reg) {
		errs = append(errs, encodeLine(w, m))
	}
	for _, c := range reg.Conflicts {
		if c.Status != claim.Dismissed {
			errs = append(errs, encodeLine(w, map[string]any{"conflict": c}))
		}
	}
	for _, r := range reg.Relations {
		errs = append(errs, encodeLine(w, map[string]any{"relation": r}))
	}
	return errors.Join(errs...)
}
