package session

import (
	"context"
	"strings"

	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/setup"
)

// setUpFor answers a person who has typed the command of the setup: without a yes it
// shows what there is and what would be written, with one it writes and tries. No model
// has a part in it.
func setUpFor(ctx context.Context, e program.Env, in slashCommand) hookAnswer {
	o, err := setup.Parse(in.Args)
	if err != nil {
		return refusedAnswer(err)
	}
	asks := !o.Yes && !o.DryRun
	o.DryRun = o.DryRun || asks
	r, err := setup.Run(ctx, caller.ForPerson(e), in.Project, o, nil)
	if err != nil {
		return refusedAnswer(err)
	}
	lines := append(r.Said, r.Problems...)
	if asks {
		lines = append(lines, "", "Nothing was written. "+in.typed("setup")+" --yes writes it and tries a call of each seat, which costs; --seats, --max-usd, --notify, --statusline say otherwise, --no-try tries nothing.")
	}
	return hookAnswer{Words: strings.Join(lines, "\n")}
}
