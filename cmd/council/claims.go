package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"research-council/internal/base/plain"
	"research-council/internal/base/usage"
	"research-council/internal/engine/workspace"
	"research-council/internal/evidence/claim"
	"research-council/internal/evidence/source"
	"research-council/internal/host/program"
	"research-council/internal/output/export"
)

// claimFilter says which claims are to be shown.
type claimFilter struct {
	state, seat string
	conflicts   bool
}

func (w *claimFilter) flags(c *cobra.Command) {
	c.Flags().StringVar(&w.state, "state", "", "only claims whose quotation is located, not-found or unchecked")
	c.Flags().StringVar(&w.seat, "seat", "", "only what this seat claims")
	c.Flags().BoolVar(&w.conflicts, "conflicts", false, "only claims that others disagree with")
}

// apply gives the part of a registry that is wanted.
func (w claimFilter) apply(reg claim.Registry) (claim.Registry, error) {
	if w.state != "" && !slices.Contains([]claim.State{claim.Located, claim.NotFound, claim.Unchecked}, claim.State(w.state)) {
		return claim.Registry{}, usage.Errorf("--state %q is none; there are %s, %s and %s", w.state, claim.Located, claim.NotFound, claim.Unchecked)
	}
	out := claim.Registry{Entries: []claim.Entry{}, Copies: reg.Copies}
	kept := map[string]bool{}
	for _, e := range reg.Entries {
		if w.fits(e, reg.Conflicts) {
			out.Entries = append(out.Entries, e)
			kept[e.ID] = true
		}
	}
	for _, g := range reg.Groups {
		if slices.ContainsFunc(g.Members, func(id string) bool { return kept[id] }) {
			out.Groups = append(out.Groups, g)
		}
	}
	for _, d := range reg.Conflicts {
		if kept[d.A] || kept[d.B] {
			out.Conflicts = append(out.Conflicts, d)
		}
	}
	return out, nil
}

func (w claimFilter) fits(e claim.Entry, conflicts []claim.Conflict) bool {
	return (w.state == "" || string(e.Location.State) == w.state) &&
		(w.seat == "" || slices.Contains(e.Seats, w.seat)) &&
		(!w.conflicts || slices.ContainsFunc(conflicts, func(d claim.Conflict) bool { return d.A == e.ID || d.B == e.ID }))
}

func claimsCommand(e program.Env) *cobra.Command {
	var w claimFilter
	c := &cobra.Command{
		Use: "claims [RUN]", Short: "List what a run's seats have claimed, and what became of each claim",
		Example: "council claims\ncouncil claims 20260222-143000-a1b2c3 --state not-found\ncouncil claims --conflicts --json",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			f, reg, err := registryOfRun(c, e, args, w)
			if err != nil {
				return err
			}
			defer f.Close()
			if asJSON(c) {
				return encode(e.Stdout, reg)
			}
			if w.conflicts {
				return writeConflicts(e.Stdout, reg)
			}
			return writeClaims(e.Stdout, reg)
		},
	}
	w.flags(c)
	return c
}

// registryOfRun gives the wanted part of a run's registry, and the run's
// folder, which is to be closed.
func registryOfRun(c *cobra.Command, e program.Env, args []string, w claimFilter) (*workspace.Folder, claim.Registry, error) {
	if _, err := w.apply(claim.Registry{}); err != nil {
		return nil, claim.Registry{}, err
	}
	project, id, err := pickByPrefix(c, e, args)
	if err != nil {
		return nil, claim.Registry{}, err
	}
	reg, err := registryOf(project, id)
	if err != nil {
		return nil, claim.Registry{}, err
	}
	reg, err = w.apply(reg)
	if err != nil {
		return nil, claim.Registry{}, err
	}
	f, err := workspace.Open(project, id)
	return f, reg, err
}

// Widths of cells, in runes.
const (
	claimCell  = 70
	sourceCell = 48
)

// cell makes foreign text fit to stand in a column of a terminal.
func cell(s string, width int) string { return plain.Line(plain.Terminal(s), width) }

// writeTable writes rows in columns.
func writeTable(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	return t.Flush()
}

