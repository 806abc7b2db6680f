package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

func stagedCommand(e program.Env) *cobra.Command {
	var w runOptions
	c := &cobra.Command{
		Use:   "staged QUESTION",
		Short: "Research in eight stages, with gates and a review council",
		Long: `Research in eight stages: discovery, planning, collection, factcheck, synthesis,
devils_advocate, report, review. A gate behind each decides whether the next
begins. The discovery asks you ten questions and waits; answer them with
` + "`council resume RUN --input answers.json`" + `, read the brief that is made of them,
and confirm it with ` + "`council resume RUN --confirm`" + ` in a terminal. Nobody else can. On a
terminal both are asked right here.`,
		Example: `council staged "Should we move our queue from Redis to NATS?"
council staged --reviewers claude,openai,groq --max-usd 20 "…"
council staged --seats librarian --scope docs "Which settings are deprecated?"
council resume 20260222-143000-a1b2c3 --input answers.json
council resume 20260222-143000-a1b2c3 --confirm`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return w.run(c, e, args, prepare.Staged) },
	}
	w.flags(c, request.StagedFlags())
	w.topicFlags(c)
	return c
}

// stillWaits tells what a run waits for, where nobody is there to say it: then
// there is nothing to do for a supervisor.
func stillWaits(c *cobra.Command, e program.Env, w work, inBackground bool) (bool, error) {
	r, err := supervisor.Read(w.project, w.folder.ID)
	if err != nil || !r.IsWaiting() || !inBackground && !w.quiet && !asJSON(c) && dialogue.AtTerminal(e) != nil {
		return false, err
	}
	return true, printWaiting(c, e, w.project, r)
}

// printWaiting tells what a run waits for, in the foreground.
func printWaiting(c *cobra.Command, e program.Env, project string, r flow.Run) error {
	page, err := dialogue.Page(project, r, view.Width(e.Stdout))
	if err != nil {
		return err
	}
	if asJSON(c) {
		st, err := runs.Status(project, r.Setup.ID)
		if err != nil {
			return err
		}
		return errors.Join(encode(e.Stdout, st), exitCode(codePaused))
	}
	if _, err := fmt.Fprint(e.Stdout, page); err != nil {
		return err
	}
	return exitCode(codePaused)
}
