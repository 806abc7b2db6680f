package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"research-council/internal/agent"
	"research-council/internal/base/proc"
	"research-council/internal/base/usage"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/forecast"
	"research-council/internal/engine/status"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/host/caller"
	"research-council/internal/host/request"
	"research-council/internal/host/view"
	"research-council/internal/product/campaign"
	"research-council/internal/product/campaign/steering"
	"research-council/internal/product/recipe"
	"research-council/internal/project/confine"
)

// campaignOptions is what `council campaign run` was asked for.
type campaignOptions struct {
	request.Request
	detach, quiet bool
}

func campaignRunCommand(e env) *cobra.Command {
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
		flag := c.Flags().VarPF(flagValue{f, &w.Request}, f.Name, "", f.Usage)
		if f.Value == "" {
			flag.NoOptDefVal = "true"
		}
	}
	c.Flags().BoolVar(&w.ScopeOutside, "scope-outside", false, "the scope may lie outside the project")
	c.Flags().BoolVar(&w.detach, "detach", false, "work in the background and return at once")
	c.Flags().BoolVarP(&w.quiet, "quiet", "q", false, "no progress lines")
	return c
}

func (w *campaignOptions) run(c *cobra.Command, e env, args []string) error {
	mode, err := parseMode(args[0])
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
	if err := checkNoHooks(e, w.Request); err != nil {
		return err
	}
	w.ScopeFrom = e.Dir
	setup, err := prepareCampaign(e, project, "", mode, w.Request)
	if err != nil {
		return err
	}
	if w.DryRun && asJSON(c) {
		return encode(e.stdout, previewAnswer{setup, forecastOf(setup)})
	}
	if w.DryRun {
		_, err := fmt.Fprint(e.stdout, campaignPreview(setup))
		return err
	}
	if !w.quiet {
		fmt.Fprint(e.stderr, campaignPreview(setup))
	}
	return launch(c, e, setup, workMode{w.detach, w.quiet})
}

func parseMode(word string) (campaign.Mode, error) {
	var names []string
	for _, m := range campaign.Modes() {
		if string(m) == word {
			return m, nil
		}
		names = append(names, string(m))
	}
	return "", usage.Errorf("there is no mode %q; use one of %s", word, strings.Join(names, ", "))
}

// readPrompt is a prompt as it was typed, or standard input.
func readPrompt(e env, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, err := io.ReadAll(io.LimitReader(e.stdin, request.MaxTopicBytes+2))
	if err != nil {
		return "", fmt.Errorf("read the prompt: %w", err)
	}
	return strings.TrimSuffix(string(data), "\n"), nil
}

// shellPreview says whether commands in the project are confined here.
func shellPreview() string {
	if _, err := confine.Find(context.Background()); err != nil {
		return fmt.Sprintf("not confined, %s: tests run with your rights, a seat runs the test command and what --allow names, init.sh is left to you", err)
	}
	return "confined by bubblewrap: tests, init.sh and the commands of a seat write the project and caches alone"
}

// previewAnswer is a setup and what it may take.
type previewAnswer struct {
	flow.Setup
	Estimate forecast.Forecast `json:"estimate"`
}

// checkNoHooks refuses an agent what only a person may say.
func checkNoHooks(e env, req request.Request) error {
	if who := caller.Agent(e.Getenv); req.NoHooks && who != "" {
		return usage.Errorf("--no-hooks is a person's to say, in a terminal of their own or behind the slash command: this was called by %s", who)
	}
	return nil
}

// hooksPreview says whether the repository's commit hooks run.
func hooksPreview(c campaign.Setup) string {
	if c.NoHooks {
		return "the repository's commit hooks do not run (--no-hooks)"
	}
	return "the repository's commit hooks run on each feature's commit (--no-hooks leaves them out)"
}

