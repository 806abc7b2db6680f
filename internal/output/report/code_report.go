package report

import (
	"fmt"
	"strings"

	"research-council/internal/engine/budget"
	"research-council/internal/product/campaign/feature"

	"research-council/internal/base/plain"
	"research-council/internal/base/plural"
)

// CodeCampaign is what a campaign that writes code has come to.
type CodeCampaign struct {
	Final                 // how the run went; of its evidence nothing is shown
	Name     string       // of the campaign, as the person wrote it
	Slug     string       // by which commands know it
	Features feature.List // what was to be built
	Papers   []string     // further files to read, from the project's top
}

// maxFailure is how much of the reason of a failed feature is shown, in runes.
const maxFailure = 2000

// RenderCodeCampaign writes the result of a campaign that writes code: each feature
// with the commit that holds it, what failed and why, what it cost.
func RenderCodeCampaign(b CodeCampaign) []byte {
	n := b.Features.Counts()
	out := spaced([]string{"# What was built: " + escapeForeign(b.Name, 200)}, status(b.Final, true, ""))
	summary := fmt.Sprintf("%d of %s pass", n.Complete, plural.Of(n.Total, "feature"))
	for _, more := range []struct {
		n    int
		what string
	}{{n.Failed, "failed"}, {n.Blocked, "blocked"}, {n.Total - n.Complete - n.Failed - n.Blocked, "open"}} {
		if more.n > 0 {
			summary += fmt.Sprintf(", %d %s", more.n, more.what)
		}
	}
	out = spaced(out, []string{
		summary + ".", "",
		fmt.Sprintf("- Run %s%s", escapeForeign(b.ID, 60), period(b.Began, b.Ended)),
		fmt.Sprintf("- Cost: %s; %s tokens in all", b.Spent.Cost(), budget.Grouped(b.Spent.Tokens)),
	})
	if n.Total > 0 {
		out = spaced(out, b.table())
	}
	out = spaced(out, b.failures())
	if len(b.Papers) > 0 {
		lines := []string{"## Papers", ""}
		for _, name := range b.Papers {
			lines = append(lines, "- "+foreignCode(name))
		}
		out = spaced(out, lines)
	}
	return []byte(strings.Join(out, "\n") + "\n")
}

func (b CodeCampaign) table() []string {
	lines := []string{"## Features", "", "| Feature | Name | State | Attempts | Commit |", "|---|---|---|---|---|"}
	for _, f := range b.Features.Features {
		commit, attempts := "", f.Attempts
		if f.State == feature.Passed {
			commit, attempts = foreignCode(f.Commit[:min(len(f.Commit), 12)]), attempts+1
		}
		state := string(f.State)
		if f.State == feature.Pending {
			state = "open"
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | %d | %s |", escapeForeign(f.ID, 40), escapeForeign(f.Name, 120), state, attempts, commit))
	}
	return lines
}

// failures are the features that do not pass though they were tried, or can no
// longer be: each with its reason, and how it is tried again.
func (b CodeCampaign) failures() []string {
	var lines []string
	for _, f := range b.Features.Features {
		if f.State == feature.Passed || f.Reason == "" {
			continue
		}
		lines = append(lines, "", fmt.Sprintf("### %s: %s", escapeForeign(f.ID, 40), escapeForeign(f.Name, 120)), "")
		if f.State == feature.Blocked {
			lines = append(lines, "Blocked: "+escapeForeign(f.Reason, maxFailure))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s, the last for this reason:", plural.Of(f.Attempts, "failed attempt")), "")
		lines = append(lines, "    "+plain.Line(plain.Trimmed(f.Reason), maxFailure)) // as code, whatever it says
		if f.State == feature.Failed && b.Slug != "" {
			lines = append(lines, "", fmt.Sprintf("`council campaign retry %s %s` tries it again.", b.Slug, plain.Line(f.ID, 40)))
		}
	}
	if lines == nil {
		return nil
	}
	return append([]string{"## What does not pass"}, lines...)
}
