// Command quotations measures the quotation gate on whole documents as they
// come: with notes, page headers, tables, markup and formulas, in 19 languages.
//
// testdata holds the documents, invented for this purpose, and cases.jsonl what
// is quoted from them. A case whose kind begins with "T-" is a true quotation
// and is to be located without a finding; any other must be refused, or located
// with one. Cases a fair judge may see otherwise are marked doubtful and do not
// count.
//
// The documents are parted in two by a hash of their names: what the gate was
// developed on, and what nobody looked at. testdata/later holds a second set,
// by somebody else. The share of wrong answers is told for each, by kind; with
// --from, of a directory with documents and cases.jsonl of its own.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
)

func main() {
	err := run(os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "quotations:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("quotations", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print JSON")
	show := flags.String("show", "", "show the wrong answers of a kind, or of \"all\"")
	part := flags.String("part", develop, "of which documents --show tells")
	from := flags.String("from", "", "measure the documents and cases.jsonl of this directory alone")
	languages := flags.Bool("languages", false, "show the wrong answers by language")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var dir fs.FS
	if *from != "" {
		dir = os.DirFS(*from)
	}
	answers, err := askAll(dir)
	if err != nil {
		return err
	}
	switch {
	case *show != "":
		return list(out, answers, *show, *part)
	case *languages:
		return byLanguage(out, answers)
	case *asJSON:
		return figures(out, count(answers))
	case dir != nil:
		return shares(out, count(answers))
	}
	return table(out, count(answers))
}
