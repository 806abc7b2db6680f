package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"research-council/internal/base/usage"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/supervisor"
	"research-council/internal/host/request"
)

// What a person says of a change of a campaign that nobody else could judge.

func campaignDecisionCommand(e env, use, short string, accept bool) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: use + " NAME FEATURE", Short: short, Args: cobra.ExactArgs(2),
		Long: short + `. A campaign waits for this where the tests pass and no
other seat and no fresh context can look at the change: no worker has the last
word on its own work, and no model may say this. "council status" tells what
there is to judge. Where the project has changed since it was tested, nothing is
noted: "council campaign resume" tests it again.`,
		Example: "council campaign " + use + ` parser F003 --reason "read the change; the table covers both cases"`,
		RunE: func(c *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return usage.Errorf("say why: --reason TEXT")
			}
			project, err := projectWithRuns(c, e)
			if err != nil {
				return err
			}
			r, err := pickCampaign(project, args[0])
			if err != nil {
				return err
			}
			if err := requirePerson(e, project, r); err != nil {
				return err
			}
			if err := decide(e, project, r, supervisor.PersonVerdict{Feature: args[1], Accept: accept, Reason: strings.TrimSpace(reason)}); err != nil {
				return err
			}
			return writeReply(c, e, map[string]any{"feature": args[1], "accept": accept}, decided(r))
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why, as it is kept")
	return c
}

// decide keeps a person's word on a change, for whoever goes on with the
// campaign.
func decide(e env, project string, r flow.Run, w supervisor.PersonVerdict) error {
	name := r.Setup.Campaign.Slug
	if h, alive := supervisor.Alive(project, r.Setup.ID); alive {
		return fmt.Errorf("process %d works on the campaign %q; it waits for nobody", h.PID, name)
	}
	err := supervisor.DecideChange(e.SupervisorOptions(project, r.Setup.ID), w)
	switch {
	case errors.Is(err, supervisor.ErrNotAsked):
		return fmt.Errorf("the campaign %q does not wait for a word on %s; `council status %s` says what it waits for", name, w.Feature, r.Setup.ID)
	case errors.Is(err, supervisor.ErrChanged):
		return fmt.Errorf("%s: %w; `council campaign resume %s` tests it again and asks again", w.Feature, err, name)
	}
	return err
}

func decided(r flow.Run) string {
	return fmt.Sprintf("Noted. `council campaign resume %s` goes on, or /research-council:continue-auto in its session.", r.Setup.Campaign.Slug)
}

// decideFor keeps what a person has typed at a session.
func decideFor(e env, in slashCommand, accept bool) hookAnswer {
	if who := sessionStarter(e); who != "" {
		return refusedAnswer(fmt.Errorf("only a person can judge a change, and this session was started by %s", who))
	}
	w, err := request.ParseWord(in.args)
	if err != nil {
		return refusedAnswer(err)
	}
	r, err := pickCampaign(in.project, w.Name)
	if err != nil {
		return refusedAnswer(err)
	}
	if err := decide(e, in.project, r, supervisor.PersonVerdict{Feature: w.Feature, Accept: accept, Reason: w.Reason}); err != nil {
		return refusedAnswer(err)
	}
	return hookAnswer{words: "Research council: " + decided(r)}
}
