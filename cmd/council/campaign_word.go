package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"research-council/internal/driver"
)

// What a person says of a change of a campaign that nobody else could judge.

func campaignWord(e env, use, short string, accept bool) *cobra.Command {
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
				return misuse("say why: --reason TEXT")
			}
			project, err := oldProject(c, e)
			if err != nil {
				return err
			}
			r, err := pickCampaign(project, args[0])
			if err != nil {
				return err
			}
			if err := personal(e, project, r); err != nil {
				return err
			}
			name := r.Setup.Campaign.Slug
			if h, alive := driver.Alive(project, r.Setup.ID); alive {
				return fmt.Errorf("process %d works on the campaign %q; it waits for nobody", h.PID, name)
			}
			err = driver.Decide(options(e, project, r.Setup.ID), driver.Word{Feature: args[1], Accept: accept, Reason: strings.TrimSpace(reason)})
			if errors.Is(err, driver.ErrNotAsked) {
				return fmt.Errorf("the campaign %q does not wait for a word on %s; `council status %s` says what it waits for", name, args[1], r.Setup.ID)
			}
			if errors.Is(err, driver.ErrChanged) {
				return fmt.Errorf("%s: %w; `council campaign resume %s` tests it again and asks again", args[1], err, name)
			}
			if err != nil {
				return err
			}
			return replied(c, e, map[string]any{"feature": args[1], "accept": accept}, fmt.Sprintf("Noted. `council campaign resume %s` goes on, or /research-council:continue-auto in its session.", name))
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why, as it is kept")
	return c
}
