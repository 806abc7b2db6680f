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

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/audit"
	"github.com/research-council/research-council/internal/evidence/citation"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/test/eval/plant"
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
	quoted, stated, err := auditPlan(plan)
	if err != nil {
		return err
	}
	rows, numbers := tally(plan.Claims, quoted), tally(numerical(plan.Claims), stated)
	if asJSON {
		return json.NewEncoder(w).Encode(map[string][]Row{"quotations": rows, "numbers": numbers})
	}
	return errors.Join(write(w, "quotations", rows, seed), write(w, "numbers of statements without quotations", numbers, seed))
}

// numerical are the claims a check of numbers alone can tell: honest ones of
// sources that can be read, and those with an altered number.
func numerical(claims []plant.Claim) []plant.Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c plant.Claim) bool {
		switch c.Fault {
		case plant.None:
			return c.Writing == plant.Typo
		case "altered number", "stale year", "altered magnitude":
			return false
		}
		return true
	})
}

// auditPlan audits two reports in each language, one that quotes and one that
// states the same without quotation marks; results are by claim.
func auditPlan(plan *plant.Plan) (quoted, stated map[string]verdict, err error) {
	web, err := plan.Serve()
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, web.Close()) }()
	dir, err := os.MkdirTemp("", "eval-audit-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	kept, err := archive.Open(dir, web.Options())
	if err != nil {
		return nil, nil, err
	}
	quoted, stated = map[string]verdict{}, map[string]verdict{}
	for _, lang := range plant.Languages() {
		claims := slices.DeleteFunc(slices.Clone(plan.Claims), func(c plant.Claim) bool { return c.Lang != lang })
		r, err := auditReport(kept, lang, report(claims, "“%s” [%d]\n\n"))
		if err != nil {
			return nil, nil, err
		}
		judge(claims, r, quoted)
		claims = numerical(claims)
		if r, err = auditReport(kept, lang, report(claims, "%s [%d]\n\n")); err != nil {
			return nil, nil, err
		}
		judgeNumbers(claims, r, stated)
	}
	return quoted, stated, nil
}

func auditReport(kept *archive.Archive, name, text string) (audit.Result, error) {
	d, err := citation.Parse([]byte(text), "text/markdown")
	if err != nil {
		return audit.Result{}, err
	}
	return audit.Report(context.Background(), name, d, audit.Options{Archive: kept})
}

// judgeNumbers is judge for the numbers of statements: located is a statement
// whose numbers all stand in its source.
func judgeNumbers(claims []plant.Claim, r audit.Result, out map[string]verdict) {
	byLine := map[int]verdict{}
	for _, s := range r.Statements {
		v, known := byLine[s.Line]
		if !known {
			v.state = claim.Located
		}
		for _, n := range s.Numbers {
			if n.State == audit.No {
				v.state = claim.NotFound
				v.why += n.Text + " "
			}
		}
		if s.About == audit.No {
			v.state = claim.NotFound
			v.why += "its source speaks of other matter"
		}
		byLine[s.Line] = v
	}
	line := 3
	for _, c := range claims {
		out[c.ID] = byLine[line]
		line += 2 + strings.Count(c.Quote, "\n")
	}
}

// report is a report with a sentence for each claim, in the form given.
func report(claims []plant.Claim, form string) string {
	var text, list strings.Builder
	text.WriteString("# Report\n\n")
	number := map[string]int{}
	for _, c := range claims {
		n := number[c.Source]
		if n == 0 {
			n = len(number) + 1
			number[c.Source] = n
			fmt.Fprintf(&list, "[%d] %s\n", n, c.Source)
		}
		fmt.Fprintf(&text, form, strings.Trim(c.Quote, "“”\""), n)
	}
	return text.String() + "## References\n\n" + list.String()
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
	shared := map[string]bool{} // texts that several sources have
	for _, src := range r.Sources {
		if src.CopyOf != "" {
			shared[src.Key], shared[src.CopyOf] = true, true
		}
	}
	for _, s := range r.Statements {
		for _, q := range s.Quotations {
			v := verdict{state: q.State, why: q.Reason + " " + q.Tier}
			v.flagged = q.Aside || len(q.Findings) > 0 || q.Tier == "elided"
			if q.Source >= 0 {
				src := r.Sources[q.Source]
				v.flagged = v.flagged || src.Retracted || src.Mismatch != "" || shared[src.Key] || len(src.Warnings) > 0
			}
			if _, known := byLine[s.Line]; !known {
				byLine[s.Line] = v
			}
		}
	}
	line := 3
	for _, c := range claims {
		out[c.ID] = byLine[line]
		line += 2 + strings.Count(c.Quote, "\n")
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
	return v.state != "" && (v.state != claim.Located || v.flagged)
}

func tally(claims []plant.Claim, results map[string]verdict) []Row {
	var rows []Row
	for _, c := range claims {
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

func write(w io.Writer, what string, rows []Row, seed uint64) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "### Audit of reports with planted faults: %s, seed %d\n\n| fault | wanted | claims | right |\n|---|---|---|---|\n", what, seed)
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
	fmt.Fprintf(b, "\nRecall %.2f %% of %d planted, false alarms %.2f %% of %d honest.\n\n",
		100*float64(found)/float64(max(1, planted)), planted, 100*float64(honest-sound)/float64(max(1, honest)), honest)
	return b.Flush()
}