func writeClaims(w io.Writer, reg claim.Registry) error {
	rows := [][]string{{"ID", "QUOTATION", "CONFIDENCE", "SUPPORT", "SEATS", "CLAIM", "SOURCE"}}
	for _, e := range reg.Entries {
		state := string(e.Location.State)
		if e.Location.Tier != "" {
			state += ", " + e.Location.Tier
		}
		rows = append(rows, []string{
			cell(e.ID, 12), cell(state, 24), cell(string(e.Confidence), 10), cell(supportText(e), 16), cell(strings.Join(e.Seats, " "), 24),
			cell(e.Text, claimCell), cell(e.Source, sourceCell),
		})
	}
	if err := writeTable(w, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s, %d conflicts\n", claimCounts(reg.Entries), len(reg.Conflicts))
	return err
}

func supportText(e claim.Entry) string {
	return cmp.Or(e.Verdict(), "-")
}

// claimCounts counts claims by what came of looking for their quotations.
func claimCounts(entries []claim.Entry) string {
	n := map[claim.State]int{}
	for _, e := range entries {
		n[e.Location.State]++
	}
	return fmt.Sprintf("%d claims: %d located, %d not found, %d unchecked", len(entries), n[claim.Located], n[claim.NotFound], len(entries)-n[claim.Located]-n[claim.NotFound])
}

// omittedText shows what stands in the gaps of a claim's quotation.
func omittedText(e claim.Entry) string {
	var gaps []string
	for _, gap := range e.Location.LeftOut {
		gaps = append(gaps, "“"+cell(gap, 300)+"”")
	}
	if len(gaps) == 0 {
		return ""
	}
	return " (left out: " + strings.Join(gaps, "; ") + ")"
}

// writeConflicts shows both sides of each conflict.
func writeConflicts(w io.Writer, reg claim.Registry) error {
	if len(reg.Conflicts) == 0 {
		_, err := fmt.Fprintln(w, "No two claims disagree.")
		return err
	}
	var b strings.Builder
	for _, d := range reg.Conflicts {
		fmt.Fprintf(&b, "%s  %s, %s, %s  %s\n", cell(d.ID, 12), cell(string(d.Kind), 20), cell(string(d.Severity), 8), cell(d.Status, 20), cell(d.Detail, 120))
		for _, id := range []string{d.A, d.B} {
			e, _ := reg.Entry(id)
			fmt.Fprintf(&b, "    %s  %s\n        “%s”%s\n        %s, %s\n", cell(id, 12), cell(e.Text, 300), cell(e.Quote, 300), omittedText(e), cell(e.Source, 200), e.Location.State)
		}
		if d.Resolution != "" {
			fmt.Fprintf(&b, "    %s\n", cell(d.Resolution, 400))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sourceRow is a source with what is known of it and which claims rest on it.
type sourceRow struct {
	Key  string           `json:"key"`
	As   string           `json:"source"` // as it was first written
	URL  string           `json:"url,omitempty"`
	Type claim.SourceType `json:"source_type,omitempty"`
	export.Source
	CopyOf  string   `json:"copy_of,omitempty"` // key of the source whose text it repeats
	Claims  []string `json:"claims"`
	Located int      `json:"located"` // of the claims
}

func sourcesCommand(e program.Env) *cobra.Command {
	var w claimFilter
	c := &cobra.Command{
		Use: "sources [RUN]", Short: "List a run's sources: what they are, whether they could be read, which claims rest on them",
		Example: "council sources\ncouncil sources 20260222-143000-a1b2c3 --seat codex\ncouncil sources --state not-found --json",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			f, reg, err := registryOfRun(c, e, args, w)
			if err != nil {
				return err
			}
			defer f.Close()
			a, err := archiveOf(f)
			if err != nil {
				return fmt.Errorf("open the run's archive: %w", err)
			}
			rows := sourceRows(reg, sourcesOf(a), w == claimFilter{})
			if asJSON(c) {
				return encode(e.Stdout, rows)
			}
			return writeSources(e.Stdout, rows)
		},
	}
	w.flags(c)
	return c
}

// sourceRows lists the sources of claims in the order of the registry, and,
// where all are asked for, those behind them that were fetched and carry none.
func sourceRows(reg claim.Registry, known map[string]export.Source, all bool) []sourceRow {
	at := map[string]int{}
	rows := []sourceRow{}
	for _, e := range reg.Entries {
		src := source.Identify(e.Source)
		i, ok := at[src.Key]
		if !ok {
			i = len(rows)
			at[src.Key] = i
			rows = append(rows, sourceRow{Key: src.Key, As: e.Source, URL: src.URL, Type: e.Type, Source: known[src.Key], CopyOf: reg.Copies[src.Key]})
		}
		rows[i].Claims = append(rows[i].Claims, e.ID)
		if e.Location.State == claim.Located {
			rows[i].Located++
		}
	}
	if !all {
		return rows
	}
	var others []string
	for key := range known {
		if _, ok := at[key]; !ok {
			others = append(others, key)
		}
	}
	slices.Sort(others)
	for _, key := range others {
		rows = append(rows, sourceRow{Key: key, As: known[key].Final, URL: known[key].Final, Source: known[key], Claims: []string{}})
	}
	return rows
}

func writeSources(w io.Writer, list []sourceRow) error {
	rows := [][]string{{"SOURCE", "TYPE", "STATE", "FETCHED", "CLAIMS", "LOCATED", "TITLE"}}
	for _, s := range list {
		state, fetched := s.State, ""
		if state == "" {
			state = "not archived"
		}
		if s.Retracted {
			state += ", RETRACTED"
		}
		if !s.Fetched.IsZero() {
			fetched = s.Fetched.UTC().Format(time.DateTime)
		}
		rows = append(rows, []string{
			cell(s.As, sourceCell), cell(string(s.Type), 16), cell(state, 32), fetched,
			fmt.Sprint(len(s.Claims)), fmt.Sprint(s.Located), cell(s.Title, claimCell),
		})
	}
	return writeTable(w, rows)
}
