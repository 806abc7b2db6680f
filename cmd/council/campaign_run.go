package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/steering"
)

// campaignOptions is what `council campaign run` was asked for.
type campaignOptions struct {
	request.Request
	detach, quiet, trusts bool
}

func campaignRunCommand(e program.Env) *cobra.Command {
	var w campaignOptions
	c := &cobra.Command{
		Use:   "run MODE NAME [PROMPT]",
		Short: "Begin a campaign and work on it",
		Long: `Begin a campaign and work on it, a fresh process for each iteration. Modes are
research, research-and-plan, full-auto and implement (which takes no prompt but
a plan that is there). The prompt is the argument, or standard input where that
is -. Ctrl-C stops the work; the campaign can be taken up again.`,
		Example: `council campaign run research 'tls-1.3' 'What did TLS 1.3 change for middleboxes?' --max-iterations 30
council campaign run research-and-plan 'parser' 'A streaming JSON parser …' --seats claude,codex
council campaign run full-auto 'parser' - --max-usd 200 --max-hours 48 < prompt.md
council campaign run implement 'parser' --test-command 'go test ./...' --detach`,
		Args: cobra.RangeArgs(2, 3),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var modes []string
			for _, m := range campaign.Modes() {
				modes = append(modes, string(m))
			}
			return modes, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error { return w.run(c, e, args) },
	}
	for _, f := range request.CampaignFlags() {
		if f.Name == "loop" {
			continue // headless campaigns always go on
		}
		addFlag(c, f, &w.Request)
	}
	c.Flags().BoolVar(&w.ScopeOutside, "scope-outside", false, "the scope may lie outside the project")
	c.Flags().BoolVar(&w.detach, "detach", false, "work in the background and return at once")
	c.Flags().BoolVarP(&w.quiet, "quiet", "q", false, "no progress lines")
	return c
}

func (w *campaignOptions) run(c *cobra.Command, e program.Env, args []string) error {
	mode, err := campaign.ParseMode(args[0])
	if err != nil {
		return err
	}
	w.Name = args[1]
	if len(args) == 3 {
		if w.Topic, err = readPrompt(e, args[2]); err != nil {
			return err
		}
	}
	project, err := projectForNewRun(c, e)
	if err != nil {
		return err
	}
	if err := prepare.CheckNoHooks(e, w.Request); err != nil {
		return err
	}
	w.ScopeFrom = e.Dir
	setup, err := prepare.Campaign(e, project, "", mode, w.Request)
	if err != nil {
		return err
	}
	if w.DryRun && asJSON(c) {
		return encode(e.Stdout, previewAnswer{setup, runs.Forecast(setup)})
	}
	if w.DryRun {
		_, err := fmt.Fprint(e.Stdout, prepare.CampaignPlan(setup))
		return err
	}
	if !w.quiet {
		fmt.Fprint(e.Stderr, prepare.CampaignPlan(setup))
	}
	return launch(c, e, setup, workMode{detach: w.detach, quiet: w.quiet})
}

// readPrompt is a prompt as it was typed, or standard input.
func readPrompt(e program.Env, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, err := io.ReadAll(io.LimitReader(e.Stdin, request.MaxTopicBytes+2))
	if err != nil {
		return "", fmt.Errorf("read the prompt: %w", err)
	}
	return strings.TrimSuffix(string(data), "\n"), nil
}

// previewAnswer is a setup and what it may take.
type previewAnswer struct {
	flow.Setup
	Estimate forecast.Forecast `json:"estimate"`
}