// campaignPreview is what a campaign is about to do, and what it may cost.
func campaignPreview(s flow.Setup) string {
	c := campaign.Of(s.Own)
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-8s %s\n", name, view.Clean(fmt.Sprintf(format, args...)))
	}
	row("campaign", "%s (%s), %s", c.Name, c.Mode, c.Folder())
	if s.Session != "" {
		row("worker", "this session")
	}
	if len(s.Seats) > 0 {
		row("seats", "%s", view.SeatNames(s))
	}
	if s.Critic != nil {
		row("critic", "%s, a fresh context each time", s.Critic.Name)
	}
	if len(s.Panel) > 0 {
		row("reviewed", "by %s", view.PanelNames(s))
	}
	for _, p := range c.Mode.Phases() {
		row("phase", "%s, %s", p, phaseEnd(c, p))
	}
	switch {
	case c.Test != "":
		row("tests", "%s", c.Test)
	case slices.Contains(c.Mode.Phases(), campaign.PhaseC):
		row("tests", "chosen by the breakdown (--test-command names them)")
	}
	if slices.Contains(c.Mode.Phases(), campaign.PhaseC) {
		row("shell", "%s", shellPreview())
		row("hooks", "%s", hooksPreview(*c))
	}
	if c.Plan != "" {
		row("plan", "%s", c.Plan)
	}
	limit := "no limit"
	if c.Iterations < request.Unlimited {
		limit = fmt.Sprintf("at most %d", c.Iterations)
	}
	row("bounds", "iterations: %s; time: %s; money: %s", limit, s.Limits.Time, moneyCap(s.Limits.USD))
	for i, line := range view.Forecast(forecastOf(s)) {
		row([]string{"estimate", ""}[min(i, 1)], "%s", line)
	}
	for _, m := range s.Missing {
		row("missing", "%s: %s", m.Seat, m.Reason)
	}
	return b.String()
}

func moneyCap(usd float64) string {
	if usd == 0 {
		return "no limit (--max-usd sets one)"
	}
	return "at most $" + strconv.FormatFloat(usd, 'f', -1, 64)
}

// phaseEnd says when a phase ends.
func phaseEnd(c *campaign.Setup, p campaign.Phase) string {
	switch {
	case p == campaign.PhaseA && c.Research > 0:
		return fmt.Sprintf("%d iterations", c.Research)
	case p == campaign.PhaseA:
		return fmt.Sprintf("until %d iterations in a row find fewer than %d new findings", c.Threshold, campaign.PoorBelow)
	case p == campaign.PhaseB && c.Planning > 0:
		return fmt.Sprintf("%d iterations", c.Planning)
	case p == campaign.PhaseB:
		return fmt.Sprintf("until no blocker is open and the plan stands for %d iterations", c.Stable)
	}
	return "until every feature passes, has failed or is blocked"
}

// campaignResumeCommand goes on with a campaign, without a session.
func campaignResumeCommand(e env) *cobra.Command {
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
		case "max-iterations", "max-usd", "max-hours":
			c.Flags().Var(flagValue{f, &w.Request}, f.Name, f.Usage)
		case "accept-red-baseline", "no-hooks":
			c.Flags().VarPF(flagValue{f, &w.Request}, f.Name, "", f.Usage).NoOptDefVal = "true"
		}
	}
	c.Flags().BoolVar(&w.detach, "detach", false, "work in the background and return at once")
	c.Flags().BoolVarP(&w.quiet, "quiet", "q", false, "no progress lines")
	return c
}

// campaignNames are the campaigns a word may stand for, for the shell to
// complete.
func campaignNames(c *cobra.Command, e env, args []string) []string {
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
	if s.Status == "running" && (s.Supervisor == 0 || s.Paused != "") {
		return "paused"
	}
	return s.Status
}

