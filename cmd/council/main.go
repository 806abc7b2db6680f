//go:build !manual

// Command council researches a question with several agents that work apart,
// read one another, and end in one report.
//
// It is the whole program: the commands people type, the supervisor that works
// on a run, and, where council-hook is missing, the keeper that every seat's
// process lives under.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/host/binaries"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/project/confine"
)

func main() {
	if code, mine := proc.Main(os.Args); mine {
		os.Exit(code)
	}
	if code, mine := confine.RunInside(os.Args); mine {
		os.Exit(code)
	}
	disk.NameHome()
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	release := binaries.Hold(self)
	code := start(self, release)
	release()
	os.Exit(code)
}

// start gathers what the program was given and runs it. The first signal ends
// things in order; the second one ends the process at once, and the keepers
// end what it has started.
func start(self string, letGo func()) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop)
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return run(ctx, os.Args[1:], program.Env{
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Release: release, Version: version(), LetGo: letGo, Getenv: os.Getenv, Environ: os.Environ(), Dir: dir, Self: self,
	})
}
