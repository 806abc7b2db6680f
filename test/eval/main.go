// Command eval measures whether the program keeps its promises, and writes the
// figures down.
//
//	go run ./test/eval [-data ../shared/data] [-out bin/eval] [-only faults,…] [-update]
//
// Every part leaves NAME.json and NAME.md in the folder of results. With
// -update the tables replace the marked parts of docs/EVALUATION.md. The exit
// code is 1 when a part could not be measured or a bar does not hold.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/test/eval/stage"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		stop()
		os.Exit(1)
	}
}

// bench is what every part needs.
type bench struct {
	bin     string // folder of the programs that are measured
	data    string // folder of outside data; it may not be there
	pages   string // folder of pages marked by people; "" where there is none
	tmp     string // emptied when the evaluation ends
	results string // folder of results
	seed    uint64
}

// part is one thing that is measured.
type part struct {
	name    string
	measure func(context.Context, bench) (Result, error)
}

// Parts in the order of the document.
func parts() []part {
	return []part{
		{"faults", faults},
		{"drift", drift},
		{"audit", audits},
		{"quotation", quotation},
		{"quotations", quotations},
		{"articles", articles},
		{"segments", segments},
		{"structure", structure},
		{"wrongsource", wrongSource},
		{"verify", offline},
		{"comparison", comparison},
		{"registry", million},
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("eval", flag.ContinueOnError)
	data := flags.String("data", "../shared/data", "folder of outside data")
	pages := flags.String("segments", "", "folder tests of a checkout of trafilatura; without it that part is not measured")
	results := flags.String("out", "bin/eval", "folder of results")
	only := flags.String("only", "", "parts to measure, comma separated")
	update := flags.Bool("update", false, "put the tables into docs/EVALUATION.md")
	keep := flags.String("keep", "", "folder for the runs, kept afterwards, instead of a temporary one")
	seed := flags.Uint64("seed", 1, "of everything that is generated")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	tmp, err := workshop(*keep)
	if err != nil {
		return err
	}
	if *keep == "" {
		defer os.RemoveAll(tmp)
	}
	b := bench{bin: filepath.Join(tmp, "bin"), data: *data, pages: *pages, tmp: tmp, results: *results, seed: *seed}
	if err := os.MkdirAll(*results, 0o755); err != nil {
		return err
	}
	if err := stage.Build(ctx, ".", b.bin); err != nil {
		return err
	}
	var failed []error
	for _, p := range chosen {
		if p.name == "segments" && b.pages == "" {
			if *only != "" {
				failed = append(failed, errors.New("segments: not measured, its table stays as it was: name the folder tests of a checkout of trafilatura with -segments"))
			}
			continue
		}
		failed = append(failed, b.do(ctx, p, *results, out))
	}
	if *update {
		failed = append(failed, document("docs/EVALUATION.md", *results))
	}
	return errors.Join(failed...)
}

// choose picks parts by their names, comma separated: all where none is named.
func choose(only string) ([]part, error) {
	all := parts()
	if only == "" {
		return all, nil
	}
	var list []part
	for name := range strings.SplitSeq(only, ",") {
		at := slices.IndexFunc(all, func(p part) bool { return p.name == name })
		if at < 0 {
			return nil, fmt.Errorf("there is no part %q to measure", name)
		}
		list = append(list, all[at])
	}
	return list, nil
}

// workshop is the folder in which runs are held.
func workshop(keep string) (string, error) {
	if keep == "" {
		return os.MkdirTemp("", "council-eval-")
	}
	dir, err := filepath.Abs(keep)
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// do measures one part and writes down what came of it.
func (b bench) do(ctx context.Context, p part, results string, out io.Writer) error {
	began := time.Now()
	r, err := p.measure(ctx, b)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	r.Seconds = time.Since(began).Seconds()
	text := r.Markdown()
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	for ext, content := range map[string][]byte{".json": append(data, '\n'), ".md": []byte(text)} {
		if err := os.WriteFile(filepath.Join(results, p.name+ext), content, 0o644); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	fmt.Fprintf(out, "== %s (%.0f s)\n\n%s\n", p.name, r.Seconds, text)
	return r.Missed(p.name)
}
