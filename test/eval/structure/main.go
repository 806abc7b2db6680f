// Command structure counts the faults of structure in a set of reports, as
// `council audit --offline` finds them.
//
//	go run ./test/eval/structure [--json] DIR
//
// DIR holds reports-dev.jsonl.xz, a report a line: {id, prompt, article}. The
// system's xz unpacks it.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/research-council/research-council/internal/evidence/citation"
	"github.com/research-council/research-council/test/eval/xz"
)

func main() {
	asJSON := flag.Bool("json", false, "print JSON, a report each")
	flag.Parse()
	if err := run(os.Stdout, flag.Arg(0), *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "structure:", err)
		os.Exit(1)
	}
}

// counted is one report.
type counted struct {
	ID         int                    `json:"id"`
	Statements int                    `json:"statements"`
	References int                    `json:"references"`
	Quotations int                    `json:"quotations"`
	Numbers    int                    `json:"numbers"`
	Faults     map[citation.Fault]int `json:"faults"`
}

func run(w io.Writer, dir string, asJSON bool) error {
	if dir == "" {
		return errors.New("name the folder that holds reports-dev.jsonl.xz")
	}
	data, err := xz.Read(filepath.Join(dir, "reports-dev.jsonl.xz"))
	if err != nil {
		return err
	}
	began := time.Now()
	all, bytes, err := count(data)
	if err != nil {
		return err
	}
	if asJSON {
		return json.NewEncoder(w).Encode(all)
	}
	return write(w, all, bytes, time.Since(began))
}

func count(data []byte) (all []counted, size int, err error) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r struct {
			ID      int
			Article string
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, 0, fmt.Errorf("read report %d: %w", len(all)+1, err)
		}
		d, err := citation.Parse([]byte(r.Article), "text/markdown")
		if err != nil {
			return nil, 0, fmt.Errorf("parse report %d: %w", r.ID, err)
		}
		c := counted{ID: r.ID, Statements: len(d.Statements), References: len(d.References), Faults: map[citation.Fault]int{}}
		for _, s := range d.Statements {
			c.Quotations += len(s.Quotations)
			c.Numbers += len(s.Numbers)
		}
		for _, f := range d.Findings {
			c.Faults[f.Fault] += max(1, f.Times)
		}
		all = append(all, c)
		size += len(r.Article)
	}
	return all, size, lines.Err()
}

// write prints a table.
func write(w io.Writer, all []counted, size int, took time.Duration) error {
	var sum counted
	faults, in := map[citation.Fault]int{}, map[citation.Fault]int{}
	for _, c := range all {
		sum.Statements += c.Statements
		sum.References += c.References
		sum.Quotations += c.Quotations
		sum.Numbers += c.Numbers
		for f, n := range c.Faults {
			faults[f] += n
			in[f]++
		}
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "### Structure of %d reports\n\n", len(all))
	fmt.Fprintf(b, "%d statements with references, %d references, %d quotations, %d numbers; %.1f MB read and judged in %.2f s, no crash.\n\n",
		sum.Statements, sum.References, sum.Quotations, sum.Numbers, float64(size)/1e6, took.Seconds())
	fmt.Fprintln(b, "| fault | found | in reports |\n|---|---|---|")
	names := make([]citation.Fault, 0, len(faults))
	for f := range faults {
		names = append(names, f)
	}
	for _, f := range []citation.Fault{citation.Dangling, citation.Duplicate, citation.Unused} {
		if faults[f] == 0 {
			names = append(names, f)
		}
	}
	slices.Sort(names)
	for _, f := range names {
		fmt.Fprintf(b, "| %s | %d | %d |\n", f, faults[f], in[f])
	}
	fmt.Fprintln(b, "\n| report | statements | references | faults |\n|---|---|---|---|")
	for _, c := range all {
		if len(c.Faults) > 0 {
			faulty, err := json.Marshal(c.Faults)
			if err != nil {
				return err
			}
			fmt.Fprintf(b, "| %d | %d | %d | %s |\n", c.ID, c.Statements, c.References, faulty)
		}
	}
	fmt.Fprintln(b, "\nReports without a fault are left out of the second table.")
	return b.Flush()
}
