package prepare

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/project/confine"
)

// CampaignPlan is what a campaign is about to do, and what it may cost.
func CampaignPlan(s flow.Setup) string {
	c := campaign.Of(s.Own)
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-8s %s\n", name, plain.Terminal(fmt.Sprintf(format, args...)))
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
	if searched := view.SearchText(s); searched != "" {
		row("web", "%s", searched)
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
	for i, line := range view.Forecast(runs.Forecast(s)) {
		row([]string{"estimate", ""}[min(i, 1)], "%s", line)
	}
	for _, m := range s.Missing {
		row("missing", "%s: %s", m.Seat, m.Reason)
	}
	return b.String()
}

// shellPreview says whether commands in the project are confined here.
func shellPreview() string {
	if _, err := confine.Find(context.Background()); err != nil {
		return fmt.Sprintf("not confined, %s: tests run with your rights, a seat runs the test command and what --allow names, init.sh is left to you", err)
	}
	return "confined by bubblewrap: tests, init.sh and the commands of a seat write the project and caches alone"
}

// hooksPreview says whether the repository's commit hooks run.
func hooksPreview(c campaign.Setup) string {
	if c.NoHooks {
		return "the repository's commit hooks do not run (--no-hooks)"
	}
	return "the repository's commit hooks run on each feature's commit (--no-hooks leaves them out)"
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
		return plural.Of(c.Research, "iteration")
	case p == campaign.PhaseA:
		return fmt.Sprintf("until %d iterations in a row find fewer than %d new findings", c.Threshold, campaign.PoorBelow)
	case p == campaign.PhaseB && c.Planning > 0:
		return plural.Of(c.Planning, "iteration")
	case p == campaign.PhaseB:
		return fmt.Sprintf("until no blocker is open and the plan stands for %d iterations", c.Stable)
	}
	return "until every feature passes, has failed or is blocked"
}
