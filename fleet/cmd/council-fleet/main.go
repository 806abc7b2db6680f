// Command council-fleet spreads runs of council over machines: it submits them, carries
// them on workers, and collects what came of them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/base/usage"
)

func main() {
	if code, mine := proc.Main(os.Args); mine {
		os.Exit(code)
	}
	os.Exit(start())
}

// start runs the program. The first signal has a worker hand over its runs, the second
// ends it at once; the keepers end what it has started.
func start() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop)
	err := command(ctx).ExecuteContext(ctx)
	var typed usage.Mistake
	switch {
	case err == nil:
		return 0
	case errors.As(err, &typed):
		fmt.Fprintln(os.Stderr, "council-fleet:", err)
		return 2
	case errors.Is(err, errGoesOn):
		fmt.Fprintln(os.Stderr, "council-fleet:", err)
		return 130
	case errors.Is(err, context.Canceled):
		return 130
	}
	fmt.Fprintln(os.Stderr, "council-fleet:", err)
	return 1
}
