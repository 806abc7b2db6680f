// Command articles measures how well the article of a page is told from what
// stands around it, beside plain go-readability on the same bytes.
//
//	go run ./test/eval/articles                      # go-readability's own test pages
//	go run ./test/eval/articles -segments DIR        # and a checkout of trafilatura's tests
//
// The pages of go-readability come with its module: what is expected of each is
// a page, compared by its words. Trafilatura's tests (evaldata.json, and the
// pages in cache and eval) name up to six segments a page that belong to its
// article and up to six that do not. Nothing of either is part of this project.
//
// Pages are parted in two by a hash of their names: the extraction was developed
// on one half, the other was only measured.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	err := run(os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "articles:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("articles", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print JSON")
	segments := flags.String("segments", "", "the folder tests of a checkout of trafilatura, measured instead of go-readability's pages")
	show := flags.Bool("show", false, "show what is wrong in the half the extraction was developed on")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *segments != "" {
		return measureSegments(out, *segments, *asJSON, *show)
	}
	dir, err := readabilityPages()
	if err != nil {
		return err
	}
	return measurePages(out, dir, *asJSON, *show)
}

// readabilityPages is the folder of test pages in the module of go-readability.
func readabilityPages() (string, error) {
	found, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "codeberg.org/readeck/go-readability").Output()
	if err != nil {
		return "", fmt.Errorf("find the module of go-readability: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(found)), "test-pages"), nil
}

// The halves of the pages.
const (
	develop = "develop" // on which the extraction was developed
	unseen  = "unseen"
)

// half tells to which half a page belongs.
func half(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	if h.Sum32()%2 == 0 {
		return develop
	}
	return unseen
}

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
