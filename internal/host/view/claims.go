package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/output/export"
)

// Claims writes the claims of a registry, a line each, and how many there are.
func Claims(w io.Writer, reg claim.Registry) error {
	rows := [][]string{{"ID", "QUOTATION", "CONFIDENCE", "SUPPORT", "SEATS", "CLAIM", "SOURCE"}}
	for _, e := range reg.Entries {
		state := string(e.Location.State)
		if e.Location.Tier != "" {
			state += ", " + e.Location.Tier
		}
		rows = append(rows, []string{
			Cell(e.ID, 12), Cell(state, 24), Cell(string(e.Confidence), 10), Cell(supportText(e), 16), Cell(strings.Join(e.Seats, " "), 24),
			Cell(e.Text, claimCell), Cell(whereFrom(e), sourceCell),
		})
	}
	if err := writeTable(w, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s, %s\n", claimCounts(reg.Entries), plural.Of(len(reg.Conflicts), "conflict"))
	return err
}

// whereFrom names a claim's sources, or the claims it rests on.
func whereFrom(e claim.Entry) string {
	if e.Kind.RestsOnClaims() {
		return e.Kind.String() + " from " + strings.Join(e.RestsOn, ", ")
	}
	var sources []string
	for _, p := range e.Evidence() {
		sources = append(sources, p.Source)
	}
	return strings.Join(sources, "; ")
}

func supportText(e claim.Entry) string {
	return cmp.Or(e.Verdict(), "-")
}

// claimCounts counts claims by what came of looking for their quotations.
func claimCounts(entries []claim.Entry) string {
	n, reasoned := map[claim.State]int{}, 0
	for _, e := range entries {
		n[e.Location.State]++
		if e.Kind.RestsOnClaims() {
			reasoned++
		}
	}
	facts := len(entries) - reasoned
	said := fmt.Sprintf("%s: %d located, %d not found, %d unchecked", plural.Of(len(entries), "claim"), n[claim.Located], n[claim.NotFound], facts-n[claim.Located]-n[claim.NotFound])
	if reasoned > 0 {
		said += fmt.Sprintf("; %d rest on other claims", reasoned)
	}
	return said
}

// omittedText shows what stands in the gaps of a claim's quotation.
func omittedText(e claim.Entry) string {
	var gaps []string
	for _, gap := range e.Location.LeftOut {
		gaps = append(gaps, "“"+Cell(gap, 300)+"”")
	}
	if len(gaps) == 0 {
		return ""
	}
	return " (left out: " + strings.Join(gaps, "; ") + ")"
}

// Conflicts shows both sides of each conflict.
func Conflicts(w io.Writer, reg claim.Registry) error {
	if len(reg.Conflicts) == 0 {
		_, err := fmt.Fprintln(w, "No two claims disagree.")
		return err
	}
	var b strings.Builder
	for _, d := range reg.Conflicts {
		fmt.Fprintf(&b, "%s  %s, %s, %s  %s\n", Cell(d.ID, 12), Cell(string(d.Kind), 20), Cell(string(d.Severity), 8), Cell(d.Status, 20), Cell(d.Detail, 120))
		for _, id := range []string{d.A, d.B} {
			e, _ := reg.Entry(id)
			if e.Kind.RestsOnClaims() {
				fmt.Fprintf(&b, "    %s  %s\n        %s, %s\n", Cell(id, 12), Cell(e.Text, 300), Cell(whereFrom(e), 200), e.Location.State)
				continue
			}
			fmt.Fprintf(&b, "    %s  %s\n        “%s”%s\n        %s, %s\n", Cell(id, 12), Cell(e.Text, 300), Cell(e.Quote, 300), omittedText(e), Cell(e.Source, 200), e.Location.State)
		}
		if d.Resolution != "" {
			fmt.Fprintf(&b, "    %s\n", Cell(d.Resolution, 400))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// SourceRow is a source with what is known of it and which claims rest on it.
type SourceRow struct {
	Key  string           `json:"key"`
	As   string           `json:"source"` // as it was first written
	URL  string           `json:"url,omitempty"`
	Type claim.SourceType `json:"source_type,omitempty"`
	export.Source
	CopyOf  string   `json:"copy_of,omitempty"` // key of the source whose text it repeats
	Claims  []string `json:"claims"`
	Located int      `json:"located"` // of the claims
}

// SourceRows lists the sources of claims in the order of the registry, and,
// where all are asked for, those behind them that were fetched and carry none.
func SourceRows(reg claim.Registry, known map[string]export.Source, all bool) []SourceRow {
	at := map[string]int{}
	rows := []SourceRow{}
	for _, e := range reg.Entries {
		for _, p := range e.Evidence() {
			src := source.Identify(p.Source)
			i, ok := at[src.Key]
			if !ok {
				i = len(rows)
				at[src.Key] = i
				rows = append(rows, SourceRow{Key: src.Key, As: p.Source, URL: src.URL, Type: p.Type, Source: known[src.Key], CopyOf: reg.Copies[src.Key]})
			}
			if slices.Contains(rows[i].Claims, e.ID) {
				continue
			}
			rows[i].Claims = append(rows[i].Claims, e.ID)
			if p.Location.State == claim.Located {
				rows[i].Located++
			}
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
		rows = append(rows, SourceRow{Key: key, As: known[key].Final, URL: known[key].Final, Source: known[key], Claims: []string{}})
	}
	return rows
}

// Sources writes sources, a line each.
func Sources(w io.Writer, list []SourceRow) error {
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
			Cell(s.As, sourceCell), Cell(string(s.Type), 16), Cell(state, 32), fetched,
			fmt.Sprint(len(s.Claims)), fmt.Sprint(s.Located), Cell(s.Title, claimCell),
		})
	}
	return writeTable(w, rows)
}
