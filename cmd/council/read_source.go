package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/host/program"
)

// readSourceCommand is the process in which a source is read: what it takes of
// memory and time is bounded, and only it ends of it. With a program it becomes
// that program, bounded too.
func readSourceCommand(e program.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "read-source [PROGRAM ARGS]", Short: "Read one source in bounds", Hidden: true, Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return archive.BoundPoppler(args)
			}
			return archive.RunReaderProcess(e.Stdin, e.Stdout, func() { os.Exit(codeFailed) })
		},
	}
	c.Flags().SetInterspersed(false) // a program's flags are its own
	return c
}
