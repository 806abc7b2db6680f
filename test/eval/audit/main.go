// Command audit measures `council audit` on reports with planted faults: a
// report in each language whose sentences quote pages of a fake web, some of
// them altered, stitched, invented, dead or retracted.
//
//	go run ./test/eval/audit [--json] [--seed N] [DIR]
//
// A folder is taken and not needed: everything is made from the seed.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"research-council/internal/archive"
	"research-council/internal/audit"
	"research-council/internal/citation"
	"research-council/internal/claim"
	"research-council/test/eval/plant"
)

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	seed := flag.Uint64("seed", 1, "what is planted")
	each := flag.Int("each", 20, "claims with each fault of a quotation")
	flag.Parse()
	if err := run(os.Stdout, *seed, *each, *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "audit:", err)
		os.Exit(1)
	}
}

// Row is what became of the claims with one fault, or of the honest ones.
type Row struct {
	Fault  plant.Fault `json:"fault"`
	Want   plant.Want  `json:"want"`
	Claims int         `json:"claims"`
	Right  int         `json:"right"`
	Wrong  []string    `json:"wrong,omitempty"` // the first few
}

func run(w io.Writer, seed uint64, each int, asJSON bool) error {
	plan, err := plant.New(plant.Size{Seed: seed, Each: each, Sources: (each + 1) / 2, Hosts: 61, Seats: 1, PerPage: 6})
	if err != nil {
		return err
	}
	results, err := auditPlan(plan)
	if err != nil {
		return err
	}
	rows := tally(plan, results)
	if asJSON {
		return json.NewEncoder(w).Encode(rows)
	}
	return write(w, rows, seed)
}

// auditPlan audits a report in each language; results are by claim.
func auditPlan(plan *plant.Plan) (results map[string]verdict, err error) {
	web, err := plan.Serve()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, web.Close()) }()
	dir, err := os.MkdirTemp("", "eval-audit-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	kept, err := archive.Open(dir, web.Options())
	if err != nil {
		return nil, err
	}
	results = map[string]verdict{}
	for _, lang := range plant.Languages() {
		claims := slices.DeleteFunc(slices.Clone(plan.Claims), func(c plant.Claim) bool { return c.Lang != lang })
		d, err := citation.Parse([]byte(report(claims)), "text/markdown")
		if err != nil {
			return nil, err
		}
		r, err := audit.Report(context.Background(), lang, d, audit.Options{Archive: kept})
		if err != nil {
			return nil, err
		}
		judge(claims, r, results)
	}
	return results, nil
}

// report is a report that quotes each claim's source.
func report(claims []plant.Claim) string {
	var text, list strings.Builder
	text.WriteString("# Report\n\n")
	number := map[string]int{}
	for i, c := range claims {
		n := number[c.Source]
		if n == 0 {
			n = len(number) + 1
			number[c.Source] = n
			fmt.Fprintf(&list, "[%d] %s\n", n, c.Source)
		}
		fmt.Fprintf(&text, "%d. \u2e28%s\u2e29 [%d]\n\n", i+1, "“"+strings.Trim(c.Quote, "“”\"")+"”", n)
	}
	return strings.NewReplacer("\u2e28", "", "\u2e29", "").Replace(text.String()) + "## References\n\n" + list.String()
}

// verdict is what the audit says of a claim.
type verdict struct {
	state   claim.State
	flagged bool
	why     string
}

// judge finds each claim's quotation by its line: they stand in order.
func judge(claims []plant.Claim, r audit.Result, out map[string]verdict) {
	byLine := map[int]verdict{}
	for _, s := range r.Statements {
		for _, q := range s.Quotations {
			v := verdict{state: q.State, why: q.Reason + " " + q.Tier}
			v.flagged = q.Aside || len(q.Findings) > 0 || q.Tier == "elided"
			if q.Source >= 0 {
				src := r.Sources[q.Source]
				v.flagged = v.flagged || src.Retracted || src.Mismatch != "" || src.CopyOf != "" || len(src.Warnings) > 0
			}
			if _, known := byLine[s.Line]; !known {
				byLine[s.Line] = v
			}
		}
	}
	line := 3
	for i, c := range claims {
		out[c.ID] = byLine[line]
		line += 2 + strings.Count(c.Quote, "\n")
		_ = i
	}
}

// right reports whether a verdict is what the plan wants.
func (v verdict) right(want plant.Want) bool {
	switch want {
	case plant.Located:
		return v.state == claim.Located
	case plant.NotFound:
		return v.state == claim.NotFound
	case plant.Unchecked:
		return v.state == claim.Unchecked
	case plant.Refused:
		return v.state == claim.NotFound || v.state == claim.Unchecked
	}
	return v.state != claim.Located || v.flagged
}

func tally(plan *plant.Plan, results map[string]verdict) []Row {
	var rows []Row
	for _, c := range plan.Claims {
		at := slices.IndexFunc(rows, func(r Row) bool { return r.Fault == c.Fault && r.Want == c.Want })
		if at < 0 {
			rows = append(rows, Row{Fault: c.Fault, Want: c.Want})
			at = len(rows) - 1
		}
		row, v := &rows[at], results[c.ID]
		row.Claims++
		if v.right(c.Want) {
			row.Right++
		} else if len(row.Wrong) < 5 {
			row.Wrong = append(row.Wrong, fmt.Sprintf("%s %s %s %s: %q is %s %s", c.ID, c.Lang, c.Manner, c.Writing, c.Quote, v.state, v.why))
		}
	}
	return rows
}

func write(w io.Writer, rows []Row, seed uint64) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "### Audit of reports with planted faults, seed %d\n\n| fault | wanted | claims | right |\n|---|---|---|---|\n", seed)
	planted, found, honest, sound := 0, 0, 0, 0
	for _, r := range rows {
		name := r.Fault
		if name == plant.None {
			name = "none"
			honest, sound = honest+r.Claims, sound+r.Right
		} else {
			planted, found = planted+r.Claims, found+r.Right
		}
		fmt.Fprintf(b, "| %s | %s | %d | %.1f %% |\n", name, r.Want, r.Claims, 100*float64(r.Right)/float64(r.Claims))
	}
	fmt.Fprintf(b, "\nRecall %.2f %% of %d planted, false alarms %.2f %% of %d honest.\n",
		100*float64(found)/float64(max(1, planted)), planted, 100*float64(honest-sound)/float64(max(1, honest)), honest)
	return b.Flush()
}
