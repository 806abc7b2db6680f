//go:build manual

package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra/doc"

	"github.com/research-council/research-council/internal/host/program"
)

// main writes the manual pages of all commands into a folder: the tag makes
// another program of this one, so that what makes them is not shipped. They are
// dated by SOURCE_DATE_EPOCH.
func main() {
	root := rootCommand(program.Env{Self: "council", Getenv: func(string) string { return "" }})
	root.DisableAutoGenTag = true
	if err := doc.GenManTree(root, &doc.GenManHeader{Title: "COUNCIL", Section: "1", Source: "research-council " + release, Manual: "research-council"}, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
