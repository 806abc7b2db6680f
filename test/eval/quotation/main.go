// Command quotation measures how well quotations are told from altered ones.
//
// It takes sentences that stand in real documents (the package documentation
// of the Go installation, and sentences of eight languages written for this
// purpose), alters each in ways that change what it says and in ways that do
// not, and asks several gates whether the document holds the result. It prints
// the share accepted, as Markdown or with --json as JSON.
//
// The alterations know nothing of the guards: they have word lists of their
// own.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	err := run(os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errMissed):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "quotation:", err)
		os.Exit(2)
	}
}

var errMissed = errors.New("a bar is missed")

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("quotation", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print JSON")
	trials := flags.Int("trials", 3000, "altered sentences of each kind, where there are as many")
	seed := flags.Uint64("seed", 1, "of the choices made at random")
	check := flags.Bool("check", false, "exit with 1 when a bar is missed")
	speed := flags.Bool("speed", true, "measure times too")
	show := flags.Int("show", 0, "show so many wrong answers of each kind")
	if err := flags.Parse(args); err != nil {
		return err
	}
	docs, err := documents()
	if err != nil {
		return fmt.Errorf("read the documents: %w", err)
	}
	r := measure(docs, *trials, *seed, *show)
	if *speed {
		r.Speed = times(docs)
	}
	if *asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		err = enc.Encode(r)
	} else {
		err = r.markdown(out)
	}
	if err == nil && *check && !r.met() {
		return errMissed
	}
	return err
}
