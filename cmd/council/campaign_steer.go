package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"research-council/internal/base/usage"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/product/campaign"
	"research-council/internal/product/campaign/feature"
	"research-council/internal/product/recipe"
)

// What a person says to a campaign that goes on, and how they let it try again
// what has failed.

func campaignNoteCommand(e env) *cobra.Command {
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

func leaveNote(c *cobra.Command, e env, name, arg string) error {
	project, err := projectWithRuns(c, e)
	if err != nil {
		return err
	}
	r, err := pickCampaign(project, name)
	if err != nil {
		return err
	}
	if who := speaksFor(e, project, r); who != "" {
		return usage.Errorf("only a person can say something to a campaign, and this program runs on behalf of %s; what is typed at the session that owns the campaign reaches it by itself", who)
	}
	if r.Status != "" {
		return fmt.Errorf("the campaign %q has ended (%s), and no iteration would hear it%s", r.Setup.Campaign.Name, plainStatus(r.Status), nextCommandHint(r))
	}
	if arg == "-" {
		data, err := io.ReadAll(io.LimitReader(e.stdin, 1<<20))
		if err != nil {
			return fmt.Errorf("read the note: %w", err)
		}
		arg = string(data)
	}
	text, err := supervisor.CheckNote(arg)
	if err != nil {
		return usage.Of(err)
	}
	if err := supervisor.LeaveNote(project, r.Setup.ID, text, time.Now()); err != nil {
		return err
	}
	line := fmt.Sprintf("Noted. The next iteration of %s has it in its prompt.", r.Setup.Campaign.Slug)
	if _, alive := supervisor.Alive(project, r.Setup.ID); !alive {
		line += fmt.Sprintf(" Nobody works on it now: `council campaign resume %s` goes on.", r.Setup.Campaign.Slug)
	}
	return writeReply(c, e, map[string]string{"run": r.Setup.ID, "note": text}, line)
}

// plainStatus is a status as people read it.
func plainStatus(s flow.Status) string { return strings.ReplaceAll(string(s), "_", " ") }

func campaignRetryCommand(e env) *cobra.Command {
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
func retryCompletions(c *cobra.Command, e env, args []string) []string {
	if len(args) == 0 {
		return campaignNames(c, e, args)
	}
	project, err := projectWithRuns(c, e)
	if err != nil {
		return nil
	}
	r, err := pickCampaign(project, args[0])
	if err != nil {
		return nil
	}
	f, err := workspace.Open(project, r.Setup.ID)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := f.Read(campaign.Features)
	if err != nil {
		return nil
	}
	list, err := feature.Parse(data)
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

func retry(c *cobra.Command, e env, name string, ids []string) error {
	project, err := projectWithRuns(c, e)
	if err != nil {
		return err
	}
	r, err := pickCampaign(project, name)
	if err != nil {
		return err
	}
	if who := speaksFor(e, project, r); who != "" {
		return usage.Errorf("only a person can have a feature tried again, and this program runs on behalf of %s: say it in a terminal of your own", who)
	}
	slug := r.Setup.Campaign.Slug
	if r.Status == flow.Cancelled {
		return errors.New(cancelledText(r))
	}
	if h, alive := supervisor.Alive(project, r.Setup.ID); alive {
		return fmt.Errorf("process %d works on the campaign %q; stop it first (Ctrl-C there, or close its session)", h.PID, r.Setup.Campaign.Name)
	}
	says, err := supervisor.EditList(e.SupervisorOptions(project, r.Setup.ID), supervisor.ListRequest{Person: true, Retry: true, Feature: ids})
	if err != nil {
		return err
	}
	lines := append(says, fmt.Sprintf("`council campaign resume %s` goes on.", slug))
	return writeReply(c, e, map[string]any{"run": r.Setup.ID, "changed": says}, lines...)
}

// updateFeatureList brings the feature list of a campaign that nobody works on in step
// with what has changed around it, and says what that is: what a person has
// edited, and what failed for reasons they have mended since.
func updateFeatureList(e env, project string, r flow.Run) (flow.Run, error) {
	if _, alive := supervisor.Alive(project, r.Setup.ID); alive {
		return r, nil // whoever works on it puts the list back
	}
	person := speaksFor(e, project, r) == ""
	says, err := supervisor.EditList(e.SupervisorOptions(project, r.Setup.ID), supervisor.ListRequest{Person: person, Mended: true})
	if err != nil || len(says) == 0 {
		return r, err
	}
	fmt.Fprintf(e.stderr, "The feature list: %s\n", strings.Join(says, "; "))
	_, r, err = supervisor.Load(project, r.Setup.ID)
	return r, err
}

// cancelledText says that a campaign does not go on, and how another begins.
func cancelledText(r flow.Run) string {
	return fmt.Sprintf("the campaign %q was cancelled for good%s", r.Setup.Campaign.Name, nextCommandHint(r))
}

// nextCommandHint is the command that goes on after a campaign that has ended, as the
// end of a sentence.
func nextCommandHint(r flow.Run) string {
	c := r.Setup.Campaign
	again := fmt.Sprintf("council campaign run %s NAME '…'", c.Mode)
	if c.Mode == campaign.Implement {
		again = fmt.Sprintf("council campaign run implement %s", c.Slug)
	}
	switch {
	case r.Status == flow.Cancelled && c.Mode == campaign.Implement:
		return fmt.Sprintf("; `%s` begins another that goes on with its feature list", again)
	case r.Status == flow.Cancelled:
		return fmt.Sprintf("; begin another under another name with `%s`", again)
	case r.Status == flow.Failed || recipe.HasWorkLeft(r):
		return fmt.Sprintf("; `council campaign resume %s` goes on", c.Slug)
	case recipe.Finished(r) && recipe.CampaignState(r).Lost > 0:
		return fmt.Sprintf("; `council campaign retry %s` lets what failed be tried again", c.Slug)
	case recipe.Finished(r):
		return fmt.Sprintf("; `council campaign run %s NAME` begins another under another name", c.Mode)
	}
	return fmt.Sprintf("; `council campaign resume %s --max-iterations %d` goes on", c.Slug, recipe.CampaignState(r).Iteration+10)
}
