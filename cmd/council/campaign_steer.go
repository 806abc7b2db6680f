package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/control"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/internal/product/campaign/steering"
)

// What a person says to a campaign that goes on, and how they let it try again
// what has failed.

func campaignNoteCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "note NAME TEXT",
		Short: "Say something to the next iteration of a campaign",
		Long: `Say something to a campaign while it goes on: the next iteration finds it in
its prompt, word for word, and no other does. The text is the argument, or
standard input where that is -. Only a person can; what is typed at the session
that owns a campaign reaches its next iteration by itself.`,
		Example: `council campaign note shelf "Use SQLite, not JSON; don't touch api/"
council campaign note shelf - < note.md`,
		Args: cobra.ExactArgs(2),
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return campaignNames(c, e, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error { return leaveNote(c, e, args[0], args[1]) },
	}
}

func leaveNote(c *cobra.Command, e program.Env, name, arg string) error {
	project, r, err := namedCampaign(c, e, name)
	if err != nil {
		return err
	}
	text, err := noteText(e, arg)
	if err != nil {
		return err
	}
	if text, err = control.Note(e, project, r, text); err != nil {
		return err
	}
	line := fmt.Sprintf("Noted. The next iteration of %s has it in its prompt.", campaign.Of(r.Setup.Own).Slug)
	if _, alive := supervisor.Alive(project, r.Setup.ID); !alive {
		line += fmt.Sprintf(" Nobody works on it now: `council campaign resume %s` goes on.", campaign.Of(r.Setup.Own).Slug)
	}
	return writeReply(c, e, map[string]string{"run": r.Setup.ID, "note": text}, line)
}

// namedCampaign is the campaign that was named, and its project.
func namedCampaign(c *cobra.Command, e program.Env, name string) (project string, r flow.Run, err error) {
	if project, err = projectWithRuns(c, e); err != nil {
		return "", r, err
	}
	r, err = steering.Pick(project, name)
	return project, r, err
}

func campaignRetryCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "retry NAME [FEATURE...]",
		Short: "Let failed features be tried again",
		Long: `Let features that have failed for good be tried again, with fresh attempts:
those named, or all of them. What they have blocked is free again, and what was
tried before stays in the journal. Nothing is begun; ` + "`council campaign resume`" + ` goes
on. Only a person can, while nobody works on the campaign.

A person may also edit docs/research-<name>/feature-list.json then: set passes
to false, drop, add, reorder or reword features. It is taken over by retry and
resume, or refused with its faults. That a feature passes only tests say.`,
		Example: `council campaign retry shelf
council campaign retry shelf F002 F007`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return retryCompletions(c, e, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error { return retry(c, e, args[0], args[1:]) },
	}
}

// retryCompletions are the campaigns, and behind one its features that have failed.
func retryCompletions(c *cobra.Command, e program.Env, args []string) []string {
	if len(args) == 0 {
		return campaignNames(c, e, args)
	}
	_, r, err := namedCampaign(c, e, args[0])
	if err != nil {
		return nil
	}
	list, err := steering.Features(r.Setup)
	if err != nil {
		return nil
	}
	var ids []string
	for _, x := range list.Features {
		if x.State == feature.Failed {
			ids = append(ids, x.ID)
		}
	}
	return ids
}

func retry(c *cobra.Command, e program.Env, name string, ids []string) error {
	project, r, err := namedCampaign(c, e, name)
	if err != nil {
		return err
	}
	says, err := steering.Retry(e.SupervisorOptions(project, r.Setup.ID), r, ids, caller.SpeaksFor(e, project, r))
	if err != nil {
		return err
	}
	lines := append(says, fmt.Sprintf("`council campaign resume %s` goes on.", campaign.Of(r.Setup.Own).Slug))
	return writeReply(c, e, map[string]any{"run": r.Setup.ID, "changed": says}, lines...)
}