// campaignResumeCommand goes on with a campaign, without a session.
func campaignResumeCommand(e program.Env) *cobra.Command {
	var w campaignOptions
	c := &cobra.Command{
		Use:   "resume [NAME]",
		Short: "Go on with a campaign, headless",
		Long: `Go on with a campaign where it stands: one that was stopped, one whose session
is gone, one that was finished early, or one that a limit has ended, under new
limits. Features that failed for reasons of the environment are tried again, and
what a person has changed in docs/research-<name>/feature-list.json while
nothing ran is taken over. The name is needed where several are under way.`,
		Example: "council campaign resume\ncouncil campaign resume parser --max-iterations 60\ncouncil campaign resume parser --max-usd 50 --detach",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return campaignNames(c, e, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error { return w.resume(c, e, args) },
	}
	for _, f := range request.CampaignFlags() {
		switch f.Name {
		case "max-iterations", "max-usd", "max-hours", "accept-red-baseline", "no-hooks":
			addFlag(c, f, &w.Request)
		}
	}
	c.Flags().BoolVar(&w.trusts, "trust", false, "work on a campaign that came from elsewhere, with the programs it names")
	c.Flags().BoolVar(&w.detach, "detach", false, "work in the background and return at once")
	c.Flags().BoolVarP(&w.quiet, "quiet", "q", false, "no progress lines")
	return c
}

// campaignNames are the campaigns a word may stand for, for the shell to
// complete.
func campaignNames(c *cobra.Command, e program.Env, args []string) []string {
	project, err := projectWithRuns(c, e)
	if err != nil || len(args) > 0 {
		return nil
	}
	list, err := steering.Find(project, func(flow.Run) bool { return true })
	if err != nil {
		return nil
	}
	var names []string
	for _, r := range list {
		names = append(names, campaign.Of(r.Setup.Own).Slug)
	}
	return names
}

// plainState is a status in a word, as people ask for it.
func plainState(s status.Status) string {
	if s.Status == "running" && (s.IsUnattended() || s.Paused != "") {
		return "paused"
	}
	return s.Status
}

func (w *campaignOptions) resume(c *cobra.Command, e program.Env, args []string) error {
	project, err := projectWithRuns(c, e)
	if err != nil {
		return err
	}
	if err := prepare.CheckNoHooks(e, w.Request); err != nil {
		return err
	}
	r, err := steering.Pick(project, strings.Join(args, ""))
	if err != nil {
		return err
	}
	if w.AcceptRed {
		if err := caller.RequirePerson(e, project, r); err != nil {
			return err
		}
	}
	if err := checkTrusted(c.Context(), e, project, r.Setup.ID, w.trusts, false); err != nil {
		return err
	}
	if err := prepare.ResumeCampaign(e, project, r, w.Request); err != nil {
		return err
	}
	f, err := workspace.Open(project, r.Setup.ID)
	if err != nil {
		return err
	}
	defer f.Close()
	if w.detach {
		return detach(c, e, f, project)
	}
	return continueWork(c, e, f, project, w.quiet)
}

func campaignListCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the campaigns of a project", Example: "council campaign list\ncouncil campaign list --json", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			project, err := projectWithRuns(c, e)
			if err != nil {
				return err
			}
			campaigns, err := steering.Find(project, func(flow.Run) bool { return true })
			if err != nil {
				return err
			}
			all, err := workspace.List(project)
			if err != nil {
				return err
			}
			for _, id := range all {
				if err := runs.CheckReadable(project, id); err != nil {
					warnUnreadable(e, id, err)
				}
			}
			var list []status.Status
			for _, r := range campaigns {
				s, err := runs.Status(project, r.Setup.ID)
				if err != nil {
					return err
				}
				list = append(list, s)
			}
			if asJSON(c) {
				return encode(e.Stdout, list)
			}
			for i, s := range list {
				st := campaign.StateOf(campaigns[i])
				fmt.Fprintf(e.Stdout, "%-24s %-12s %-24s iteration %d/%d  %s  %s\n", campaign.Of(campaigns[i].Setup.Own).Slug, plainState(s), st.Phase, st.Iteration, campaign.Of(campaigns[i].Setup.Own).Iterations, st.Run, plain.Line(st.Reason, 120))
			}
			return nil
		},
	}
}
