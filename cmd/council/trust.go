package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/view"
)

// checkTrusted lets a run that came from elsewhere be worked on where the person says
// so, by a flag or when they are asked at a terminal, and a copy of a fleet's run where they
// take it over by one; any other run it lets pass.
func checkTrusted(ctx context.Context, e program.Env, project, id string, trusts, fromFleet bool) error {
	who := caller.Agent(e.Getenv)
	if fromFleet && who != "" {
		return usage.Errorf("only a person can take a run over from a fleet, and this program runs on behalf of %s: say it in a terminal of your own", who)
	}
	if fromFleet {
		if err := supervisor.TakeOver(project, id); err != nil {
			return err
		}
	}
	if trusts && who != "" {
		return usage.Errorf("only a person can trust a run from elsewhere, and this program runs on behalf of %s: say it in a terminal of your own", who)
	}
	err := supervisor.CheckBegunHere(project, id)
	if errors.Is(err, supervisor.ErrMirrored) {
		return err
	}
	if !errors.Is(err, supervisor.ErrForeign) {
		return nil // whoever works on it tells what else is wrong
	}
	if !trusts && (who != "" || !view.IsTerminal(e.Stdin) || !view.IsTerminal(e.Stderr)) {
		return err
	}
	if !trusts {
		yes, askErr := asksToTrust(ctx, e, project, id)
		if errors.Is(askErr, context.Canceled) {
			fmt.Fprintf(e.Stderr, "\nStopped. Nothing was begun; `council resume %s` asks again.\n", id)
			return exitCode(codeInterrupted)
		}
		if askErr != nil || !yes {
			return errors.Join(err, askErr)
		}
	}
	return supervisor.Trust(project, id)
}

// asksToTrust shows the person what a run from elsewhere starts.
func asksToTrust(ctx context.Context, e program.Env, project, id string) (bool, error) {
	r, err := supervisor.Read(project, id)
	if err != nil {
		return false, err
	}
	fmt.Fprintf(e.Stderr, "Run %s was not begun here. Whoever wrote its files chose these programs, which it starts as you:\n", id)
	for _, s := range r.Setup.Seats {
		fmt.Fprintln(e.Stderr, plain.Terminal("  "+s.Name+": "+strings.Join(append([]string{s.Program}, s.Args...), " ")))
	}
	fmt.Fprint(e.Stderr, "Work on it? [y/N] ")
	said, err := untilInterrupted(ctx, func() (string, error) { return bufio.NewReader(e.Stdin).ReadString('\n') })
	if errors.Is(err, context.Canceled) {
		return false, err
	}
	if err != nil {
		return false, nil // nobody has said yes
	}
	said = strings.ToLower(strings.TrimSpace(said))
	return said == "y" || said == "yes", nil
}
