//go:build manual

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra/doc"

	"github.com/research-council/research-council/internal/host/program"
)

// main writes the manual pages of all commands into one folder and the
// completions of three shells into another: the tag makes another program of this
// one, so that what makes them is not shipped. They are dated by SOURCE_DATE_EPOCH.
func main() {
	root := rootCommand(program.Env{Self: "council", Getenv: func(string) string { return "" }})
	root.DisableAutoGenTag = true
	pages, completions := os.Args[1], os.Args[2]
	err := doc.GenManTree(root, &doc.GenManHeader{Title: "COUNCIL", Section: "1", Source: "research-council " + release, Manual: "research-council"}, pages)
	err = errors.Join(err,
		root.GenBashCompletionFileV2(filepath.Join(completions, "council"), true),
		root.GenZshCompletionFile(filepath.Join(completions, "_council")),
		root.GenFishCompletionFile(filepath.Join(completions, "council.fish"), true))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