func (w *campaignOptions) resume(c *cobra.Command, e env, args []string) error {
	project, err := projectWithRuns(c, e)
	if err != nil {
		return err
	}
	if err := checkNoHooks(e, w.Request); err != nil {
		return err
	}
	r, err := steering.Pick(project, strings.Join(args, ""))
	if err != nil {
		return err
	}
	if w.AcceptRed {
		if err := caller.RequirePerson(e.Env, project, r); err != nil {
			return err
		}
	}
	if err := w.reopen(e, project, r); err != nil {
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

// reopen makes a campaign one that can be worked on without a session, under
// the limits that are asked for.
func (w *campaignOptions) reopen(e env, project string, r flow.Run) error {
	id := r.Setup.ID
	if r.Status == flow.Cancelled {
		return errors.New(steering.CancelledText(r))
	}
	if h := caller.SessionProcess(project, r); r.Setup.Session != "" && r.Status == "" && h.Alive() {
		return fmt.Errorf("the campaign %q belongs to a Claude Code session that is open (process %d); go on there with /research-council:continue-auto, or close it first", campaign.Of(r.Setup.Own).Name, h.PID)
	}
	r, err := updateFeatureList(e, project, r)
	if err != nil {
		return err
	}
	if recipe.Finished(r) {
		return fmt.Errorf("the campaign %q has nothing left to do: %s%s", campaign.Of(r.Setup.Own).Name, r.Reason, steering.NextCommand(r))
	}
	setup, raised := withRequestedLimits(w.Request, r.Setup)
	if len(setup.Seats) == 0 { // the session did the work
		conf, err := e.Config()
		if err != nil {
			return err
		}
		setup.Session = ""
		if err := assignSeats(e, conf, request.Request{Tier: setup.Tier}, &setup); err != nil {
			return err
		}
	}
	if r.Status != "" && r.Status != flow.Failed && !recipe.HasWorkLeft(r) && !raised {
		return fmt.Errorf("the campaign %q has ended: %s; to go on say a new limit, as in: council campaign resume %s --max-iterations %d", campaign.Of(r.Setup.Own).Name, strings.TrimSpace(string(r.Status)+" "+r.Reason), campaign.Of(r.Setup.Own).Slug, recipe.CampaignState(r).Iteration+10)
	}
	if r.Status == "" && !raised && r.Setup.Session == "" && !r.IsWaiting() {
		return nil // it goes on as it is
	}
	if h, alive := supervisor.Alive(project, id); alive {
		if r.Setup.Session == "" {
			return fmt.Errorf("process %d works on the campaign; `council cancel %s` ends it, Ctrl-C there stops it", h.PID, id)
		}
		if err := proc.EndIdentity(proc.Identity{PID: h.PID, Start: h.Start}, time.Second); err != nil {
			return fmt.Errorf("end the supervisor that waits for the session: %w", err)
		}
	}
	if err := workspace.RemoveState(project, id); err != nil && !errors.Is(err, workspace.ErrNoState) {
		return err
	}
	return supervisor.Reopen(e.SupervisorOptions(project, id), setup, "")
}

// withRequestedLimits is a setup under the limits asked for; false when it is as before.
func withRequestedLimits(req request.Request, s flow.Setup) (flow.Setup, bool) {
	c := *campaign.Of(s.Own)
	c.Iterations, c.Loop = first(req.Iterations, c.Iterations), c.Loop || req.Loop
	c.NoHooks, c.AcceptRed = c.NoHooks || req.NoHooks, c.AcceptRed || req.AcceptRed
	changed := c.NoHooks != campaign.Of(s.Own).NoHooks || c.AcceptRed != campaign.Of(s.Own).AcceptRed || c.Iterations != campaign.Of(s.Own).Iterations || c.Loop != campaign.Of(s.Own).Loop || req.USD > 0 || req.Hours > 0
	s.Own = campaign.Own(&c)
	if req.USD > 0 {
		s.Limits.USD = req.USD
	}
	if req.Hours > 0 {
		s.Limits.Time = time.Duration(req.Hours * float64(time.Hour))
	}
	s.Limits.Turns = max(s.Limits.Turns, maxCampaignTurns(&s))
	return s, changed
}

func campaignListCommand(e env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the campaigns of a project", Example: "council campaign list\ncouncil campaign list --json", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			project, err := projectWithRuns(c, e)
			if err != nil {
				return err
			}
			runs, err := steering.Find(project, func(flow.Run) bool { return true })
			if err != nil {
				return err
			}
			all, err := workspace.List(project)
			if err != nil {
				return err
			}
			for _, id := range all {
				if err := checkReadable(project, id); err != nil {
					warnUnreadable(e, id, err)
				}
			}
			var list []status.Status
			for _, r := range runs {
				s, err := currentStatus(project, r.Setup.ID)
				if err != nil {
					return err
				}
				list = append(list, s)
			}
			if asJSON(c) {
				return encode(e.stdout, list)
			}
			for i, s := range list {
				st := recipe.CampaignState(runs[i])
				fmt.Fprintf(e.stdout, "%-24s %-12s %-24s iteration %d/%d  %s  %s\n", campaign.Of(runs[i].Setup.Own).Slug, plainState(s), st.Phase, st.Iteration, campaign.Of(runs[i].Setup.Own).Iterations, st.Run, agent.PlainLine(st.Reason, 120))
			}
			return nil
		},
	}
}
